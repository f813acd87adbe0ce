package main_test

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"filippo.io/age"

	"github.com/florinpay/florin/internal/testkit"
)

// TestDocumented_Run types lines of the pages for operators into a shell, as they are written but for the folders.
func TestDocumented_Run(t *testing.T) {
	t.Parallel()
	i := newInstallation(t)
	for _, dir := range []string{"backups", "etc", "bin"} {
		testkit.Must(t, os.Mkdir(filepath.Join(i.dir, dir), 0o700))
	}
	testkit.Must(t, os.Symlink(florin, filepath.Join(i.dir, "bin", "florin")))
	identity, err := age.GenerateX25519Identity()
	testkit.Must(t, err)
	write(t, i.dir, "backup-key.txt", identity.String()+"\n")
	i.must(t, password, "user", "create", "--email", "bob@example.com")
	here := strings.NewReplacer("/mnt/backups", filepath.Join(i.dir, "backups"),
		"/etc/florin", filepath.Join(i.dir, "etc"),
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

// TestDocumented_ByHand copies the commands of "By hand" into one shell, in an empty folder where the program was
// built. What needs coins or a network, or does not end, is left out.
func TestDocumented_ByHand(t *testing.T) {
	t.Parallel()
	_, section, _ := strings.Cut(guides(t)["web/docs/operate/README.md"], "## By hand")
	box := shell.FindStringSubmatch(section)
	if box == nil {
		t.Fatal("the section has no commands")
	}
	var script strings.Builder
	for line := range strings.Lines(box[1]) {
		words := strings.Fields(line)
		switch strings.Join(words[:min(2, len(words))], " ") {
		case "make build", "florin deploy", "florin doctor", "florin serve":
		default:
			script.WriteString(line)
		}
	}
	dir := t.TempDir()
	testkit.Must(t, os.Mkdir(filepath.Join(dir, "bin"), 0o700))
	testkit.Must(t, os.Symlink(florin, filepath.Join(dir, "bin", "florin")))
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-ec", script.String())
	cmd.Dir, cmd.Stdin, cmd.Env = dir, strings.NewReader(password), []string{"PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "you@example.com") || !strings.Contains(string(out), "flk_") {
		t.Errorf("%v: %s", err, out)
	}
	if kept, err := os.Stat(filepath.Join(dir, ".env")); err != nil || kept.Mode().Perm() != 0o600 {
		t.Errorf("the file of secrets: %v, %v", kept, err)
	}
}
