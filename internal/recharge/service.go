package recharge

import (
	"context"
	"errors"
	"log/slog"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
)

// Service sells query units. It is safe for concurrent use and with several
// instances running.
type Service struct {
	store Store
	lane  *Lane
	now   func() time.Time
	log   *slog.Logger
}

// New returns the service; without a lane nothing is sold.
func New(s Store, lane *Lane, now func() time.Time, log *slog.Logger) *Service {
	return &Service{store: s, lane: lane, now: now, log: log}
}

// Request asks for query units.
type Request struct {
	// ID is made before: a repetition with the same one goes on with the
	// recharge that is there.
	ID         ID
	KeyID      int64
	Units      int64
	Wallet     chain.Address // registered on the key
	PrivateKey secret.Text   // of that wallet
}

// pollEvery is how often a recharge somebody waits for is looked at: about the
// block time of BNB Smart Chain.
const pollEvery = 500 * time.Millisecond

// Buy makes the transfer and waits, at most as long as said, until it ends.
// The recharge it returns may still be on its way: the loop goes on with it.
func (s *Service) Buy(ctx context.Context, q Request, wait time.Duration, trail ...audit.Entry) (Recharge, error) {
	if q.Units < 1 || q.Units > MaxUnits {
		return Recharge{}, fault.About(fault.Invalid, "unit", "must be between 1 and %d", MaxUnits)
	}
	waiting, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	r, err := s.store.Recharge(ctx, q.ID)
	if errors.Is(err, ErrUnknown) {
		r, err = s.begin(ctx, waiting, q, trail...)
	}
	if err != nil {
		return Recharge{}, err
	}
	return s.await(ctx, waiting, r), nil
}

// Offered returns why nothing is sold now: ErrNotOffered where the operator has
// set up none of it, else fault.Unavailable. It asks nobody.
func (s *Service) Offered() error {
	if s.lane == nil || s.lane.Treasury == "" {
		return ErrNotOffered
	}
	return s.lane.Ready()
}

// begin signs, stores and broadcasts, in this order.
func (s *Service) begin(ctx, waiting context.Context, q Request, trail ...audit.Entry) (Recharge, error) {
	if err := s.Offered(); err != nil {
		return Recharge{}, err
	}
	if q.Wallet == s.lane.Treasury {
		return Recharge{}, ErrOwnTreasury
	}
	t := chain.TokenTransfer{Asset: s.lane.Asset, From: q.Wallet, To: s.lane.Treasury, Amount: Price(q.Units).Units(s.lane.Asset.Decimals)}
	for {
		if err := s.turn(ctx, waiting, q.Wallet); err != nil {
			return Recharge{}, err
		}
		r, err := s.sign(ctx, q, t, trail...)
		// Another was quicker, or a node that is behind told a nonce that is
		// used: the next one is known a moment later.
		if errors.Is(err, ErrBusy) && sleep(waiting, pollEvery) {
			continue
		}
		if err != nil {
			return Recharge{}, err
		}
		return s.send(ctx, r), nil
	}
}

// sign makes the bytes and stores them.
func (s *Service) sign(ctx context.Context, q Request, t chain.TokenTransfer, trail ...audit.Entry) (Recharge, error) {
	b, err := s.lane.Chain.Sign(ctx, q.PrivateKey, t)
	if err != nil {
		return Recharge{}, err
	}
	now := s.now()
	r := Recharge{
		ID: q.ID, KeyID: q.KeyID, Units: q.Units, Transfer: t, Bytes: b, State: Signed, CreatedAt: now, LookAt: now.Add(pause(0)),
	}
	return r, s.store.CreateRecharge(ctx, r, trail...)
}

// turn waits until no other recharge of the wallet is on its way.
func (s *Service) turn(ctx, waiting context.Context, wallet chain.Address) error {
	for {
		r, ok, err := s.store.RechargeOf(ctx, wallet)
		if err != nil || !ok {
			return err
		}
		if r = s.look(ctx, r); r.State != Signed {
			continue
		}
		if !sleep(waiting, pollEvery) {
			return ErrBusy
		}
	}
}

// await looks after the recharge until it ends or nobody waits any more.
func (s *Service) await(ctx, waiting context.Context, r Recharge) Recharge {
	for r.State == Signed && sleep(waiting, pollEvery) {
		r = s.look(ctx, r)
	}
	return r
}

// sleep reports false when ctx ended first.
func sleep(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}
