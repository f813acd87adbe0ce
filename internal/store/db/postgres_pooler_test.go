package db

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/testkit/postgres"
)

// A pooler that pools sessions may stand in between; one that pools transactions is refused by name.
func TestPostgres_Pooler(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]error{"session": nil, "transaction": ErrPooler} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			e, err := Open(t.Context(), pooled(t, postgres.URL(t), mode), 4)
			if err == nil {
				err = e.Close()
			}
			if !errors.Is(err, want) {
				t.Errorf("opened with %v, want %v", err, want)
			}
		})
	}
}

// pooled starts PgBouncer in front of the database, and returns its address.
func pooled(t *testing.T, address, mode string) string {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	free, err := testkit.FreePort()
	if err != nil {
		t.Fatal(err)
	}
	dir, name := t.TempDir(), strings.TrimPrefix(u.Path, "/")
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755) //nolint:gosec // PgBouncer does not run as root
	}
	settings := fmt.Sprintf("[databases]\n%s = host=%s port=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %s\n"+
		"unix_socket_dir =\nauth_type = any\npool_mode = %s\n", name, u.Hostname(), u.Port(), free, mode)
	settings = strings.Replace(settings, "port="+u.Port(), "port="+u.Port()+" user="+u.User.Username(), 1)
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(settings), 0o644); err != nil { //nolint:gosec // there is no secret in it
		t.Fatal(err)
	}
	args := []string{"-q", file}
	if os.Getuid() == 0 {
		args = []string{"-q", "-u", "nobody", file}
	}
	bouncer := exec.CommandContext(t.Context(), "pgbouncer", args...)
	var said strings.Builder
	bouncer.Stderr, bouncer.Stdout = &said, &said
	if err := bouncer.Start(); err != nil {
		t.Fatalf("install pgbouncer: %v", err)
	}
	t.Cleanup(func() { _ = bouncer.Process.Kill(); _ = bouncer.Wait() })
	u.Host = net.JoinHostPort("127.0.0.1", free)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		c, err := net.Dial("tcp", u.Host) //nolint:noctx // of this machine
		if err == nil {
			_ = c.Close()
			return u.String()
		}
		if time.Now().After(end) {
			t.Fatalf("pgbouncer does not listen: %s", said.String())
		}
	}
}

// pool_max_conns bounds both pools and the connection for notifications, and leaves two to commands.
func TestPoolConns(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]int{
		"": 16, "?pool_max_conns=20": 8, "?sslmode=require&pool_max_conns=9": 3,
		"?pool_max_conns=1": 1, "?pool_max_conns=100": 16,
	} {
		if got := poolConns("postgres://florin@db/florin"+given, DefaultMaxConns); got != want {
			t.Errorf("%s: %d connections a pool, want %d", given, got, want)
		}
	}
}
