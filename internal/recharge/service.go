package recharge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Service sells query units. It is safe for concurrent use and with several
// instances running.
type Service struct {
	store   Store
	network *Network
	now     func() time.Time
	log     *slog.Logger
	// stopping ends with StopWaiting.
	stopping    context.Context
	stopWaiting context.CancelFunc
}

// New returns the service; without a network nothing is sold.
func New(s Store, network *Network, now func() time.Time, log *slog.Logger) *Service {
	x := &Service{store: s, network: network, now: now, log: log}
	x.stopping, x.stopWaiting = context.WithCancel(context.Background())
	return x
}

// StopWaiting makes Buy return at once what is known of its recharge, from now on: the program stops, and the next one
// continues what is open.
func (s *Service) StopWaiting() { s.stopWaiting() }

// Request asks for query units.
type Request struct {
	// ID makes a repeated request continue the recharge that is stored.
	ID         ID
	KeyID      int64
	Units      int64
	Wallet     chain.Address // registered on the key
	PrivateKey secret.Text   // of that wallet
}

// pollEvery is how often a recharge with a waiting caller is tracked: about the
// block time of BNB Smart Chain.
const pollEvery = 500 * time.Millisecond

// Buy makes the transfer and waits for its end, at most as long as wait. The
// recharge it returns may still be open: the loop continues it.
func (s *Service) Buy(ctx context.Context, q Request, wait time.Duration, act audit.Act) (Recharge, error) {
	if q.Units < 1 || q.Units > MaxUnits {
		return Recharge{}, fault.About(fault.Invalid, "unit", "must be between 1 and %d", MaxUnits)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	defer context.AfterFunc(s.stopping, cancel)()
	r, err := s.store.Recharge(ctx, q.ID)
	if errors.Is(err, ErrUnknown) {
		r, err = s.begin(ctx, waiting, q, act)
	}
	if err != nil {
		return Recharge{}, err
	}
	return s.await(ctx, waiting, r), nil
}

// Offered returns why nothing is sold now: ErrNotOffered if the operator has not
// set it up, else fault.Unavailable. It makes no request.
func (s *Service) Offered() error {
	if s.network == nil || s.network.Treasury == "" {
		return ErrNotOffered
	}
	return s.network.Ready()
}

// begin signs, stores and broadcasts, in this order.
func (s *Service) begin(ctx, waiting context.Context, q Request, act audit.Act) (Recharge, error) {
	if err := s.Offered(); err != nil {
		return Recharge{}, err
	}
	if q.Wallet == s.network.Treasury {
		return Recharge{}, ErrOwnTreasury
	}
	t := chain.TokenTransfer{
		Asset: s.network.Asset, From: q.Wallet, To: s.network.Treasury,
		Amount: Price(q.Units).Units(s.network.Asset.Decimals),
	}
	for {
		if err := s.waitTurn(ctx, waiting, q.Wallet); err != nil {
			return Recharge{}, err
		}
		r, err := s.sign(ctx, q, t, act)
		// Another request was faster, or a node that is behind reported a used
		// nonce: a moment later it knows the next one.
		if errors.Is(err, ErrBusy) && chain.Sleep(waiting, pollEvery) == nil {
			continue
		}
		if err != nil {
			return Recharge{}, err
		}
		return s.send(ctx, r), nil
	}
}

// sign signs the transfer and stores it.
func (s *Service) sign(ctx context.Context, q Request, t chain.TokenTransfer, act audit.Act) (Recharge, error) {
	b, err := s.network.Chain.Sign(ctx, q.PrivateKey, t)
	if err != nil {
		return Recharge{}, err
	}
	now := s.now()
	r := Recharge{
		ID: q.ID, KeyID: q.KeyID, Units: q.Units, Transfer: t, Bytes: b, State: Signed, CreatedAt: now, LookAt: now.Add(
			pause(0),
		),
	}
	return r, s.store.CreateRecharge(ctx, r, act.Record(act.Account, audit.ActionRecharge, act.Key,
		mail.N("{{.N}} units", "{{.N}} unit", int(r.Units)).Kept()+", "+string(b.Tx)))
}

// waitTurn waits until no other recharge of the wallet is Signed.
func (s *Service) waitTurn(ctx, waiting context.Context, wallet chain.Address) error {
	for {
		r, ok, err := s.store.RechargeOf(ctx, wallet)
		if err != nil || !ok {
			return err
		}
		if r = s.track(ctx, r); r.State != Signed {
			continue
		}
		if chain.Sleep(waiting, pollEvery) != nil {
			return ErrBusy
		}
	}
}

// await tracks the recharge until it ends or the caller stops waiting.
func (s *Service) await(ctx, waiting context.Context, r Recharge) Recharge {
	for r.State == Signed && chain.Sleep(waiting, pollEvery) == nil {
		r = s.track(ctx, r)
	}
	return r
}
