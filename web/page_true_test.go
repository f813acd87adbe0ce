package web

import (
	"context"
	"maps"
	"net"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/testkit/browser"
)

const (
	// mostStale is how long a page may show what is no longer so, and mostAsleep after its reader came back to it.
	mostStale  = 15 * time.Second
	mostAsleep = 3 * time.Second
	// busyMachine is what a busy machine may add.
	busyMachine = 10 * time.Second
)

// line is the way between browser and server, where something may happen to streams.
type line struct {
	net.Listener

	through http.Handler
	stream  func(w http.ResponseWriter, r *http.Request, through http.Handler) // nil: they pass
	page    func(body string) string                                           // nil: it passes
	static  *regexp.Regexp                                                     // scripts that are refused

	mu    sync.Mutex
	conns []*lineConn
}

func (l *line) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	switch {
	case l.stream != nil && strings.HasSuffix(r.URL.Path, "/live"):
		l.stream(w, r, l.through)
	case l.static != nil && l.static.MatchString(r.URL.Path):
		http.Error(w, "blocked", http.StatusForbidden)
	case l.page != nil && r.URL.Path == "/pay":
		r.Header.Del("Accept-Encoding")
		rec := httptest.NewRecorder()
		l.through.ServeHTTP(rec, r)
		maps.Copy(w.Header(), rec.Header())
		_, _ = w.Write([]byte(l.page(rec.Body.String())))
	default:
		l.through.ServeHTTP(w, r)
	}
}

// lineConn is a connection that may die without a sign of it: what is written is lost, and nothing is read any more.
type lineConn struct {
	net.Conn

	dead chan struct{}
	once sync.Once
}

func (l *line) Accept() (net.Conn, error) {
	c, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	conn := &lineConn{Conn: c, dead: make(chan struct{})}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.conns = append(l.conns, conn)
	return conn, nil
}

// halfOpen lets every connection die without a sign; new ones work.
func (l *line) halfOpen() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, c := range l.conns {
		c.once.Do(func() { close(c.dead) })
	}
}

func (c *lineConn) Write(b []byte) (int, error) {
	select {
	case <-c.dead:
		return len(b), nil
	default:
		return c.Conn.Write(b)
	}
}

func (c *lineConn) Read(b []byte) (int, error) {
	n, err := c.Conn.Read(b)
	select {
	case <-c.dead:
		for err == nil { // what comes is lost
			_, err = c.Conn.Read(b)
		}
		return 0, err
	default:
		return n, err
	}
}

// fate is what becomes of the stream of a page, and what happens when the payment has completed.
type fate struct {
	name    string
	on      func(l *line)
	dies    bool   // the connections die before the payment completes
	then    string // a script that runs when it has completed: the reader is back
	within  time.Duration
	allowed string // errors of the browser that belong to it
}

func refusal(status int, media, body string) func(l *line) {
	return func(l *line) {
		l.stream = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
			w.Header().Set("Content-Type", media)
			w.WriteHeader(status)
			_, _ = w.Write([]byte(body))
		}
	}
}

// mute holds everything back, or all but the head of the response.
func mute(head bool) func(l *line) {
	return func(l *line) {
		l.stream = func(w http.ResponseWriter, r *http.Request, _ http.Handler) {
			if head {
				w.Header().Set("Content-Type", "text/event-stream")
				w.WriteHeader(http.StatusOK)
				w.(http.Flusher).Flush()
			}
			<-r.Context().Done()
		}
	}
}

// cut ends every stream as soon as it has begun.
func cut(l *line) {
	l.stream = func(w http.ResponseWriter, _ *http.Request, _ http.Handler) {
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("retry: 1000\n\n"))
	}
}

// blockedScript is what a browser says of a script that is refused.
const blockedScript = "status of 403|MIME type"

var fates = []fate{
	{name: "None", within: mostAsleep},
	{name: "Forbidden", on: refusal(403, "text/plain", "no"), within: mostStale, allowed: "status of 403"},
	{name: "BadGateway", on: refusal(502, "text/html", "<h1>502</h1>"), within: mostStale, allowed: "status of 502"},
	{name: "Page", on: refusal(200, "text/html", "<h1>Sign in</h1>"), within: mostStale, allowed: "MIME type"},
	{name: "Empty", on: refusal(204, "text/event-stream", ""), within: mostStale},
	{name: "Mute", on: mute(true), within: mostStale},
	{
		name: "ClockSetBack", on: mute(true), within: mostStale,
		then: `(() => { const real = Date.now; Date.now = () => real() - 3 * 3600e3; })()`,
	},
	{name: "HeldBack", on: mute(false), within: mostStale},
	{name: "Cut", on: cut, within: mostStale},
	{name: "HalfOpen", dies: true, within: mostStale},
	{name: "Visible", dies: true, then: `document.dispatchEvent(new Event("visibilitychange"))`, within: mostAsleep},
	{name: "Shown", dies: true, then: `window.dispatchEvent(new PageTransitionEvent("pageshow", {persisted: true}))`, within: mostAsleep},
	{name: "Focused", dies: true, then: `window.dispatchEvent(new Event("focus"))`, within: mostAsleep},
	{name: "Online", dies: true, then: `window.dispatchEvent(new Event("online"))`, within: mostAsleep},
	{name: "ScriptBlocked", on: func(l *line) { l.static = regexp.MustCompile(`/live\.`) }, within: mostStale, allowed: blockedScript},
	{name: "ScriptsBlocked", on: func(l *line) { l.static = regexp.MustCompile(`\.js$`) }, within: mostStale, allowed: blockedScript},
	{name: "ScriptsOfALoader", on: func(l *line) {
		l.page = func(body string) string { return strings.ReplaceAll(body, "<script ", `<script type="text/held" `) }
	}, within: mostStale},
}

// TestPageIsTrue: an open page shows that its payment completed, whatever becomes of its stream and of its script. It
// prints how long each took.
func TestPageIsTrue(t *testing.T) {
	t.Parallel()
	for _, f := range fates {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			b := newBundle(t)
			l := &line{through: b.server.Handler()}
			if f.on != nil {
				f.on(l)
			}
			server := httptest.NewUnstartedServer(l)
			l.Listener = server.Listener
			server.Listener = l
			server.Start()
			t.Cleanup(server.CloseClientConnections)
			p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
			options := []browser.Option{browser.Phone}
			if f.allowed != "" {
				options = append(options, browser.AllowError(f.allowed))
			}
			ctx := browser.New(t, options...)
			browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay?txnid="+string(p.ID)),
				chromedp.WaitVisible("[data-testid=waiting]"))
			time.Sleep(2 * time.Second)
			if f.dies {
				l.halfOpen()
			}
			b.deposit(p, p.Amount, true)
			began := time.Now()
			if f.then != "" {
				browser.Run(ctx, t, chromedp.Evaluate(f.then, nil))
			}
			took := paidAfter(ctx, t, began)
			t.Logf("%-18s %6.1f s (at most %v)", f.name, took.Seconds(), f.within)
			if took > f.within+busyMachine {
				t.Errorf("the page is true after %v, at most %v", took, f.within)
			}
		})
	}
}

// paidAfter is how long it takes until the page shows that its payment is paid. While it loads, nothing in it can be
// asked.
func paidAfter(ctx context.Context, t *testing.T, began time.Time) time.Duration {
	t.Helper()
	for time.Since(began) < time.Minute {
		var paid bool
		err := chromedp.Run(ctx, chromedp.Evaluate(`!!document.querySelector("[data-testid=paid]")`, &paid))
		if err == nil && paid {
			return time.Since(began)
		}
		time.Sleep(50 * time.Millisecond)
	}
	t.Fatal("the page does not show that its payment is paid within a minute")
	return 0
}

// TestPageStays: a page whose script runs does not load itself again.
func TestPageStays(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.CloseClientConnections)
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	ctx := browser.New(t, browser.Phone)
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay?txnid="+string(p.ID)),
		chromedp.WaitVisible("[data-testid=waiting]"),
		chromedp.Evaluate(`window.stayed = true`, nil), chromedp.Sleep(8*time.Second))
	var stayed bool
	browser.Run(ctx, t, chromedp.Evaluate(`!!window.stayed`, &stayed))
	if !stayed {
		t.Error("the page was loaded again")
	}
	if n := b.server.Streams(); n != 1 {
		t.Errorf("the page has %d streams", n)
	}
}

// TestPageHidden: a tab in the background holds no stream, and is true soon after it is looked at again.
func TestPageHidden(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	server := httptest.NewServer(b.server.Handler())
	t.Cleanup(server.CloseClientConnections)
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	ctx := browser.New(t, browser.Phone)
	look := func(hidden string) chromedp.Action {
		return chromedp.Evaluate(`Object.defineProperty(document, "hidden", {configurable: true, value: `+hidden+`}); document.dispatchEvent(new Event("visibilitychange"))`, nil)
	}
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay?txnid="+string(p.ID)),
		chromedp.WaitVisible("[data-testid=waiting]"))
	eventually(t, "the page opens its stream", func() bool { return b.server.Streams() == 1 })
	browser.Run(ctx, t, look("true"))
	eventually(t, "the hidden page closes its stream", func() bool {
		b.server.Changed(p.ID) // a write finds out
		return b.server.Streams() == 0
	})
	b.deposit(p, p.Amount, true)
	began := time.Now()
	browser.Run(ctx, t, look("false"))
	if took := paidAfter(ctx, t, began); took > mostAsleep+busyMachine {
		t.Errorf("the page is true after %v", took)
	}
}

// TestPageAtTheEnd: at 00:00 the address and its buttons go, and stay away until the server says that there is time
// left.
func TestPageAtTheEnd(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	l := &line{through: b.server.Handler()}
	mute(true)(l)
	server := httptest.NewUnstartedServer(l)
	l.Listener = server.Listener
	server.Listener = l
	server.Start()
	t.Cleanup(server.CloseClientConnections)
	p := b.start(b.newPayment(b.newMerchant(5)), chain.Polygon)
	ctx := browser.New(t, browser.Phone)
	browser.Run(ctx, t, chromedp.Navigate(server.URL+"/pay?txnid="+string(p.ID)),
		chromedp.WaitVisible("[data-testid=copy-address]"))
	b.clock.advance(p.ExpiresAt.Sub(b.clock.Now()))
	browser.Run(ctx, t,
		chromedp.Evaluate(`document.querySelector("[data-left]").setAttribute("data-left", 1); document.getElementById("status").append("")`, nil),
		chromedp.WaitVisible("[data-testid=time-up]"), chromedp.WaitNotVisible("[data-testid=copy-address]"),
		chromedp.WaitNotVisible("[data-testid=address]"))
	browser.Axe(ctx, t)
}

// TestPageIsTrue_Others: lists, a payment's page in the dashboard and the page of a campaign stay true without a
// stream, too.
func TestPageIsTrue_Others(t *testing.T) {
	t.Parallel()
	b, _ := serveDashboard(t)
	refused := &line{through: b.server.Handler()}
	refusal(http.StatusForbidden, "text/html", "no")(refused)
	server := httptest.NewServer(refused)
	t.Cleanup(server.Close)
	origin := server.URL
	m := b.shop(b.member(ownerEmail))
	p := b.start(b.newPaymentOf(m, "50"), chain.Polygon)
	c := b.newCampaign(m)
	gift := b.gift(c, `{"amount":25,"network":"POLYGON","token":"USDC"}`)
	for path, shows := range map[string]string{
		"/dashboard":                          "[data-testid=recent] [data-status=PAID]",
		"/dashboard/payments":                 "[data-status=PAID]",
		"/dashboard/payments/" + string(p.ID): "[sse-swap=verdict] [data-status=PAID]",
		"/donate/" + c.Slug:                   "[data-testid=donation]",
	} {
		ctx := browser.New(t, browser.AllowError("status of 403"))
		enterDashboard(ctx, t, origin, ownerEmail)
		browser.Run(ctx, t, chromedp.Navigate(origin+path))
		defer func() {
			began := time.Now()
			err := browser.Try(ctx, chromedp.Poll("!!document.querySelector(`"+shows+"`)", nil,
				chromedp.WithPollingTimeout(mostStale+busyMachine)))
			if err != nil {
				t.Errorf("%s is not true after %v: %v", path, time.Since(began), err)
			}
		}()
	}
	b.deposit(p, p.Amount, true)
	b.deposit(gift, gift.Amount, true)
	b.clock.advance(time.Second) // what was read before is read again
}
