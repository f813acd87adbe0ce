package web

import (
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/testkit/browser"
)

// The preview is the real checkout at each of its three steps, as a picture: nothing in
// it can be used, and it may frame nothing.
func TestDashboard_PreviewSteps(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	for step, want := range map[string][]string{
		"choose": {`data-testid="choose"`, "49.90"}, "": {`data-testid="choose"`}, "nonsense": {`data-testid="choose"`},
		"send": {`data-testid="waiting"`, "0x5aAe", `data-testid="qr`}, "done": {`data-testid="paid"`, "49.90"},
	} {
		r := s.get(brandingPath + "/preview?" + url.Values{
			"key": {m.key.PublicID}, "name": {"Nordlicht"}, "primaryColor": {"#0a7"}, "step": {step},
		}.Encode())
		r.wants(t, 200, append(want, "Nordlicht", " inert", "--accent:#")...)
		csp := r.header.Get("Content-Security-Policy")
		if !strings.Contains(csp, "sandbox") || strings.Contains(csp, "script-src") {
			t.Errorf("%s: the policy is %q", step, csp)
		}
	}
	s.get(brandingPath).wants(t, 200, `type="color"`, `data-colour-of="f-primaryColor"`, `value="send"`, `value="done"`)
}

// Whether the colours can be read is said in words, while they are chosen and with the
// page.
func TestDashboard_Contrast(t *testing.T) {
	t.Parallel()
	_, s, m := newShop(t)
	s.get(brandingPath+"/contrast?primaryColor=%23ffee00&theme=LIGHT").wants(t, 200, "would be hard to read on a light page")
	s.get(brandingPath+"/contrast?primaryColor=%231b3a8f&theme=LIGHT").wants(t, 200, "are easy to read on a light page")
	if r := s.get(brandingPath + "/contrast?primaryColor=<b>&theme=x"); strings.Contains(r.body, "<b>") ||
		r.status != 200 {
		t.Errorf("a colour that is none is answered %d %q", r.status, r.body)
	}
	s.post(brandingPath, "key", m.key.PublicID, "password", testPassword, "name", "Nordlicht",
		"primaryColor", "#ffee00", "theme", "LIGHT").leads(t, brandingPath+"?key="+m.key.PublicID)
	s.get(brandingPath).wants(t, 200, "would be hard to read on a light page", "#ffee00")
}

// The words about a colour come a moment after it was typed, and do not move the button that somebody is about to
// press.
func TestDashboard_ContrastKeepsButtons(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	b.shop(b.member(ownerEmail))
	ctx := browser.New(t, browser.Phone)
	enterDashboard(ctx, t, origin, ownerEmail)
	const top = `document.querySelector("#looks [data-testid=save]").getBoundingClientRect().top + scrollY`
	var before, after float64
	browser.Run(ctx, t, chromedp.Navigate(origin+brandingPath), chromedp.Evaluate(top, &before),
		chromedp.SendKeys("#f-primaryColor", "#ffee00"),
		chromedp.WaitVisible("//*[@data-testid='readable']/p[contains(., '#ffee00')]"), chromedp.Evaluate(top, &after))
	if before != after {
		t.Errorf("Save is at %v, and at %v when the words have come", before, after)
	}
}
