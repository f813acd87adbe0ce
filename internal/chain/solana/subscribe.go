package solana

import (
	"encoding/json"
	"slices"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/chain/subscription"
)

// maxSubscribed bounds the subscriptions, one an account: providers allow some hundreds a connection.
const maxSubscribed = 100

// Protocol returns the subscriptions for money in the assets: accountSubscribe for the token accounts of our addresses,
// and slotSubscribe as a sign of life.
func Protocol(assets []chain.Asset) subscription.Protocol {
	var mints []solanago.PublicKey
	for _, a := range assets {
		if key, err := solanago.PublicKeyFromBase58(string(a.Contract)); err == nil {
			mints = append(mints, key)
		}
	}
	var addresses rpc.Accounts
	return subscription.Protocol{
		Heads: subscription.Call{Subscribe: "slotSubscribe", Unsubscribe: "slotUnsubscribe"},
		Money: func(watch *chain.WatchSet) (calls []subscription.Call, all bool) {
			var keys []string
			for raw := range watch.All {
				if len(raw) != solanago.PublicKeyLength {
					continue // of another network
				}
				for _, mint := range mints {
					keys = append(keys, addresses.Of(solanago.PublicKey(raw), mint).String())
				}
			}
			slices.Sort(keys)
			all = len(keys) <= maxSubscribed
			for _, key := range keys[:min(len(keys), maxSubscribed)] {
				calls = append(calls, subscription.Call{
					Subscribe: "accountSubscribe", Unsubscribe: "accountUnsubscribe",
					Params: []any{key, map[string]any{"encoding": "base64", "commitment": "confirmed"}},
				})
			}
			return calls, all
		},
		// Only one account is subscribed to in each, so whatever comes is about it.
		News: func(json.RawMessage, *chain.WatchSet) bool { return true },
	}
}
