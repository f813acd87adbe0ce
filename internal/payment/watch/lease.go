package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

const (
	// leaseFor is how long a crashed instance keeps others from scanning, and renewEvery how often a lease is taken or
	// renewed between rounds.
	leaseFor   = 10 * time.Second
	renewEvery = leaseFor / 3
)

// LeaseName is the name of the lease to read the network.
func LeaseName(n chain.Network) string { return "watch:" + string(n) }

// lease is the right to read the network.
type lease struct {
	*network

	held    bool
	renewed time.Time // when it was last taken or asked for
}

// take takes or renews the lease, and reports whether another instance had it before.
func (l *lease) take(ctx context.Context) (fresh bool, err error) {
	now, held := l.now(), l.held
	l.held, err = l.store.Lease(ctx, LeaseName(l.profile.Network), l.holder, now, now.Add(leaseFor))
	if err != nil {
		return false, fmt.Errorf("lease of the network: %w", err)
	}
	l.renewed = now
	return l.held && !held, nil
}

func (l *lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := l.now()
	if _, err := l.store.Lease(ctx, LeaseName(l.profile.Network), l.holder, now, now); err != nil {
		l.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}
