package webhook

import (
	"net/url"
	"strings"
)

// Hosts are the only hosts that callbacks may be at, as the operator lists them: names,
// or *.name for every name below one. Without any, every public host may be.
type Hosts []string

// Check refuses a callback URL at another host, with a fault that names callbackUrl. It
// does not check the rest of the URL (CheckURL).
func (h Hosts) Check(raw string) error {
	if len(h) == 0 {
		return nil
	}
	u, err := url.Parse(raw)
	if err != nil {
		return refuse("is not a URL")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	for _, allowed := range h {
		below, wild := strings.CutPrefix(allowed, "*")
		if wild && strings.HasSuffix(host, below) && len(host) > len(below) || host == allowed {
			return nil
		}
	}
	return refuse("must be at a host that the operator of this service allows")
}
