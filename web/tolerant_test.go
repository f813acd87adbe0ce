package web

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
)

func gzipped(t *testing.T, text string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write([]byte(text))
	must(t, err)
	must(t, w.Close())
	return b.String()
}

// Bodies and keys are read as programs send them.
func TestTolerant_Body(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	body := `{"apiKey":"` + m.text + `","amount":1}`
	large := `{"apiKey":"` + m.text + `","amount":1,"x":"` + strings.Repeat("a", 64<<10) + `"}`
	packed := []string{"Content-Encoding", "gzip"}
	b.run(t, []scenario{
		{name: "byte order mark", method: "POST", path: "/create-payment", body: "\ufeff" + body, status: 200},
		{name: "byte order mark, GraphQL", method: "POST", path: "/graphql", body: "\ufeff" + `{"query":"{ __typename }"}`, status: 200, want: []string{"Query"}},
		{
			name: "charset=utf8", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "application/json; charset=utf8"}, status: 200,
		},
		{name: "charset in quotes", method: "POST", path: "/create-payment", body: body, header: []string{"Content-Type", `application/json;charset="UTF8"`}, status: 200},
		{
			name: "another charset", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "application/json; charset=latin1"}, status: 415,
		},
		{name: "gzip", method: "POST", path: "/create-payment", body: gzipped(t, body), header: packed, status: 200},
		{name: "gzip, GraphQL", method: "POST", path: "/graphql", body: gzipped(t, `{"query":"{ __typename }"}`), header: packed, status: 200, want: []string{"Query"}},
		{
			name: "gzip beyond the limit", method: "POST", path: "/create-payment", body: gzipped(t, large),
			header: packed, status: 413,
		},
		{
			name: "a gzip bomb", method: "POST", path: "/create-payment", body: gzipped(t, strings.Repeat(" ", 40<<20)),
			header: packed, status: 413,
		},
		{
			name: "no gzip", method: "POST", path: "/create-payment", body: body,
			header: packed, status: 400, want: []string{"gzip"},
		},
		{
			name: "gzip, cut off", method: "POST", path: "/create-payment", body: gzipped(t, body)[:30],
			header: packed, status: 400,
		},
		{
			name: "another coding", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Encoding", "br"}, status: 415,
		},
		{
			name: "identity", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Encoding", "identity"}, status: 200,
		},
		{name: "a slash at the end", method: "POST", path: "/create-payment/", body: body, status: 200},
		{name: "a slash, GraphQL", method: "POST", path: "/graphql/", body: `{"query":"{ __typename }"}`, status: 200},
		{
			name: "a slash and a query", method: "GET", path: "/events/?limit=1",
			header: []string{"x-api-key", m.text}, status: 200,
		},
		{name: "a key with a line end", method: "POST", path: "/create-payment", body: strings.Replace(body, m.text, m.text+`\r\n`, 1), status: 200},
		{name: "a key with a line end, GraphQL", method: "POST", path: "/graphql", body: `{"query":"{ getCreditsLeft(apiKey: \"\\n` + m.text + `\\n\") { code } }"}`, status: 200, want: []string{`"code":200`}},
		{name: "a key with spaces in a header", method: "POST", path: "/create-payment", body: `{"amount":1}`, header: []string{"x-api-key", " " + m.text + " "}, status: 200},
	})
}

// Addresses are joined as clients do, and JSON has several names.
func TestTolerant_Names(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	body := `{"apiKey":"` + b.newMerchant(30).text + `","amount":1}`
	b.run(t, []scenario{
		{name: "an address with a slash", method: "POST", path: "//create-payment", body: body, status: 200},
		{name: "slashes at the end", method: "POST", path: "/create-payment//", body: body, status: 200},
		{
			name: "JSON by another name", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "application/vnd.api+json"}, status: 200,
		},
		{
			name: "JSON as a text", method: "POST", path: "/create-payment", body: body,
			header: []string{"Content-Type", "text/json"}, status: 200,
		},
		{
			name: "GraphQL by name", method: "POST", path: "/graphql", body: `{"query":"{ __typename }"}`,
			header: []string{"Content-Type", "application/graphql+json"}, status: 200,
		},
	})
}

// A txnid is read however it was copied, by every operation.
func TestTolerant_Txnid(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(60)
	for _, change := range []func(id string) string{
		strings.ToLower, func(id string) string { return " " + id + "\n" }, func(id string) string { return id + "." },
		func(id string) string { return "\u00a0" + strings.ToLower(id) + "。" },
	} {
		p := b.newPayment(m)
		id, text := change(string(p.ID)), string(encoded(t, change(string(p.ID))))
		b.ask("GET", "/orders/"+url.PathEscape(id), "").wants(t, 200, string(p.ID))
		b.ask("GET", "/txn/"+url.PathEscape(id)+"/", "").wants(t, 200, string(p.ID))
		b.ask("GET", "/pay?txnid="+url.QueryEscape(id), "", "Accept", "text/html").wants(t, 200)
		b.ask("GET", "/txn/"+every(id), "").wants(t, 200)
		start := `"txnid":` + text + `,"network":"polygon","token":"usdc"}`
		b.ask("POST", "/pay", `{`+start).wants(t, 200, string(p.ID))
		b.ask("POST", "/pay", `{"apiKey":"`+m.text+`",`+start).wants(t, 200, string(p.ID))
		b.ask("POST", "/txn/"+url.PathEscape(id)+"/find", `{"hash":"`+string(testHash(9))+`"}`).wants(t, 200)
		b.ask("GET", "/orders?first=1&after="+url.QueryEscape(id), "", "x-api-key", m.text).wants(t, 200)
		for _, operation := range []string{
			`query ($t: String!) { getTxnDetails(txnid: $t) { code transaction { txnid } } }`,
			`query ($t: String!) { getTransactionDetails(apiKey: "` + m.text + `", txnid: $t) { code transaction { txnid } } }`,
			`mutation ($t: String!) { cancelPayment(txnid: $t) { code transaction { txnid } } }`,
		} {
			b.graphQL(operation, `{"t":`+text+`}`).wants(t, 200, `"code":200`, string(p.ID))
		}
		b.graphQL(`mutation ($t: String!) { manualMarkAsCompleted(apiKey: "`+m.text+`", txnid: $t) { code } }`,
			`{"t":`+text+`}`).wants(t, 200, `"code":200`)
	}
}

// Lists are turned with first or limit and after; a name that belongs to another interface is refused before it costs.
func TestTolerant_Pages(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(20)
	for range 3 {
		b.newPayment(m)
	}
	get := func(path string) reply { return b.ask("GET", path, "", "x-api-key", m.text) }
	for path, want := range map[string]int{
		"/orders?limit=2": 2, "/orders?first=2": 2, "/orders?first=2&limit=2": 2, "/orders": 3,
		"/orders?network=solana": 0,
	} {
		if list, _ := get(path).field(t, "transactions").([]any); len(list) != want {
			t.Errorf("%s gives %d", path, len(list))
		}
	}
	if list, _ := get("/events?first=2").field(t, "events").([]any); len(list) != 0 && len(list) != 2 {
		t.Errorf("first on /events gives %d", len(list))
	}
	before := b.balance(m)
	for _, name := range []string{
		"page", "offset", "per_page", "pageSize", "cursor", "starting_after", "Limit", "After", "page[size]", "before",
	} {
		for _, path := range []string{"/orders", "/events"} {
			got := get(path + "?" + url.QueryEscape(name) + "=2")
			if got.status != 400 || !strings.Contains(got.text(t, "message"), name) {
				t.Errorf("%s?%s: %d %s", path, name, got.status, got.start())
			}
		}
	}
	get("/orders?first=2&limit=3").wants(t, 400, "limit")
	if b.balance(m) != before {
		t.Error("a refusal took a credit")
	}
	got := get("/orders?refrence=NL-1042") //nolint:misspell // as programs write it
	if !strings.Contains(got.warned(t, "warnings"), "did you mean reference?") {
		t.Errorf("%d %s", got.status, got.start())
	}
	if _, err := chain.ParseNetwork(" Solana "); err != nil {
		t.Error(err)
	}
}

// every writes each byte of a text as an escape of an address.
func every(text string) string {
	var b strings.Builder
	for _, c := range []byte(text) {
		fmt.Fprintf(&b, "%%%02x", c)
	}
	return b.String()
}

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
