package web

import (
	"strings"
	"testing"
)

// A stolen API key can redirect the money, so such a change is mailed to the owners;
// other changes send no mail.
func TestMoneyMovedOverTheAPI(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	update := func(fields string) {
		t.Helper()
		r := b.graphQL(`mutation { updateCustodianDetails(input: {apiKey: "`+m.text+`", `+fields+`}) { code message } }`, "")
		if r.text(t, "data.updateCustodianDetails.code") != "200" {
			t.Fatal(r.body)
		}
	}
	update(`name: "Nordlicht & Söhne", wallets: {base: "` + merchantWallet + `"}`)
	const other = "0x52908400098527886E0F7030069857D2E4169EE7"
	update(`wallets: {base: "` + other + `"}`)
	b.mailed(1)
	update(`callbackUrl: "https://evil.example/hook"`)
	b.mailed(2)
	update(`networks: [{network: BASE, finality: "1s"}]`)
	b.mailed(3)
	update(`networks: [{network: BASE, finality: "1s"}]`)
	update(`secret: "known to a thief"`)
	update(`secret: "known to a thief"`)
	texts := strings.Join(b.mailed(5), "\n")
	for _, want := range []string{ownerEmail, "Shop of " + ownerEmail, "Base", merchantWallet, other, "https://evil.example/hook", "final after on Base: the network's own rule → 1s", "shared secret: it was "} {
		if !strings.Contains(texts, want) {
			t.Errorf("the mails lack %q: %s", want, texts)
		}
	}
	if n := len(b.mail.all()); n != 5 || strings.Contains(texts, "known to a thief") {
		t.Errorf("%d mails were sent, want 5 without the secret: %s", n, texts)
	}
}
