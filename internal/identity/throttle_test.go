package identity

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

// tries returns how many of the attempts pass before one is refused.
func (b bundle) tries(t *testing.T, email string, c Credentials, most int) int {
	t.Helper()
	for i := range most {
		err := b.take(t.Context(), signInLimits(email, c), tooManySignIns)
		if fault.Is(err, fault.Limited) {
			return i
		}
		testkit.Must(t, err)
	}
	return most
}

func from(address string) Credentials { return Credentials{Address: address} }

func TestThrottle(t *testing.T) {
	t.Parallel()
	b := newBundle()
	if got := b.tries(t, "ada", from("192.0.2.1"), 100); got != perUserAndAddress.burst {
		t.Errorf("%d tries pass, want %d", got, perUserAndAddress.burst)
	}
	if b.tries(t, "eve", from("192.0.2.1"), 1) != 1 {
		t.Error("another user is refused from the address")
	}
	if b.tries(t, "ada", from("192.0.2.2"), 1) != 1 {
		t.Error("the user is refused from another address")
	}
	b.clock.Pass(perUserAndAddress.interval - time.Second)
	if b.tries(t, "ada", from("192.0.2.1"), 1) != 0 {
		t.Error("a try passes before its time")
	}
	b.clock.Pass(perUserAndAddress.interval + time.Second)
	if got := b.tries(t, "ada", from("192.0.2.1"), 100); got != 2 {
		t.Errorf("%d tries pass after two intervals, want 2", got)
	}
}

// TestThrottle_Spraying: one password tried for many users counts by address.
func TestThrottle_Spraying(t *testing.T) {
	t.Parallel()
	b, passed := newBundle(), 0
	for i := range 1000 {
		passed += b.tries(t, fmt.Sprintf("user%d", i), from("192.0.2.1"), 1)
	}
	if passed != perAddress.burst {
		t.Errorf("%d tries pass, want %d", passed, perAddress.burst)
	}
}

func TestThrottle_Addresses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		a, b string
		same bool
	}{
		"one subscriber's IPv6":     {"2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true},
		"an address of the network": {"2001:db8:1:2::/64", "2001:db8:1:2:ffff::9", true},
		"two subscribers' IPv6":     {"2001:db8:1:2::1", "2001:db8:1:3::1", false},
		"IPv4 in IPv6":              {"::ffff:192.0.2.1", "192.0.2.1", true},
		"two IPv4":                  {"192.0.2.1", "192.0.2.2", false},
		"zone":                      {"fe80::1%eth0", "fe80::1%eth1", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBundle()
			b.tries(t, "ada", from(c.a), 100)
			if refused := b.tries(t, "ada", from(c.b), 1) == 0; refused != c.same {
				t.Errorf("counted together is %t, want %t", refused, c.same)
			}
		})
	}
}

// Guesses of clients whose address a proxy withholds are counted by user: one
// guesser locks nobody else out, and is not without limit.
func TestThrottle_WithheldAddress(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"", "unforwarded", "unknown"} {
		b := newBundle()
		for i := range 200 {
			if b.tries(t, fmt.Sprintf("user%d", i), from(address), 1) != 1 {
				t.Fatalf("%q: user %d is locked out by guesses at others", address, i)
			}
		}
		if got := b.tries(t, "ada", from(address), 1000); got != perUser.burst {
			t.Errorf("%q: %d guesses at one user pass, want %d", address, got, perUser.burst)
		}
		if b.tries(t, "ada", Credentials{Address: address, Device: "a"}, 1) != 1 {
			t.Errorf("%q: the user's own device is locked out", address)
		}
	}
}

func TestThrottle_RetryAfter(t *testing.T) {
	t.Parallel()
	b := newBundle()
	b.tries(t, "ada", from("192.0.2.1"), 100)
	f := fault.Of(b.take(t.Context(), signInLimits("ada", from("192.0.2.1")), tooManySignIns))
	if f == nil || f.Kind != fault.Limited || f.RetryAfter != perUserAndAddress.interval {
		t.Fatalf("the refusal is %+v, want fault.Limited and %s", f, perUserAndAddress.interval)
	}
}

// Guesses for one user from ever new addresses reach the limit of the user. A
// device the user signed in from before is not delayed; others wait minutes.
func TestThrottle_Distributed(t *testing.T) {
	t.Parallel()
	b, passed := newBundle(), 0
	for i := range 1000 {
		passed += b.tries(t, "ada", from(fmt.Sprintf("192.0.%d.%d", 2+i/250, i%250)), 1)
	}
	if passed != perUser.burst {
		t.Errorf("%d guesses from 1000 addresses pass, want %d", passed, perUser.burst)
	}
	own := Credentials{Address: "192.0.2.7", Device: "a"} // also where guesses came from
	if got := b.tries(t, "ada", own, 100); got != perDevice.burst {
		t.Errorf("%d tries pass from the user's own device, want %d", got, perDevice.burst)
	}
	if b.tries(t, "eve", from("198.51.100.7"), 1) != 1 {
		t.Error("another user waits")
	}
	err := b.take(t.Context(), signInLimits("ada", from("198.51.100.8")), tooManySignIns)
	if f := fault.Of(err); f == nil || f.Kind != fault.Limited || f.RetryAfter <= 0 || f.RetryAfter > 5*time.Minute {
		t.Errorf("a new device of the user waits: %v", err)
	}
	b.clock.Pass(perUser.interval)
	if b.tries(t, "ada", from("198.51.100.8"), 1) != 1 {
		t.Error("a new device of the user still waits")
	}
}

// Wrong codes are counted over all addresses; right ones cost nothing.
func TestThrottle_Codes(t *testing.T) {
	t.Parallel()
	b := newBundle()
	take := func(id int64) error { return b.take(t.Context(), codeLimits(User{ID: id}), tooManyCodes) }
	for range 100 {
		testkit.Must(t, errors.Join(take(1), b.giveBack(t.Context(), codeLimits(User{ID: 1}))))
	}
	passed := 0
	for range 100 {
		if take(1) == nil {
			passed++
		}
	}
	if passed != perUserCodes.burst || take(2) != nil {
		t.Errorf("%d wrong codes pass, want %d", passed, perUserCodes.burst)
	}
	hour := 0
	for range 60 {
		b.clock.Pass(time.Minute)
		if take(1) == nil {
			hour++
		}
	}
	if hour != 10 {
		t.Errorf("%d wrong codes pass in the hour after, want 10", hour)
	}
}

// Failures to sign in and to re-authenticate are recorded with their source.
func TestService_FailuresAreRecorded(t *testing.T) {
	t.Parallel()
	b := newBundle()
	u := b.mustCreateUser(t)
	_, err := b.signIn(t, email, "not the password", "192.0.2.1")
	wantErr(t, "a wrong password", err, ErrBadCredentials)
	wantErr(t, "a wrong confirmation", b.CheckPassword(t.Context(), u, secret.New("wrong"), audit.Act{Address: "192.0.2.2"}), ErrBadPassword)
	if _, err := b.signIn(t, email, password, "192.0.2.1"); err != nil {
		t.Fatal(err)
	}
	want := []audit.Entry{
		{
			At: noon, Actor: email, Action: audit.ActionSignInFailed, Subject: "test",
			Detail:  mail.T("wrong password").Kept(),
			Address: "192.0.2.1",
		},
		{
			At: noon, Actor: email, Action: audit.ActionReauthFailed, Detail: mail.T("wrong password").Kept(),
			Address: "192.0.2.2",
		},
	}
	if got := b.store.failed; len(got) != 2 || got[0] != want[0] || got[1] != want[1] {
		t.Errorf("recorded: %+v", got)
	}
}
