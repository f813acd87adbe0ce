package merchant

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
)

// ErrNoMerchant refuses a user who was removed from the merchant they acted for,
// or never belonged to one.
var ErrNoMerchant = fault.New(fault.Forbidden, "you do not belong to this merchant account; choose another one, or ask its owner to invite you")

// Membership is a user in a role of a merchant account.
type Membership struct {
	User identity.User // who acts
	// Merchant is the user who founded the merchant account, to whom its keys,
	// payments and settings belong. It is zero if Role is empty.
	Merchant identity.User
	Role     Role // empty: the user does not belong to the merchant
	// ConfirmedAt is when the user re-authenticated last in this session; zero if never.
	ConfirmedAt time.Time
	// unverified refuses acts that make keys or members, which would outlive a
	// user who signed up with somebody else's address.
	unverified error
}

// Allow returns nil, or fault.Forbidden saying which roles may do it. Every surface
// calls it before an act.
func (m Membership) Allow(a Act) error {
	switch {
	case a != ActOwn && !m.Merchant.DisabledAt.IsZero():
		return ErrClosed
	case m.unverified != nil && (a == ActKeys || a == ActTeam):
		return m.unverified
	case m.Role.May(a):
		return nil
	case m.Role == "":
		return ErrNoMerchant
	}
	return fault.New(fault.Forbidden, "as %s you may not %s; ask %s",
		fault.Text(string(m.Role)), fault.Text(string(a)), whoWords(a))
}

// MembershipBySession returns the user signed in with the token, the merchant
// the session acts for and the user's role there, or ErrBadSession.
func (s *Service) MembershipBySession(ctx context.Context, token string) (Membership, error) {
	h, ok := identity.SessionToken.Hash(token)
	if !ok {
		return Membership{}, identity.ErrBadSession
	}
	m, err := s.store.MembershipBySession(ctx, h, s.now())
	if fault.Is(err, fault.Unauthorized) {
		return Membership{}, identity.ErrBadSession
	}
	m.unverified = s.users.RequireVerified(m.User)
	return m, err
}
