package web

import (
	"bufio"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/cdproto/input"
	"github.com/chromedp/chromedp"
	"github.com/chromedp/chromedp/kb"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// An open overview follows payments, and Ctrl-K finds one, with the keyboard alone.
func TestDashboard_LiveAndFinder(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	b.newPaymentOf(m, "3")
	ctx := browser.New(t)
	enterDashboard(ctx, t, origin, ownerEmail)
	browser.Run(ctx, t, chromedp.WaitVisible("[data-testid=recent]"))
	p := b.newPaymentOf(m, "77.70")
	row := "[data-testid=recent] [data-testid=row-" + string(p.ID) + "]"
	browser.Run(ctx, t, chromedp.WaitVisible(row))
	p = b.deposit(b.start(p, chain.Polygon), p.Amount, false)
	browser.Run(ctx, t, chromedp.WaitVisible("[data-testid=recent] .is-seen"))
	b.deposit(p, p.Amount, true)
	var open string
	browser.Run(
		ctx, t, chromedp.WaitVisible("[data-testid=recent] [data-status=PAID]"),
		chromedp.Text("[data-testid=open]", &open),
		chromedp.WaitVisible("//*[@data-testid='today'][.='$77.70']"),
		chromedp.WaitVisible("//*[@data-testid='volume'][contains(., '$77.70')]"), chromedp.WaitVisible("[data-testid=chart]"),
	)
	if strings.TrimSpace(open) != "1" {
		t.Errorf("%q payments are open", open)
	}

	browser.Run(ctx, t, chromedp.KeyEvent("k", chromedp.KeyModifiers(2)), chromedp.WaitVisible("#finder-q"),
		chromedp.KeyEvent("nothing like it"), chromedp.WaitVisible("[data-testid=quick-none]"))
	browser.Axe(ctx, t)
	browser.Run(ctx, t, chromedp.KeyEvent(kb.Escape), chromedp.WaitNotVisible("#finder-q"),
		chromedp.KeyEvent("k", chromedp.KeyModifiers(2)), chromedp.WaitVisible("#finder-q"),
		chromedp.KeyEvent("77.70"), chromedp.WaitVisible("[data-testid=quick-"+string(p.ID)+"]"))
	browser.Axe(ctx, t)
	var focused string
	browser.Run(ctx, t, chromedp.KeyEvent(kb.ArrowDown),
		chromedp.Evaluate("document.activeElement.dataset.testid", &focused))
	if focused != "quick-"+string(p.ID) {
		t.Errorf("the arrow leads to %q", focused)
	}
	browser.Run(ctx, t, chromedp.KeyEvent(kb.ArrowUp), chromedp.KeyEvent(kb.Enter),
		chromedp.WaitVisible("[data-testid=timeline]"))
	var at string
	browser.Run(ctx, t, chromedp.Location(&at))
	if !strings.HasSuffix(at, "/dashboard/payments/"+string(p.ID)) {
		t.Errorf("Enter leads to %s", at)
	}
	browser.FirstParty(ctx, t, origin)
}

// An open list of payments follows them, and so do the inbox and the number in the navigation.
func TestDashboard_LiveLists(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	list, inbox := browser.New(t), browser.New(t)
	enterDashboard(list, t, origin, ownerEmail)
	enterDashboard(inbox, t, origin, ownerEmail)
	browser.Run(list, t, chromedp.Navigate(origin+"/dashboard/payments"), chromedp.WaitVisible("[data-testid=empty]"))
	browser.Run(inbox, t, chromedp.Navigate(origin+"/dashboard/attention"),
		chromedp.WaitVisible("[data-testid=nothing]"))
	p := b.newPaymentOf(m, "77.70")
	row := "[data-testid=row-" + string(p.ID) + "]"
	browser.Run(list, t, chromedp.WaitVisible(row), chromedp.Focus(row))
	p = b.start(p, chain.Polygon)
	b.deposit(p, p.Amount+money.USD, true)
	browser.Run(inbox, t, chromedp.WaitVisible("[data-testid=needs-"+string(p.ID)+"]"),
		chromedp.WaitVisible("[data-testid=needs]"))
	var focused, needs string
	browser.Run(list, t, chromedp.WaitVisible("[data-status=OVER]"), chromedp.WaitVisible("[data-testid=needs]"),
		chromedp.Text("[data-testid=needs]", &needs), chromedp.Evaluate("document.activeElement.id", &focused))
	if focused != "row-"+string(p.ID) || needs != "1" {
		t.Errorf("%q has the focus, and the navigation counts %q", focused, needs)
	}
	browser.Axe(list, t)
	browser.Axe(inbox, t)
}

// An update does not take what somebody is typing, and is there when they have left the field and closed the question.
func TestDashboard_LiveKeepsTyped(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.start(b.newPaymentOf(m, "50"), chain.Polygon)
	p = b.deposit(p, 40*money.USD, true)
	ctx := browser.New(t)
	enterDashboard(ctx, t, origin, ownerEmail)
	const field = "[sse-swap=verdict] input[type=password]"
	accept := "[data-testid=accept-" + string(p.ID) + "]"
	question := chromedp.Click(accept+" > summary", chromedp.ByQuery)
	browser.Run(ctx, t, chromedp.Navigate(origin+"/dashboard/payments/"+string(p.ID)),
		question, chromedp.WaitVisible(accept+"[open]"), chromedp.SendKeys(field, "corr"))
	b.deposit(p, 10*money.USD, true)
	var typed string
	browser.Run(ctx, t, chromedp.WaitReady("//*[@data-testid='technical']//li[contains(., 'Completed')]"),
		chromedp.Value(field, &typed))
	if typed != "corr" {
		t.Errorf("the field holds %q", typed)
	}
	browser.Run(ctx, t, chromedp.KeyEvent(strings.Repeat(kb.Backspace, 4)), chromedp.Blur(field), question,
		chromedp.WaitVisible("[sse-swap=verdict] [data-status=PAID]"),
		chromedp.WaitVisible("//dt[.='Ended']"), chromedp.WaitNotPresent("[data-testid=complete]"))
}

// An update waits while a pointer is down, or the click would be lost with what it began on.
func TestDashboard_LiveKeepsPressed(t *testing.T) {
	t.Parallel()
	b, origin := serveDashboard(t)
	m := b.shop(b.member(ownerEmail))
	p := b.start(b.newPaymentOf(m, "50"), chain.Polygon)
	p = b.deposit(p, 40*money.USD, true)
	ctx := browser.New(t)
	enterDashboard(ctx, t, origin, ownerEmail)
	browser.Run(ctx, t, chromedp.Navigate(origin+"/dashboard/payments/"+string(p.ID)),
		chromedp.Evaluate(`var down = 0, up = Infinity, swaps = [];
			addEventListener("pointerdown", () => { down = performance.now() });
			addEventListener("pointerup", () => { up = performance.now() });
			new MutationObserver(() => swaps.push(performance.now()))
				.observe(document.querySelector("[sse-swap=verdict]"), { childList: true })`, nil),
		chromedp.MouseEvent(input.MousePressed, 5, 5, chromedp.ButtonLeft))
	b.deposit(p, 10*money.USD, true)
	var kept bool
	browser.Run(ctx, t, chromedp.Sleep(1200*time.Millisecond), // a page learns of a change within a second
		chromedp.MouseEvent(input.MouseReleased, 5, 5, chromedp.ButtonLeft),
		chromedp.WaitVisible("[sse-swap=verdict] [data-status=PAID]"),
		chromedp.Evaluate("down > 0 && (swaps[0] > up || swaps[0] - down >= 2000)", &kept))
	if !kept {
		t.Error("the page changed under a pointer that was down")
	}
}

// The dialog finds only the merchant's own payments, and a browser without scripts
// gets the list.
func TestDashboard_Quick(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	mine, theirs := b.shop(b.member(ownerEmail)), b.shop(b.member("victim@shop.example"))
	p, other := b.newPayment(mine), b.newPayment(theirs)
	s := b.surfer()
	s.signIn(ownerEmail)
	s.get("/dashboard/find?q=49.90").leads(t, "/dashboard/payments?q=49.90")
	for _, text := range []string{string(p.ID), strings.ToLower(string(p.ID)), p.Reference, p.Amount.String()} {
		r := s.do("GET", "/dashboard/find?q="+text, nil, "HX-Request", "true")
		r.wants(t, 200, "quick-"+string(p.ID))
		if strings.Contains(r.body, string(other.ID)) || strings.Contains(r.body, "<html") {
			t.Errorf("%s: %s", text, r.body)
		}
	}
	for _, text := range []string{string(other.ID), "%00", strings.Repeat("x", 5000), ""} {
		if r := s.do("GET", "/dashboard/find?q="+text, nil, "HX-Request", "true"); r.status != 200 || strings.Contains(r.body, "quick-0") {
			t.Errorf("%.20s: %d %s", text, r.status, r.start())
		}
	}
}

// A stream ends with its session.
func TestDashboard_LiveEndsWithSession(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	u := b.member(ownerEmail)
	m := b.shop(u)
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.Close)
	s := b.surfer()
	s.signIn(ownerEmail)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, server.URL+"/dashboard/live", nil)
	must(t, err)
	for _, k := range s.cookies {
		r.AddCookie(k)
	}
	answer, err := http.DefaultClient.Do(r)
	must(t, err)
	t.Cleanup(func() { _ = answer.Body.Close() })
	lines := bufio.NewScanner(answer.Body)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "event: ") {
	}
	signed, err := b.accounts.ChangePassword(t.Context(), u, secret.New(testPassword),
		secret.New("another horse battery"), audit.Act{})
	must(t, err)
	if signed.Token.Empty() {
		t.Fatal("no new session")
	}
	late := b.newPaymentOf(m, "88.80")
	for lines.Scan() {
		if strings.Contains(lines.Text(), string(late.ID)) {
			t.Fatal("a session that has ended is sent a payment")
		}
	}
	if ctx.Err() != nil {
		t.Error("the stream did not end")
	}
}
