package web

import (
	"context"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store"
)

// A wallet that is a contract on one network and nothing on another is stored all the same, and the answer, the page
// after a change and the page with a new signing secret say so.
func TestWalletWarning(t *testing.T) {
	t.Parallel()
	const vault, want = "0x9858EfFD232B4033E47d90003D41EC34EcaEda94", "is a contract on Polygon and not on Base"
	b := newDashboard(t, func(d *Deps, _ *Options) {
		d.Merchants = merchant.New(d.Store.(*store.Store).Merchant(), d.Users, d.Now, merchant.Options{
			CheckCallback: func(string) error { return nil },
			WalletCode: func(_ context.Context, n chain.Network, at chain.Address) (string, bool) {
				if n == chain.Polygon && at == vault {
					return "0xc0de", true
				}
				return "", n == chain.Base
			},
		})
	})
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	save := `mutation($i: CustodianUpdateInput!) { updateCustodianDetails(input: $i) {
		code message custodian { wallets { polygon } } } }`
	said := b.graphQL(save, `{"i":{"apiKey":"`+m.text+`","wallets":{"polygon":"`+vault+`"}}}`)
	if got := said.text(t, "data.updateCustodianDetails.message"); !strings.Contains(got, want) ||
		said.text(t, "data.updateCustodianDetails.custodian.wallets.polygon") != vault {
		t.Errorf("the answer is %s", said.body)
	}
	again := b.graphQL(save, `{"i":{"apiKey":"`+m.text+`","wallets":{"polygon":"`+vault+`"}}}`)
	if got := again.text(t, "data.updateCustodianDetails.message"); got != "OK" {
		t.Errorf("of a wallet that did not change: %q", got)
	}
	s := b.surfer()
	s.signIn(ownerEmail)
	s.post("/dashboard/settings/payouts", "key", m.key.PublicID, "name", "Shop", "wallet.BASE", vault,
		"wallet.POLYGON", vault, "password", testPassword).leads(t, "/dashboard/settings/payouts?key="+m.key.PublicID)
	s.get("/dashboard/settings/payouts?key="+m.key.PublicID).wants(t, 200, want, vault)
	k, _, err := b.accounts.CreateKey(t.Context(), owner, merchant.NewKey{Label: "second", Credits: 5}, audit.Act{})
	must(t, err)
	s.post("/dashboard/settings/payouts", "key", k.PublicID, "name", "Second",
		"wallet.POLYGON", vault).leads(t, "/dashboard/settings/payouts?key="+k.PublicID)
	s.get("/dashboard/settings/payouts?key="+k.PublicID).wants(t, 200, want)
}
