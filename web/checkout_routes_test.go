package web

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// strictPolicy is the whole policy of a page: only our own script, no style
// without the nonce, and no frame around it.
var strictPolicy = regexp.MustCompile(`^default-src 'none'; script-src 'self'; style-src 'self' 'nonce-[\w-]{22}'; ` +
	`img-src 'self' https: data:; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'$`)

// TestCheckoutHeaders: every page of a payer, failures included, has the strict
// security headers.
func TestCheckoutHeaders(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(9)
	open, started, paid := b.newPayment(m), b.start(b.newPayment(m), chain.Polygon),
		b.start(b.newPayment(m), chain.Polygon)
	paid = b.deposit(paid, paid.Amount, true)
	act := func(p payment.Payment, act string) string { return "/pay/" + string(p.ID) + "/" + act }
	for name, row := range map[string]struct {
		method, path, body string
		status             int
	}{
		"choose":             {"GET", "/pay?txnid=" + string(open.ID), "", 200},
		"send":               {"GET", "/pay?txnid=" + string(started.ID), "", 200},
		"cancel step":        {"GET", "/pay?view=cancel&txnid=" + string(started.ID), "", 200},
		"find step":          {"GET", "/pay?view=find&txnid=" + string(started.ID), "", 200},
		"found":              {"POST", act(started, "find"), "hash=" + string(testHash(9)), 200},
		"refused start":      {"POST", act(open, "start"), "network=SOL&token=USDC", 422},
		"bad start":          {"POST", act(open, "start"), "network=X&token=Y", 400},
		"paid":               {"GET", "/pay?txnid=" + string(paid.ID), "", 200},
		"receipt":            {"GET", act(paid, "receipt"), "", 200},
		"unknown payment":    {"GET", "/pay?txnid=" + unknownTxn, "", 404},
		"no payment":         {"GET", "/pay", "", 400},
		"unknown receipt":    {"GET", "/pay/" + unknownTxn + "/receipt", "", 404},
		"method not allowed": {"DELETE", act(paid, "receipt"), "", 405},
		"front page":         {"GET", "/", "", 200},
		"nothing":            {"GET", "/nothing", "", 404},
	} {
		got := b.ask(row.method, row.path, row.body, asForm...)
		if got.status != row.status {
			t.Errorf("%s: %d, want %d", name, got.status, row.status)
		}
		for header, want := range map[string]string{
			"X-Content-Type-Options": "nosniff", "X-Frame-Options": "DENY", "Referrer-Policy": "same-origin",
			"Cache-Control":             "no-store, no-transform",
			"Strict-Transport-Security": "max-age=63072000", "Content-Type": "text/html; charset=utf-8",
			"Permissions-Policy": "camera=(), microphone=(), geolocation=(), payment=(), usb=(), interest-cohort=()",
		} {
			if is := got.header.Get(header); is != want {
				t.Errorf("%s: %s is %q, want %q", name, header, is, want)
			}
		}
		policy := got.header.Get("Content-Security-Policy")
		if name == "front page" { // it frames a picture of this server
			rest, ok := strings.CutSuffix(policy, "; frame-src 'self'")
			if policy = rest; !ok {
				t.Errorf("%s: the policy is %s", name, policy)
			}
		}
		if !strictPolicy.MatchString(policy) {
			t.Errorf("%s: the policy is %s", name, policy)
		}
		if got.header.Get("Set-Cookie") != "" {
			t.Errorf("%s sets a cookie", name)
		}
	}
	plain := newBundleWith(t, Options{BaseURL: "http://localhost:1", CheckoutURL: "http://localhost:1"})
	if h := plain.ask("GET", "/", "").header.Get("Strict-Transport-Security"); h != "" {
		t.Errorf("without https the header is %q", h)
	}
}

// TestReturnLinks: in every final state the link back to the shop is the
// merchant's own with txnid and status, and no request parameter changes it.
func TestReturnLinks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(9)
	with := func() payment.Payment {
		p, err := b.payments.Create(t.Context(),
			payment.CreateInput{KeyID: m.key.ID, Amount: "5", Details: payment.Details{
				SuccessURL: "https://shop.example/thanks?cart=7&status=mine#top", CancelURL: "http://shop.example:8443/cart",
			}}, audit.Act{})
		must(t, err)
		return b.start(p, chain.Polygon)
	}
	cancel := func(p payment.Payment) payment.Payment {
		p, err := b.payments.Cancel(t.Context(), string(p.ID), audit.Act{})
		must(t, err)
		return p
	}
	paid := with()
	paid = b.deposit(paid, paid.Amount, true)
	late, lateCancelled := b.expire(with()), cancel(with())
	late, lateCancelled = b.deposit(late, late.Amount, true), b.deposit(lateCancelled, lateCancelled.Amount, true)
	for name, row := range map[string]struct {
		p                       payment.Payment
		state, host, path, want string
	}{
		"Paid":                  {paid, "paid", "shop.example", "/thanks", "completed"},
		"Expired":               {b.expire(with()), "expired", "shop.example:8443", "/cart", "expired"},
		"Cancelled":             {cancel(with()), "cancelled", "shop.example:8443", "/cart", "cancelled"},
		"Late":                  {late, "late", "shop.example:8443", "/cart", "expired"},
		"LateAfterCancellation": {lateCancelled, "late", "shop.example:8443", "/cart", "cancelled"},
	} {
		t.Run(name, func(t *testing.T) {
			page := b.ask("GET", "/pay?txnid="+string(row.p.ID)+"&successUrl=https://evil.example&cancelUrl=//evil.example&next=//evil.example", "")
			if !strings.Contains(page.body, `data-state="`+row.state+`"`) || strings.Contains(page.body, "evil.example") {
				t.Error("the page is another one, or leads elsewhere")
			}
			link := regexp.MustCompile(`href="([^"]+)" data-testid="return"`).FindStringSubmatch(page.body)
			if link == nil {
				t.Fatal("no link back")
			}
			u, err := url.Parse(strings.ReplaceAll(link[1], "&amp;", "&"))
			must(t, err)
			q := u.Query() // the shop's own parameters stay as they are, before ours
			if u.Host != row.host || u.Path != row.path || q.Get("txnid") != string(row.p.ID) ||
				q["status"][len(q["status"])-1] != row.want {
				t.Errorf("back to %s", u)
			}
		})
	}
	if page := b.ask("GET", "/pay?txnid="+string(lateCancelled.ID), ""); !strings.Contains(page.body,
		"after the payment was cancelled") {
		t.Error("the page of a cancelled payment speaks of time")
	}
	if page := b.ask("GET", "/pay?txnid="+string(paid.ID), ""); !strings.Contains(page.body, "<dd>Polygon</dd>") {
		t.Error("a paid payment does not say on which network")
	}
	// A payer who was shown an address may have paid to it.
	t.Run("JustPaid", func(t *testing.T) {
		unstarted, unchosen := b.newPayment(m), b.newPayment(m)
		for _, row := range []struct {
			p    payment.Payment
			want bool
		}{{cancel(with()), true}, {cancel(unstarted), false}, {b.expire(with()), true}, {b.expire(unchosen), false}} {
			if page := b.ask("GET", "/pay?txnid="+string(row.p.ID), ""); strings.Contains(page.body, `data-testid="just-paid"`) != row.want {
				t.Errorf("%s: a payer who has just paid is addressed: %t, want %t", row.p.Status, !row.want, row.want)
			}
		}
	})
}

// Only web addresses are accepted as links back, and no request redirects to
// another host.
func TestReturnLinks_OtherHosts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(9)
	for _, bad := range []string{"javascript:alert(1)", "//evil.example", "/thanks", "ftp://shop.example", "https:///x", "https://", "data:text/html,x"} {
		for _, d := range []payment.Details{{SuccessURL: bad}, {CancelURL: bad}} {
			if _, err := b.payments.Create(t.Context(),
				payment.CreateInput{KeyID: m.key.ID, Amount: "5", Details: d},
				audit.Act{}); !fault.Is(err, fault.Invalid) {
				t.Errorf("%q is accepted as a link back: %v", bad, err)
			}
		}
	}
	for _, path := range []string{"//evil.example", "//evil.example/pay?txnid=1", `/\evil.example`, "/pay//evil.example/receipt"} {
		got := b.ask("GET", path, "", "Accept", "text/html")
		if to := got.header.Get("Location"); to != "" || strings.Contains(got.body, `href="//`) {
			t.Errorf("%s leads to %q", path, to)
		}
	}
	for _, form := range []string{"start?lang=//evil.example", "start?lang=%0d%0aX:1"} {
		got := b.ask("POST", "/pay/"+string(b.newPayment(m).ID)+"/"+form, "network=POLYGON&token=USDC", asForm...)
		if to := got.header.Get("Location"); !strings.HasPrefix(to, "/pay?txnid=") || got.header.Get("X") != "" {
			t.Errorf("%s leads to %q", form, to)
		}
	}
}

// TestFailureLanguages: a failed page, and a failed form, offer the payment's
// page in other languages.
func TestFailureLanguages(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	id := string(b.newPayment(b.newMerchant(1)).ID)
	for path, want := range map[string]string{
		"GET /pay?txnid=" + unknownTxn + "&lang=de": `href="/pay?lang=fr&amp;txnid=` + unknownTxn + `"`,
		"POST /pay/" + id + "/start":                `href="/pay?lang=fr&amp;txnid=` + id + `"`,
	} {
		method, address, _ := strings.Cut(path, " ")
		if got := b.ask(method, address, "network=%zz", asForm...); !strings.Contains(got.body, want) {
			t.Errorf("%s (%d) does not offer %s", path, got.status, want)
		}
	}
}

// TestFailureOfLink: a truncated link leads to the page of an unknown payment,
// which is not worded as a mistyped address.
func TestFailureOfLink(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for path, status := range map[string]int{"/pay": 400, "/pay?txnid=": 400, "/pay?txnid=01": 404} {
		if got := b.ask("GET", path, "", "Accept", "text/html"); got.status != status || !strings.Contains(got.body, "We cannot find this payment") {
			t.Errorf("%s: %d %s", path, got.status, got.start())
		}
	}
}

// TestFailureLinks: a failed page links to itself where trying again may help,
// and a failed form links to the page it was on.
func TestFailureLinks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	id := string(b.newPayment(b.newMerchant(1)).ID)
	b.server.handler.GET("/broken", func(echo.Context) error { return errors.New("broken") })
	for path, want := range map[string]string{
		"GET /broken?a=1&b=2":                  `href="/broken?a=1&amp;b=2"`,
		"GET /pay?txnid=" + unknownTxn:         "",
		"GET /nothing":                         "",
		"POST /pay/" + id + "/start?lang=de":   `href="/pay?txnid=` + id + `&amp;lang=de"`,
		"POST /link/no-such-link?lang=fr":      `href="/link/no-such-link?lang=fr"`,
		"POST /donate/no-such-cause/pay":       `href="/donate/no-such-cause"`,
		"POST /donate/no-such-cause/pay?lang=": `href="/donate/no-such-cause"`,
	} {
		method, address, _ := strings.Cut(path, " ")
		got := b.ask(method, address, "network=%zz&amount=5", append(asForm, "Accept", "text/html")...)
		if !strings.Contains(got.body, `data-testid="failure"`) || strings.Contains(got.body, `data-testid="again"`) != (want != "") || !strings.Contains(got.body, want) {
			t.Errorf("%s (%d) does not lead to %q", path, got.status, want)
		}
	}
}

// solanaAccounts are wallets on Solana, one of which cannot pay.
// noGas is a wallet without SOL.
const noGas = "4Nd1mYQtpzG4NnVyuYWbYsxvPA2aWCmA3nnWVzgRGqZB"

type solanaAccounts struct{ poor chain.Address }

func (w solanaAccounts) buildTransfer(_ context.Context, payer, to chain.Address, asset chain.Asset,
	units money.Units,
) ([]byte, error) {
	if payer == w.poor {
		return nil, fault.New(fault.Unprocessable, "too little")
	}
	if payer == noGas {
		return nil, fmt.Errorf("prepare a transfer: %w", chain.ErrPayerGas)
	}
	if units.IsZero() || to == payer {
		return nil, errors.New("a transfer of nothing")
	}
	return []byte(asset.Symbol + " " + units.String()), nil
}

// sendTransfers sends what is signed to an address of the payment.
func sendTransfers(_ context.Context, signed []byte, list []chain.Transfer) (chain.TxHash, error) {
	if string(signed) != "signed" || len(list) != 1 || list[0].To == "" {
		return "", fault.New(fault.Invalid, "not signed")
	}
	return testHash(7), nil
}

// TestTransactionForWallet: the server builds a transaction, as JSON, only for a
// payment that waits for money on Solana, and limits how often.
func TestTransactionForWallet(t *testing.T) {
	t.Parallel()
	const poor, rich = "Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb", "5N3f1tj9v1vc5TUZ8S7mCAnVmjVKrfnzXWhxLaxyZAgt"
	b := newBundle(t)
	b.networks.health[chain.Solana] = b.networks.health[chain.Polygon]
	m := b.newSolanaMerchant()
	open, waiting, seen, elsewhere := b.newPayment(m), b.start(b.newPayment(m), chain.Solana),
		b.start(b.newPayment(m), chain.Solana), b.start(b.newPayment(m), chain.Polygon)
	b.deposit(seen, seen.Amount, false)
	path := func(p payment.Payment) string { return "/pay/" + string(p.ID) + "/transaction" }
	b.run(t, []scenario{{name: "no builder", method: "POST", path: path(waiting), body: "account=" + rich, header: asForm, status: 503, want: []string{`"code":503`}}})
	if page := b.ask("GET", "/pay?txnid="+string(waiting.ID), ""); strings.Contains(page.body, "data-solana") {
		t.Error("the page offers a wallet that cannot pay")
	}
	d := b.server.d
	d.BuildTransfer, d.SendTransfers = solanaAccounts{poor}.buildTransfer, sendTransfers
	b.server = New(d, b.server.o)
	b.run(t, []scenario{
		{name: "OK", method: "POST", path: path(waiting), body: "account=" + rich, header: asForm, status: 200, want: []string{`{"transaction":"VVNEQyA0OTkwMDAwMA=="}`}}, // "USDC 49900000"
		{name: "page", method: "GET", path: "/pay?txnid=" + string(waiting.ID), status: 200, want: []string{`data-solana="solana:mainnet"`}},
		{name: "poor", method: "POST", path: path(waiting), body: "account=" + poor, header: asForm, status: 422, want: []string{`"code":422`}, not: []string{`"reason":"gas"`}},
		{name: "no gas", method: "POST", path: path(waiting), body: "account=" + noGas, header: asForm, status: 422, want: []string{`"code":422`, `"reason":"gas"`}},
		{name: "signed", method: "POST", path: path(waiting), body: "signed=" + url.QueryEscape("c2lnbmVk"), header: asForm, status: 200, want: []string{`{"signature":"` + string(testHash(7)) + `"}`}},
		{name: "forged", method: "POST", path: path(waiting), body: "signed=b3Ro", header: asForm, status: 400},
		{name: "no account", method: "POST", path: path(waiting), body: "account=", header: asForm, status: 400, want: []string{`"code":400`}},
		{
			name: "other account", method: "POST", path: path(waiting), body: "account=" + merchantWallet,
			header: asForm, status: 400,
		},
		{name: "not started", method: "POST", path: path(open), body: "account=" + rich, header: asForm, status: 409},
		{
			name: "money on its way", method: "POST", path: path(seen), body: "account=" + rich, header: asForm,
			status: 409,
		},
		{
			name: "other network", method: "POST", path: path(elsewhere), body: "signed=c2lnbmVk&account=" + rich,
			header: asForm, status: 409,
		},
		{
			name: "unknown payment", method: "POST", path: "/pay/" + unknownTxn + "/transaction",
			body: "account=" + rich, header: asForm, status: 404,
		},
		{
			name: "from another site", method: "POST", path: path(waiting), body: "account=" + rich,
			header: []string{"Sec-Fetch-Site", "cross-site"}, status: 403,
		},
		{
			name: "too long", method: "POST", path: path(waiting), body: "account=" + strings.Repeat("a", 4<<10),
			header: asForm, status: 400,
		},
	})
	limited := false
	for range 30 {
		limited = limited || b.ask("POST", path(waiting), "account="+rich,
			append(asForm, "X-Forwarded-For", "203.0.113.9")...).status == 429
	}
	if !limited {
		t.Error("one client may ask without end")
	}
}

// newSolanaMerchant makes a key that takes payments on Polygon and Solana.
func (b *bundle) newSolanaMerchant() seller {
	b.t.Helper()
	m := b.newMerchant(9)
	_, err := b.accounts.UpdateCustodian(b.t.Context(), m.key,
		merchant.CustodianInput{Wallets: map[chain.Network]string{chain.Solana: solanaWallet}}, audit.Act{})
	must(b.t, err)
	return m
}

// TestPastedLinks: a txnid that a person or a chat has changed on its way is the payment's.
func TestPastedLinks(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	p := b.start(b.newPayment(b.newMerchant(9)), chain.Polygon)
	paid := b.deposit(b.start(b.newPayment(b.newMerchant(9)), chain.Polygon), 100*money.USD, true)
	for _, change := range []func(id string) string{
		strings.ToLower, func(id string) string { return id + "." }, func(id string) string { return id + ")" },
		func(id string) string { return id + " " }, func(id string) string { return id + "\u200b" },
		func(id string) string { return strings.NewReplacer("0", "O", "1", "l").Replace(id) },
	} {
		id, ended := url.QueryEscape(change(string(p.ID))), url.PathEscape(change(string(paid.ID)))
		b.ask("GET", "/pay?txnid="+id, "", "Accept", "text/html").wants(t, 200, `data-testid="waiting"`)
		b.ask("GET", "/pay/?txnid="+id, "", "Accept", "text/html").wants(t, 200, `data-testid="waiting"`)
		b.ask("GET", "/orders/"+ended, "").wants(t, 200, string(paid.ID))
		b.ask("GET", "/pay/"+ended+"/receipt", "", "Accept", "text/html").wants(t, 200, string(paid.ID))
		b.ask("POST", "/pay/"+url.PathEscape(change(string(p.ID)))+"/find", "hash="+string(testHash(9)), asForm...).wants(t, 200, `data-testid="finding"`)
	}
}

// TestNoOrigin: a browser that does not say where a form comes from may do what needs no session.
func TestNoOrigin(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	for origin, want := range map[string]int{"null": 303, testBaseURL: 303, "https://evil.example": 403} {
		p := b.newPayment(b.newMerchant(9))
		b.ask("POST", "/pay/"+string(p.ID)+"/cancel", "", "Content-Type", "application/x-www-form-urlencoded",
			"Accept", "text/html", "Origin", origin).wants(t, want)
	}
}
