package evm

import (
	"encoding/json"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
	"github.com/florinpay/florin/internal/chain/subscription"
)

// Limits of the subscriptions for logs: recipients of one, and how many there are.
const (
	pushedRecipients = 250
	maxPushed        = 4
)

// Subscriptions returns how the endpoints of the network are subscribed to: new heads, and the logs of transfers of its
// assets to our addresses (eth_subscribe).
func (a *Adapter) Subscriptions() subscription.Protocol {
	subscribe := func(params ...any) subscription.Call {
		return subscription.Call{Subscribe: "eth_subscribe", Unsubscribe: "eth_unsubscribe", Params: params}
	}
	return subscription.Protocol{
		Heads: subscribe("newHeads"),
		Money: func(watch *chain.WatchSet) (calls []subscription.Call, all bool) {
			for _, topics := range recipients(watch, pushedRecipients) {
				if len(calls) == maxPushed {
					return calls, false
				}
				calls = append(calls, subscribe("logs", map[string]any{
					"address": a.contracts(), "topics": []any{rpc.TransferTopic, nil, topics},
				}))
			}
			return calls, true
		},
		News: func(result json.RawMessage, watch *chain.WatchSet) bool {
			var l rpc.RawLog
			var to rpc.Address
			if !rpc.ReadLog(rpc.NewScanner(result), &l) || !l.IsTransfer() || !a.isAsset(l.Address) ||
				!l.Recipient(&to) || l.MovesNothing() {
				return false
			}
			_, watched := watch.Lookup(to[:])
			return watched
		},
	}
}
