package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views/docs"
)

// written are the links of a Markdown text.
var written = regexp.MustCompile(`\]\(([^)\s]+)\)`)

// walk follows what pages of this server link to, and keeps what is named on each.
type walk struct {
	s     *surfer
	queue []string
	from  map[string]string          // addresses without fragments to the page that named them first
	names map[string]map[string]bool // pages to the fragments that they have
	frags map[string]string          // addresses with fragments to the page that named them
}

// name takes an address that a page names.
func (w *walk) name(page, address string) {
	base, err := url.Parse(testBaseURL + page)
	must(w.s.b.t, err)
	u, err := base.Parse(strings.TrimSpace(address))
	if err != nil {
		w.s.b.t.Errorf("%s names %q: %v", page, address, err)
		return
	}
	if u.Scheme != base.Scheme || u.Host != base.Host {
		return
	}
	fragment := u.Fragment
	u.Fragment = ""
	path := u.RequestURI()
	if fragment != "" {
		w.frags[path+"#"+fragment] = page
	}
	if _, known := w.from[path]; !known {
		w.from[path] = page
		w.queue = append(w.queue, path)
	}
}

// read looks at one address and takes what it names.
func (w *walk) read(path string) {
	r := w.s.get(path)
	switch {
	case r.status == http.StatusSeeOther || r.status == http.StatusFound || r.status == http.StatusMovedPermanently:
		w.name(path, r.header.Get("Location"))
		return
	case r.status != http.StatusOK:
		w.s.b.t.Errorf("%s links %s, which is %d", w.from[path], path, r.status)
		return
	case strings.HasPrefix(r.header.Get("Content-Type"), "text/markdown"):
		for _, link := range written.FindAllStringSubmatch(r.body, -1) {
			w.name(path, link[1])
		}
		return
	case !strings.HasPrefix(r.header.Get("Content-Type"), "text/html"):
		return
	}
	doc, err := html.Parse(strings.NewReader(r.body))
	must(w.s.b.t, err)
	names := map[string]bool{}
	for n := range doc.Descendants() {
		names[attr(n, "id")] = true
		for _, name := range []string{"href", "src"} {
			if hasAttr(n, name) && !strings.HasPrefix(attr(n, name), "data:") {
				w.name(path, attr(n, name))
			}
		}
		if n.Data == "form" && attr(n, "method") != "post" {
			w.name(path, attr(n, "action"))
		}
	}
	w.names[path] = names
}

// reach reads all that can be reached from the pages, and fails for what is not there. It returns the pages with what
// is named on each.
func (s *surfer) reach(starts ...string) map[string]map[string]bool {
	s.b.t.Helper()
	const most = 1000 // pages of a list may go on
	w := &walk{s: s, from: map[string]string{}, names: map[string]map[string]bool{}, frags: map[string]string{}}
	for _, start := range starts {
		w.name("/", start)
	}
	for read := 0; len(w.queue) > 0; read++ {
		if read == most {
			s.b.t.Fatalf("more than %d pages; next are %q", most, w.queue)
		}
		next := w.queue[0]
		w.queue = w.queue[1:]
		w.read(next)
	}
	for address, page := range w.frags {
		path, fragment, _ := strings.Cut(address, "#")
		if names, read := w.names[path]; read && !names[fragment] {
			s.b.t.Errorf("%s links %s, and nothing there is called so", page, address)
		}
	}
	return w.names
}

// No link of a page that a stranger, a merchant or an operator can reach leads to nothing, nor to a place that the page
// does not have.
func TestLinks(t *testing.T) {
	t.Parallel()
	b, root := rootDashboard(t)
	m := b.shop(b.member(ownerEmail))
	c, link := b.fundraiser(m)
	paid := b.busy(m)
	_, token := b.requestRefund(m, paid, "")
	starts := []string{
		"/", "/llms.txt", "/donate/" + c.Slug, "/link/" + link.Slug, "/refund/" + token,
		"/pay?txnid=" + string(paid.ID), "/pay?txnid=" + string(b.newPaymentOf(m, "3").ID),
		"/pay?txnid=" + string(b.start(b.newPaymentOf(m, "4"), chain.Base).ID),
	}
	for _, p := range docs.Pages() {
		starts = append(starts, p.Path+docs.MarkdownEnding)
	}
	names := b.surfer().reach(starts...)
	for _, p := range docs.Pages() {
		if names[p.Path] == nil {
			t.Errorf("no page leads to %s", p.Path)
		}
	}
	owner := b.surfer()
	owner.signIn(ownerEmail)
	names = owner.reach("/dashboard")
	for _, p := range []string{"/dashboard/payments/" + string(paid.ID), "/dashboard/security", docs.ShopPath} {
		if names[p] == nil {
			t.Errorf("a merchant does not reach %s", p)
		}
	}
	if names = root.reach("/operator"); names[docs.OperatePath] == nil || names[usersPath] == nil {
		t.Errorf("an operator reaches %d pages", len(names))
	}
}

func TestPayLink(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(15)
	link := func(in campaign.LinkDraft) string {
		in.Slug = "l-" + strings.ToLower(string(testID(b.clock.Now())))
		l, err := b.campaigns.CreateLink(t.Context(), m.key.ID, in, audit.Act{})
		must(t, err)
		return "/link/" + l.Slug
	}
	fixed := link(campaign.LinkDraft{Description: "A bag of coffee", Reference: "bag-500", Amount: "12.5"})
	b.ask("GET", fixed, "").wants(t, 200, "A bag of coffee", "12.50")
	made := b.postForm(fixed, url.Values{"amount": {"0.01"}})
	if made.status != 303 || !strings.HasPrefix(made.header.Get("Location"), "/pay?txnid=") {
		t.Fatalf("%d to %q", made.status, made.header.Get("Location"))
	}
	p, err := b.payments.Get(t.Context(), made.header.Get("Location")[len("/pay?txnid="):][:26])
	must(t, err)
	if p.Amount != 12_500_000 || p.Reference != "bag-500" || p.Description != "A bag of coffee" ||
		p.Status != payment.Pending || b.balance(m) != 15 {
		t.Errorf("made %+v", p)
	}
	open := link(campaign.LinkDraft{Min: "2", Max: "10"})
	for amount, status := range map[string]int{
		"2": 303, "10": 303, "1.99": 422, "10.01": 422, "": 422, "NaN": 422,
		"-3": 422, "1e400": 422,
	} {
		if r := b.postForm(open, url.Values{"amount": {amount}}); r.status != status {
			t.Errorf("%q: %d %s", amount, r.status, plainText(r.body))
		}
	}
	b.ask("GET", open, "").wants(t, 200, "Between 2.00\u00a0USD and 10.00\u00a0USD.")
	if r := b.ask("GET", link(campaign.LinkDraft{}), ""); strings.Contains(r.body, `data-testid="bounds"`) {
		t.Error("bounds are shown though none are set")
	}
	for typed, want := range map[string]string{
		"": "Type an amount", "ten": "Type an amount", "5.1234567": "Type an amount", "0": "smallest amount",
		"1,99":  "smallest amount",
		"10.01": "largest amount", "1,000": "largest amount", "99999999999999999999": "largest amount",
	} {
		r := b.postForm(open, url.Values{"amount": {typed}})
		if !strings.Contains(plainText(r.body), want) || !strings.Contains(r.body, `value="`+typed+`"`) {
			t.Errorf("%q: it is not said that %s, or what was typed is gone: %s", typed, want, plainText(r.body))
		}
	}
	for typed, want := range map[string]money.Micros{
		"en 2,50": 2_500_000, "de 2,50": 2_500_000,
		"ar \u0665\u066b\u0665": 5_500_000, "hi $\u096d": 7_000_000,
	} {
		lang, amount, _ := strings.Cut(typed, " ")
		r := b.postForm(open+"?lang="+lang, url.Values{"amount": {amount}})
		r.wants(t, 303)
		_, id, _ := strings.Cut(r.header.Get("Location"), "txnid=")
		if p, err := b.payments.Get(t.Context(), id[:26]); err != nil || p.Amount != want {
			t.Errorf("%s is read as %s, %v", typed, p.Amount, err)
		}
	}
	t.Run("Closed", func(t *testing.T) {
		b.postForm(open, url.Values{"amount": {"5"}}, "Sec-Fetch-Site", "cross-site").wants(t, 403)
		b.postForm("/link/unknown-one", nil).wants(t, 404)
		b.ask("GET", "/link/unknown-one", "", "Accept", "text/html").wants(t, 404, "<html")
		must(t, b.campaigns.PauseLink(t.Context(), []int64{m.key.ID}, fixed[len("/link/"):], true, audit.Act{}))
		b.ask("GET", fixed, "").wants(t, 200, `data-testid="closed"`)
		b.postForm(fixed, nil).wants(t, 409, `data-testid="closed"`)
	})
}

// A link keeps its address when its text and amount change: a printed sign goes on working. What payers read needs a
// password, and payments made before stay as they were.
func TestDashboard_LinkEdit(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	draft := campaign.LinkDraft{Slug: "bag", Description: "One bag", Amount: "12.5"}
	_, err := b.campaigns.CreateLink(t.Context(), m.key.ID, draft, audit.Act{})
	must(t, err)
	before := b.postForm("/link/bag", nil)
	s := b.surfer()
	s.signIn(ownerEmail)
	page := "/dashboard/links/bag"
	edit := func(text, amount, password string) reply {
		return s.post(page+"/edit", "description", text, "amount", amount, "password", password)
	}
	edit("Two bags", "20", "wrong password").wants(t, 403, "The password is wrong.")
	edit("One bag", "-1", "").wants(t, 400, `value="-1"`)
	edit("Two bags", "20", testPassword).leads(t, page)
	s.get(page).wants(t, 200, "Two bags", "$20.00", "0 payments, $0.00")
	if got := b.mailed(1)[0]; !strings.Contains(got, "Two bags") {
		t.Errorf("the owners are mailed %q", got)
	}
	b.ask("GET", "/link/bag", "").wants(t, 200, "Two bags", "20.00")
	for location, want := range map[string]money.Micros{
		before.header.Get("Location"): 12_500_000, b.postForm("/link/bag", nil).header.Get("Location"): 20 * money.USD,
	} {
		_, id, _ := strings.Cut(location, "txnid=")
		p, err := b.payments.Get(t.Context(), id[:26])
		must(t, err)
		if p.Amount != want {
			t.Errorf("a payment asks for %s, want %s", p.Amount, want)
		}
		b.deposit(b.start(p, chain.Polygon), want, true)
	}
	s.get(page).wants(t, 200, "2 payments, $32.50")
	s.get("/dashboard/links").wants(t, 200, "$32.50")
	s.get(page+"/sign").wants(t, 200, "Two bags", "$20.00", "/link/bag", `data-testid="print"`)
	b.shop(b.member("other@shop.example"))
	x := b.surfer()
	x.signIn("other@shop.example")
	x.post(page+"/edit", "description", "Mine", "password", testPassword).wants(t, 404)
	x.get(page+"/sign").wants(t, 404)
}
