package browser

import (
	"context"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/chromedp/cdproto/inspector"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"
)

// Request is one request of a page; redirects count separately.
type Request struct {
	Method string
	URL    string
	Kind   string // type in the DevTools protocol: Document, Stylesheet, Fetch, EventSource, …
}

// visit is everything that the browser reported about one page.
type visit struct {
	allowed  []*regexp.Regexp
	noScript bool

	mu       sync.Mutex
	requests []Request
	errors   []string
}

// newVisit listens to the tab, which must still be blank.
func newVisit(tab context.Context, with settings) *visit {
	seen := &visit{allowed: with.allowedErrors, noScript: with.noScript}
	chromedp.ListenTarget(tab, func(event any) { seen.hear(tab, event) })
	return seen
}

// hear is called by chromedp in the order of events. It must not run actions: their responses arrive the same
// way.
func (v *visit) hear(tab context.Context, event any) {
	switch event := event.(type) {
	case *network.EventRequestWillBeSent:
		v.request(Request{event.Request.Method, event.Request.URL, event.Type.String()})
	case *network.EventWebSocketCreated:
		v.request(Request{"GET", event.URL, "WebSocket"})
	case *runtime.EventConsoleAPICalled:
		if event.Type == runtime.APITypeError || event.Type == runtime.APITypeAssert {
			v.complain("console." + event.Type.String() + ": " + describe(event.Args))
		}
	case *runtime.EventExceptionThrown:
		v.complain("uncaught " + event.ExceptionDetails.Error())
	case *log.EventEntryAdded:
		if event.Entry.Level == log.LevelError {
			v.complain(fmt.Sprintf("%s: %s (%s)", event.Entry.Source, event.Entry.Text, event.Entry.URL))
		}
	case *inspector.EventTargetCrashed:
		v.complain("the page crashed")
	case *page.EventJavascriptDialogOpening:
		v.complain(fmt.Sprintf("an unanswered dialog, %s: %s", event.Type, event.Message))
		go v.dismiss(tab)
	}
}

// dismiss closes an open dialog, so that the test fails with a clear error before its timeout.
func (v *visit) dismiss(tab context.Context) {
	if err := chromedp.Run(tab, page.HandleJavaScriptDialog(false)); err != nil && tab.Err() == nil {
		v.complain("dismissing the dialog: " + err.Error())
	}
}

// visitOf returns the visit of a page that New returned.
func visitOf(ctx context.Context) *visit {
	seen, ok := ctx.Value(pageKey{}).(*visit)
	if !ok {
		panic("browser: the context is not one of New, nor made from it")
	}
	return seen
}

func (v *visit) request(made Request) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.requests = append(v.requests, made)
}

func (v *visit) complain(text string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	v.errors = append(v.errors, text)
}

// left is what htmx says when the browser leaves a page, or a newer request takes over, while a request is under way or
// a stream is open. A request that failed otherwise has an error of its own name beside htmx:afterRequest, and of a
// stream that failed otherwise the browser says why.
var left = regexp.MustCompile(`^console\.error: "(htmx:(sendAbort|afterRequest),? |\[object Event\]"$)`)

// unexpected returns the errors that were not allowed, one a line.
func (v *visit) unexpected() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	rest := slices.DeleteFunc(slices.Clone(v.errors), func(text string) bool {
		matches := func(allowed *regexp.Regexp) bool { return allowed.MatchString(text) }
		return left.MatchString(text) || slices.ContainsFunc(v.allowed, matches)
	})
	return strings.Join(rest, "\n")
}

// describe formats the arguments of a console call.
func describe(arguments []*runtime.RemoteObject) string {
	var words []string
	for _, argument := range arguments {
		if argument.Description != "" {
			words = append(words, argument.Description)
			continue
		}
		words = append(words, string(argument.Value))
	}
	return strings.Join(words, " ")
}

// Requests returns all requests of the page so far, in order.
func Requests(ctx context.Context) []Request {
	seen := visitOf(ctx)
	seen.mu.Lock()
	defer seen.mu.Unlock()
	return slices.Clone(seen.requests)
}

// FirstParty fails the test if the page has sent a request anywhere but to origin (scheme, host and port).
// Data inside the page (data:, blob:, about:) is no request.
func FirstParty(ctx context.Context, t testing.TB, origin string) {
	t.Helper()
	home, err := url.Parse(origin)
	if err != nil {
		t.Fatalf("browser: %v", err)
	}
	for _, made := range Requests(ctx) {
		address, err := url.Parse(made.URL)
		switch {
		case err != nil:
			t.Errorf("browser: %s request: %v", made.Kind, err)
		case address.Host == "" || address.Host == home.Host:
		default:
			t.Errorf("the page asked a third party: %s %s (%s)", made.Method, made.URL, made.Kind)
		}
	}
}
