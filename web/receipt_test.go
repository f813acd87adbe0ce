package web

import (
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// TestReceiptIsPublic: a receipt's link is passed on. Anyone who opens it, signed in or not and in any
// language, sees the receipt and nothing else of the payment, its payer or its merchant.
func TestReceiptIsPublic(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	p, err := b.payments.Create(t.Context(),
		payment.CreateInput{KeyID: m.key.ID, Amount: "49.90", Details: payment.Details{
			Reference: "NL-1042", Description: "Two bags of coffee", SuccessURL: "https://shop.example/thanks?cart=success-canary",
			CancelURL: "https://shop.example/cart?cancel-canary", CustomerEmail: "payer-canary@mail.example",
			Metadata: map[string]string{"metadata-key-canary": "metadata-value-canary"},
		}}, audit.Act{})
	must(t, err)
	p = b.deposit(b.start(p, chain.Polygon), 4990*money.USD/100, true)
	if p.Status != payment.Completed {
		t.Fatalf("the payment is %s", p.Status)
	}
	route, _ := p.Route()
	path := "/pay/" + string(p.ID) + "/receipt"
	hidden := []string{
		"canary", "shop.example/hook", "shop.example/thanks", m.key.Email, m.key.UserPublic, m.text, m.key.PublicID, "Byron",
		merchantWallet, // where the money goes on to and, here, where it came from
	}
	for _, address := range []string{path, path + "?lang=ar", path + "?lang=de&view=find&before=x"} {
		got := b.ask("GET", address, "", "Accept", "text/html")
		for _, want := range []string{"Nordlicht", "NL-1042", "Two bags of coffee", "Polygon", string(p.ID)} {
			if !strings.Contains(got.body, want) {
				t.Errorf("%s does not say %q", address, want)
			}
		}
		shown := strings.NewReplacer("<span>", "", "</span>", "", "<b>", "", "</b>", "", "<wbr>", "").Replace(got.body)
		if got.status != 200 || !strings.Contains(shown, string(route.Address.Address)) {
			t.Errorf("%s: %d, without the address that was paid to", address, got.status)
		}
		if i := slices.IndexFunc(hidden, func(s string) bool { return strings.Contains(got.body, s) }); i >= 0 {
			t.Errorf("%s shows %q", address, hidden[i])
		}
	}
}
