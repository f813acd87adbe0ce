package shell

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/fault"
)

// Rate is how often something may be done: PerSecond in the long run, Burst at
// once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// times returns the rate for so many clients together.
func (r Rate) times(n int) Rate { return Rate{PerSecond: r.PerSecond * float64(n), Burst: r.Burst * n} }

// nearOpen is how many times the payments that one address may open its
// neighbourhood, an IPv6 /48 or an IPv4 /24, may open.
const nearOpen = 3

// Rates are the limits. A program on the same machine without a proxy is not
// limited.
type Rates struct {
	Client Rate // requests of one address
	Key    Rate // operations of one API key
	Costly Rate // expensive operations of one address (operation.Limits)
	// Open is how many payments one address may open at a merchant's cost: each
	// donation takes a credit, and so may each use of a payment link. Its whole
	// neighbourhood may open nearOpen times as many.
	Open Rate
	// Calls is how many operations that ask the endpoints of networks all clients together may begin, without a key or
	// a session: "find my payment", a transaction for a wallet. The reading of money has what they leave of the budget.
	Calls Rate
	// Streams is how many live pages one address may have open, NearStreams
	// those of its whole neighbourhood (an IPv6 /48, which one customer of a
	// provider may have, or an IPv4 /24), PaymentStreams those of one payment,
	// and AllStreams the sum of all.
	Streams        int
	NearStreams    int
	PaymentStreams int
	AllStreams     int
}

// DefaultRates are more than a shop needs, whose own server is one address, and
// low enough that one client does not take the others' share.
func DefaultRates() Rates {
	return Rates{
		Client: Rate{PerSecond: 100, Burst: 400}, Key: Rate{PerSecond: 100, Burst: 400},
		Costly: Rate{PerSecond: 0.5, Burst: 20}, Open: Rate{PerSecond: 1. / 30, Burst: 30},
		Calls:   CallsWithin(0),
		Streams: 100, NearStreams: 1_000, PaymentStreams: 200, AllStreams: 30_000,
	}
}

const (
	// callsOfOne is how many calls one such operation makes of one endpoint at most, and callsPart which part of the
	// budget they may take together.
	callsOfOne, callsPart = 4, 10
	// ownCalls are the operations a second where nobody counts calls.
	ownCalls, callsBurst = 1, 60
)

// CallsWithin returns Rates.Calls for a budget of calls a day at each endpoint; 0: there is none.
func CallsWithin(budget int64) Rate {
	if budget == 0 {
		return Rate{PerSecond: ownCalls, Burst: callsBurst}
	}
	day := float64(budget) / callsPart / callsOfOne
	return Rate{PerSecond: day / (24 * time.Hour).Seconds(), Burst: max(1, min(callsBurst, int(day/callsPart)))}
}

// perPayment is how often one payment may be looked for, perNear how often one neighbourhood may ask endpoints, and
// perShop how often one may for its accounts: four wallets are four.
var (
	perPayment = Rate{PerSecond: 10. / 3600, Burst: 10}
	perNear    = Rate{PerSecond: 1. / 30, Burst: 20}
	perShop    = Rate{PerSecond: 1. / 15, Burst: 40}
)

// Limits counts requests and operations by client and key. It is safe for
// concurrent use.
type Limits struct {
	// Rates are the limits in force.
	Rates Rates

	keys, nearOpen        *meter
	payments, near, calls *meter // of operations that ask endpoints
	shops, checks         *meter // of those of keys and accounts
	clients, costly, open meters
	now                   func() time.Time
}

var _ operation.Limits = (*Limits)(nil)

// NewLimits returns limits that nothing was counted against.
func NewLimits(r Rates, now func() time.Time) *Limits {
	return &Limits{
		Rates: r, clients: newMeters(r.Client), keys: newMeter(r.Key), costly: newMeters(r.Costly),
		open: newMeters(r.Open), nearOpen: newMeter(r.Open.times(nearOpen)),
		payments: newMeter(perPayment), near: newMeter(perNear), calls: newMeter(r.Calls), now: now,
		shops: newMeter(perShop), checks: newMeter(r.Calls),
	}
}

// sharedBy is how many clients' allowance all clients without an address have
// together: enough for a shop, and no flood.
const sharedBy = 20

// meters are the meter of single clients, and that of all clients whose address a
// proxy withholds.
type meters struct{ own, shared *meter }

func newMeters(r Rate) meters { return meters{newMeter(r), newMeter(r.times(sharedBy))} }

// More counts n more requests of the client.
func (l *Limits) More(ctx context.Context, n int) error {
	for range n {
		if err := l.ofClient(ctx, l.clients); err != nil {
			return err
		}
	}
	return nil
}

// Key counts an operation of the API key.
func (l *Limits) Key(ctx context.Context, keyID int64) error {
	if operation.CallOf(ctx).Client == "" {
		return nil
	}
	return refusedFor(l.keys.take(strconv.FormatInt(keyID, 10), l.now()))
}

// Costly counts an operation that costs the server much more than the client.
func (l *Limits) Costly(ctx context.Context) error { return l.ofClient(ctx, l.costly) }

// Endpoints counts an operation on a payment that asks the endpoints of networks: by address, by neighbourhood, by
// payment, and in all.
func (l *Limits) Endpoints(ctx context.Context, txnid string) error {
	client := operation.CallOf(ctx).Client
	if client == "" {
		return nil
	}
	err := l.Costly(ctx)
	if near := Neighbourhood(client); err == nil && near != "" {
		err = refusedFor(l.near.take(near, l.now()))
	}
	if err == nil {
		err = refusedFor(l.payments.take(strings.ToUpper(txnid), l.now()))
	}
	if err == nil {
		err = refusedFor(l.calls.take("", l.now()))
	}
	return err
}

// Checks counts an operation of a key or an account that asks the endpoints, by neighbourhood and in all.
func (l *Limits) Checks(ctx context.Context) error {
	client := operation.CallOf(ctx).Client
	if client == "" {
		return nil
	}
	if near := Neighbourhood(client); near != "" {
		if err := refusedFor(l.shops.take(near, l.now())); err != nil {
			return err
		}
	}
	return refusedFor(l.checks.take("", l.now()))
}

// Open counts a payment that the client opens at a merchant's cost, by address and
// by neighbourhood.
func (l *Limits) Open(ctx context.Context) error {
	if err := l.ofClient(ctx, l.open); err != nil {
		return err
	}
	near := Neighbourhood(operation.CallOf(ctx).Client)
	if near == "" {
		return nil
	}
	return refusedFor(l.nearOpen.take(near, l.now()))
}

func (l *Limits) ofClient(ctx context.Context, m meters) error {
	switch client := operation.CallOf(ctx).Client; client {
	case "":
		return nil
	case Unforwarded:
		return refusedFor(m.shared.take(client, l.now()))
	default:
		return refusedFor(m.own.take(client, l.now()))
	}
}

func refusedFor(wait time.Duration) error {
	if wait <= 0 {
		return nil
	}
	return fault.Retry(fault.Limited, wait, "too many requests; try again %s", fault.In(wait))
}

// PerClient counts requests by address, except those of routes that are
// Router.Unlimited.
func (s *Shell) PerClient(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		if !s.routeOf(c).unlimited {
			l := s.Limits
			if err := l.ofClient(c.Request().Context(), l.clients); err != nil {
				return err
			}
		}
		return next(c)
	}
}
