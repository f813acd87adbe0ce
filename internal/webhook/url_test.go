package webhook_test

import (
	"net/netip"
	"net/url"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/webhook"
)

func TestCheckURL(t *testing.T) {
	t.Parallel()
	t.Run("Allowed", func(t *testing.T) {
		checkURLs(t, true, true, []string{
			"https://shop.example/webhooks",
			"https://shop.example",
			"HTTPS://Shop.Example/Hook?key=a%20b&x=ü",
			"https://shop.example:443/",
			"https://shop.example:8443/",
			"https://shop.example:1024/",
			"https://xn--mnchen-3ya.example/",
			"https://a_b.example/",
			"https://8.8.8.8/hook",
			"https://[2606:4700:4700::1111]/hook",
			"https://localhost.example/",
			"https://10.example/",
			"https://shop.example/" + longest("https://shop.example/"),
		})
	})
	t.Run("DevelopmentOnly", func(t *testing.T) {
		checkURLs(t, false, true, []string{
			"http://shop.example/",
			"https://shop.example:80/",
			"https://shop.example:22/",
			"https://shop.example:1023/",
			"http://localhost:3000/hook",
			"https://localhost/",
			"https://LOCALHOST/",
			"https://shop.localhost/",
			"https://localhost.localdomain/",
			"https://printer.local/",
			"https://metadata.google.internal/",
			"https://router.home.arpa/",
			"https://intranet/",
			"http://127.0.0.1:9000/",
			"https://127.0.0.1/",
			"https://127.9.9.9/",
			"https://0.0.0.0/",
			"https://10.0.0.1/",
			"https://100.64.0.1/",
			"https://169.254.169.254/latest/meta-data/",
			"https://172.16.0.1/",
			"https://192.168.1.1/",
			"https://198.18.0.1/",
			"https://224.0.0.1/",
			"https://255.255.255.255/",
			"https://[::1]/",
			"https://[::]/",
			"https://[::ffff:127.0.0.1]/",
			"https://[::ffff:8.8.8.8]/",
			"https://[::ffff:7f00:1]/",
			"https://[::127.0.0.1]/",
			"https://[64:ff9b::7f00:1]/",
			"https://[2002:7f00:1::]/",
			"https://[2001:db8::1]/",
			"https://[fe80::1]/",
			"https://[fc00::1]/",
			"https://[fd12:3456::1]/",
			"https://[ff02::1]/",
		})
	})
	t.Run("MalformedURL", func(t *testing.T) {
		checkURLs(t, false, false, []string{
			"",
			"shop.example/hook",
			"//shop.example/hook",
			"https:shop.example",
			"https://",
			"https:///hook",
			"https://:443/",
			"ftp://shop.example/",
			"file:///etc/passwd",
			"javascript:alert(1)",
			"gopher://shop.example/",
			"https://user@shop.example/",
			"https://user:pass@shop.example/",
			"https://@shop.example/",
			"https://127.0.0.1@shop.example/",
			"https://shop.example/#top",
			"https://shop.example/#",
			"https://shop.example:0/",
			"https://shop.example:65536/",
			"https://shop.example:99999999999/",
			"https://shop.example:https/",
			"https://shop example/",
			" https://shop.example/",
			"https://shop.example/a b",
			"https://shop.example/\r\nX: y",
			"https://shop.example/\x00",
			"https://shop.example\\@other.example",
			"https://shop.example/" + longest("https://shop.example/") + "a",
		})
	})
	t.Run("MalformedHost", func(t *testing.T) {
		checkURLs(t, false, false, []string{
			"https://shop.example./",
			"https://127.0.0.1./",
			"https://localhost./",
			"https://shop..example/",
			"https://.example/",
			"https://-shop.example/",
			"https://shop-.example/",
			"https://münchen.example/",
			"https://１２７.0.0.1/",
			"https://127。0。0。1/",
			"https://%31%32%37.0.0.1/",
			"https://2130706433/",
			"https://0x7f000001/",
			"https://0x7f.0.0.1/",
			"https://127.0.0.0x1/",
			"https://0177.0.0.1/",
			"https://017700000001/",
			"https://127.1/",
			"https://127.0.1/",
			"https://256.256.256.256/",
			"https://1.2.3.4.5/",
			"https://shop.123/",
			"https://[fe80::1%25eth0]/",
			"https://[::1/",
			"https://[shop.example]/",
			"https://" + strings.Repeat("a", 64) + ".example/",
			"https://" + strings.Repeat("abc.", 64) + "example/",
		})
	})
}

// checkURLs checks whether each URL is allowed in production and in development.
func checkURLs(t *testing.T, production, development bool, urls []string) {
	t.Helper()
	t.Parallel()
	for _, raw := range urls {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			wantAllowed(t, webhook.CheckURL(raw, false), production)
			wantAllowed(t, webhook.CheckURL(raw, true), development)
		})
	}
}

// longest returns a path that makes a URL with the prefix MaxURL characters long.
func longest(prefix string) string { return strings.Repeat("a", webhook.MaxURL-len(prefix)) }

func wantAllowed(t *testing.T, err error, ok bool) {
	t.Helper()
	switch {
	case ok && err != nil:
		t.Errorf("refused: %v", err)
	case !ok && !fault.Is(err, fault.Invalid):
		t.Errorf("got %v, want fault.Invalid", err)
	}
}

func FuzzCheckURL(f *testing.F) {
	for _, s := range []string{
		"https://shop.example/a?b=c", "https://127.0.0.1/", "https://[::ffff:10.0.0.1]:8443/", "https://0x7f.1/", "https://a@b/#c", "http://localhost",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		if webhook.CheckURL(raw, false) != nil {
			return
		}
		if webhook.CheckURL(raw, true) != nil {
			t.Fatalf("%q passes in production but not in development", raw)
		}
		u, err := url.Parse(raw)
		if err != nil || u.Scheme != "https" || u.User != nil || u.Fragment != "" || u.Hostname() == "" ||
			len(raw) > webhook.MaxURL {
			t.Fatalf("%q passed: %+v, %v", raw, u, err)
		}
		addr, err := netip.ParseAddr(u.Hostname())
		if err != nil {
			return
		}
		if a := addr.Unmap(); !a.IsGlobalUnicast() || a.IsPrivate() || a.IsLoopback() || a.IsLinkLocalUnicast() {
			t.Fatalf("%q passed", raw)
		}
	})
}
