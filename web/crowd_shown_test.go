package web

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// TestCrowd_Shown: while strangers take every place of a shop, needs attention and the operator's page of stuck work
// say so, and no longer.
func TestCrowd_Shown(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{Slug: "chair", Amount: "5"}, audit.Act{})
	must(t, err)
	_, err = b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	owner, root := b.surfer(), b.surfer()
	owner.signIn(ownerEmail)
	root.signIn(rootEmail)
	has := func(r reply, text string) bool { return strings.Contains(plainText(r.body), text) }
	says := func(crowded bool) {
		t.Helper()
		const opens, take = "opens more payments", "take every place of the key"
		if r := owner.get("/dashboard/attention"); r.status != 200 || has(r, opens) != crowded {
			t.Errorf("needs attention says it: %v, want %v", has(r, opens), crowded)
		}
		if r := owner.get("/dashboard"); has(r, opens) != crowded {
			t.Errorf("the overview says it: %v, want %v", has(r, opens), crowded)
		}
		r := root.get(operatorPath + "/problems")
		if r.status != 200 || has(r, take) != crowded || crowded && !has(r, ownerEmail) {
			t.Errorf("the operator reads it: %v, want %v", has(r, take), crowded)
		}
	}
	says(false)
	for i := range 40 {
		way := map[string][]string{"network": {"POLYGON"}, "token": {"USDC"}}
		b.postForm("/link/"+l.Slug, way, "X-Forwarded-For", fmt.Sprintf("198.%d.100.7", i))
	}
	says(true)
	b.clock.advance(payment.HoldFor + 2*time.Hour)
	must(t, b.payments.EndHolds(t.Context()))
	owner.signIn(ownerEmail)
	root.signIn(rootEmail)
	says(false)
}
