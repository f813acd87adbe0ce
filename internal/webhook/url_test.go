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
	const both, development, never = "both", "development", "never"
	for raw, want := range map[string]string{
		"https://shop.example/webhooks":                            both,
		"https://shop.example":                                     both,
		"HTTPS://Shop.Example/Hook?key=a%20b&x=ü":                  both,
		"https://shop.example:443/":                                both,
		"https://shop.example:8443/":                               both,
		"https://shop.example:1024/":                               both,
		"https://xn--mnchen-3ya.example/":                          both,
		"https://a_b.example/":                                     both,
		"https://8.8.8.8/hook":                                     both,
		"https://[2606:4700:4700::1111]/hook":                      both,
		"https://localhost.example/":                               both,
		"https://10.example/":                                      both,
		"https://shop.example/" + longest("https://shop.example/"): both,

		"http://shop.example/":                      development,
		"https://shop.example:80/":                  development,
		"https://shop.example:22/":                  development,
		"https://shop.example:1023/":                development,
		"http://localhost:3000/hook":                development,
		"https://localhost/":                        development,
		"https://LOCALHOST/":                        development,
		"https://shop.localhost/":                   development,
		"https://localhost.localdomain/":            development,
		"https://printer.local/":                    development,
		"https://metadata.google.internal/":         development,
		"https://router.home.arpa/":                 development,
		"https://intranet/":                         development,
		"http://127.0.0.1:9000/":                    development,
		"https://127.0.0.1/":                        development,
		"https://127.9.9.9/":                        development,
		"https://0.0.0.0/":                          development,
		"https://10.0.0.1/":                         development,
		"https://100.64.0.1/":                       development,
		"https://169.254.169.254/latest/meta-data/": development,
		"https://172.16.0.1/":                       development,
		"https://192.168.1.1/":                      development,
		"https://198.18.0.1/":                       development,
		"https://224.0.0.1/":                        development,
		"https://255.255.255.255/":                  development,
		"https://[::1]/":                            development,
		"https://[::]/":                             development,
		"https://[::ffff:127.0.0.1]/":               development,
		"https://[::ffff:8.8.8.8]/":                 development,
		"https://[::ffff:7f00:1]/":                  development,
		"https://[::127.0.0.1]/":                    development,
		"https://[64:ff9b::7f00:1]/":                development,
		"https://[2002:7f00:1::]/":                  development,
		"https://[2001:db8::1]/":                    development,
		"https://[fe80::1]/":                        development,
		"https://[fc00::1]/":                        development,
		"https://[fd12:3456::1]/":                   development,
		"https://[ff02::1]/":                        development,

		"":                                                   never,
		"shop.example/hook":                                  never,
		"//shop.example/hook":                                never,
		"https:shop.example":                                 never,
		"https://":                                           never,
		"https:///hook":                                      never,
		"https://:443/":                                      never,
		"ftp://shop.example/":                                never,
		"file:///etc/passwd":                                 never,
		"javascript:alert(1)":                                never,
		"gopher://shop.example/":                             never,
		"https://user@shop.example/":                         never,
		"https://user:pass@shop.example/":                    never,
		"https://@shop.example/":                             never,
		"https://127.0.0.1@shop.example/":                    never,
		"https://shop.example/#top":                          never,
		"https://shop.example/#":                             never,
		"https://shop.example:0/":                            never,
		"https://shop.example:65536/":                        never,
		"https://shop.example:99999999999/":                  never,
		"https://shop.example:https/":                        never,
		"https://shop example/":                              never,
		" https://shop.example/":                             never,
		"https://shop.example/a b":                           never,
		"https://shop.example/\r\nX: y":                      never,
		"https://shop.example/\x00":                          never,
		"https://shop.example\\@evil.example":                never,
		"https://shop.example./":                             never,
		"https://127.0.0.1./":                                never,
		"https://localhost./":                                never,
		"https://shop..example/":                             never,
		"https://.example/":                                  never,
		"https://-shop.example/":                             never,
		"https://shop-.example/":                             never,
		"https://münchen.example/":                           never,
		"https://１２７.0.0.1/":                                 never,
		"https://127。0。0。1/":                                 never,
		"https://%31%32%37.0.0.1/":                           never,
		"https://2130706433/":                                never,
		"https://0x7f000001/":                                never,
		"https://0x7f.0.0.1/":                                never,
		"https://127.0.0.0x1/":                               never,
		"https://0177.0.0.1/":                                never,
		"https://017700000001/":                              never,
		"https://127.1/":                                     never,
		"https://127.0.1/":                                   never,
		"https://256.256.256.256/":                           never,
		"https://1.2.3.4.5/":                                 never,
		"https://shop.123/":                                  never,
		"https://[fe80::1%25eth0]/":                          never,
		"https://[::1/":                                      never,
		"https://[shop.example]/":                            never,
		"https://" + strings.Repeat("a", 64) + ".example/":   never,
		"https://" + strings.Repeat("abc.", 64) + "example/": never,
		"https://shop.example/" + longest("https://shop.example/") + "a": never,
	} {
		t.Run(raw, func(t *testing.T) {
			t.Parallel()
			expect(t, webhook.CheckURL(raw, false), want == both)
			expect(t, webhook.CheckURL(raw, true), want != never)
		})
	}
}

// longest fills a URL up to the limit.
func longest(prefix string) string { return strings.Repeat("a", webhook.MaxURL-len(prefix)) }

func expect(t *testing.T, err error, ok bool) {
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
