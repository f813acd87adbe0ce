package web

import (
	"os"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/campaign"
)

// Who gives in dollars to a campaign in dollars gets the same bytes as before there were campaigns in other currencies:
// the file was recorded then.
func TestAmountOnly_Donation(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	c := b.newCampaign(b.newMerchant(50), func(d *campaign.Draft) { d.Slug = "winter-shelter" })
	path := "/donate/" + c.Slug + "/pay"
	var all strings.Builder
	keep := func(name, body string) {
		all.WriteString(name + " " + strings.TrimSpace(varying.ReplaceAllString(body, "…")) + "\n")
	}
	p := b.gift(c, giftOfFive)
	keep("gift", b.ask("POST", path, giftOfFive).body)
	for _, amount := range []string{"0", "-1", `"x"`, `"1.000"`, "1e400", "null", "2000000"} {
		keep("refused "+amount, b.ask("POST", path, `{"amount":`+amount+`,"network":"POLYGON","token":"USDC"}`).body)
	}
	keep("no amount", b.ask("POST", path, `{"network":"POLYGON","token":"USDC"}`).body)
	keep("currency", b.ask("POST", path, `{"amount":5,"currency":"EUR","network":"POLYGON","token":"USDC"}`).body)
	const on = `network: POLYGON, token: USDC`
	const fields = `{ code message transaction { amount status } }`
	keep("graphql", b.graphQL(`mutation { StartDonation(campaignId: "`+c.Slug+`", amount: 5, `+on+`) `+fields+` }`, "").body)
	keep("graphql, no amount", b.graphQL(`mutation { StartDonation(campaignId: "`+c.Slug+`", `+on+`) `+fields+` }`, "").body)
	b.deposit(p, p.Amount, true)
	keep("campaign", b.ask("GET", "/donate/"+c.Slug, "").body)
	const file = "testdata/amount_only_donation.txt"
	if os.Getenv("FLORIN_TEST_RECORD") != "" {
		must(t, os.WriteFile(file, []byte(all.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	must(t, err)
	if got := all.String(); got != string(want) {
		t.Errorf("the answers have changed:\n%s\nwant:\n%s", got, want)
	}
}
