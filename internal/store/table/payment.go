package table

import (
	"strconv"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// PaymentState is the expression of the index payments_by_state, of payments AS p.
const PaymentState = "(CAST(p.key_id AS text) || ' ' || p.status || ' ' || p.network)"

// PaymentStates returns the values of PaymentState that payments of the key can have with the status and the network;
// empty: with any. A payment has a network from its start on.
func PaymentStates(keyID int64, of payment.Status, on chain.Network) []string {
	var all []string
	for _, status := range payment.Statuses() {
		if of != "" && of != status {
			continue
		}
		for _, network := range append(chain.Networks(), "") {
			possible := (status != payment.Pending || network == "") && (status != payment.Started || network != "")
			if possible && (on == "" || on == network) {
				all = append(all, strconv.FormatInt(keyID, 10)+" "+string(status)+" "+string(network))
			}
		}
	}
	return all
}
