package web

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

// canarySecret is typed wherever a password, a code or a secret is asked for.
const canarySecret = "canary-Zx91-secret"

// filledForm is a form of a page as somebody filled it in, and what of it is a secret.
type filledForm struct {
	action  string
	values  url.Values
	typed   map[string]string // by input
	secrets int
}

// filledForms fills in every form of a page.
func filledForms(t *testing.T, body string) (forms []filledForm) {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	must(t, err)
	for form := range doc.Descendants() {
		to, err := url.Parse(attr(form, "action"))
		must(t, err)
		if form.Data != "form" || attr(form, "method") != "post" || !strings.HasPrefix(to.Path, "/dashboard/") &&
			!strings.HasPrefix(to.Path, "/operator/") {
			continue
		}
		f := filledForm{action: to.Path, values: url.Values{}, typed: map[string]string{}}
		for x := range form.Descendants() {
			addShown(f.values, x)
			f.fill(x)
		}
		forms = append(forms, f)
	}
	return forms
}

func (f *filledForm) fill(x *html.Node) {
	name, kind := attr(x, "name"), attr(x, "type")
	switch {
	case name == "" || x.Data != "input" && x.Data != "textarea" || slices.Contains([]string{
		"hidden", "checkbox", "radio", "file", "submit", "color",
	}, kind):
	case kind == "password" || attr(x, "autocomplete") == "one-time-code" || name == "secret":
		f.values.Set(name, canarySecret)
		f.secrets++
	default:
		f.typed[name] = "typed “" + name + "” <b>&\"7"
		f.values.Set(name, f.typed[name])
	}
}

// TestSession_OverAmidForm: whatever form of the dashboard somebody sends after their session has ended, it is there as
// they typed it once they have signed in again, and nothing was done. Secrets are typed again.
func TestSession_OverAmidForm(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	given, link := b.fundraiser(m)
	short := b.busy(m)
	b.colleague(owner, "viewer@shop.example", merchant.RoleViewer)
	b.colleague(owner, "second@shop.example", merchant.RoleOwner)
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.addPasskey(testkit.NewKey(t)).leads(t, securityPath)
	tried, secrets := map[string]bool{}, 0
	for email, pages := range map[string][]string{
		ownerEmail: {
			payoutsPath, callbackPage, brandingPath, settlePath, keysPath, createPath, linksPath,
			linksPath + "/" + link.Slug, campaignsPath, campaignsPath + "/" + given.Slug + "/edit", teamPath,
			securityPath, "/dashboard/credits", "/dashboard/webhooks", "/dashboard/payments/" + string(short.ID),
		},
		rootEmail: {usersPath, usersPath + "/" + owner.PublicID},
	} {
		for _, page := range pages {
			s := b.surfer()
			s.signIn(email)
			for _, f := range filledForms(t, s.get(page).body) {
				if len(f.typed) == 0 {
					continue
				}
				tried[f.action] = true
				secrets += f.secrets
				s.overAmid(page, email, f)
			}
		}
	}
	if len(tried) < 18 || secrets < 7 {
		t.Errorf("only %d forms with %d secrets were tried: %q", len(tried), secrets, slices.Sorted(maps.Keys(tried)))
	}
}

// overAmid sends the form of a page when the session has ended, signs in again, and looks at the page.
func (s *surfer) overAmid(page, email string, f filledForm) {
	t := s.b.t
	t.Helper()
	s.stolen().post("/signout")
	r := s.do("POST", f.action, f.values, "Referer", testBaseURL+page)
	r.leads(t, "/signin")
	s.get("/signin").wants(t, 200, "Your form is kept as you typed it", `name="next" value="`+page+`"`)
	s.post("/signin", "email", email, "password", testPassword, "next", page).leads(t, page)
	shown := s.get(page)
	shown.wants(t, 200, `data-testid="kept"`, "nothing of it is done yet")
	if strings.Contains(shown.body, canarySecret) {
		t.Errorf("%s of %s shows a secret", f.action, page)
	}
	got := formLike(t, shown.body)
	for name, typed := range f.typed {
		if got.Get(name) != typed {
			t.Errorf("%s of %s: %s is %q, want %q", f.action, page, name, got.Get(name), typed)
		}
	}
	if again := s.get(page); strings.Contains(again.body, `data-testid="kept"`) {
		t.Errorf("%s of %s is filled in twice", f.action, page)
	}
}

// formLike is the form with the notice.
func formLike(t *testing.T, body string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	must(t, err)
	for n := range doc.Descendants() {
		if attr(n, "data-testid") != "kept" {
			continue
		}
		values := url.Values{}
		for x := range n.Parent.Descendants() {
			addShown(values, x)
		}
		return values
	}
	return url.Values{}
}

// TestSession_OverAmidForm_Others: nobody else sees what was typed, and an old form that is filled in again still
// undoes nothing.
func TestSession_OverAmidForm_Others(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	b.shop(owner)
	b.colleague(owner, "second@shop.example", merchant.RoleOwner)
	send := func(s *surfer, name, value string) {
		t.Helper()
		s.signIn(ownerEmail)
		form := with(s.asShown(brandingPath, brandingPath), name, value)
		s.stolen().post("/signout")
		s.do("POST", brandingPath, form).leads(t, "/signin")
	}
	s := b.surfer()
	send(s, "tagline", "Typed by Ada")
	s.post("/signin", "email", "second@shop.example", "password", testPassword)
	for range 2 {
		if r := s.get(brandingPath); strings.Contains(r.body, "Typed by Ada") {
			t.Error("another user sees what was typed")
		}
	}
	s = b.surfer()
	send(s, "tagline", "Mine")
	other := b.surfer()
	other.signIn("second@shop.example")
	theirs := with(other.asShown(brandingPath, brandingPath), "website", "https://theirs.example")
	theirs.Set("password", testPassword)
	other.do("POST", brandingPath, theirs).wants(t, 303)
	s.signIn(ownerEmail)
	mine := s.asShown(brandingPath, brandingPath)
	if mine.Get("tagline") != "Mine" {
		t.Fatalf("the form is filled in with %q", mine)
	}
	mine.Set("password", testPassword)
	s.do("POST", brandingPath, mine).wants(t, 303)
	if now := s.asShown(brandingPath, brandingPath); now.Get("website") != "https://theirs.example" ||
		now.Get("tagline") != "Mine" {
		t.Errorf("after that the settings are %q", now)
	}
}
