package endpoint

import "testing"

// TestURL_Voice: whatever else differs, one host and port is one voice; another host or port is another one.
func TestURL_Voice(t *testing.T) {
	t.Parallel()
	for voice, spellings := range map[string][]string{
		"a.example": {
			"http://a.example", "https://a.example/v2/KEY", "https://A.Example./v2/other", "http://a.example:80/?key=1",
			"https://a.example:443", "https://u:p@a.example", "http://a.example:443", "https://a.example:/x", "https://a.example:0443",
			"https://ａ.example", "https://a。example",
		},
		"a.example:8545": {"http://a.example:8545", "https://A.example:8545/x", "http://k@a.example.:08545"},
		"b.example":      {"https://b.example/v2/KEY"},
		"xn--bcher-kva.example": {
			"https://bücher.example", "https://BÜCHER.example", "https://xn--bcher-kva.example", "https://XN--bcher-kva.example./x",
		},
		"localhost:8545": {
			"http://localhost:8545", "http://LOCALHOST.:8545", "http://127.0.0.1:8545/x", "http://127.0.0.1.:8545",
			"http://127.8.9.1:8545", "http://[::1]:8545", "http://[0:0:0:0:0:0:0:1]:8545", "http://[::ffff:127.0.0.1]:8545",
			"http://0.0.0.0:8545", "http://[::]:8545", "http://127.1:8545", "http://0x7f.1:8545", "http://2130706433:8545",
			"http://017700000001:8545", "http://node.localhost:8545", "http://ip6-localhost:8545",
		},
		"localhost:8546": {"http://127.0.0.1:8546"},
		"10.0.0.7":       {"http://10.0.0.7", "http://10.7/x", "http://[::ffff:10.0.0.7]", "http://0x0a000007", "http://10.0.7"},
		"10.0.0.8":       {"http://10.0.0.8"},
		"2001:db8::1":    {"http://[2001:db8::1]/x", "http://[2001:DB8:0:0:0:0:0:1]"},
		"1.2.3.4.5":      {"http://1.2.3.4.5"},
		"256.1.1.1":      {"http://256.1.1.1"},
	} {
		for _, raw := range spellings {
			u, err := Parse(raw)
			if err != nil {
				t.Fatalf("%s: %v", raw, err)
			}
			if got := u.Voice(); got != voice {
				t.Errorf("%s: voice %q, want %q", raw, got, voice)
			}
		}
	}
	for _, raw := range []string{"ws://a.example/x", "wss://A.example:443"} {
		if u, err := ParseSocket(raw); err != nil || u.Voice() != "a.example" {
			t.Errorf("%s: voice %q, %v", raw, u.Voice(), err)
		}
	}
}
