package merchant

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
)

// LockDelay is how long a change of where money goes waits on a locked account: long
// enough for an owner to read their mail.
const LockDelay = 24 * time.Hour

// Refusals about locked accounts.
var (
	ErrLocked      = fault.New(fault.Forbidden, "the owners of this account locked where its money goes: the custodian changes in the dashboard only, and after 24 hours")
	ErrChangeWaits = fault.New(fault.Conflict, "a change of this waits already; stop it before you make another one")
	// ErrNoChange: it was stopped or made already, or never was.
	ErrNoChange = fault.New(fault.NotFound, "there is no such change that waits: it was stopped, or made already")
)

// WaitingKind says what a waiting change changes.
type WaitingKind string

// The kinds. Their texts are stored.
const (
	WaitingCustodian WaitingKind = "custodian" // wallets, callback, shared secret
	WaitingCampaign  WaitingKind = "campaign"  // the API key of a campaign
	WaitingUnlock    WaitingKind = "unlock"    // the lock itself
)

// Waiting is a change of where money goes that waits for LockDelay, because the
// owners locked the account.
type Waiting struct {
	ID         string // ULID
	MerchantID int64
	KeyID      int64 // whose custodian is changed, or which a campaign gets; 0 to unlock
	Kind       WaitingKind
	Campaign   string   // slug; of WaitingCampaign only
	Changes    []string // what changes, one line each, with old and new
	By         string   // e-mail address of the owner
	CreatedAt  time.Time
	DueAt      time.Time
	// Body is the custodian's input, which the store seals. Only a change that is due has it.
	Body secret.Text
}

// waitingInput is the part of a CustodianInput that can wait. It is stored sealed.
type waitingInput struct {
	Name        *string
	Wallets     map[chain.Network]string
	CallbackURL *string
	Secret      *string
}

// Locked reports whether the owners locked where the money of the account goes.
func (s *Service) Locked(ctx context.Context, merchantID int64) (bool, error) {
	return s.store.Locked(ctx, merchantID)
}

// Lock locks where the money of the account goes. The caller has checked that an
// owner asks, who re-authenticated.
func (s *Service) Lock(ctx context.Context, merchantID int64, trail ...audit.Entry) error {
	return s.store.Lock(ctx, merchantID, s.now().UTC(), trail...)
}

// Preview returns the custodian before and after the input, which it checks as
// ArrangeCustodian does.
func (s *Service) Preview(ctx context.Context, key Key, in CustodianInput) (before, after Custodian, err error) {
	if err := s.checkInput(ctx, key, in); err != nil {
		return Custodian{}, Custodian{}, err
	}
	before, err = s.store.Custodian(ctx, key.ID)
	if err != nil && !errors.Is(err, ErrNoCustodian) {
		return Custodian{}, Custodian{}, err
	}
	after, err = s.with(before, in)
	return before, after, err
}

// Wait stores a change that is made after LockDelay unless an owner stops it. w holds
// what is changed; in is set for WaitingCustodian. The token stops the change without
// signing in, and is shown only here. It fails with ErrChangeWaits.
func (s *Service) Wait(
	ctx context.Context, w Waiting, in CustodianInput, trail ...audit.Entry,
) (Waiting, secret.Text, error) {
	now := s.now().UTC()
	var err error
	if w.ID, err = s.newID(now); err != nil {
		return Waiting{}, secret.Text{}, err
	}
	stored := waitingInput{Name: in.Name, Wallets: in.Wallets, CallbackURL: in.CallbackURL}
	if in.Secret != nil {
		text := in.Secret.Reveal()
		stored.Secret = &text
	}
	body, err := json.Marshal(stored) //nolint:gosec // the store seals it
	if err != nil {
		return Waiting{}, secret.Text{}, fmt.Errorf("write a change that waits: %w", err)
	}
	token, hash, err := identity.ChangeToken.New(s.opts.Random)
	if err != nil {
		return Waiting{}, secret.Text{}, err
	}
	w.Body, w.CreatedAt, w.DueAt = secret.New(string(body)), now, now.Add(LockDelay)
	return w, token, s.store.AddWaiting(ctx, w, hash, trail...)
}

// Waiting lists the changes that wait, the oldest first.
func (s *Service) Waiting(ctx context.Context, merchantID int64) ([]Waiting, error) {
	return s.store.WaitingOf(ctx, merchantID)
}

// WaitingBy returns the change that the token stops, or ErrNoChange.
func (s *Service) WaitingBy(ctx context.Context, token string) (Waiting, error) {
	h, ok := identity.ChangeToken.Hash(token)
	if !ok {
		return Waiting{}, ErrNoChange
	}
	return s.store.WaitingBy(ctx, h)
}

// StopWaiting stops a change of the merchant, or fails with ErrNoChange.
func (s *Service) StopWaiting(ctx context.Context, merchantID int64, id string, trail ...audit.Entry) error {
	return s.store.StopWaiting(ctx, merchantID, id, s.now().UTC(), trail...)
}

// input returns what a change sets of a custodian.
func (w Waiting) input() (CustodianInput, error) {
	var x waitingInput
	if err := json.Unmarshal([]byte(w.Body.Reveal()), &x); err != nil {
		return CustodianInput{}, fmt.Errorf("read the change %s: %w", w.ID, err)
	}
	in := CustodianInput{Name: x.Name, Wallets: x.Wallets, CallbackURL: x.CallbackURL}
	if x.Secret != nil {
		text := secret.New(*x.Secret)
		in.Secret = &text
	}
	return in, nil
}

// apply makes a change that is due. Its rule and its entries are written in one
// transaction with the mark that it was made, so it is made once.
func (s *Service) apply(ctx context.Context, w Waiting, key Key) error {
	in, err := w.input()
	if err != nil {
		return err
	}
	fresh, _, err := s.newCustodian(Key{ID: w.KeyID}, CustodianInput{})
	if err != nil {
		return err
	}
	now := s.now().UTC()
	return s.store.ApplyWaiting(ctx, w, now, fresh, func(c Custodian) (Custodian, error) {
		c, err := s.with(c, in)
		c.UpdatedAt = now
		return c, err
	}, func(before, after Custodian) []audit.Entry {
		entries := MoneyEntries(key.Name(), before, after)
		switch w.Kind {
		case WaitingCampaign:
			entries = []audit.Entry{
				{Action: audit.ActionCampaign, Subject: w.Campaign, Detail: strings.Join(w.Changes, ", ")},
			}
		case WaitingUnlock:
			entries = []audit.Entry{{Action: audit.ActionUnlock, Subject: "wallets"}}
		case WaitingCustodian:
		}
		for i := range entries {
			entries[i].UserID, entries[i].At, entries[i].Actor = w.MerchantID, now, w.By
		}
		return entries
	})
}
