package main_test

import (
	"bufio"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	walletkeys "github.com/florinpay/florin/internal/wallet"
)

// sealedSeed returns the setting of a new seed, sealed with secretKey.
func sealedSeed(t *testing.T) string {
	t.Helper()
	raw, err := config.ParseSecretKey(secretKey)
	testkit.Must(t, err)
	sealer, err := secret.NewSealer([]byte(raw.Reveal()))
	testkit.Must(t, err)
	seed, _, err := walletkeys.GenerateSeed()
	testkit.Must(t, err)
	return "FLORIN_SOL_SEED=" + seed.Seal(sealer)
}

// TestSeed_Memory looks into the memory of a server: the seed is in one place, which is not swapped and in no core
// dump, and the program leaves no core dump at all.
func TestSeed_Memory(t *testing.T) {
	t.Parallel()
	setting := sealedSeed(t)
	raw, _ := config.ParseSecretKey(secretKey)
	sealer, err := secret.NewSealer([]byte(raw.Reveal()))
	testkit.Must(t, err)
	plain, err := sealer.OpenInto(nil, "solana deposit seed v1", strings.TrimPrefix(setting, "FLORIN_SOL_SEED="))
	testkit.Must(t, err)
	s := newInstallation(t, setting, "FLORIN_SOL_RPC=http://127.0.0.1:1", "FLORIN_METRICS_LISTEN=").serve(t)
	for range 50 {
		s.do(t, http.MethodGet, "/health", "")
	}
	pid := s.cmd.Process.Pid
	found := occurrences(t, pid, map[string]string{"key": string(plain[:32]), "chain code": string(plain[32:])})
	if found["key"] != 1 || found["chain code"] != 1 {
		t.Errorf("the seed is in memory %v times, want once", found)
	}
	if flags := flagsAt(t, pid, plain); !strings.Contains(flags, " dd") || !strings.Contains(flags, " lo") {
		t.Errorf("the memory of the seed has the flags %q, which lack dd (no core dump) or lo (locked)", flags)
	}
	limits, err := os.ReadFile(fmt.Sprintf("/proc/%d/limits", pid))
	if err != nil ||
		!strings.Contains(strings.Join(strings.Fields(string(limits)), " "), "Max core file size 0 0 bytes") {
		t.Errorf("a core dump has a size: %v\n%s", err, limits)
	}
	status, log := s.stop(t, syscall.SIGQUIT) // Go's dump of every goroutine, with arguments
	if status == 0 || !strings.Contains(log, "goroutine") || strings.Contains(log, "sealed1.") {
		t.Errorf("SIGQUIT: status %d, %d bytes of log", status, len(log))
	}
	if cores, _ := filepath.Glob(filepath.Join(s.cmd.Dir, "core*")); len(cores) > 0 {
		t.Errorf("it left %v", cores)
	}
}

// flagsAt returns the flags (VmFlags of /proc/PID/smaps) of the memory that holds the bytes.
func flagsAt(t *testing.T, pid int, wanted []byte) string {
	t.Helper()
	smaps, err := os.Open(fmt.Sprintf("/proc/%d/smaps", pid))
	testkit.Must(t, err)
	defer func() { _ = smaps.Close() }()
	memory, err := os.Open(fmt.Sprintf("/proc/%d/mem", pid))
	testkit.Must(t, err)
	defer func() { _ = memory.Close() }()
	holds := false
	for lines := bufio.NewScanner(smaps); lines.Scan(); {
		var from, to uint64
		var rights string
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x %s", &from, &to, &rights); n == 3 {
			region := make([]byte, len(wanted))
			_, _ = memory.ReadAt(region, int64(from)) // the seed begins its memory
			holds = strings.HasPrefix(rights, "rw") && string(region) == string(wanted)
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && holds {
			return flags
		}
	}
	t.Fatal("no memory begins with the seed")
	return ""
}

// TestKeygen_SealedSeed: the words of a seed are refused with the command that seals them; what it prints serves as a
// file and as a line of a .env file, and survives a change of the secret key.
func TestKeygen_SealedSeed(t *testing.T) {
	t.Parallel()
	i := newInstallation(t, "FLORIN_SOL_RPC=http://127.0.0.1:1")
	words := strings.TrimPrefix(strings.Split(i.must(t, "", "keygen", "--sol-seed"), "\n")[1], "# ")
	if len(strings.Fields(words)) != 24 {
		t.Fatalf("not the words of a seed: %q", words)
	}
	plain := installation{dir: i.dir, env: append(i.env, "FLORIN_SOL_SEED="+words)}
	plain.refuses(t, 1, []string{"config"}, "FLORIN_SOL_SEED", "florin keygen --sol-seed --sealed --words")
	sealed := i.must(t, words+"\n", "keygen", "--sol-seed", "--sealed", "--words")
	for w := range strings.FieldsSeq(words) {
		if strings.Contains(sealed, " "+w+" ") {
			t.Fatalf("a word of the seed is in %q", sealed)
		}
	}
	file := write(t, i.dir, "sol-seed", sealed)
	i.env = append(i.env, "FLORIN_SOL_SEED_FILE="+file)
	i.prints(t, "FLORIN_SOL_SEED=***", "config")
	i.must(t, "", "migrate")

	fresh, _, _ := strings.Cut(i.must(t, "", "keygen"), "\n")
	both := installation{dir: i.dir, env: append(i.env, fresh, "FLORIN_OLD_SECRET_KEY="+secretKey)}
	both.prints(t, file, "secret", "rotate")
	both.prints(t, "already", "secret", "rotate")
	i.refuses(t, 1, []string{"config"}, "FLORIN_SOL_SEED", "sealed with another key")
	i.env = append(i.env, fresh)
	i.prints(t, "FLORIN_SOL_SEED=***", "config")
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the file of the seed: %v, %v", info.Mode(), err)
	}
	if left, _ := filepath.Glob(file + ".new-*"); len(left) > 0 {
		t.Errorf("left behind: %v", left)
	}
	i.refuses(t, 1, []string{"keygen", "--sealed"}, "--sol-seed")
}
