package chain

// TxStatus is what the network knows of a signed transaction, or of several
// of which at most one can be included.
type TxStatus int

// The statuses.
const (
	TxUnknown  TxStatus = iota // no endpoint has it
	TxPending                  // a node holds it, no block does
	TxIncluded                 // in a block that is not final
	TxFinal                    // in a final block, and succeeded
	TxReverted                 // in a final block, and failed
	// TxDropped: it can never be included. Another transaction used its nonce
	// in a final block, or its blockhash expired.
	TxDropped
)

// Ended reports whether the chain will not change the status any more.
func (s TxStatus) Ended() bool { return s == TxFinal || s == TxReverted || s == TxDropped }

// String returns the status as logs show it.
func (s TxStatus) String() string {
	switch s {
	case TxUnknown:
		return "unknown"
	case TxPending:
		return "pending"
	case TxIncluded:
		return "included"
	case TxFinal:
		return "final"
	case TxReverted:
		return "reverted"
	case TxDropped:
		return "dropped"
	}
	return "invalid"
}
