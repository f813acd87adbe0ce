package identity

import (
	"net/netip"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// Limits of failed sign-ins: a burst, then one for each interval. A user who
// mistypes never reaches them. An attacker gets, from one address, 100 tries a day
// at one user and 1,500 over all users, and 1,000 a day at one user from all
// addresses.
var (
	perUserAndAddress = allowance{burst: 8, interval: 15 * time.Minute}
	perAddress        = allowance{burst: 50, interval: time.Minute}
	// perUser counts attempts for a user from all addresses, so that guessing from
	// many addresses gets a thousand attempts a day and not a million. A known
	// device of the user is exempt, or an attacker could lock the user out. On a
	// new device the user waits minutes, or resets the password by mail, which
	// makes the device a known one.
	perUser = allowance{burst: 40, interval: 90 * time.Second}
)

// maxTracked bounds the memory: when more senders appear within the hour, some are
// forgotten early. An attack from that many addresses is for a firewall to stop.
const maxTracked = 20_000

type allowance struct {
	burst    int
	interval time.Duration
}

// throttle counts failed sign-ins. It keeps one time for each sender, at which
// its allowance is whole again (the generic cell rate algorithm). It is safe
// for concurrent use.
type throttle struct {
	mu    sync.Mutex
	whole map[sender]time.Time
	// alarmed is when a user may be notified of throttled sign-ins again, by e-mail
	// address.
	alarmed map[string]time.Time
}

// sender is an address and the user it tries to sign in as; an empty e-mail
// address stands for all users.
type sender struct{ email, address string }

func newThrottle() *throttle {
	return &throttle{whole: make(map[sender]time.Time), alarmed: make(map[string]time.Time)}
}

// take counts an attempt before it is made, so that many at once cannot all
// slip through, or refuses it with fault.Limited. known: it comes from a device
// the user signed in from before.
func (t *throttle) take(email, address string, known bool, now time.Time) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	var wait time.Duration
	counts := counted(email, address, known)
	for _, c := range counts {
		wait = max(wait, t.wait(c.sender, c.allowance, now))
	}
	if wait > 0 {
		return fault.Retry(fault.Limited, wait, "too many failed attempts to sign in; try again in %s", wait.Round(time.Second))
	}
	t.makeRoom(now)
	for _, c := range counts {
		t.whole[c.sender] = later(t.whole[c.sender], now).Add(c.interval)
	}
	return nil
}

// giveBack undoes a take whose attempt was not a failure.
func (t *throttle) giveBack(email, address string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, c := range counted(email, address, known) {
		t.whole[c.sender] = t.whole[c.sender].Add(-c.interval)
	}
}

// count is one count that an attempt adds to.
type count struct {
	sender
	allowance
}

func counted(email, address string, known bool) []count {
	both, all := senders(email, address)
	counts := []count{{both, perUserAndAddress}, {all, perAddress}}
	if !known {
		counts = append(counts, count{sender{email, everywhere}, perUser})
	}
	return counts
}

// everywhere stands for all addresses; no IP address is written like it.
const everywhere = "*"

// forget clears the failures for the user from the address after a correct sign-in.
// Those of the address as a whole stay: an attacker may own an account too.
func (t *throttle) forget(email, address string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	both, _ := senders(email, address)
	delete(t.whole, both)
}

// wait returns how long until the sender may try again; 0 or less for now.
func (t *throttle) wait(s sender, a allowance, now time.Time) time.Duration {
	return later(t.whole[s], now).Sub(now) - time.Duration(a.burst-1)*a.interval
}

// makeRoom bounds the map: it drops senders whose allowance is whole and, if that
// is not enough, some others. It leaves a quarter free, so that it does not run
// for every attempt.
func (t *throttle) makeRoom(now time.Time) {
	if len(t.whole) < maxTracked {
		return
	}
	for s, at := range t.whole {
		if !at.After(now) {
			delete(t.whole, s)
		}
	}
	for s := range t.whole {
		if len(t.whole) < maxTracked*3/4 {
			return
		}
		delete(t.whole, s)
	}
}

// senders returns the two senders an attempt counts for. An IPv6 address counts
// by its network of 64 bits, which is what one subscriber has.
func senders(email, address string) (both, all sender) {
	if ip, err := netip.ParseAddr(address); err == nil {
		address = ip.Unmap().WithZone("").String()
		if ip = ip.Unmap(); ip.Is6() {
			if network, err := ip.WithZone("").Prefix(64); err == nil {
				address = network.String()
			}
		}
	}
	return sender{email, address}, sender{"", address}
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
