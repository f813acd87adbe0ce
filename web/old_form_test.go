package web

import (
	"maps"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"
	"golang.org/x/net/html"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// asShown is the form of a page that posts to the action, as a browser sends it when nobody touched it.
func (s *surfer) asShown(page, action string) url.Values {
	s.b.t.Helper()
	return formIn(s.b.t, s.get(page).body, action)
}

func formIn(t *testing.T, body, action string) url.Values {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(body))
	must(t, err)
	for n := range doc.Descendants() {
		to, err := url.Parse(attr(n, "action"))
		must(t, err)
		if n.Data != "form" || to.Path != action {
			continue
		}
		values := url.Values{}
		for x := range n.Descendants() {
			addShown(values, x)
		}
		return values
	}
	t.Fatalf("no form posts to %s: %s", action, body)
	return nil
}

func addShown(values url.Values, x *html.Node) {
	name := attr(x, "name")
	switch {
	case name == "":
	case x.Data == "select":
		for o := range x.Descendants() {
			if o.Data == "option" && (!values.Has(name) || hasAttr(o, "selected")) {
				values.Set(name, attr(o, "value"))
			}
		}
	case x.Data == "textarea":
		var text strings.Builder
		for c := range x.Descendants() {
			text.WriteString(c.Data)
		}
		values.Set(name, strings.ReplaceAll(strings.TrimPrefix(text.String(), "\n"), "\n", "\r\n"))
	case x.Data == "input" && (attr(x, "type") == "checkbox" || attr(x, "type") == "radio"):
		if hasAttr(x, "checked") {
			values.Add(name, attr(x, "value"))
		}
	case x.Data == "input":
		values.Set(name, attr(x, "value"))
	}
}

// with is the form with another value of an input; an empty one is a box that is not ticked.
func with(form url.Values, name, value string) url.Values {
	changed := maps.Clone(form)
	if changed[name] = strings.Fields(value); value != "" && name != "permission" {
		changed[name] = []string{value}
	}
	return changed
}

// oldForm is a form of settings and two of its inputs: what the old tab changes, and what was changed meanwhile, to
// two values each.
type oldForm struct {
	page, action string
	mine         [2]string // name, value
	theirs       [3]string // name, value, another value; a form of one input has only these
}

func oldForms(m seller, slug, member, passkey string) []oldForm {
	key, other := keysPath+"/"+m.key.PublicID, "0x52908400098527886E0F7030069857D2E4169EE7"
	const third = "0xde709f2102306220921060314715629080e2fb77"
	campaign := campaignsPath + "/" + slug + "/edit"
	return []oldForm{
		{payoutsPath, payoutsPath, [2]string{"name", "My own name"}, [3]string{"wallet.POLYGON", other, third}},
		{payoutsPath, payoutsPath, [2]string{"wallet.BASE", other}, [3]string{"name", "Their name", "A third name"}},
		{payoutsPath, payoutsPath + "/options", [2]string{"short", "2.5"}, [3]string{"late", "12", "24"}},
		{payoutsPath, payoutsPath + "/options", [2]string{"POLYGON.USDC", ""}, [3]string{"BEP20.min", "3", "4"}},
		{payoutsPath, payoutsPath + "/options", [2]string{"BEP20.finality", "safe"}, [3]string{
			"POLYGON.max", "900", "800",
		}},
		{callbackPage, "/dashboard/settings/webhooks", [2]string{}, [3]string{
			"callbackUrl", "https://shop.example/theirs", "https://shop.example/mine",
		}},
		{brandingPath, brandingPath, [2]string{"tagline", "Mine"}, [3]string{"website", "https://theirs.example", "https://mine.example"}},
		{brandingPath, brandingPath, [2]string{"primaryColor", "#114422"}, [3]string{"theme", "DARK", "LIGHT"}},
		{settlePath, settlePath, [2]string{"atOnce", "2000"}, [3]string{"hours", "96", "120"}},
		{keysPath, key + "/label", [2]string{}, [3]string{"label", "Their key", "My key"}},
		{keysPath, key + "/permissions", [2]string{"networks", "203.0.113.0/24"}, [3]string{
			"permission", "create read", "read",
		}},
		{campaign, campaign, [2]string{"goal", "777"}, [3]string{"title", "Their title", "My title"}},
		{campaign, campaign, [2]string{"atOnce", ""}, [3]string{"description", "Theirs\nin two lines", "Mine"}},
		{
			securityPath, passkeysPath + "/" + passkey + "/name",
			[2]string{},
			[3]string{"name", "Their phone", "My phone"},
		},
		{teamPath, teamPath + "/members/" + member + "/role", [2]string{}, [3]string{"role", "developer", "support"}},
	}
}

// What an old tab did not touch stays as it was set meanwhile; what both changed is refused with both values, who and
// when, and nothing of the form is written until it is saved again.
func TestForms_OldTab(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	given, _ := b.fundraiser(m)
	_, member := b.colleague(owner, "viewer@shop.example", merchant.RoleViewer)
	here := b.surfer()
	here.signIn(ownerEmail)
	here.addPasskey(testkit.NewKey(t)).leads(t, securityPath)
	passkeys, err := b.accounts.PasskeysOf(t.Context(), owner)
	must(t, err)
	for _, x := range oldForms(m, given.Slug, member.PublicID, passkeys[0].ID) {
		t.Run(x.action+" "+x.theirs[0], func(t *testing.T) {
			s := b.surfer()
			s.signIn(ownerEmail)
			save := func(form url.Values) reply {
				form.Set("password", testPassword)
				return s.do("POST", x.action, form)
			}
			shown := func(name string) string { return strings.Join(s.asShown(x.page, x.action)[name], " ") }
			old := s.asShown(x.page, x.action)
			save(with(s.asShown(x.page, x.action), x.theirs[0], x.theirs[1])).wants(t, 303)
			theirs := shown(x.theirs[0])
			if x.mine[0] != "" {
				save(with(old, x.mine[0], x.mine[1])).wants(t, 303)
				if got := shown(x.mine[0]); got != x.mine[1] {
					t.Errorf("%s is %q, want %q", x.mine[0], got, x.mine[1])
				}
			} else {
				save(old).wants(t, 303)
			}
			if got := shown(x.theirs[0]); got != theirs || got == strings.Join(old[x.theirs[0]], " ") {
				t.Errorf("%s is %q after an old form that did not touch it, want %q", x.theirs[0], got, theirs)
			}
			r := save(with(old, x.theirs[0], x.theirs[2]))
			r.wants(t, 409, ownerEmail, "UTC", "is stored now", html.EscapeString("“"+x.theirs[2]+"”"))
			if got := shown(x.theirs[0]); got != theirs {
				t.Errorf("%s is %q after a refused form, want %q", x.theirs[0], got, theirs)
			}
			save(formIn(t, r.body, x.action)).wants(t, 303)
			if got := shown(x.theirs[0]); got != x.theirs[2] {
				t.Errorf("%s is %q after it was saved again, want %q", x.theirs[0], got, x.theirs[2])
			}
		})
	}
}

// A form that lacks an input, such as a program's, leaves what is stored.
func TestForms_WithoutInputs(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	stored := s.asShown(payoutsPath, payoutsPath)
	s.post(payoutsPath, "key", m.key.PublicID, "name", "Another name", "password", testPassword).wants(t, 303)
	now := s.asShown(payoutsPath, payoutsPath)
	if was := "wallet.POLYGON"; stored.Get(was) == "" || now.Get(was) != stored.Get(was) || now.Get("name") != "Another name" {
		t.Errorf("%s of %q is %q, and the shop %q", was, stored.Get(was), now.Get(was), now.Get("name"))
	}
}

// makes are forms with inputs that hold something before anybody typed, and that change no setting.
var makes = map[string]string{
	"/dashboard/security/language": "its button means the language that is shown",
	keysPath:                       "a new key may do what the member may give",
	teamPath + "/invite":           "an invitation",
	"/dashboard/credits":           "a purchase",
	"/dashboard/webhooks/ping":     "a test event",
	"/dashboard/webhooks/resend":   "deliveries are sent again",
}

// Every input that holds a stored setting sends back what its page showed.
func TestForms_EverySettingSendsBack(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	owner := b.member(ownerEmail)
	m := b.shop(owner)
	given, link := b.fundraiser(m)
	b.colleague(owner, "viewer@shop.example", merchant.RoleViewer)
	_, err := b.accounts.CreateUser(t.Context(),
		identity.NewUser{Email: rootEmail, Password: secret.New(testPassword), Operator: true}, audit.Act{})
	must(t, err)
	root, s := b.surfer(), b.surfer()
	root.signIn(rootEmail)
	s.signIn(ownerEmail)
	s.addPasskey(testkit.NewKey(t)).leads(t, securityPath)
	tried := 0
	for _, path := range []string{
		operatorPath, usersPath, usersPath + "/" + owner.PublicID, operatorPath + "/problems", operatorPath + "/sweeps",
		operatorPath + "/topups",
	} {
		tried += root.sendsBack(path)
	}
	for _, path := range []string{
		payoutsPath, callbackPage, brandingPath, settlePath, keysPath, createPath, linksPath,
		linksPath + "/" + link.Slug, campaignsPath, campaignsPath + "/" + given.Slug + "/edit", teamPath, securityPath, "/dashboard/credits",
		"/dashboard/webhooks",
	} {
		tried += s.sendsBack(path)
	}
	if tried < 100 {
		t.Errorf("only %d inputs were looked at", tried)
	}
}

// sendsBack fails for each input of the page that holds a setting and does not send back what it held, and returns how
// many were looked at.
func (s *surfer) sendsBack(path string) (tried int) {
	t := s.b.t
	t.Helper()
	doc, err := html.Parse(strings.NewReader(s.get(path).body))
	must(t, err)
	for form := range doc.Descendants() {
		if form.Data != "form" || attr(form, "method") != "post" || makes[attr(form, "action")] != "" {
			continue
		}
		shown := url.Values{}
		for x := range form.Descendants() {
			addShown(shown, x)
		}
		for x := range form.Descendants() {
			name, kind := attr(x, "name"), attr(x, "type")
			holds := x.Data != "button" && kind != "hidden" && shown.Get(name) != ""
			if tried++; name != "" && holds && !shown.Has("was."+name) {
				t.Errorf("%s: %s of %s does not send back what it held", path, name, attr(form, "action"))
			}
		}
	}
	return tried
}

// What an old tab is answered can be read and used: both values beside their inputs, and how to go on.
func TestForms_OldTabInBrowser(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	b.shop(b.member(ownerEmail))
	ctx := browser.New(t, browser.AllowError(`status of 40[39]`))
	enterDashboard(ctx, t, origin, ownerEmail)
	for name, x := range map[string]struct{ page, input, theirs, mine string }{
		"payouts":  {payoutsPath, "name", "Their name", "My name"},
		"branding": {brandingPath, "tagline", "Their line", "My line"},
	} {
		browser.Run(ctx, t, chromedp.Navigate(origin+x.page), chromedp.WaitVisible("#f-"+x.input))
		other := b.surfer()
		other.signIn(ownerEmail)
		theirs := with(other.asShown(x.page, x.page), x.input, x.theirs)
		theirs.Set("password", testPassword)
		other.do("POST", x.page, theirs).wants(t, 303)
		send := `(() => {
			const form = document.querySelector("form[action='` + x.page + `']");
			form.elements["` + x.input + `"].value = "` + x.mine + `";
			if (form.elements.password) form.elements.password.value = "` + testPassword + `";
			form.requestSubmit();
		})()`
		var said string
		browser.Run(ctx, t, chromedp.Evaluate(send, nil),
			chromedp.Text("#problem-"+x.input, &said, chromedp.NodeVisible))
		if !strings.Contains(said, "is stored now") {
			t.Errorf("beside the input stands %q", said)
		}
		lookAt(ctx, t, "old-"+name)
	}
}
