package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/chain"
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
