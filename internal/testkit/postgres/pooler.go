package postgres

import (
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
)

// Pooler starts PgBouncer in front of the database, pooling sessions or transactions, and returns its address, and what
// kills it and starts it again.
func Pooler(t testing.TB, address, mode string) (through string, restart func()) {
	t.Helper()
	u, err := url.Parse(address)
	testkit.Must(t, err)
	dir, free := t.TempDir(), testkit.MustPort(t)
	for d := dir; d != os.TempDir() && d != "/"; d = filepath.Dir(d) {
		_ = os.Chmod(d, 0o755) //nolint:gosec // PgBouncer does not run as root
	}
	settings := fmt.Sprintf("[databases]\n%s = host=%s port=%s user=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\n"+
		"listen_port = %s\nunix_socket_dir =\nauth_type = any\npool_mode = %s\ndefault_pool_size = 40\n",
		strings.TrimPrefix(u.Path, "/"), u.Hostname(), u.Port(), u.User.Username(), free, mode)
	file := filepath.Join(dir, "pgbouncer.ini")
	testkit.Must(t, os.WriteFile(file, []byte(settings), 0o644)) //nolint:gosec // there is no secret in it
	args := []string{"-q", file}
	if os.Getuid() == 0 {
		args = []string{"-q", "-u", "nobody", file}
	}
	u.Host = net.JoinHostPort("127.0.0.1", free)
	var bouncer *exec.Cmd
	stop := func() {
		_ = bouncer.Process.Kill()
		_ = bouncer.Wait()
	}
	start := func() {
		t.Helper()
		var said strings.Builder
		bouncer = exec.Command("pgbouncer", args...)
		bouncer.Stderr, bouncer.Stdout = &said, &said
		if err := bouncer.Start(); err != nil {
			t.Fatalf(".ci/install-programs installs pgbouncer: %v", err)
		}
		for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
			c, err := net.Dial("tcp", u.Host) //nolint:noctx // of this machine
			if err == nil {
				_ = c.Close()
				return
			}
			if time.Now().After(end) {
				t.Fatalf("pgbouncer does not listen: %s", said.String())
			}
		}
	}
	start()
	t.Cleanup(func() { stop() })
	return u.String(), func() { t.Helper(); stop(); start() }
}
