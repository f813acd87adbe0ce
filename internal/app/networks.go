package app

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/chain/subscription"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/settlement"
)

// network is a configured network with its reader, watcher and sweeper.
type network struct {
	payment.OfferedNetwork
	reader  chain.Reader    // with metrics, one that measures
	evm     *evm.Adapter    // nil on Solana
	solana  *solana.Adapter // nil on the others
	watcher *watch.Watcher
	now     func() time.Time
	sweeper *settlement.Sweeper // nil: no gas wallet, so nothing is swept
	close   func()              // closes connections; nil: there are none
	feed    *subscription.Feed  // nil: no endpoint pushes
	pushes  subscription.Protocol
	budget  chain.Budgets
	calls   *chain.Meter
	// feeds are the price feeds that readFeeds reads.
	feeds     []chain.Feed
	readFeeds func(context.Context, []chain.Feed) ([]chain.FeedAnswer, error)
	// checkWallet refuses an address that cannot be a settlement wallet; nil: every
	// address can.
	checkWallet func(context.Context, chain.Address) error
	// code returns the hash of the code at an address, empty for a plain account; nil:
	// the network has no code at wallets.
	code func(context.Context, chain.Address) (string, error)
}

// networks are the configured networks; it implements payment.Networks.
type networks map[chain.Network]*network

var _ payment.Networks = networks(nil)

// Network returns the network, or false when it is not configured.
func (all networks) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	x, ok := all[n]
	if !ok {
		return payment.OfferedNetwork{}, false
	}
	return x.OfferedNetwork, true
}

// Health returns the health of the network, now.
func (all networks) Health(n chain.Network) payment.Health {
	x, ok := all[n]
	if !ok {
		return payment.Health{Reason: "this network is not offered here", Detail: "not configured"}
	}
	return x.watcher.Health().AsOf(x.now())
}

// checkWallet refuses an address that cannot be a settlement wallet on the
// network. A network that is not configured cannot be asked.
func (all networks) checkWallet(ctx context.Context, n chain.Network, w chain.Address) error {
	x, ok := all[n]
	if !ok || x.checkWallet == nil {
		return nil
	}
	return x.checkWallet(ctx, w)
}

// walletCode returns the hash of the code at a wallet; known is false where the
// network cannot be asked.
func (all networks) walletCode(ctx context.Context, n chain.Network, w chain.Address) (code string, known bool) {
	x, ok := all[n]
	if !ok || x.code == nil {
		return "", false
	}
	code, err := x.code(ctx, w)
	return code, err == nil
}

// inOrder returns the configured networks in the order they are offered.
func (all networks) inOrder() []*network {
	var list []*network
	for _, n := range chain.Networks() {
		if x, ok := all[n]; ok {
			list = append(list, x)
		}
	}
	return list
}

// Sweeping returns the status of the network's sweeper; ok is false if nothing
// is swept there.
func (all networks) Sweeping(n chain.Network) (st settlement.Status, ok bool) {
	x, ok := all[n]
	if !ok || x.sweeper == nil {
		return settlement.Status{}, false
	}
	return x.sweeper.Status(), true
}

// watchers returns the watchers by network.
func (all networks) watchers() map[chain.Network]*watch.Watcher {
	list := make(map[chain.Network]*watch.Watcher, len(all))
	for n, x := range all {
		list[n] = x.watcher
	}
	return list
}

// wake makes every watcher look at what is at risk: a payment has changed.
func (all networks) wake() {
	for _, x := range all {
		x.watcher.Wake()
	}
}

// endpoints returns the health of the RPC endpoints of the network.
func (all networks) endpoints(n chain.Network) []chain.EndpointHealth {
	x, ok := all[n]
	if !ok {
		return nil
	}
	return x.reader.Endpoints()
}

// close closes the connections of all networks. Their loops must have ended.
func (all networks) close() {
	for _, x := range all {
		if x.close != nil {
			x.close()
		}
	}
}
