package chaintest

import (
	"encoding/binary"

	"github.com/florinpay/florin/internal/chain"
)

// TxnID returns the txnid of the n-th payment of a test.
func TxnID(n int64) string {
	var id chain.TxnID
	id[0] = 1
	binary.BigEndian.PutUint64(id[8:], uint64(n))
	return id.String()
}
