package main_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// endpointKey is a key in the addresses of RPC endpoints, and endpointKeys its forms in headers.
const endpointKey = "CanaryEndpointKey0123"

var endpointKeys = []string{"canaryendpoint", "q2FuYXJ5RW5kcG9pbn", "dXNlcjpDYW5hcnlFbm"}

var networkNames = []string{"BEP20", "POLYGON", "BASE", "SOL"}

// parrot is an RPC endpoint that refuses everything and repeats what it was sent.
func parrot(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		said := fmt.Sprintf("no access: %s %s %s %s", r.RequestURI, user, password, r.Header.Get("Authorization"))
		if len(r.RequestURI)%2 == 0 {
			http.Error(w, strings.Repeat("x", 175)+said, http.StatusForbidden)
			return
		}
		fmt.Fprintf(w, `{"jsonrpc":"2.0","id":0,"error":{"code":-32000,"message":%q}}`, said)
	}))
	t.Cleanup(server.Close)
	return strings.TrimPrefix(server.URL, "http://")
}

// TestEndpointKey: whatever endpoints answer, the keys in their addresses are in no log, message, metric, report or
// page; their hosts are.
func TestEndpointKey(t *testing.T) {
	t.Parallel()
	host, metrics := parrot(t), freeAddress(t)
	i := newInstallation(
		t, "FLORIN_METRICS_LISTEN="+metrics, "FLORIN_LOG_LEVEL=debug", sealedSeed(t),
		"FLORIN_BEP20_RPC=http://"+host+"/v2/"+endpointKey+",http://"+host+"/"+endpointKey+"/x",
		"FLORIN_POLYGON_RPC=http://"+host+"/?api-key="+endpointKey+",http://"+host+"/?"+endpointKey,
		"FLORIN_BASE_RPC=http://"+endpointKey+"@"+host+"/,http://user:"+endpointKey+"@"+host+"/y",
		"FLORIN_SOL_RPC=http://"+host+"/?key="+endpointKey+",http://user:"+endpointKey+"@"+host+"/v1/"+endpointKey,
	)
	password := "correct horse battery staple"
	i.must(t, password+"\n", "user", "create", "--email", "op@example.com", "--operator")
	shown := map[string]string{}
	for _, args := range [][]string{
		{"config"},
		{"deploy", "--network", "BASE"},
		{"rescan", "--network", "polygon", "--from", "1"},
		{"reconcile"},
		{"rescan", "--network", "sol", "--from", "1"},
		{"sweep", "--network", "SOL"},
		{"version"},
	} {
		r := i.run(t, "", args...)
		shown[strings.Join(args, " ")] = r.stdout + r.stderr
	}
	log := i.logged(t)
	at := ""
	eventually(t, "the program serves", func() bool {
		m := servesAt.FindStringSubmatch(log.String())
		if m != nil {
			at = "http://" + m[1]
		}
		return m != nil
	})
	eventually(t, "every network has failed", func() bool {
		shown["health"] = text(t, http.DefaultClient, at+"/health")
		return strings.Count(shown["health"], `"status":"degraded"`) > len(networkNames)
	})
	operator := signedIn(t, at, "op@example.com", password)
	eventually(t, "the endpoints are shown", func() bool {
		shown["operator"] = text(t, operator, at+"/operator")
		return strings.Count(shown["operator"], host) >= 8 && strings.Count(shown["operator"], "***") > 0
	})
	shown["problems"] = text(t, operator, at+"/operator/problems")
	shown["metrics"] = text(t, http.DefaultClient, "http://"+metrics+"/metrics")
	eventually(t, "the failures are logged", func() bool {
		shown["log"] = log.String()
		return strings.Count(shown["log"], host) >= len(networkNames)
	})
	if !strings.Contains(shown["metrics"], "florin_network_endpoints") {
		t.Errorf("the metrics lack the endpoints: %s", shown["metrics"])
	}
	for where, said := range shown {
		noKey(t, where, said)
	}
}

// noKey fails if a text shows the key of an endpoint.
func noKey(t *testing.T, where, said string) {
	t.Helper()
	for _, k := range endpointKeys {
		if at := strings.Index(strings.ToLower(said), strings.ToLower(k)); at >= 0 {
			t.Errorf("%s shows a key: …%s…", where, said[max(0, at-100):min(len(said), at+100)])
		}
	}
}

// logged serves until the test ends and returns what the program writes.
func (i installation) logged(t *testing.T) *growingText {
	t.Helper()
	i.env = append(i.env, "FLORIN_LISTEN=127.0.0.1:0")
	log := &growingText{}
	cmd := i.command(t.Context(), "serve")
	cmd.Stdout, cmd.Stderr = log, log
	testkit.Must(t, cmd.Start())
	t.Cleanup(func() { _ = cmd.Wait() }) // the end of the test's context killed it
	return log
}

// growingText is text that is read while it is written.
type growingText struct {
	mu   sync.Mutex
	text strings.Builder
}

func (g *growingText) Write(p []byte) (int, error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.Write(p)
}

func (g *growingText) String() string {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.text.String()
}

// text returns the body of an answer.
func text(t *testing.T, c *http.Client, address string) string {
	t.Helper()
	res, err := c.Get(address)
	testkit.Must(t, err)
	defer res.Body.Close()
	body, err := io.ReadAll(res.Body)
	testkit.Must(t, err)
	return fmt.Sprintf("%s %v\n%s", res.Status, res.Header, body)
}

// signedIn returns a browser with the session of a user.
func signedIn(t *testing.T, server, email, password string) *http.Client {
	t.Helper()
	jar, err := cookiejar.New(nil)
	testkit.Must(t, err)
	c := &http.Client{Jar: jar}
	form := url.Values{"email": {email}, "password": {password}}
	r, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, server+"/signin", strings.NewReader(form.Encode()),
	)
	testkit.Must(t, err)
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	res, err := c.Do(r)
	testkit.Must(t, err)
	defer res.Body.Close()
	if strings.Contains(res.Request.URL.Path, "signin") {
		t.Fatalf("not signed in: %s", res.Status)
	}
	return c
}
