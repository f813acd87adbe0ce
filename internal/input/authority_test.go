package input

import (
	"strings"
	"testing"
)

// An address with a port that no server can have is refused.
func TestURL_Port(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://shop.example:99999/": false, "https://shop.example:65536/": false, "https://shop.example:0/": false,
		"https://shop.example:65535/": true, "https://shop.example:1/": true, "https://shop.example:/": true,
		"https://shop.example/": true, "https://[2001:db8::1]:99999/": false,
	} {
		if _, err := URL("website", text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A host that no server can have is refused.
func TestURL_Host(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"https://[fe80::1%25eth0]/": false, "https://[2001:db8::1]/": true, "https://192.0.2.1/": true,
		"https://shop..example/": false, "https://.example/": false, "https://-shop.example/": false,
		"https://shop-.example/": false, "https://*.example/": false, "https://a!b.example/": false,
		"https://shop.example./": true, "https://shop.example../": false, "https://./": false, "https://a_b.example/": true,
		"https://1.2.3.4.5/": false, "https://192.0.2/": false, "https://0x7f.0x1/": false, "https://192.0.2.01/": false,
		"https://münchen.example/": true, "https://例え.テスト/": true, "https://localhost/": true, "https://SHOP.example/": true,
		"https://" + strings.Repeat("a", 63) + ".example/":     true,
		"https://" + strings.Repeat("a", 64) + ".example/":     false,
		"https://" + strings.Repeat("a.", 127) + "example/":    false,
		"https://" + strings.Repeat("ü", 64) + ".example/":     false,
		"https://xn--mnchen-3ya.example:8443/path?q=1#section": true,
	} {
		if _, err := URL("website", text); (err == nil) != want {
			t.Errorf("%s: %v", text, err)
		}
	}
}
