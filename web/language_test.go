package web

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/views"
)

// languageRooms are the rooms of the pages for merchants, by the path they begin with, and whether all that they say is
// in the catalogue.
var languageRooms = map[string]bool{
	"/dashboard": true, "/dashboard/payments": true, "/dashboard/attention": true, "/dashboard/create": true,
	"/dashboard/keys": true, "/dashboard/credits": true, "/dashboard/developers": true, "/dashboard/webhooks": true,
	"/dashboard/find": true,

	"/dashboard/start": true, "/dashboard/links": true, "/dashboard/campaigns": true, "/dashboard/settings": true,
	"/dashboard/team": true, "/dashboard/join": false, // TestLinks_Catalogue
	"/dashboard/security": true, "/signin": true,
	"/signup": true, "/forgot": true, "/reset": true, "/verify": false, // TestLinks_Catalogue
	refusalsRoom: false,
}

// refusalsRoom are the pages of what is refused.
const refusalsRoom = "refusals"

// roomOf is the longest room that the path begins with.
func roomOf(path string) (room string) {
	for r := range languageRooms {
		if (path == r || strings.HasPrefix(path, r+"/")) && len(r) > len(room) {
			room = r
		}
	}
	return room
}

// marked is the catalogue of English as a language of its own, in which every text stands in ⟦ ⟧, and the arguments of
// a format outside.
func marked(t *testing.T) []byte {
	t.Helper()
	file, err := os.ReadFile("../views/locales/active.en.json")
	must(t, err)
	var texts map[string]any
	must(t, json.Unmarshal(file, &texts))
	verbs := regexp.MustCompile(`%(\[\d+\])?[a-z]`)
	for id, text := range texts {
		forms, plural := text.(map[string]any)
		if plural {
			text = forms["other"]
		}
		texts[id] = "⟦" + verbs.ReplaceAllString(text.(string), "⟧$0⟦") + "⟧"
		if plural {
			texts[id] = map[string]any{"one": texts[id], "other": texts[id]}
		}
	}
	file, err = json.Marshal(texts)
	must(t, err)
	return file
}

// threeWords are words of English that no message holds.
var threeWords = regexp.MustCompile(`(?:\b[A-Za-z][a-z’']+[,.:;]? ){2}[a-z’']{2,}`)

// outside lists what a page in the marked language says that is not in the catalogue. What the shop and its customers
// wrote is in bdi or in one of the given texts; code is in English.
func outside(t *testing.T, body string, data ...string) (all []string) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	must(t, err)
	add := func(text string) {
		for _, x := range data {
			text = strings.ReplaceAll(text, x, "…")
		}
		if text = unmarked(text); threeWords.MatchString(text) && !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	var walk func(*html.Node)
	walk = func(n *html.Node) {
		if slices.Contains([]string{"script", "style", "bdi", "code", "pre"}, n.Data) {
			return
		}
		if n.Type == html.TextNode {
			add(n.Data)
		}
		for _, name := range []string{"aria-label", "placeholder", "title", "alt", "data-label", "data-done"} {
			if n.Type == html.ElementNode {
				add(attr(n, name))
			}
		}
		for child := range n.ChildNodes() {
			walk(child)
		}
	}
	walk(doc)
	return all
}

// unmarked is a text without what stands in ⟦ ⟧, also one within another.
func unmarked(text string) string {
	depth, out := 0, strings.Builder{}
	for _, r := range text {
		switch {
		case r == '⟦':
			depth++
		case r == '⟧':
			depth--
		case depth == 0:
			out.WriteRune(r)
		}
	}
	return strings.Join(strings.Fields(out.String()), " ")
}

// TestForms_Catalogue: what forms are refused with is in the catalogue, also with values in it. It runs alone, as
// TestDashboard_Catalogue does.
func TestForms_Catalogue(t *testing.T) { //nolint:paralleltest // see above
	t.Cleanup(views.Replace("de", marked(t)))
	for name, filling := range map[string]string{
		"Nonsense": nonsense, "Long": strings.Repeat("9", 3000), "Word": "word", "Number": "0.12345678", "Empty": "",
		"Link": "http://user@shop.example:99999/#x",
	} {
		t.Run(name, func(t *testing.T) { //nolint:paralleltest // see above
			b := newDashboard(t)
			walkForms(t, b, filling, func(path string, f readForm, r reply) {
				if roomOf(path) == "" {
					return
				}
				for _, text := range outside(t, r.body, filling, "Shop of "+ownerEmail) {
					t.Errorf("%s of %s says what is not in the catalogue: %q", f.action, path, text)
				}
			}, "Accept-Language", "de")
		})
	}
}

// TestDashboard_Catalogue: every text of the pages that merchants read is in the catalogue. It runs alone: one language
// says the marked texts meanwhile.
func TestDashboard_Catalogue(t *testing.T) { //nolint:paralleltest // see above
	t.Cleanup(views.Replace("de", marked(t)))
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	paid := b.busy(m)
	given, link := b.fundraiser(m)
	s, fresh, stranger := b.surfer(), b.surfer(), b.surfer()
	s.signIn(ownerEmail)
	fresh.post("/signup", "email", "ida@shop.example", "password", testPassword).leads(t, "/dashboard")
	ids := strings.NewReplacer(":txnid", string(paid.ID), ":key", m.key.PublicID, ":id", "1", ":campaign", given.Slug,
		":link", link.Slug)
	written := []string{m.key.Name(), given.Title, given.Description, link.Description}
	seen := map[string]bool{}
	for _, route := range b.accountRoutes("GET") {
		room := roomOf(route)
		if room == "" && !strings.HasPrefix(route, "/operator") {
			t.Errorf("%s belongs to no room of languageRooms", route)
		}
		if path := ids.Replace(route); room != "" && !strings.HasSuffix(path, "/live") && !strings.Contains(path, ":") {
			for _, who := range []*surfer{s, fresh, stranger} {
				r := who.do("GET", path+"?lang=de&q=nothing", nil, "HX-Request", "true")
				if !strings.HasPrefix(r.header.Get("Content-Type"), "text/html") {
					continue
				}
				room := room
				switch {
				case r.status >= 400:
					room = refusalsRoom
				case who == fresh && room == "/dashboard": // its page is the form that sets up a shop
					room = "/dashboard/start"
				}
				seen[room] = seen[room] || strings.Contains(r.body, "⟦")
				for _, text := range outside(t, r.body, written...) {
					if languageRooms[room] {
						t.Errorf("%s says what is not in the catalogue: %q", path, text)
					} else {
						t.Logf("%s (a room of its own) says what is not in the catalogue: %q", path, text)
					}
				}
			}
		}
	}
	for room, done := range languageRooms {
		if done && !seen[room] {
			t.Errorf("%s is never read in another language than English", cmp.Or(room, "nothing"))
		}
	}
}

// inGerman checks a page that has marked texts and nothing else.
func inGerman(t *testing.T, path, body string, data ...string) {
	t.Helper()
	if !strings.Contains(body, "⟦") {
		t.Errorf("%s is in another language: %.300s", path, body)
	}
	for _, text := range outside(t, body, data...) {
		t.Errorf("%s says what is not in the catalogue: %q", path, text)
	}
}

// TestLinks_Catalogue: the pages behind the links of mails speak the language. It runs alone, see above.
func TestLinks_Catalogue(t *testing.T) { //nolint:paralleltest // see above
	t.Cleanup(views.Replace("de", marked(t)))
	german := func(s *surfer, link string) {
		path, _, _ := strings.Cut(link, "?")
		s.get(link)
		inGerman(t, path, s.do("GET", path, nil, "Accept-Language", "de").body)
	}
	b := verifying(t)
	fresh := b.surfer()
	fresh.post("/signup", "email", "ida@shop.example", "password", testPassword)
	link, _ := b.linkTo(t, "ida@shop.example", verifyLink)
	german(fresh, link)
	b = newDashboard(t)
	b.shop(b.member(ownerEmail))
	b.member("two@shop.example")
	s, two := b.surfer(), b.surfer()
	s.signIn(ownerEmail)
	two.signIn("two@shop.example")
	for _, email := range []string{"two@shop.example", "new@shop.example"} {
		link = s.linkOf(email,
			s.post("/dashboard/team/invite", "email", email, "role", "support", "password", testPassword))
		german(b.surfer(), link)
		german(two, strings.Replace(link, "/join", "/dashboard/join", 1))
	}
}

// TestStreams_Catalogue: what a stream sends to an open page is in the language of the page, though its user has chosen
// another one. It runs alone, see above.
func TestStreams_Catalogue(t *testing.T) { //nolint:paralleltest // see above
	t.Cleanup(views.Replace("de", marked(t)))
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	short := b.busy(m)
	open := b.start(b.newPaymentOf(m, "5"), chain.Polygon)
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.Close)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.post(securityPath+"/language", "language", "fr").leads(t, securityPath)
	stream := regexp.MustCompile(`sse-connect="([^"]+)"`)
	for _, path := range []string{
		"/dashboard?lang=de", "/dashboard/payments?lang=de", "/dashboard/attention?lang=de",
		"/dashboard/payments/" + string(short.ID) + "?lang=de", "/pay?lang=de&txnid=" + string(open.ID),
	} {
		live, err := url.Parse(html.UnescapeString(stream.FindStringSubmatch(s.get(path).body)[1]))
		must(t, err)
		shown := live.Query()
		shown.Set("shown", "x") // all is sent
		live.RawQuery = shown.Encode()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+live.String(), nil)
		must(t, err)
		for _, k := range s.cookies {
			r.AddCookie(k)
		}
		answer, err := server.Client().Do(r)
		must(t, err)
		stream, sent := events{t, bufio.NewScanner(answer.Body)}, ""
		for more := true; more && !strings.Contains(sent, "⟦"); {
			var part string
			_, part, more = stream.next()
			sent += part
		}
		cancel()
		must(t, answer.Body.Close())
		inGerman(t, live.Path, sent, m.key.Name())
	}
}
