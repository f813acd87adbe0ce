package web

import (
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
)

// warns reports whether a notice of the page has the text and, unless it is empty, a link that begins with the path.
func warns(page, text, path string) bool {
	for notice := range strings.SplitSeq(page, `data-testid="notice"`) {
		notice, _, _ = strings.Cut(notice, "</p>")
		if strings.Contains(plainText("<p"+notice), text) && (path == "" || strings.Contains(notice, `href="`+path)) {
			return true
		}
	}
	return false
}

// The inbox warns of everything that stops payments or webhooks, links each
// warning to the page that solves it, and shows none otherwise. So does the
// overview, once it no longer has the form that sets up the shop.
func TestDashboard_Alerts(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	u := b.member(ownerEmail)
	s := b.surfer()
	s.signIn(ownerEmail)
	key, _, err := b.accounts.CreateKey(t.Context(), u, merchant.NewKey{Label: "Web shop", Credits: 40, Queries: 5},
		audit.Act{})
	must(t, err)
	pages := []string{"/dashboard/attention"}
	says := func(want bool, text, path string) {
		t.Helper()
		for _, page := range pages {
			r := s.get(page)
			r.wants(t, 200)
			if said := warns(r.body, text, path); said != want {
				t.Errorf("%s: that it says %q, with a link to %q, is %v: %s", page, text, path, said, plainText(r.body))
			}
		}
	}
	at := "?key=" + key.PublicID
	t.Run("Custodian", func(t *testing.T) {
		says(true, "Web shop has no wallets", "/dashboard/settings/payouts"+at)

		name, callback := "Nordlicht", "https://shop.example/hook"
		in := merchant.CustodianInput{
			Name: &name, CallbackURL: &callback,
			Wallets: map[chain.Network]string{"POLYGON": merchantWallet, "BASE": merchantWallet},
		}
		_, _, err := b.accounts.ArrangeCustodian(t.Context(), key, in, audit.Act{})
		must(t, err)
		pages = append(pages, "/dashboard")
		says(false, "has no wallets", "/dashboard/settings/payouts")
		says(true, "Web shop has no wallet on BNB Smart Chain (BEP20)", "/dashboard/settings/payouts"+at)
		if r := s.get("/dashboard"); !strings.Contains(r.body, `class="notice is-plain"`) {
			t.Error("a wallet that is missing reads like good news")
		}
		_, _, err = b.accounts.ArrangeCustodian(t.Context(), key,
			merchant.CustodianInput{Wallets: map[chain.Network]string{"BEP20": merchantWallet}}, audit.Act{})
		must(t, err)
		says(false, "has no wallet", "/dashboard/settings/payouts")
	})
	m := seller{key: key}
	t.Run("Webhooks", func(t *testing.T) {
		says(false, "do not arrive", "/dashboard/webhooks")
		b.busy(m)
		says(true, "Webhooks of Web shop do not arrive: in the last day, 2 failed for good.", "/dashboard/webhooks"+at)
		b.clock.advance(25 * time.Hour)
		says(false, "do not arrive", "/dashboard/webhooks")
	})
	t.Run("Credits", func(t *testing.T) {
		says(false, "credits left", "/dashboard/credits")
		spend := func(left int64) {
			t.Helper()
			have, err := b.accounts.Balance(t.Context(), key.ID)
			must(t, err)
			for range have.Credits - left {
				b.start(b.newPaymentOf(m, "1"), chain.Base)
			}
		}
		spend(ledger.Low)
		says(true, "Web shop has only "+strconv.Itoa(ledger.Low)+" credits left", "/dashboard/credits"+at)
		s.get("/dashboard").wants(t, 200, "At the pace of the last 2 days")
		spend(0)
		says(true, "Web shop has no credits left: your customers cannot start a payment", "/dashboard/credits"+at)
	})
	t.Run("Networks", func(t *testing.T) {
		says(false, "is not offered to your customers", "")
		b.networks.fallBehind(chain.Polygon)
		says(true, "Polygon is not offered to your customers at the moment", "")
		says(false, "Base is not offered", "")
	})
}
