package shell

import (
	"sync"
	"time"
)

// monitored are the paths that monitors ask for, often from this machine.
var monitored = []string{"/health", "/livez", "/readyz"}

// WithheldWarning says what to do about a proxy that withholds its clients' addresses.
const WithheldWarning = "requests arrive without the address of their client: limits count all such clients together; " +
	"have the proxy send X-Forwarded-For, and name its network in FLORIN_TRUSTED_PROXIES unless it is on this machine"

// UnnamedWarning says what to do where an address that is taken for a client names others that it asks for: a CDN does,
// and so may anybody.
const UnnamedWarning = "X-Forwarded-For goes on beyond the address that is taken for the client: if that is a CDN, limits " +
	"count all behind one of its machines together; name its networks in FLORIN_TRUSTED_PROXIES, or the header in which " +
	"it names the client in FLORIN_CLIENT_IP_HEADER"

const (
	// noteKept is how long a warning stays after the last such request.
	noteKept = 24 * time.Hour
	// noteEvery is how often it is logged.
	noteEvery = 24 * time.Hour
)

// notes remembers requests that show what to mend in front of this server, by warning.
type notes struct {
	mu           sync.Mutex
	seen, logged map[string]time.Time
}

// note stores that a request shows what the warning says, and logs it if that is due.
func (s *Shell) note(warning, key, value string) {
	n := &s.notes
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.seen == nil {
		n.seen, n.logged = make(map[string]time.Time), make(map[string]time.Time)
	}
	now := s.Now()
	n.seen[warning] = now
	if at, logged := n.logged[warning]; !logged || now.Sub(at) >= noteEvery {
		n.logged[warning] = now
		s.Log.Warn(warning, key, value)
	}
}

// Warnings lists what an operator should mend in front of this server; none in
// the usual case. A client can forge what UnnamedWarning is about, so it is in the log only.
func (s *Shell) Warnings() []string {
	s.notes.mu.Lock()
	defer s.notes.mu.Unlock()
	at, seen := s.notes.seen[WithheldWarning]
	if !seen || s.Now().Sub(at) > noteKept {
		return nil
	}
	return []string{WithheldWarning}
}
