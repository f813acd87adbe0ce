package payment

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
)

// Options are the operator's settings for payments.
type Options struct {
	TTL       time.Duration // how long a new payment may wait to be started
	StartTTL  time.Duration // how long a payer has, at least, once it is started
	MinAmount money.Micros
	MaxAmount money.Micros
	// MaxWaiting and MaxWaitingOfKey are how many payments that strangers opened
	// may wait for money at once: of one campaign or link, and of one key.
	MaxWaiting      int
	MaxWaitingOfKey int
	// Meter says whether starts and completions by hand cost anything; zero:
	// they do.
	Meter ledger.Meter
	// Refused is called with the key whose start was refused for credits; nil:
	// nothing is.
	Refused func(ctx context.Context, keyID int64)
	// Crowded is called with a key whose payments of strangers give way to each other because too many wait; nil:
	// nothing is.
	Crowded func(ctx context.Context, keyID int64)
	// Rates returns what a unit of a currency is worth now in a merchant's prices; nil: prices are in dollars alone.
	// Currencies are those that it may have.
	Rates      func(context.Context, exchange.Currency, exchange.Pricing) (exchange.Quote, error)
	Currencies []exchange.Currency
	// Looked is called with a payment that somebody looks at; nil: nothing is. It
	// must not block.
	Looked func(Payment)
}

// Service is what the surfaces use: it checks the input, reads what a decision
// needs, lets the payment decide and stores the change.
type Service struct {
	store      Store
	custodians Custodians
	networks   Networks
	opts       Options
	now        func() time.Time
	newID      func(time.Time) ID
}

// NewService returns the service. now gives the time, newID a fresh ID.
func NewService(s Store, c Custodians, n Networks, o Options, now func() time.Time, newID func(time.Time) ID) *Service {
	return &Service{store: s, custodians: c, networks: n, opts: o, now: now, newID: newID}
}

// Get returns a payment; knowing its ID is enough. A malformed ID is unknown.
func (s *Service) Get(ctx context.Context, id string) (Payment, error) {
	known, err := readID(id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.Payment(ctx, known)
}

// Poll is Get for pollers: the payment may be a second old, so nothing may be
// decided by it. The caller must not modify it.
func (s *Service) Poll(ctx context.Context, id string) (Payment, error) {
	known, err := readID(id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.RecentPayment(ctx, known)
}

// Look says that a page with the payment is open, or that a program asks for its
// status: the network is then read at the pace of a payer who waits.
func (s *Service) Look(p Payment) {
	if s.opts.Looked != nil {
		s.opts.Looked(p)
	}
}

// Owned returns a payment of the key; another key's is unknown.
func (s *Service) Owned(ctx context.Context, keyID int64, id string) (Payment, error) {
	p, err := s.Get(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	if p.KeyID != keyID {
		return Payment{}, ErrUnknown
	}
	return p, nil
}

// Start lets the payer pay with the choice, and returns the payment with its
// address. Knowing the ID is enough. A recent reading suffices to start; only
// the stored payment can refuse.
func (s *Service) Start(ctx context.Context, id string, choice Choice, act audit.Act) (Payment, error) {
	return s.start(ctx, choice, act,
		func() (Payment, error) { return s.Poll(ctx, id) },
		func() (Payment, error) { return s.Get(ctx, id) })
}

// StartOwned is Start for a caller with the key that owns the payment.
func (s *Service) StartOwned(
	ctx context.Context, keyID int64, id string, choice Choice, act audit.Act,
) (Payment, error) {
	return s.start(ctx, choice, act, func() (Payment, error) { return s.Owned(ctx, keyID, id) })
}

// start starts the payment by the first reading that can be started. If none
// can, the last one says why, or is the payment that is started already.
func (s *Service) start(
	ctx context.Context, choice Choice, act audit.Act, reads ...func() (Payment, error),
) (p Payment, err error) {
	for _, read := range reads {
		var route Route
		var changes bool
		if p, err = read(); err == nil {
			route, changes, err = s.startRoute(ctx, p, choice)
		}
		if err == nil && changes {
			started, err := s.begin(ctx, p, act.Near, func() (Payment, error) {
				return s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) {
					return s.first(p, choice, route, act)
				})
			})
			s.started(ctx, p.KeyID, err)
			return started, err
		}
	}
	return p, err
}

// started calls Options.Refused when the start of a payment failed for credits.
func (s *Service) started(ctx context.Context, keyID int64, err error) {
	if s.opts.Refused != nil && (errors.Is(err, ledger.ErrNoCredits) || errors.Is(err, ledger.ErrReserve)) {
		s.opts.Refused(ctx, keyID)
	}
}

// first starts the payment by the route, or makes another choice.
func (s *Service) first(p Payment, choice Choice, route Route, act audit.Act) (Change, error) {
	c, err := s.metered(p.Start(choice, route, s.opts.StartTTL, s.now()))
	if p.Status == Pending && p.ByStranger() {
		c.Payment.Near = act.Near
	}
	return c.by(act, audit.Record{}, err)
}

// metered returns the change with the entries that the installation posts for
// its costs.
func (s *Service) metered(c Change, err error) (Change, error) {
	costs := c.Entries
	c.Entries = s.opts.Meter.Charge(costs...)
	if s.opts.Meter == ledger.Free && slices.ContainsFunc(costs, ledger.Entry.Holds) {
		c.Payment.Held = false
	}
	return c, err
}

// startRoute returns the route by which the payment can be started with the
// choice; changes is false if it is started so already. The state is checked
// before the network, so that an ended payment says so whatever the choice, and
// a repeated start works while the network is behind.
func (s *Service) startRoute(ctx context.Context, p Payment, choice Choice) (r Route, changes bool, err error) {
	if c, err := p.Start(choice, Route{}, s.opts.StartTTL, s.now()); err != nil || c.None() {
		return Route{}, false, err
	}
	if p.Kind == KindTopUp {
		if err := s.opts.Meter.Sells(); err != nil {
			return Route{}, false, err
		}
	}
	taken, err := s.offered(ctx, p, choice)
	if err != nil {
		return Route{}, false, err
	}
	r, err = taken.route(p, choice)
	return r, err == nil, err
}

// Cancel cancels a payment that has received nothing. Knowing the ID is enough.
func (s *Service) Cancel(ctx context.Context, id string, act audit.Act) (Payment, error) {
	p, err := s.Get(ctx, id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) {
		c, err := p.Cancel(s.now())
		return c.by(act, act.Record(act.Account, audit.ActionCancelPayment, string(p.ID), ""), err)
	})
}

// MarkCompleted completes a payment of the key by hand, for one query.
func (s *Service) MarkCompleted(ctx context.Context, keyID int64, id, reason string, act audit.Act) (Payment, error) {
	p, err := s.Owned(ctx, keyID, id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) {
		c, err := s.metered(p.MarkCompleted(Actor{Name: act.Who, Reason: reason}, s.now()))
		return c.by(act, act.Record(act.Account, audit.ActionMarkCompleted, id, cmp.Or(act.Key, reason)), err)
	})
}

// Accept completes a payment of the key with its short or late money.
func (s *Service) Accept(ctx context.Context, keyID int64, id string, act audit.Act) (Payment, error) {
	p, err := s.Owned(ctx, keyID, id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) {
		c, err := s.metered(p.Accept(Actor{Name: act.Who}, s.now()))
		came := mail.T("{{.Came}} of {{.Amount}}", "Came", p.cameWords(), "Amount", mail.Dollars(p.Amount))
		return c.by(act, act.Record(act.Account, audit.ActionAccept, id, came.Kept()), err)
	})
}

// CompleteWaiting is MarkCompleted, or Accept, for what an owner of a locked account has asked for before. A payment
// that is completed already is no error.
func (s *Service) CompleteWaiting(ctx context.Context, keyID int64, id, by, reason string, accept bool) error {
	act := audit.Act{Who: by}
	var err error
	if accept {
		_, err = s.Accept(ctx, keyID, id, act)
	} else {
		_, err = s.MarkCompleted(ctx, keyID, id, reason, act)
	}
	if errors.Is(err, ErrCompleted) {
		return nil
	}
	return err
}

// Resolve records that the owner has settled what needed attention.
func (s *Service) Resolve(ctx context.Context, keyID int64, id, note string, act audit.Act) (Payment, error) {
	p, err := s.Owned(ctx, keyID, id)
	if err != nil {
		return Payment{}, err
	}
	return s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) {
		c, err := p.Resolve(Actor{Name: act.Who, Reason: note}, s.now())
		return c.by(act, act.Record(act.Account, audit.ActionResolve, id, note), err)
	})
}

// Shown records that the payer opened the payment's page in the language, which they may have chosen (Payment.Show).
func (s *Service) Shown(ctx context.Context, p Payment, lang string, chosen bool) error {
	if c, err := p.Show(lang, chosen, s.now()); err != nil || c.None() {
		return err
	}
	_, err := s.store.UpdatePayment(ctx, p.ID, func(p Payment) (Change, error) { return p.Show(lang, chosen, s.now()) })
	return err
}

// List returns a page of a key's payments.
func (s *Service) List(ctx context.Context, f Filter) ([]Payment, error) {
	if f.Limit <= 0 || f.Limit > MaxPage {
		f.Limit = MaxPage
	}
	return s.store.Payments(ctx, f)
}

// Events returns a payment's history in order.
func (s *Service) Events(ctx context.Context, id ID) ([]Event, error) { return s.store.Events(ctx, id) }

// Network returns a configured network.
func (s *Service) Network(n chain.Network) (OfferedNetwork, bool) { return s.networks.Network(n) }

// Health returns the network's health as of now.
func (s *Service) Health(n chain.Network) Health { return s.networks.Health(n) }

// Merchant returns the custodian whose name and looks the payer sees.
func (s *Service) Merchant(ctx context.Context, p Payment) (merchant.Custodian, error) {
	return s.custodians.Custodian(ctx, p.KeyID)
}
