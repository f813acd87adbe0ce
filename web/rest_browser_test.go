package web

import (
	"context"
	"net/http"
	"sync/atomic"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/testkit/browser"
)

// slowForms is a server whose forms take a while, and are answered with nothing that shows a page, or not at all.
type slowForms struct {
	http.Handler

	sent      atomic.Int32
	cut, pass atomic.Bool // otherwise 204
}

func (s *slowForms) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if r.Method != http.MethodPost || r.URL.Path != createPath {
		s.Handler.ServeHTTP(w, r)
		return
	}
	s.sent.Add(1)
	pass, cut := s.pass.Load(), s.cut.Load() // as it came: a browser sends what was cut once more by itself
	time.Sleep(time.Second)
	switch {
	case pass:
		s.Handler.ServeHTTP(w, r)
	case cut:
		panic(http.ErrAbortHandler)
	default:
		w.WriteHeader(http.StatusNoContent)
	}
}

// TestForms_ButtonRests: while a form is on its way, a second click sends nothing. The button is back when there is no
// answer, when it is lost, and when the page is.
func TestForms_ButtonRests(t *testing.T) {
	t.Parallel()
	slow := &slowForms{}
	b, origin := serveDashboardThrough(t, "127.0.0.1", func(h http.Handler) http.Handler {
		slow.Handler = h
		return slow
	})
	m := b.shop(b.member(ownerEmail))
	ctx, cancel := context.WithTimeout(browser.New(t, browser.AllowError("ERR_")), time.Minute)
	defer cancel()
	enterDashboard(ctx, t, origin, ownerEmail)
	const button = "form[action='/dashboard/create'] button.main"
	const rests = `document.querySelector("` + button + `")?.getAttribute("aria-disabled") ?? "no"`
	fill := chromedp.Tasks{
		chromedp.Navigate(origin + createPath), chromedp.WaitVisible("#f-amount"), chromedp.SendKeys("#f-amount", "5"),
	}
	clicks := chromedp.Evaluate(`[1, 2, 3].forEach(() => document.querySelector("`+button+`").click())`, nil)
	var state string
	browser.Run(ctx, t, fill, clicks, chromedp.Sleep(300*time.Millisecond), clicks, chromedp.Evaluate(rests, &state))
	if slow.sent.Load() != 1 || state != "true" {
		t.Fatalf("six clicks sent %d forms; the button rests: %s", slow.sent.Load(), state)
	}
	back := chromedp.Poll(`(`+rests+`) === "no"`, nil, chromedp.WithPollingInterval(100*time.Millisecond),
		chromedp.WithPollingTimeout(15*time.Second))
	browser.Run(ctx, t, back, clicks, chromedp.Sleep(2*time.Second))
	if slow.sent.Load() != 2 {
		t.Fatalf("the button that is back sent %d forms", slow.sent.Load()-1)
	}
	slow.cut.Store(true)
	browser.Run(ctx, t, fill, clicks, chromedp.Sleep(3*time.Second))
	slow.pass.Store(true)
	browser.Run(ctx, t, fill, back, clicks, chromedp.WaitNotPresent(button))
	found, err := b.store.Reports().SearchPayments(t.Context(), report.Query{Keys: []int64{m.key.ID}, Limit: 10})
	must(t, err)
	if len(found.Payments) != 1 {
		t.Errorf("the clicks made %d payments", len(found.Payments))
	}
}
