package merchant

import (
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/identity"
)

func TestService_MembershipBySession(t *testing.T) {
	t.Parallel()
	b := newBundle()
	token, hash := identity.SessionToken.New(rand.Reader)
	want := Membership{User: identity.User{ID: 7}, Merchant: identity.User{ID: 8}, Role: RoleViewer}
	b.store.sessions[hash] = want
	text := token.Reveal()
	if got, err := b.MembershipBySession(t.Context(), text); err != nil || got != want {
		t.Errorf("MembershipBySession = %+v, %v; want %+v", got, err, want)
	}
	for _, bad := range []string{"", "fls_", text[:50], strings.ToUpper(text)} {
		_, err := b.MembershipBySession(t.Context(), bad)
		wantErr(t, bad, err, identity.ErrBadSession)
	}
	delete(b.store.sessions, hash)
	_, err := b.MembershipBySession(t.Context(), text)
	wantErr(t, "an unknown session", err, identity.ErrBadSession)
	b.store.fail = errors.New("the database is gone")
	_, err = b.MembershipBySession(t.Context(), text)
	wantErr(t, "without a database", err, b.store.fail)
}
