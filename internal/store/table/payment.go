package table

import (
	"strconv"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// PaymentState is the expression of the index payments_by_state, of payments AS p.
const PaymentState = "(CAST(p.key_id AS text) || substr(p.status, 1, 2) || substr(p.network, 1, 2))"

// inState is how many characters tell the statuses from each other, and the networks: the index has an entry for each
// payment.
const inState = 2

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
				all = append(all, strconv.FormatInt(keyID, 10)+short(string(status))+short(string(network)))
			}
		}
	}
	return all
}

func short(text string) string { return text[:min(inState, len(text))] }
