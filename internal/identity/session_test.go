package identity

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/alexedwards/argon2id"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

func (b bundle) signIn(t *testing.T, email, password, from string) (SignedIn, error) {
	t.Helper()
	return b.SignIn(
		t.Context(), Credentials{Email: email, Password: secret.New(password), Address: from, UserAgent: "test"},
	)
}

func TestService_SignIn(t *testing.T) {
	t.Parallel()
	b := newBundle()
	u := b.mustCreateUser(t)
	in, err := b.signIn(t, "ADA@example.com", password, "192.0.2.1")
	testkit.Must(t, err)
	if in.User.ID != u.ID || !in.ExpiresAt.Equal(noon.Add(SessionTTL)) ||
		len(in.Token.Reveal()) != SessionToken.length() {
		t.Errorf("signed in: %+v", in)
	}
	if strings.Contains(fmt.Sprintf("%+v %#v", b.store.sessions, b.store.sessions), in.Token.Reveal()) {
		t.Error("the token is stored")
	}
	hash, _ := SessionToken.Hash(in.Token.Reveal())
	want := Session{Token: hash, UserID: u.ID, CreatedAt: noon, ExpiresAt: noon.Add(SessionTTL), UserAgent: "test"}
	if got := b.store.sessions[hash]; got != want {
		t.Errorf("stored: %+v, want %+v", got, want)
	}
}

func TestService_SignOut(t *testing.T) {
	t.Parallel()
	b := newBundle()
	u := b.mustCreateUser(t)
	first, err := b.startSession(t.Context(), u, "", audit.Record{})
	testkit.Must(t, err)
	second, err := b.startSession(t.Context(), u, "", audit.Record{})
	testkit.Must(t, err)
	for range 2 { // signing out twice is fine
		testkit.Must(t, b.SignOut(t.Context(), first.Token.Reveal(), audit.Record{}))
	}
	if err := b.SignOut(t.Context(), "nonsense", audit.Record{}); err != nil {
		t.Errorf("SignOut of nonsense: %v", err)
	}
	gone, _ := SessionToken.Hash(first.Token.Reveal())
	if _, ok := b.store.sessions[gone]; ok || len(b.store.sessions) != 1 {
		t.Errorf("after signing out: %+v, want the other session alone", b.store.sessions)
	}
	if _, err := b.startSession(t.Context(), User{DisabledAt: noon}, "", audit.Record{}); !errors.Is(err, ErrDisabled) {
		t.Errorf("a disabled user: %v", err)
	}
	if second.Token.Equal(first.Token) {
		t.Error("two sessions share a token")
	}
}

func TestService_SignIn_Refuses(t *testing.T) {
	t.Parallel()
	b := newBundle()
	b.mustCreateUser(t)
	for name, c := range map[string][2]string{
		"wrong password": {email, "correct horse batterY"},
		"no password":    {email, ""},
		"huge password":  {email, strings.Repeat("a", 1<<20)},
		"unknown user":   {"eve@example.com", password},
		"unknown":        {"eve@example.com", "no user has this password"},
	} {
		in, err := b.signIn(t, c[0], c[1], "192.0.2."+name[:1])
		wantErr(t, name, err, ErrBadCredentials)
		if !in.Token.Empty() {
			t.Errorf("%s: a token came with the refusal", name)
		}
	}
	_, err := b.signIn(t, "nonsense", password, "192.0.2.9")
	wantInvalid(t, "a malformed address", err, "email")
	if len(b.store.sessions) != 0 {
		t.Errorf("%d sessions were started", len(b.store.sessions))
	}
}

// TestService_SignIn_SameCharacters: the same password typed as composed and
// as decomposed characters.
func TestService_SignIn_SameCharacters(t *testing.T) {
	t.Parallel()
	b := newBundle()
	if _, err := b.CreateUser(
		t.Context(), NewUser{Email: email, Password: secret.New("pa\u0308sswo\u0308rter")},
		audit.Act{},
	); err != nil {
		t.Fatal(err)
	}
	if _, err := b.signIn(t, email, "p\u00e4ssw\u00f6rter", ""); err != nil {
		t.Errorf("composed: %v", err)
	}
}

// TestService_SignIn_SameDuration compares how long it takes to refuse a known
// and an unknown user. Hashing takes tens of milliseconds and the rest some
// microseconds, so without it the ratio would be in the hundreds.
func TestService_SignIn_SameDuration(t *testing.T) {
	t.Parallel()
	b := newBundle()
	b.mustCreateUser(t)
	fastest := map[string]time.Duration{email: time.Hour, "eve@example.com": time.Hour}
	alike := func() bool {
		known, unknown := fastest[email], fastest["eve@example.com"]
		return known < time.Hour && unknown > known/5 && unknown < known*5
	}
	for i := 0; i < 6 || !alike() && i < 20; i++ { // alternately, and more often on a busy machine
		for who := range fastest {
			start := time.Now()
			_, err := b.signIn(t, who, "not the password", fmt.Sprintf("192.0.2.%d", i))
			fastest[who] = min(fastest[who], time.Since(start))
			wantErr(t, who, err, ErrBadCredentials)
		}
	}
	if !alike() {
		t.Errorf("an unknown user and a known one are refused in %v", fastest)
	}
}

// TestDecoyHash: what is compared for an unknown user costs what the hash of a user costs.
func TestDecoyHash(t *testing.T) {
	t.Parallel()
	for _, cost := range []*argon2id.Params{
		hashing, {Memory: 8, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32},
	} {
		if got, _, _, err := argon2id.DecodeHash(decoyHash(cost)); err != nil || *got != *cost {
			t.Errorf("the decoy costs %+v (%v), want %+v", got, err, cost)
		}
	}
}

func TestService_SignIn_Throttled(t *testing.T) {
	t.Parallel()
	b := newBundle()
	b.mustCreateUser(t)
	wrong := func(from string) error {
		_, err := b.signIn(t, email, "not the password", from)
		return err
	}
	for range perUserAndAddress.burst {
		wantErr(t, "within the burst", wrong("192.0.2.1"), ErrBadCredentials)
	}
	_, err := b.signIn(t, email, password, "192.0.2.1")
	if f := fault.Of(err); f == nil || f.Kind != fault.Limited || f.RetryAfter <= 0 ||
		f.RetryAfter > perUserAndAddress.interval {
		t.Fatalf("after %d failures: %v, want fault.Limited with the time to wait", perUserAndAddress.burst, err)
	}
	if _, err := b.signIn(t, email, password, "198.51.100.1"); err != nil {
		t.Errorf("the user is locked out everywhere: %v", err)
	}
	b.clock.Pass(fault.Of(err).RetryAfter)
	if _, err := b.signIn(t, email, password, "192.0.2.1"); err != nil {
		t.Errorf("after the wait: %v", err)
	}
	for range perUserAndAddress.burst {
		wantErr(t, "after a success", wrong("192.0.2.1"), ErrBadCredentials)
	}
}

// TestService_SignIn_NotCounted: refusals that are no failure of the user do not count.
func TestService_SignIn_NotCounted(t *testing.T) {
	t.Parallel()
	b := newBundle()
	b.mustCreateUser(t)
	b.store.fail = errors.New("the database is gone")
	for range 2 * perAddress.burst {
		_, err := b.signIn(t, email, password, "192.0.2.1")
		wantErr(t, "without a database", err, b.store.fail)
	}
	b.store.fail = nil
	if _, err := b.signIn(t, email, password, "192.0.2.1"); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

func TestHasher_Concurrency(t *testing.T) {
	t.Parallel()
	h := newHasher(hashing)
	var wg sync.WaitGroup
	var mu sync.Mutex
	most := 0
	for i := range 20 {
		wg.Go(func() {
			done, err := h.turn(t.Context(), i%2 == 0)
			if err != nil {
				t.Errorf("turn: %v", err)
				return
			}
			defer done()
			mu.Lock()
			running, _ := h.counts()
			most = max(most, running)
			mu.Unlock()
			time.Sleep(2 * time.Millisecond)
		})
	}
	wg.Wait()
	if most != maxHashing {
		t.Errorf("%d hashed at once, want %d", most, maxHashing)
	}
}

func TestHasher_QueueIsBounded(t *testing.T) {
	t.Parallel()
	h := newHasher(hashing)
	ctx, leave := context.WithCancel(t.Context())
	defer leave()
	var turns []func()
	for range maxHashing {
		done, err := h.turn(ctx, false)
		testkit.Must(t, err)
		turns = append(turns, done)
	}
	var waiting sync.WaitGroup
	for range maxWaiting {
		waiting.Go(func() {
			if _, err := h.turn(ctx, false); !errors.Is(err, context.Canceled) {
				t.Errorf("a sign-in whose client left the queue gets %v", err)
			}
		})
	}
	h.wantWaiting(t, maxWaiting)
	if _, err := h.turn(t.Context(), false); !fault.Is(err, fault.Limited) {
		t.Errorf("one more than the queue holds gets %v, want fault.Limited", err)
	}
	leave()
	waiting.Wait()
	for _, done := range turns {
		done()
	}
	if running, waiting := h.counts(); waiting != 0 || running != 0 {
		t.Errorf("%d wait and %d hash in the end", waiting, running)
	}
	if _, err := h.turn(t.Context(), false); err != nil {
		t.Errorf("afterwards: %v", err)
	}
}

// wantWaiting waits until so many wait for their turn.
func (h *hasher) wantWaiting(t *testing.T, want int) {
	t.Helper()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		if _, waiting := h.counts(); waiting == want {
			return
		} else if time.Now().After(deadline) {
			t.Fatalf("%d wait, want %d", waiting, want)
		}
	}
}

// However many strangers wait, a known device is next; and a full queue of
// strangers does not refuse it.
func TestHasher_KnownDevicesGoFirst(t *testing.T) {
	t.Parallel()
	h := newHasher(hashing)
	var turns []func()
	for range maxHashing {
		done, err := h.turn(t.Context(), false)
		testkit.Must(t, err)
		turns = append(turns, done)
	}
	var order []string
	var mu sync.Mutex
	var wg sync.WaitGroup
	wait := func(name string, first bool) {
		wg.Go(func() {
			done, err := h.turn(t.Context(), first)
			if err != nil {
				t.Errorf("%s: %v", name, err)
				return
			}
			defer done()
			mu.Lock()
			defer mu.Unlock()
			order = append(order, name)
		})
	}
	for range maxWaiting {
		wait("stranger", false)
	}
	h.wantWaiting(t, maxWaiting)
	wait("known", true)
	h.wantWaiting(t, maxWaiting+1)
	turns[0]() // one slot alone, so that the order is that of the turns
	wg.Wait()
	turns[1]()
	if len(order) != maxWaiting+1 || order[0] != "known" {
		t.Errorf("the order is %v", order)
	}
}

func TestCleanUserAgent(t *testing.T) {
	t.Parallel()
	for in, want := range map[string]string{
		"Mozilla/5.0": "Mozilla/5.0", "a\r\nb\x00c\x1b[31m": "abc[31m", "\xff\xfeok": "ok",
		strings.Repeat("ü", 1000): strings.Repeat("ü", maxUserAgent),
	} {
		if got := cleanUserAgent(in); got != want {
			t.Errorf("cleanUserAgent(%.20q) = %.20q, want %.20q", in, got, want)
		}
	}
}

// TestSecretsDoNotPrint: no value the service takes or returns shows its secret.
func TestSecretsDoNotPrint(t *testing.T) {
	t.Parallel()
	b := newBundle()
	signedIn, err := b.startSession(t.Context(), User{ID: 1}, "", audit.Record{})
	testkit.Must(t, err)
	own := secret.New(password)
	var out strings.Builder
	for _, v := range []any{signedIn, &signedIn, Credentials{Password: own}, NewUser{Password: own}} {
		fmt.Fprintf(&out, "%v %+v %#v %s %q %x %d\n", v, v, v, v, v, v, v)
		slog.New(slog.NewJSONHandler(&out, nil)).Info("value", "value", v)
		slog.New(slog.NewTextHandler(&out, nil)).Info("value", "value", v)
	}
	for _, canary := range []string{signedIn.Token.Reveal(), password} {
		if strings.Contains(out.String(), canary) || strings.Contains(out.String(), fmt.Sprintf("%x", canary)) {
			t.Errorf("a secret was printed: %s", canary)
		}
	}
}
