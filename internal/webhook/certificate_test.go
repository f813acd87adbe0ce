package webhook_test

import (
	"crypto/x509"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/webhook"
)

// TestSend_Certificate: the end of the certificate of a receiver is reported, whether it is accepted or not.
func TestSend_Certificate(t *testing.T) {
	t.Parallel()
	shop := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusNoContent)
	}))
	t.Cleanup(shop.Close)
	trusted := x509.NewCertPool()
	trusted.AddCert(shop.Certificate())
	for name, row := range map[string]struct {
		roots  *x509.CertPool
		status int
	}{"Accepted": {trusted, http.StatusNoContent}, "Refused": {x509.NewCertPool(), 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			seen := make(map[string]time.Time)
			sender := webhook.NewSender(webhook.Options{
				AllowPrivate: true, Now: time.Now, RootCAs: row.roots,
				Certificate: func(host string, expires time.Time) { seen[host] = expires },
			})
			for range 2 { // the second on the connection of the first
				if got := sender.Send(
					t.Context(), delivery(shop.URL+"/hook?secret=1"),
				).Attempt; got.Status != row.status {
					t.Fatalf("status %d: %s", got.Status, got.Error)
				}
			}
			host := strings.TrimPrefix(shop.URL, "https://")
			if len(seen) != 1 || !seen[host].Equal(shop.Certificate().NotAfter) {
				t.Errorf("seen %v, want %s of %s", seen, shop.Certificate().NotAfter, host)
			}
		})
	}
}
