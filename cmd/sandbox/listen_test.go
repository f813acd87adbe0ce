package main

import (
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/testkit"
)

// A sandbox whose address is taken makes nothing: another one may be using the directory.
func TestSandbox_AddressTaken(t *testing.T) {
	t.Parallel()
	taken, err := new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	defer taken.Close()
	dir := filepath.Join(t.TempDir(), "sandbox")
	s, err := Start(t.Context(), Config{
		Dir: dir, Listen: taken.Addr().String(), BlockTime: time.Second, Version: "test",
		Log: slog.New(slog.DiscardHandler),
	})
	if err == nil || s != nil || !strings.Contains(err.Error(), "FLORIN_LISTEN") {
		t.Errorf("on a taken address: %v", err)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("it has made its directory: %v", err)
	}
}

// The demo merchant's callback follows the address of the sandbox, unless its user chose another one.
func TestSandbox_CallbackOnListen(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	callback := func(s *running) string {
		c, err := s.App.Merchants.Custodian(t.Context(), s.Demo.KeyID)
		testkit.Must(t, err)
		return c.CallbackURL
	}
	first := start(t, dir)
	base := first.BaseURL
	if got := callback(first); got != base+"/sandbox/inbox" {
		t.Errorf("at first the callback is %s", got)
	}
	first.stop(t)
	second := start(t, dir)
	if got := callback(second); second.BaseURL == base || got != second.BaseURL+"/sandbox/inbox" {
		t.Errorf("at %s the callback is %s", second.BaseURL, got)
	}
	own := "http://127.0.0.1:9/own"
	if _, _, err := second.App.Merchants.ArrangeCustodian(
		t.Context(), merchant.Key{ID: second.Demo.KeyID}, merchant.CustodianInput{CallbackURL: &own}, audit.Act{},
	); err != nil {
		t.Fatal(err)
	}
	second.stop(t)
	third := start(t, dir)
	if got := callback(third); got != own {
		t.Errorf("the callback that was chosen became %s", got)
	}
	oneKey(t, third, dir)
}

// oneKey replaces the key of the demo merchant, and later revokes it. After a replacement the merchant has that one
// key, which only its user knows; after a revocation the next start prints another one.
func oneKey(t *testing.T, s *running, dir string) {
	t.Helper()
	key, err := s.App.Merchants.Authenticate(t.Context(), s.Demo.Key)
	testkit.Must(t, err)
	text, _, err := s.App.Merchants.ReplaceKey(t.Context(), key, merchant.AllPermissions(), nil, "", audit.Act{})
	testkit.Must(t, err)
	s.stop(t)
	s = start(t, dir)
	if s.Demo.Key != "" || s.Demo.KeyID != key.ID {
		t.Errorf("after the key was replaced the sandbox shows %q, of key %d", s.Demo.Key, s.Demo.KeyID)
	}
	if _, err := s.App.Merchants.Authenticate(t.Context(), text.Reveal()); err != nil {
		t.Errorf("the key of the user: %v", err)
	}
	s.wantOneKey(t, key.UserID)
	testkit.Must(t, s.App.Merchants.RevokeKey(t.Context(), key, false, audit.Act{}))
	s.stop(t)
	s = start(t, dir)
	if _, err := s.App.Merchants.Authenticate(t.Context(), s.Demo.Key); err != nil {
		t.Errorf("the key that is printed: %v", err)
	}
	s.wantOneKey(t, key.UserID)
}

// wantOneKey wants one key in use, with its wallets.
func (r *running) wantOneKey(t *testing.T, user int64) {
	t.Helper()
	keys, err := r.App.Merchants.Keys(t.Context(), user)
	if err != nil || len(keys) != 1 {
		t.Fatalf("the demo merchant has %d keys, %v", len(keys), err)
	}
	if c, err := r.App.Merchants.Custodian(t.Context(), keys[0].ID); err != nil || len(c.Wallets) != 4 {
		t.Errorf("its key has the custodian %+v, %v", c, err)
	}
}

// What the sandbox prints and the pages it serves have the address it listens on.
func TestSandbox_AnyPort(t *testing.T) {
	t.Parallel()
	s, err := Start(t.Context(), Config{
		Dir: t.TempDir(), Listen: "127.0.0.1:0", BlockTime: time.Second, Version: "test",
		Log: slog.New(slog.DiscardHandler),
	})
	testkit.Must(t, err)
	defer func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	}()
	at, err := s.App.Listen(t.Context())
	testkit.Must(t, err)
	_, port, err := net.SplitHostPort(at.String())
	if err != nil || port == "0" || s.BaseURL != "http://localhost:"+port || s.App.Config.BaseURL != s.BaseURL {
		t.Errorf("it listens on %s and says %s: %v", at, s.BaseURL, err)
	}
}
