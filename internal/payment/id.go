package payment

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// ReadID returns the txnid as it is stored, however it is written; a text that is none unchanged.
func ReadID(text string) string {
	if id, err := readID(text); err == nil {
		return string(id)
	}
	return text
}

// readID reads the txnid of a link or a request, which people copy by hand.
func readID(text string) (ID, error) {
	if text == "" {
		return "", fault.About(fault.Invalid, "txnid", "is required")
	}
	if chain.IsTxnID(text) {
		return ID(text), nil
	}
	id, err := chain.ReadTxnID(text)
	if err != nil {
		return "", ErrUnknown
	}
	return ID(id.String()), nil
}
