package app

import (
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// lane is a configured network with everything that serves it.
type lane struct {
	payment.OfferedNetwork
	reader  chain.Reader
	watcher *payment.Watcher
	sweeper *settlement.Sweeper // nil: no gas wallet, so nothing is swept
	close   func()              // lets go of connections; nil: there is nothing to do
}

// lanes are the configured networks; it implements payment.Networks.
type lanes map[chain.Network]*lane

var _ payment.Networks = lanes(nil)

// Network returns the network, or false when it is not configured.
func (l lanes) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	x, ok := l[n]
	if !ok {
		return payment.OfferedNetwork{}, false
	}
	return x.OfferedNetwork, true
}

// Health tells how the network does now.
func (l lanes) Health(n chain.Network) payment.Health {
	x, ok := l[n]
	if !ok {
		return payment.Health{Reason: "this network is not offered here", Detail: "not configured"}
	}
	return x.watcher.Health()
}

// inOrder returns the configured networks in the order they are offered.
func (l lanes) inOrder() []*lane {
	var all []*lane
	for _, n := range chain.Networks() {
		if x, ok := l[n]; ok {
			all = append(all, x)
		}
	}
	return all
}

// Sweeping tells how sweeping of the network does; ok is false where nothing
// is swept.
func (l lanes) Sweeping(n chain.Network) (st settlement.Status, ok bool) {
	x, ok := l[n]
	if !ok || x.sweeper == nil {
		return settlement.Status{}, false
	}
	return x.sweeper.Status(), true
}

// endpoints tells how the nodes of the network do.
func (l lanes) endpoints(n chain.Network) []chain.EndpointHealth {
	x, ok := l[n]
	if !ok {
		return nil
	}
	return x.reader.Endpoints()
}

// close lets go of what the lanes hold, once nothing works on them any more.
func (l lanes) close() {
	for _, x := range l {
		if x.close != nil {
			x.close()
		}
	}
}
