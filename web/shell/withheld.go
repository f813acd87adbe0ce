package shell

import (
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"
)

// monitored are the paths that monitors ask for, often from this machine.
var monitored = []string{"/health", "/livez", "/readyz"}

// WithheldWarning says what to do about a proxy that withholds its clients' addresses.
const WithheldWarning = "requests arrive without the address of their client: limits count all such clients together; " +
	"have the proxy send X-Forwarded-For, and name its network in FLORIN_TRUSTED_PROXIES unless it is on this machine"

const (
	// withheldKept is how long the warning stays after the last such request.
	withheldKept = 24 * time.Hour
	// withheldEvery is how often it is logged.
	withheldEvery = 24 * time.Hour
)

// withheld remembers requests whose client's address a proxy withheld.
type withheld struct {
	mu           sync.Mutex
	seen, logged time.Time
}

// noteWithheld stores that such a request arrived, and logs it if that is due.
// Monitors of the machine itself send no header: they do not count.
func (s *Shell) noteWithheld(r *http.Request, proxy netip.Addr) {
	if slices.Contains(monitored, r.URL.Path) {
		return
	}
	s.withheld.mu.Lock()
	defer s.withheld.mu.Unlock()
	now := s.Now()
	s.withheld.seen = now
	if s.withheld.logged.IsZero() || now.Sub(s.withheld.logged) >= withheldEvery {
		s.withheld.logged = now
		s.Log.Warn(WithheldWarning, "proxy", proxy.String())
	}
}

// Warnings lists what an operator should mend in front of this server; none in
// the usual case.
func (s *Shell) Warnings() []string {
	s.withheld.mu.Lock()
	defer s.withheld.mu.Unlock()
	if s.withheld.seen.IsZero() || s.Now().Sub(s.withheld.seen) > withheldKept {
		return nil
	}
	return []string{WithheldWarning}
}
