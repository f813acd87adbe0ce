package merchant

import (
	"cmp"
	"context"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
)

// Grant is what the operator gives a key for nothing.
type Grant struct {
	Credits int64 // 0 to ledger.MaxTopUp
	Queries int64 // 0 to ledger.MaxRecharge
	// ID is of the form that was sent (GrantID): sent twice, it grants once. Empty: a
	// grant of its own.
	ID string
}

// GrantID returns the id of a form that grants.
func (s *Service) GrantID() string { return s.newID(s.now().UTC()) }

// ErrKeyRevoked refuses to give credits to a key that can never use them.
var ErrKeyRevoked = fault.New(fault.Conflict, "this API key was revoked: it cannot use credits any more").Because(fault.ReasonKeyRevoked)

// words are the grant as the audit log has it, such as "100 credits and 5 queries".
func (g Grant) words() string {
	credits := mail.N("{{.N}} credits", "{{.N}} credit", int(g.Credits)).Kept()
	queries := mail.N("{{.N}} queries", "{{.N}} query", int(g.Queries)).Kept()
	switch {
	case g.Queries == 0:
		return credits
	case g.Credits == 0:
		return queries
	}
	return credits + ", " + queries
}

func (g Grant) check() error {
	if err := checkFree(NewKey{Credits: g.Credits, Queries: g.Queries}); err != nil {
		return err
	}
	if g.Credits == 0 && g.Queries == 0 {
		return fault.About(fault.Invalid, "credits", "must be at least 1")
	}
	return nil
}

// Grant posts what the operator gives the key, with the audit entries, and
// returns the new balance. The caller has checked that an operator asks. It fails
// with fault.Invalid naming the field, or ErrKeyRevoked.
func (s *Service) Grant(ctx context.Context, key Key, g Grant, act audit.Act) (ledger.Balance, error) {
	if err := g.check(); err != nil {
		return ledger.Balance{}, err
	}
	if !key.RevokedAt.IsZero() {
		return ledger.Balance{}, ErrKeyRevoked
	}
	now := s.now().UTC()
	id := cmp.Or(g.ID, s.newID(now))
	if _, err := ulid.ParseStrict(id); err != nil {
		return ledger.Balance{}, fault.New(fault.Invalid, "the form is not one of this server; load the page again")
	}
	// A page has a form for each key, and the id is the page's.
	entries := grantEntries(key.ID, g, ledger.ReasonGrant, "grant:"+key.PublicID+":"+id, now)
	r := act.Record(key.UserID, audit.ActionGrant, key.Name(), g.words())
	done, err := s.store.UpdateAccount(ctx, key.UserID, key.ID, func(a Account) (Change, error) {
		return Change{Account: a, Entries: entries, Once: true, Record: r}, nil
	})
	return done.Left, err
}
