package web

import (
	"context"
	"encoding/json"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"
)

// The published audit of GraphQL over HTTP (npm graphql-http) finds nothing
// that must or should be otherwise.
func TestGraphQLOverHTTPAudit(t *testing.T) {
	t.Parallel()
	if _, err := os.Stat("../internal/engines/node_modules/graphql-http/package.json"); err != nil {
		t.Fatal("the audit is missing: run `npm ci --ignore-scripts` in internal/engines, or `make test`, which does")
	}
	srv := httptest.NewServer(newBundle(t).server.Handler())
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	out, err := exec.CommandContext(ctx, "node", "testdata/audit.js", srv.URL+"/graphql").Output()
	if err != nil {
		t.Fatalf("run the audit: %v", err)
	}
	var results []struct{ ID, Name, Status, Reason string }
	must(t, json.Unmarshal(out, &results))
	const leastAudits = 50 // fewer means that they did not run
	if len(results) < leastAudits {
		t.Fatalf("only %d audits ran", len(results))
	}
	for _, r := range results {
		// GET is optional, and left out: a query may cost credits and carries a
		// key, which has no place in an address.
		if r.Status != "ok" && !strings.HasPrefix(r.Name, "MAY") {
			t.Errorf("%s %s: %s (%s)", r.ID, r.Name, r.Status, r.Reason)
		}
	}
}
