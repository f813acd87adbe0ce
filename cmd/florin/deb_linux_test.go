package main_test

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestDeb: the package of Debian has the program, a command that finds its settings, units that run it as a user of its
// own, and settings that the program takes; its scripts make the keys once. The same program makes the same package.
func TestDeb(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("dpkg-deb"); err != nil {
		t.Fatal("dpkg-deb is missing: tests of the package run on Debian or Ubuntu")
	}
	dir := t.TempDir()
	run := func(name string, args ...string) string {
		t.Helper()
		cmd := exec.Command(name, args...)
		cmd.Env = append(cmd.Environ(), "DPKG_DEB_COMPRESSOR_LEVEL=1") // a tenth of the work
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%s %v: %v: %s", name, args, err, out)
		}
		return string(out)
	}
	var made [2]string
	for i := range made {
		file := filepath.Join(dir, string(rune('a'+i))+".deb")
		run(root+".ci/deb", "v1.2.3-rc.1", "amd64", florin, file)
		raw := testkit.ReadFile(t, file)
		made[i] = string(raw)
	}
	if made[0] != made[1] {
		t.Error("two packages of one program differ")
	}
	file, at := filepath.Join(dir, "a.deb"), func(path string) string { return filepath.Join(dir, "root", path) }
	run("dpkg-deb", "-x", file, filepath.Join(dir, "root"))
	run("dpkg-deb", "-e", file, at("DEBIAN"))
	if out := run(at("usr/lib/florin/florin"), "version"); out != "florin "+testVersion+"\n" {
		t.Errorf("florin version prints %q", out)
	}
	for _, script := range []string{"DEBIAN/postinst", "DEBIAN/prerm", "DEBIAN/postrm", "usr/bin/florin"} {
		run("sh", "-n", at(script))
	}
	unit := testkit.ReadFile(t, at("usr/lib/systemd/system/florin.service"))
	for _, line := range []string{
		"ExecStart=/usr/lib/florin/florin serve", "EnvironmentFile=/etc/florin/florin.env", "User=florin",
		"ProtectSystem=strict",
	} {
		if !slices.Contains(strings.Split(string(unit), "\n"), line) {
			t.Errorf("the unit lacks %q: %s", line, unit)
		}
	}
	if strings.Contains(string(unit), "/usr/local") || strings.Contains(string(unit), "DynamicUser") {
		t.Errorf("the unit is that of a program by hand: %s", unit)
	}
	// The settings, with the paths of the machine.
	settings := testkit.ReadFile(t, at("etc/florin/florin.env"))
	i := installation{dir: dir, env: []string{"PATH=/usr/bin:/bin"}}
	key := strings.TrimPrefix(strings.Split(i.must(t, "", "keygen"), "\n")[0], "FLORIN_SECRET_KEY=")
	write(t, dir, "secret-key", key)
	write(t, dir, "evm-gas-key", gasKey)
	text := strings.NewReplacer("/etc/florin", dir, "/var/lib/florin", dir).Replace(string(settings))
	env := write(t, dir, "florin.env", text)
	i.prints(t, "FLORIN_CREDITS=free", "--env-file", env, "config")
	i.must(t, password, "--env-file", env, "user", "create", "--email", "you@example.com", "--operator")
}
