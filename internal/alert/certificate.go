package alert

import (
	"context"
	"sync"
	"time"
)

const (
	// certificateEvery is how often it is stored that a certificate was seen again.
	certificateEvery = 24 * time.Hour
	// certificateKept is how long a host is remembered that receives nothing.
	certificateKept = 60 * 24 * time.Hour
	// maxHosts bounds the hosts that an instance remembers.
	maxHosts = 10_000
)

// Certificates notes until when the certificates of callbacks are valid. A nil one notes nothing. It is safe for
// concurrent use.
type Certificates struct {
	mu    sync.Mutex
	hosts map[string]noted
}

type noted struct {
	expires, stored time.Time
}

// NewCertificates returns an empty list.
func NewCertificates() *Certificates { return &Certificates{hosts: make(map[string]noted)} }

// Note takes the end of the certificate that a host has shown. It does not block and uses no database.
func (c *Certificates) Note(host string, expires time.Time) {
	c.mu.Lock()
	defer c.mu.Unlock()
	before, ok := c.hosts[host]
	if !ok && len(c.hosts) >= maxHosts {
		clear(c.hosts) // each is noted again with its next webhook
	}
	if !ok || !before.expires.Equal(expires) {
		c.hosts[host] = noted{expires: expires}
	}
}

// flush stores what is new.
func (c *Certificates) flush(ctx context.Context, s Store, now time.Time) error {
	if c == nil {
		return nil
	}
	c.mu.Lock()
	var list []Certificate
	for host, n := range c.hosts {
		if now.Sub(n.stored) >= certificateEvery {
			list = append(list, Certificate{Host: host, ExpiresAt: n.expires})
		}
	}
	c.mu.Unlock()
	if len(list) == 0 {
		return nil
	}
	if err := s.SaveCertificates(ctx, list, now, now.Add(-certificateKept)); err != nil {
		return err
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, x := range list {
		if n := c.hosts[x.Host]; n.expires.Equal(x.ExpiresAt) {
			c.hosts[x.Host] = noted{expires: n.expires, stored: now}
		}
	}
	return nil
}
