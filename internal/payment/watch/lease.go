package watch

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

const (
	// leaseFor is how long a crashed instance keeps others from scanning, and renewEvery how often a lease is taken or
	// renewed between rounds.
	leaseFor   = 10 * time.Second
	renewEvery = leaseFor / 3
	// recheckAfter is when a network that is not the configured one is checked again.
	recheckAfter = 5 * time.Second
)

// LeaseName is the name of the lease to read the network.
func LeaseName(n chain.Network) string { return "watch:" + string(n) }

// lease is the right to read the network.
type lease struct {
	*network

	held    bool
	renewed time.Time // when it was last taken or asked for
}

// take takes or renews the lease.
func (l *lease) take(ctx context.Context) (bool, error) {
	now := l.now()
	ok, err := l.store.Lease(ctx, LeaseName(l.profile.Network), l.holder, now, now.Add(leaseFor))
	if err != nil {
		return false, fmt.Errorf("lease of the network: %w", err)
	}
	l.renewed, l.held = now, ok
	return ok, nil
}

func (l *lease) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	now := l.now()
	if _, err := l.store.Lease(ctx, LeaseName(l.profile.Network), l.holder, now, now); err != nil {
		l.log.Warn("lease not given back; it runs out by itself", "error", err)
	}
}

// identity is whether the chain is the configured one, and the one that was read before.
type identity struct {
	*network

	health  *health
	checked bool
	retryAt time.Time // when to ask again after a check failed
}

// check checks once that the chain is the configured one. Until then the network is not offered and not read.
func (i *identity) check(ctx context.Context) error {
	if i.checked {
		return nil
	}
	if i.now().Before(i.retryAt) {
		return errors.New(i.health.get().Detail)
	}
	if err := i.endpoints.Check(ctx); err != nil {
		i.retryAt = i.now().Add(recheckAfter)
		i.health.set(payment.Health{Reason: "this network is not set up", Detail: err.Error()})
		return err
	}
	i.checked = true
	return nil
}
