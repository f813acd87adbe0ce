package main_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"
)

// TestDocumented_Run types lines of the pages for operators into a shell, as they are written but for the folders.
func TestDocumented_Run(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	for _, dir := range []string{"backups", "etc", "bin"} {
		if err := os.Mkdir(filepath.Join(i.dir, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(florin, filepath.Join(i.dir, "bin", "florin")); err != nil {
		t.Fatal(err)
	}
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	write(t, i.dir, "backup-key.txt", identity.String()+"\n")
	i.must(t, password, "user", "create", "--email", "bob@example.com")
	here := strings.NewReplacer("/mnt/backups", filepath.Join(
		i.dir, "backups",
	), "/etc/florin", filepath.Join(i.dir, "etc"),
		"age1…", identity.Recipient().String(), "$(date +%F)", "2026-11-22",
		"florin restore ", "florin restore --force ")
	for _, s := range documentedRun {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		cmd := exec.CommandContext(ctx, "sh", "-ec", here.Replace(s.line))
		cmd.Dir, cmd.Stdin = i.dir, strings.NewReader(s.stdin)
		cmd.Env = append([]string{"PATH=" + filepath.Join(i.dir, "bin") + ":/usr/bin:/bin"}, i.env...)
		out, err := cmd.CombinedOutput()
		cancel()
		if (err != nil) != s.fails || !strings.Contains(string(out), s.want) {
			t.Errorf("%s: %v, want %q: %s", s.line, err, s.want, out)
		}
	}
	sealed, err := os.ReadFile(filepath.Join(i.dir, "etc", "sol-seed"))
	if err != nil || len(sealed) == 0 || strings.Contains(string(sealed), "abandon") {
		t.Errorf("the sealed seed is %q, %v", sealed, err)
	}
}
