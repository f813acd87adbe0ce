package checkout

// Verdict is the outcome of a payer's lookup of a transaction.
type Verdict string

// The verdicts of the "I have paid" form.
const (
	// VerdictCredited: final and counted.
	VerdictCredited Verdict = "credited"
	// VerdictNotFinal: the right transfer, not final yet. Set SecondsToFinal.
	VerdictNotFinal Verdict = "not_final"
	// VerdictShort: counted, but Missing is still to come.
	VerdictShort Verdict = "short"
	// VerdictOtherChain: found on Network, which is not where it was expected.
	VerdictOtherChain Verdict = "other_chain"
	// VerdictOtherToken: the right address, but Token does not count.
	VerdictOtherToken Verdict = "other_token"
	// VerdictOtherAddress: the transaction pays another address.
	VerdictOtherAddress Verdict = "other_address"
	// VerdictTokenContract: sent to the token's contract instead of the address.
	VerdictTokenContract Verdict = "token_contract"
	// VerdictFailed: in a block, but it failed there, so no money moved.
	VerdictFailed Verdict = "failed"
	// VerdictWorthless: a zero-value or counterfeit transfer.
	VerdictWorthless Verdict = "worthless"
	// VerdictNotFound: no configured network has the hash, or money from the address, yet.
	VerdictNotFound Verdict = "not_found"
	// VerdictInvalid: not a transaction hash or address.
	VerdictInvalid Verdict = "invalid"
	// VerdictUnavailable: the network cannot be read at the moment.
	VerdictUnavailable Verdict = "unavailable"
	// VerdictTooOften: rate limited (429).
	VerdictTooOften Verdict = "too_often"
)

// Lookup is the answer to "I have paid, find it".
type Lookup struct {
	Verdict Verdict
	// Asked is what the payer typed; it stays in the field.
	Asked string
	// ByAddress: Asked is an address, not a transaction.
	ByAddress bool
	// Network is the enum value where the transaction was found, Token the symbol, Amount and
	// Missing plain decimals. Empty when unknown.
	Network, Token, Amount, Missing string
	SecondsToFinal                  int
	ExplorerURL                     string
}
