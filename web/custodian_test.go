package web

import (
	"strings"
	"testing"
)

func TestCredits(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(7)
	credits := b.graphQL(`query($k: String!) { getCreditsLeft(apiKey: $k) { code message creditsLeft apiKey { key wallet creditsLeft userId createdAt custodian { id name } } } }`, `{"k":"`+m.text+`"}`)
	for path, want := range map[string]string{
		"code": "200", "message": "OK", "creditsLeft": "7", "apiKey.key": m.text, "apiKey.wallet": merchantWallet,
		"apiKey.creditsLeft": "7",
		"apiKey.userId":      m.key.UserPublic, "apiKey.custodian.name": "Nordlicht",
	} {
		if got := credits.text(t, "data.getCreditsLeft."+path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	queries := b.graphQL(`query($k: String!) { getQueriesLeft(apiKey: $k) { code message queriesLeft apiKey { id key firstName lastName email wallet queriesLeft createdAt } } }`, `{"k":"`+m.text+`"}`)
	for path, want := range map[string]string{
		"code": "200", "message": "OK", "queriesLeft": "5", "apiKey.id": m.key.PublicID, "apiKey.firstName": "Ada",
		"apiKey.lastName": "Byron", "apiKey.queriesLeft": "5",
	} {
		if got := queries.text(t, "data.getQueriesLeft."+path); got != want {
			t.Errorf("%s is %s, want %s", path, got, want)
		}
	}
	none := b.newKey(0, 0)
	if got := b.graphQL(`{ getCreditsLeft(apiKey: "`+none.text+`") { code creditsLeft apiKey { custodian { id } } } }`, ""); got.text(t, "data.getCreditsLeft.apiKey.custodian") != "null" {
		t.Errorf("a key without a custodian: %s", got.body)
	}
}

const custodianFields = `code message custodian { id apiKey name wallets { bep20 polygon base solana } callbackUrl createdAt signingSecret
	networks { network enabled tokens minAmount maxAmount finality } branding { tagline primaryColor theme } } apiKey { key creditsLeft }`

func TestCustodian(t *testing.T) {
	t.Parallel()
	checkCustodian(t, newBundle(t))
}

func checkCustodian(t *testing.T, b *bundle) {
	t.Helper()
	m := b.newKey(10, 0)
	create := `mutation($i: CustodianCreateInput!) { createCustodianAccount(input: $i) { ` + custodianFields + ` } }`
	update := `mutation($i: CustodianUpdateInput!) { updateCustodianDetails(input: $i) { ` + custodianFields + ` } }`
	input := func(rest string) string { return `{"i":{"apiKey":"` + m.text + `"` + rest + `}}` }

	for name, rest := range map[string]string{
		"callback without https":  `,"callbackUrl":"http://shop.example/hook"`,
		"wallet that is none":     `,"wallets":{"bep20":"0x12"}`,
		"wallet with a bad sum":   `,"wallets":{"bep20":"0x5aaeb6053F3E94C9b9A09f33669435E7Ef1BeAed"}`,
		"wallet of a token":       `,"wallets":{"polygon":"0x3c499c542cEF5E3811e1192ce70d8cC03d5c3359"}`,
		"colour that is none":     `,"branding":{"primaryColor":"reddish"}`,
		"amount with seven digit": `,"networks":[{"network":"BASE","minAmount":0.0000001}]`,
		"amount as a text":        `,"networks":[{"network":"BASE","minAmount":"1"}]`,
		"network twice":           `,"networks":[{"network":"BASE"},{"network":"BASE"}]`,
	} {
		got := b.graphQL(create, input(rest))
		if got.text(t, "data.createCustodianAccount.code") != "400" ||
			got.field(t, "data.createCustodianAccount.custodian") != nil || b.balance(m) != 10 {
			t.Errorf("%s: %s", name, got.body)
		}
	}
	made := b.graphQL(create, input(`,"name":"Nordlicht","wallets":{"bep20":"`+merchantWallet+`","solana":"`+solanaWallet+`"},
		"callbackUrl":"https://shop.example/hook","secret":"s3cret-canary","networks":{"network":"BASE","minAmount":0.1,"tokens":["USDC"],"finality":"12s"},
		"branding":{"tagline":"Roasted in Tromsø","primaryColor":"#1a2b3c","theme":"DARK"}`))
	for path, want := range map[string]string{
		"code": "200", "custodian.name": "Nordlicht", "custodian.apiKey": m.text,
		"custodian.wallets.bep20": merchantWallet, "custodian.wallets.polygon": "null",
		"custodian.wallets.solana": solanaWallet, "custodian.callbackUrl": "https://shop.example/hook", "custodian.branding.theme": "DARK",
		"apiKey.key": m.text, "apiKey.creditsLeft": "9",
	} {
		if got := made.text(t, "data.createCustodianAccount."+path); got != want {
			t.Errorf("create: %s is %s, want %s", path, got, want)
		}
	}
	if !strings.HasPrefix(made.text(t, "data.createCustodianAccount.custodian.signingSecret"), "whsec_") || strings.Contains(made.body, "s3cret-canary") {
		t.Errorf("secrets: %s", made.body)
	}
	if !strings.Contains(made.body, `{"network":"BASE","enabled":true,"tokens":["USDC"],"minAmount":0.1,"maxAmount":null,"finality":"12s"}`) {
		t.Errorf("networks: %s", made.body)
	}
	if got := b.graphQL(create, input("")); got.text(t, "data.createCustodianAccount.code") != "409" ||
		b.balance(m) != 9 {
		t.Errorf("second create: %s, %d credits", got.body, b.balance(m))
	}
	changed := b.graphQL(update, input(`,"wallets":{"polygon":"`+merchantWallet+`","bep20":null,"solana":""},"name":null`))
	for path, want := range map[string]string{
		"code": "200", "custodian.name": "Nordlicht", "custodian.wallets.bep20": merchantWallet,
		"custodian.wallets.polygon": merchantWallet,
		"custodian.wallets.solana":  "null", "custodian.signingSecret": "null", "apiKey.creditsLeft": "8",
	} {
		if got := changed.text(t, "data.updateCustodianDetails."+path); got != want {
			t.Errorf("update: %s is %s, want %s", path, got, want)
		}
	}
	poor := b.newKey(0, 0)
	if got := b.graphQL(create, `{"i":{"apiKey":"`+poor.text+`"}}`); got.text(t, "data.createCustodianAccount.code") != "402" {
		t.Errorf("without credits: %s", got.body)
	}
	if got := b.graphQL(update, `{"i":{"apiKey":"`+b.newKey(5, 0).text+`"}}`); got.text(t, "data.updateCustodianDetails.code") != "409" {
		t.Errorf("update without custodian: %s", got.body)
	}
}
