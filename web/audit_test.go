package web

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http/httptest"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
)

// The published audit of GraphQL over HTTP (npm graphql-http) finds no violation
// of a MUST or SHOULD.
func TestGraphQLOverHTTPAudit(t *testing.T) {
	t.Parallel()
	var results []struct{ ID, Name, Status, Reason string }
	runNode(t, "testdata/audit.js", &results)
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

// The standard introspection query passes the limits, and its answer is a
// schema that the reference implementation can build.
func TestIntrospectionByTheReferenceImplementation(t *testing.T) {
	t.Parallel()
	var operations []string
	runNode(t, "testdata/introspect.js", &operations)
	for _, name := range []string{
		"getTxnDetails", "getTransactions", "payment", "StartPayment",
		"createCustodianAccount",
	} {
		if !slices.Contains(operations, name) {
			t.Errorf("%s is not among %v", name, operations)
		}
	}
}

// runNode runs a script against the GraphQL address of a server and reads the
// JSON it writes.
func runNode(t *testing.T, script string, into any) {
	t.Helper()
	for _, name := range []string{"graphql", "graphql-http"} {
		testkit.MustEngine(t, name+"/package.json")
	}
	srv := httptest.NewServer(newDashboard(t).server.Handler()) // as it runs in production, dashboard and all
	defer srv.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	var problem bytes.Buffer
	cmd := exec.CommandContext(ctx, "node", script, srv.URL+"/graphql")
	cmd.Stderr = &problem
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("node %s: %v: %s", script, err, problem.String())
	}
	must(t, json.Unmarshal(out, into))
}
