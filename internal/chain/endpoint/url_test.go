package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"testing"
)

const canary = "Canary0123456789"

// addresses hold the canary in every place where providers put keys.
var addresses = map[string]string{
	"Path":         "https://rpc.example:8443/v2/" + canary,
	"PathEnd":      "https://rpc.example/" + canary + "/solana/",
	"PathFile":     "https://rpc.example/" + canary + ".json",
	"PathPair":     "https://rpc.example/key=" + canary + "/x",
	"Query":        "https://rpc.example/?api-key=" + canary,
	"QuerySecond":  "https://rpc.example/v1?net=main&token=" + canary + "&x=1",
	"QueryName":    "https://rpc.example/?" + canary,
	"Semicolon":    "https://rpc.example/?a=1;k=" + canary,
	"User":         "https://" + canary + "@rpc.example/",
	"Password":     "http://user:" + canary + "@rpc.example/",
	"BasicPair":    "http://" + canary + ":" + canary + "@rpc.example/",
	"Fragment":     "http://rpc.example/#" + canary,
	"Percent":      "http://rpc.example/%43anary0123456789",
	"PercentQuery": "http://rpc.example/?k=%43anary0123456789",
}

// leaks reports whether text shows the canary in any spelling.
func leaks(text string) bool {
	text = strings.ToLower(text)
	plain, err := url.PathUnescape(text)
	if err != nil {
		plain = text
	}
	return strings.Contains(text+plain, strings.ToLower(canary))
}

// TestURL_Shown: however an address is printed, it shows scheme and host only.
func TestURL_Shown(t *testing.T) {
	t.Parallel()
	for name, raw := range addresses {
		u, err := Parse(raw)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q", "%d"} {
			if got := fmt.Sprintf(verb, u); leaks(got) {
				t.Errorf("%s: %s shows %s", name, verb, got)
			}
			if got := fmt.Sprintf(verb, &u); leaks(got) {
				t.Errorf("%s: %s of a pointer shows %s", name, verb, got)
			}
		}
		if got, err := json.Marshal(u); err != nil || leaks(string(got)) || !strings.Contains(string(got), u.Host()) {
			t.Errorf("%s: JSON shows %s, %v", name, got, err)
		}
		if !strings.HasPrefix(u.String(), "http") || leaks(u.Host()) || !strings.Contains(u.Host(), "rpc.example") {
			t.Errorf("%s is shown as %s", name, u)
		}
	}
}

// TestParse_Refused: an address that cannot be used is not repeated in the refusal.
func TestParse_Refused(t *testing.T) {
	t.Parallel()
	for _, raw := range []string{
		"", "rpc.example/" + canary, "ws://rpc.example/" + canary, "http://" + canary + "\x7f", "http://[" + canary,
		"http:///" + canary, "https://:443/" + canary, "https://user:" + canary + "@/x", "%" + canary,
		"http://a b/" + canary,
	} {
		if u, err := Parse(raw); err == nil || leaks(err.Error()) {
			t.Errorf("%q: %v, %v", raw, u, err)
		}
	}
}

// TestURL_Redact: what an endpoint says is shown without its credentials, in whatever spelling it repeats them, and
// wherever the text is cut.
func TestURL_Redact(t *testing.T) {
	t.Parallel()
	for name, raw := range addresses {
		u, err := Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		target, err := url.Parse(raw)
		if err != nil {
			t.Fatal(err)
		}
		target.Fragment = ""
		says := []string{
			"no access for " + target.String(), "GET " + target.RequestURI() + " failed",
			"bad key " + strings.ToUpper(target.RequestURI()), "path " + target.Path + "?" + target.RawQuery,
		}
		if target.User != nil {
			says = append(says, "user "+target.User.String(), "header Basic Y2FuYXJ5", target.User.Username())
		}
		for _, said := range says {
			for pad := range 220 {
				got := u.Redact(strings.Repeat("x", pad) + " " + said)
				if leaks(got) || leaksPart(got) || len(got) > shown+len("…") {
					t.Fatalf("%s: %q is shown as %q", name, said, got)
				}
			}
		}
	}
}

// leaksPart reports whether text holds the beginning of the canary.
func leaksPart(text string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(canary[:7]))
}

// TestURL_RedactText: the rest of the text stays readable, on one line and bounded.
func TestURL_RedactText(t *testing.T) {
	t.Parallel()
	u, err := Parse("https://rpc.example/v2/" + canary + "?api-key=1")
	if err != nil {
		t.Fatal(err)
	}
	got, want := u.Redact("v2 of rpc.example:\n\x00no api-key \xff"), "v2 of rpc.example:  no api-key "
	if got != want {
		t.Errorf("%q, want %q", got, want)
	}
	if got := u.Redact(strings.Repeat("é", 5_000)); len(got) > shown+len("…") || !strings.HasSuffix(got, "é…") {
		t.Errorf("long text is shown as %q", got)
	}
}

// TestURL_Failure: errors of the HTTP client lose the address and keep what matters.
func TestURL_Failure(t *testing.T) {
	t.Parallel()
	u, err := Parse(addresses["Query"])
	if err != nil {
		t.Fatal(err)
	}
	for _, cause := range []error{
		errors.New("dial tcp: refused"), context.DeadlineExceeded, context.Canceled,
		errors.New("no host in " + u.Reveal()),
	} {
		got := u.Failure(&url.Error{Op: "Post", URL: u.Reveal(), Err: cause})
		if leaks(got.Error()) {
			t.Errorf("%v is shown as %v", cause, got)
		}
		if errors.Is(cause, context.DeadlineExceeded) != errors.Is(got, context.DeadlineExceeded) ||
			errors.Is(cause, context.Canceled) != errors.Is(got, context.Canceled) {
			t.Errorf("%v became %v", cause, got)
		}
	}
}

// TestURL_Same: spellings of one address are the same node; another key, path or host is not known to be.
func TestURL_Same(t *testing.T) {
	t.Parallel()
	same := [][2]string{
		{"http://a.example/x", " http://a.example/x "},
		{"http://a.example:80/x", "HTTP://A.example/x"},
		{"https://a.example:443/x", "https://a.example/x#y"},
		{"https://a.example./x", "https://a.example/x?"},
	}
	other := [][2]string{
		{"http://a.example/x", "http://a.example/y"},
		{"http://a.example/?k=1", "http://a.example/?k=2"},
		{"http://a.example", "https://a.example"},
		{"http://a.example:81", "http://a.example"},
		{"http://u:1@a.example", "http://u:2@a.example"},
	}
	is := func(pair [2]string) bool {
		a, err1 := Parse(pair[0])
		b, err2 := Parse(pair[1])
		if err := errors.Join(err1, err2); err != nil {
			t.Fatal(err)
		}
		return a.Same(b) && b.Same(a)
	}
	for _, pair := range same {
		if !is(pair) {
			t.Errorf("%q are not the same", pair)
		}
	}
	for _, pair := range other {
		if is(pair) {
			t.Errorf("%q are the same", pair)
		}
	}
}
