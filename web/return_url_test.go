package web

import (
	"encoding/json"
	"html"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
)

// What a shop gives as its return address is stored as it is but for the space around it, over REST and GraphQL, and
// the page leads there with its own query first.
func TestReturnURL(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	for sent, want := range map[string]string{
		"https://shop.example/?order=7;key=wc_abc": "", "https://shop.example/?discount=50%": "", "https://shop.example/50%off": "",
		"https://shop.example/?ids[]=1&ids[]=2&a=%20b+c": "", "https://shop.example/?z=1&a=2&z=3#top": "",
		"https://shop.example/?q=支付&txnid=own&status=new": "", " https://shop.example/x\r\n": "https://shop.example/x",
		"\u00a0https://shop.example/x": "https://shop.example/x", "": "", "https://shop.example/?q='<b>&amp;": "",
	} {
		if want == "" {
			want = sent
		}
		text, err := json.Marshal(sent)
		must(t, err)
		rest := b.ask("POST", "/create-payment",
			`{"apiKey":"`+m.text+`","amount":1,"successUrl":`+string(text)+`,"cancelUrl":`+string(text)+`}`)
		byGraphQL := b.graphQL(`mutation ($u: String) { payment(apiKey: "`+m.text+`", amount: 1, successUrl: $u, cancelUrl: $u) {
			message transaction { txnid } } }`, `{"u":`+string(text)+`}`)
		for _, id := range []string{
			rest.text(t, "transaction.txnid"), byGraphQL.text(t, "data.payment.transaction.txnid"),
		} {
			p, err := b.payments.Cancel(t.Context(), id, audit.Act{})
			must(t, err)
			if p.SuccessURL != want || p.CancelURL != want {
				t.Errorf("%q is stored as %q and %q", sent, p.SuccessURL, p.CancelURL)
			}
			page := html.UnescapeString(b.ask("GET", "/pay?txnid="+id, "", "Accept", "text/html").body)
			before, _, _ := strings.Cut(want, "#")
			if want != "" && (!strings.Contains(page, `href="`+before) ||
				!strings.Contains(page, "status=cancelled&txnid="+id)) {
				t.Errorf("the page does not lead to %s", want)
			}
		}
	}
}
