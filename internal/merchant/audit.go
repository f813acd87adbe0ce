package merchant

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
)

// AuditFunc returns the audit entries of a change to a custodian. It runs where
// the custodian is locked, and again if the transaction does, so it must have
// no effects. nil records nothing.
type AuditFunc func(before, after Custodian) []audit.Entry

// Entries returns the entries of the change.
func (f AuditFunc) Entries(before, after Custodian) []audit.Entry {
	if f == nil {
		return nil
	}
	return f(before, after)
}

// Audited returns an AuditFunc that records these entries for any change.
func Audited(trail ...audit.Entry) AuditFunc {
	return func(Custodian, Custodian) []audit.Entry { return trail }
}

// Record appends an entry to the audit log.
func (s *Service) Record(ctx context.Context, a audit.Entry) error {
	a.At = s.now().UTC()
	return s.store.AddAudit(ctx, a)
}

// AuditLog lists the acts on the user's own sign-in and, if the role may read it,
// the acts for the merchant, the newest first, before the entry given (0: from
// the newest).
func (s *Service) AuditLog(ctx context.Context, m Membership, before int64, limit int) ([]audit.Entry, error) {
	merchant := int64(0)
	if m.Role.May(ActAudit) {
		merchant = m.Merchant.ID
	}
	return s.store.AuditLog(ctx, m.User.ID, merchant, before, limit)
}
