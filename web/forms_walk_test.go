package web

import (
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
)

// nonsense is refused by every input: it holds a mark that changes the direction of
// text, and is no number, address, day or password.
const nonsense = "x\u202e"

// oneMessage are forms that answer with one message for all of their inputs, and why.
var oneMessage = map[string]string{
	"/signin":    "which of the two is wrong would tell who has an account",
	"/reset":     "without a valid link nothing else of it is read",
	passkeysPath: "a script asks for the password before it sends the form",
}

// readForm is a form of a page.
type readForm struct {
	action string
	values url.Values
	typed  []*html.Node // inputs a user types into
}

func attr(n *html.Node, name string) string {
	for _, a := range n.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, name string) bool {
	return slices.ContainsFunc(n.Attr, func(a html.Attribute) bool { return a.Key == name })
}

// postForms are the forms of a page that post, with every typed input filled with nonsense.
func postForms(t *testing.T, body string) []readForm {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	must(t, err)
	var all []readForm
	for n := range doc.Descendants() {
		if n.Data != "form" || attr(n, "method") != "post" || attr(n, "enctype") != "" {
			continue
		}
		action, _, _ := strings.Cut(attr(n, "action"), "#")
		f := readForm{action: action, values: url.Values{}}
		for x := range n.Descendants() {
			f.read(x)
		}
		all = append(all, f)
	}
	return all
}

func (f *readForm) read(x *html.Node) {
	name := attr(x, "name")
	switch {
	case name == "" || x.Data != "input" && x.Data != "textarea" && x.Data != "select":
	case x.Data == "select":
		for o := range x.Descendants() {
			if o.Data == "option" && (!f.values.Has(name) || hasAttr(o, "selected")) {
				f.values.Set(name, attr(o, "value"))
			}
		}
	case attr(x, "type") == "hidden":
		f.values.Set(name, attr(x, "value"))
	case slices.Contains([]string{"checkbox", "radio", "color"}, attr(x, "type")):
		if hasAttr(x, "checked") {
			f.values.Add(name, attr(x, "value"))
		}
	case !hasAttr(x, "readonly"):
		f.values.Set(name, nonsense)
		f.typed = append(f.typed, x)
	}
}

// lacks lists the inputs of the form that the page does not name: each must be invalid,
// described by a problem that the page has, and keep what was typed.
func (f readForm) lacks(t *testing.T, page string) []string {
	t.Helper()
	forms := postForms(t, page)
	at := slices.IndexFunc(forms, func(x readForm) bool { return x.action == f.action })
	if at < 0 {
		return []string{"the form is not shown again"}
	}
	var wrong []string
	for _, want := range f.typed {
		name := attr(want, "name")
		if name == "password" && strings.HasSuffix(f.action, "/edit") {
			continue // needed only where another key is chosen
		}
		i := slices.IndexFunc(forms[at].typed, func(x *html.Node) bool { return attr(x, "name") == name })
		if i < 0 {
			wrong = append(wrong, name+" is gone")
			continue
		}
		got, described := forms[at].typed[i], false
		for id := range strings.FieldsSeq(attr(got, "aria-describedby")) {
			described = described || strings.HasPrefix(id, "problem-") && strings.Contains(page, ` id="`+id+`"`)
		}
		if attr(got, "aria-invalid") != "true" || !described {
			wrong = append(wrong, name+" has no problem beside it")
		}
		if attr(got, "type") != "password" && got.Data == "input" && attr(got, "value") != nonsense {
			wrong = append(wrong, fmt.Sprintf("%s does not keep what was typed: %q", name, attr(got, "value")))
		}
	}
	return wrong
}

// Every form of the dashboard, of the operator and of the sign-in, filled with nonsense,
// is shown again with each wrong input named beside it.
func TestForms_NameEachWrongInput(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	tried, walked := walkForms(t, b, nonsense, func(path string, f readForm, r reply) {
		if lacks := f.lacks(t, r.body); r.status < 400 || r.status > 403 || len(lacks) > 0 {
			t.Errorf("%s of %s is answered %d: %q", f.action, path, r.status, lacks)
		}
	})
	if tried < 25 {
		t.Errorf("only %d forms were tried", tried)
	}
	for _, route := range b.accountRoutes("GET") {
		page := regexp.MustCompile("^" + regexp.MustCompile(`:\w+`).ReplaceAllString(route, `[^/?]+`) + `(\?.*)?$`)
		if !slices.ContainsFunc(walked, page.MatchString) && !nothingTyped.MatchString(route) {
			t.Errorf("no form of %s was tried", route)
		}
	}
}

// nothingTyped are the routes of accounts whose pages have nothing to type into that a form posts, or that are no page.
var nothingTyped = regexp.MustCompile(`(^/signin.*|/signout|/verify|/live|/now|\.csv|/find|/preview|/contrast|/sign` +
	`|/dashboard/join|/payments|/exports|/ready|/create/:txnid|/webhooks/:id|/settings|/developers|/sweeps|/topups)$`)

// walkForms posts each form with the filling in each typed input, and returns how many it visited.
func walkForms(
	t *testing.T, b dashboardBundle, filling string, visit func(path string, f readForm, r reply), header ...string,
) (tried int, walked []string) {
	t.Helper()
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	given, link := b.fundraiser(m)
	short := b.busy(m)
	b.member("fresh@shop.example")
	inviting := b.surfer()
	inviting.signIn(ownerEmail)
	invitation := inviting.invite("joins@shop.example", "viewer")
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	for email, paths := range map[string][]string{
		ownerEmail: {
			payoutsPath, callbackPage, brandingPath, settlePath, keysPath, createPath, linksPath,
			linksPath + "/" + link.Slug, campaignsPath, campaignsPath + "/" + given.Slug + "/edit", teamPath,
			securityPath, securityPath + "/factor", "/dashboard/settings/news", "/dashboard/attention",
			campaignsPath + "/" + given.Slug,
			"/dashboard/credits", "/dashboard/webhooks", "/dashboard/payments/" + string(short.ID),
		},
		"fresh@shop.example": {"/dashboard", "/dashboard/start"},
		rootEmail:            {operatorPath, usersPath, usersPath + "/" + owner.PublicID, operatorPath + "/problems"},
		"":                   {"/signup", "/forgot", "/reset?token=x", invitation},
	} {
		s := b.surfer()
		if email != "" {
			s.signIn(email)
		}
		for _, path := range paths {
			if email != "" && s.get(securityPath).status != 200 {
				s.signIn(email)
			}
			if path == securityPath+"/factor" {
				s.post(path) // it is begun
			}
			page := s.get(path)
			if page.status != 200 {
				t.Fatalf("%s is answered %d, to %s", path, page.status, page.header.Get("Location"))
			}
			for _, f := range postForms(t, page.body) {
				if len(f.typed) == 0 || oneMessage[f.action] != "" {
					continue
				}
				for _, x := range f.typed {
					f.values.Set(attr(x, "name"), filling)
				}
				b.clock.advance(20 * time.Minute) // wrong passwords are slowed down
				if r := s.get(path); r.status != 200 {
					s.signIn(email)
				}
				tried++
				visit(path, f, s.do("POST", f.action, f.values, header...))
			}
			walked = append(walked, path)
		}
	}
	return tried, walked
}
