package web

import (
	"context"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestClients_Go: the clients that oapi-codegen and ogen make of the OpenAPI documents create, pay and read payments of
// amounts with 6 places. They are a module of their own, so that Florin's has none of what they need.
func TestClients_Go(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	srv := httptest.NewServer(b.withDeposits())
	t.Cleanup(srv.Close)
	m, dir := b.shop(b.member(ownerEmail)), t.TempDir()
	must(t, os.CopyFS(dir, os.DirFS("testdata/goclients")))
	must(t, os.Mkdir(filepath.Join(dir, "oapi"), 0o700))
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute) // the first time, all is compiled
	defer cancel()
	run := func(args ...string) string {
		t.Helper()
		c := exec.CommandContext(ctx, "go", args...)
		c.Dir = dir
		c.Env = append(c.Environ(), "GOFLAGS="+os.Getenv("GOFLAGS")+" -trimpath") // or nothing is cached: dir differs
		out, err := c.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		return string(out)
	}
	for _, name := range []string{"openapi.json", "openapi-3.0.json"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte(b.ask("GET", "/"+name, "").body), 0o600))
	}
	run("tool", "oapi-codegen", "-generate", "types,client", "-package", "oapi", "-o", "oapi/oapi.go", "openapi.json")
	run("tool", "ogen", "--target", "ogen", "--package", "ogen", "openapi-3.0.json")
	ran := run("run", ".", srv.URL, srv.URL+"/deposit/", m.text)
	for _, name := range []string{"oapi-codegen\n", "ogen\n"} {
		if !strings.Contains(ran, name) {
			t.Errorf("%s did not run: %s", name, ran)
		}
	}
}
