package webhook

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// Where the operator lists hosts, callbacks are at these, whatever the spelling.
func TestHosts(t *testing.T) {
	t.Parallel()
	listed := Hosts{"shop.example", "*.nordlicht.example"}
	for raw, want := range map[string]bool{
		"https://shop.example/hook": true, "https://SHOP.example./hook": true, "https://a.nordlicht.example/": true,
		"https://a.b.nordlicht.example/": true, "https://nordlicht.example/": false, "https://evil.example/": false,
		"https://shop.example.evil.example/": false, "https://evilnordlicht.example/": false,
		"https://.nordlicht.example/": false, "https://evil.example/#shop.example": false,
		"https://shop.example@evil.example/": false, "": false, "https://%zz/": false,
	} {
		if err := listed.Check(raw); (err == nil) != want {
			t.Errorf("%q: %v", raw, err)
		}
		if err := (Hosts{}).Check(raw); err != nil {
			t.Errorf("%q without a list: %v", raw, err)
		}
	}
}

// A callback that was set before the list is not sent to another host.
func TestSender_Hosts(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	shop := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	t.Cleanup(shop.Close)
	for host, want := range map[string]int64{"elsewhere.example": 0, "127.0.0.1": 1} {
		asked.Store(0)
		s := NewSender(Options{AllowPrivate: true, Now: time.Now, Hosts: Hosts{host}})
		r := s.Send(t.Context(), Delivery{
			EventID: "evt_01JD3ZQ0000000000000000000_4", URL: shop.URL, Body: []byte(`{"txnid":"01JD3ZQ0000000000000000000"}`),
			SigningSecrets: []secret.Text{NewSigningSecret()},
		})
		if asked.Load() != want || (want == 0) != strings.Contains(r.Attempt.Error, "operator of this service allows") {
			t.Errorf("%s: %d requests, %q", host, asked.Load(), r.Attempt.Error)
		}
	}
}
