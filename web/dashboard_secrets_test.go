package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/merchant"
)

// A caller who knows a webhook secret can report payments to a shop that never
// happened, so a session alone neither shows nor changes one, and owners are notified.
func TestDashboard_SecretsAskAgain(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	stored := func() merchant.Custodian {
		t.Helper()
		c, err := b.accounts.Custodian(t.Context(), m.key.ID)
		must(t, err)
		return c
	}
	page := "/dashboard/settings/webhooks?key=" + m.key.PublicID
	before := stored()
	for _, x := range []struct{ path, input, reauth string }{
		{"rotate", "password", ""},
		{"rotate", "password", "wrong password"},
		{"rotate", "passkey", "{}"},
		{"retire", "password", ""},
		{"retire", "password", "wrong password"},
		{"secret", "password", ""},
		{"secret", "password", "wrong password"},
	} {
		r := s.post("/dashboard/settings/webhooks/"+x.path, "key", m.key.PublicID, "secret", "forged",
			x.input, x.reauth)
		if r.status != 403 || strings.Contains(r.body, `data-testid="signing"`) {
			t.Errorf("%s with the %s %q: status %d", x.path, x.input, x.reauth, r.status)
		}
	}
	after := stored()
	if !after.Secret.Equal(before.Secret) || len(after.SigningSecrets) != 1 ||
		!after.SigningSecrets[0].Equal(before.SigningSecrets[0]) {
		t.Error("a secret was changed without re-authentication")
	}
	s.post("/dashboard/settings/webhooks/rotate", "key", m.key.PublicID, "password", testPassword).wants(t, 200,
		"Your signing secret")
	b.mailed(1)
	s.post("/dashboard/settings/webhooks/retire", "key", m.key.PublicID, "password", testPassword).leads(t, page)
	b.mailed(2)
	for range 2 { // the second changes nothing and is not mailed
		s.post("/dashboard/settings/webhooks/secret", "key", m.key.PublicID, "secret", "agreed", "password",
			testPassword).leads(t, page)
	}
	texts := strings.Join(b.mailed(3), "\n")
	for _, want := range []string{"a new one was made", "the old one was retired", "shared secret: it was "} {
		if !strings.Contains(texts, want) {
			t.Errorf("the mails lack %q: %s", want, texts)
		}
	}
	if n := len(b.mail.all()); n != 3 || strings.Contains(texts, "agreed") {
		t.Errorf("%d mails were sent, want 3 without the secret: %s", n, texts)
	}
	s.get("/dashboard/security").wants(t, 200, "the old one was retired", "shared secret")
}
