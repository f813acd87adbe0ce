package web

import (
	"net/http"
	"strings"
	"testing"
)

// With the dashboard too, a known path with a wrong method answers 405 and an
// unknown path answers 404.
func TestWrongMethod(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	for _, row := range []struct {
		method, path string
		status       int
		allow        string
	}{
		{"GET", "/create-payment", 405, "POST"},
		{"PUT", "/create-payment", 405, "POST"},
		{"GET", "/cancel-payment", 405, "POST"},
		{"GET", "/graphql", 405, "POST"},
		{"DELETE", "/health", 405, "GET"},
		{"POST", "/orders/" + unknownTxn, 405, "GET"},
		{"DELETE", "/dashboard", 405, "GET"},
		{"GET", "/nothing", 404, ""},
		{"POST", "/nothing", 404, ""},
	} {
		r := b.ask(row.method, row.path, "")
		if allow := r.header.Get("Allow"); r.status != row.status || row.allow != "" && !strings.Contains(allow, row.allow) {
			t.Errorf("%s %s answers %d, Allow %q: %s", row.method, row.path, r.status, allow, r.body)
		}
	}
	if r := b.ask(http.MethodGet, "/create-payment", ""); r.text(t, "message") == "" || r.text(t, "code") != "405" {
		t.Errorf("it answers %s", r.body)
	}
}

// No page is a dead end: what is not there, and what takes forms only, leads home.
func TestFailure_LeadsHome(t *testing.T) {
	t.Parallel()
	s := newDashboard(t).surfer()
	for path, status := range map[string]int{"/nothing": 404, "/nothing/at/all?x=1": 404, "/signout": 405} {
		s.get(path).wants(t, status, `href="/" data-testid="home"`, "This page does not exist")
	}
	for path, status := range map[string]int{"/dashboard/nothing": 404, "/operator/nothing?x=1": 404} {
		s.get(path).wants(t, status, `href="/dashboard" data-testid="home"`)
	}
}
