package merchant

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
)

// Record appends a line to the audit log of the account.
func (s *Service) Record(ctx context.Context, a audit.Entry) error {
	a.At = s.now().UTC()
	return s.store.AddAudit(ctx, a)
}

// AuditLog lists what the user did to their own sign-in and, for whoever may
// read that, what was done for the merchant, the newest first, before the
// line given (0: from the newest).
func (s *Service) AuditLog(ctx context.Context, m Membership, before int64, limit int) ([]audit.Entry, error) {
	merchant := int64(0)
	if m.Role.May(ActAudit) {
		merchant = m.Merchant.ID
	}
	return s.store.AuditLog(ctx, m.User.ID, merchant, before, limit)
}
