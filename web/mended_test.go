package web

import (
	"encoding/json"
	"net/url"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

// mendedTexts are texts as other programs send them, as JSON, and as they are stored. Every rule of a text is tested
// where it is (internal/input); here every way by which one comes in.
var mendedTexts = map[string]string{
	`Please ring\r\nat the door`: "Please ring\nat the door", `a\tb`: "a b", `a\u000bb\fc`: "a\nb\nc",
	`So\u00adlar\u200b \ufeffpanel`: "Solar panel", `caf\u200fé`: "café", `a\u2028b\u2029c\u0085d`: "a\nb\nc\nd",
	`\ud83d\ude00`: "😀", `a\u0007b`: "ab", `\ufffd`: "\ufffd",
}

// TestMended_Payment: a payment's texts are mended over REST, and over GraphQL in variables and in the document.
func TestMended_Payment(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(50)
	check := func(name string, got reply, txnid, want string) {
		t.Helper()
		if txnid == "" {
			t.Fatalf("%s: %d %s", name, got.status, got.start())
		}
		p, err := b.payments.Get(t.Context(), txnid)
		must(t, err)
		if p.Description != want || p.Reference != want || p.Metadata[want] != want || p.Metadata["note"] != want {
			t.Errorf("%s: stored %+q, %+q, %+q; want %+q", name, p.Description, p.Reference, p.Metadata, want)
		}
	}
	for text, want := range mendedTexts {
		fields := `"description":"` + text + `","reference":"` + text + `","metadata":{"note":"` + text + `","` + text + `":"` + text + `"}`
		rest := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,`+fields+`}`)
		check("REST "+text, rest, rest.text(t, "transaction.txnid"), want)
		byVariables := b.graphQL(`mutation ($description: String, $reference: String, $metadata: StringMap) {
			payment(apiKey: "`+m.text+`", amount: 1, description: $description, reference: $reference, metadata: $metadata) {
				code message transaction { txnid } } }`, `{`+fields+`}`)
		check("variables "+text, byVariables, byVariables.text(t, "data.payment.transaction.txnid"), want)
		list := b.ask("GET", "/orders?first=9&reference="+url.QueryEscape(decoded(t, text)), "", "x-api-key", m.text)
		if found, _ := list.field(t, "transactions").([]any); len(found) != 2 {
			t.Errorf("%d payments are found by the reference as it was sent: %s", len(found), text)
		}
	}
	literal := b.graphQL(`mutation { payment(apiKey: "`+m.text+`", amount: 1, description: "a\tb\r\n\uD83D\uDE00",
		reference: "a\tb\r\n\uD83D\uDE00", metadata: {note: "a\tb\r\n\uD83D\uDE00"}) { transaction { txnid } } }`, "")
	p, err := b.payments.Get(t.Context(), literal.text(t, "data.payment.transaction.txnid"))
	must(t, err)
	if want := "a b\n😀"; p.Description != want || p.Reference != want || p.Metadata["note"] != want {
		t.Errorf("a text in the document is stored as %+q", p.Details.Description)
	}
}

// decoded is the text that a string of JSON writes.
func decoded(t *testing.T, text string) (s string) {
	t.Helper()
	must(t, json.Unmarshal([]byte(`"`+text+`"`), &s))
	return s
}

// Two keys of metadata that are the same once they are mended are one: that which was written so.
func TestMended_MetadataKeys(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(5)
	for metadata, want := range map[string]string{
		`{"a b":"exact","a\tb":"mended"}`: "exact", `{"a\tb":"mended","a b":"exact"}`: "exact",
		`{"a\t\u200bb":"second","a\tb":"first"}`: "first",
	} {
		r := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":1,"metadata":`+metadata+`}`)
		p, err := b.payments.Get(t.Context(), r.text(t, "transaction.txnid"))
		must(t, err)
		if len(p.Metadata) != 1 || p.Metadata["a b"] != want {
			t.Errorf("%s is stored as %q", metadata, p.Metadata)
		}
	}
}

// TestMended_Elsewhere: so are the texts of donors, campaigns, links, users, keys and custodians.
func TestMended_Elsewhere(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	const sent, line, lines = "\u200bCorner\tShop\r\n\u00ad ltd ", "Corner Shop  ltd", "Corner Shop\n ltd"
	c := b.newCampaign(m, func(d *campaign.Draft) { d.Title, d.Description = sent, sent })
	link, err := b.campaigns.CreateLink(t.Context(), m.key.ID, campaign.LinkDraft{
		Slug: "corner", Description: sent, Reference: sent, Amount: "1",
	}, audit.Act{})
	must(t, err)
	body, err := json.Marshal(map[string]any{
		"amount": 5, "network": "POLYGON", "token": "USDC", "name": sent, "message": sent,
	})
	must(t, err)
	form := b.donationAt(c, b.postForm("/donate/"+c.Slug+"/pay", url.Values{
		"amount": {"7.50"}, "network": {"POLYGON"}, "token": {"USDC"}, "name": {sent}, "message": {sent},
	}), "")
	for name, p := range map[string]payment.Payment{"REST": b.gift(c, string(body)), "form": form} {
		if p.DonorName != line || p.DonorMessage != lines {
			t.Errorf("%s: %+q, %+q", name, p.DonorName, p.DonorMessage)
		}
	}
	used, err := b.campaigns.UseLink(t.Context(), link, "")
	must(t, err)
	user, err := b.accounts.CreateUser(t.Context(), identity.NewUser{
		Email: "corner@shop.example", Password: secret.New(testPassword), FirstName: sent, LastName: sent,
	}, audit.Act{})
	must(t, err)
	must(t, b.accounts.NameKey(t.Context(), m.key, merchant.KeyNames{Label: new(sent)}, audit.Act{}))
	key, err := b.accounts.Authenticate(t.Context(), m.text)
	must(t, err)
	changed := b.graphQL(`mutation ($name: String) { updateCustodianDetails(input: {apiKey: "`+m.text+
		`", name: $name, branding: {tagline: $name}}) { code custodian { name branding { tagline } } } }`,
		`{"name":"\u200bCorner\tShop\r\n\u00ad ltd "}`)
	custodian, err := b.accounts.Custodian(t.Context(), m.key.ID)
	must(t, err)
	for name, got := range map[string]string{
		"title": c.Title, "link": link.Description, "reference": link.Reference, "payment of the link": used.Reference,
		"first name": user.FirstName, "last name": user.LastName, "label": key.Label, "custodian": custodian.Name,
		"tagline": custodian.Branding.Tagline,
	} {
		if got != line {
			t.Errorf("%s is stored as %+q, want %+q (%s)", name, got, line, changed.start())
		}
	}
	if c.Description != lines {
		t.Errorf("the description of a campaign is %+q", c.Description)
	}
}
