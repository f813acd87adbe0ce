// Package main_test checks the files with which Florin is run: that they are valid, that the program takes the
// settings in them, and that they say the same as the program.
package main_test

import (
	"bytes"
	"crypto/sha1" //nolint:gosec // the length of a commit's name
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/goccy/go-yaml"

	"github.com/florinpay/florin/internal/app"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/testkit"
)

func read(t *testing.T, name string) string {
	t.Helper()
	text := testkit.ReadFile(t, name)
	return string(text)
}

// node is a value of a YAML document: a map, a list, or a scalar.
type node struct{ v any }

// at follows keys of maps and indexes of lists; what is missing is nil.
func (n node) at(path ...any) node {
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, _ := n.v.(map[string]any)
			n = node{m[p]}
		case int:
			l, _ := n.v.([]any)
			if p >= len(l) {
				return node{}
			}
			n = node{l[p]}
		}
	}
	return n
}

func (n node) is(t *testing.T, what string, want any) {
	t.Helper()
	if n.v != want {
		t.Errorf("%s is %v, want %v", what, n.v, want)
	}
}

// documents reads the YAML documents of a file.
func documents(t *testing.T, name string) (list []node) {
	t.Helper()
	d := yaml.NewDecoder(strings.NewReader(read(t, name)))
	for {
		var v map[string]any
		err := d.Decode(&v)
		if errors.Is(err, io.EOF) {
			return list
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if v != nil {
			list = append(list, node{v})
		}
	}
}

var domain = regexp.MustCompile(`\$\{DOMAIN[^}]*\}`)

// environ lists the settings of a YAML map as NAME=value. Paths of secrets are replaced by files in dir.
func environ(settings node, secrets, dir string) (list []string) {
	m, _ := settings.v.(map[string]any)
	for name, value := range m {
		text, _ := value.(string)
		if file, ok := strings.CutPrefix(text, secrets); ok {
			text = filepath.Join(dir, file)
		}
		list = append(list, name+"="+domain.ReplaceAllString(text, "pay.example.com"))
	}
	slices.Sort(list)
	return list
}

// makeSecrets runs secrets.sh in a directory of its own and returns that of the secrets.
func makeSecrets(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	script := filepath.Join(dir, "secrets.sh")
	testkit.Must(t, os.WriteFile(script, []byte(read(t, "compose/secrets.sh")), 0o700))
	var first []byte
	for range 2 { // a second run keeps what is there
		if out, err := exec.Command("sh", script).CombinedOutput(); err != nil {
			t.Fatalf("secrets.sh: %v: %s", err, out)
		}
		key, err := os.ReadFile(filepath.Join(dir, "secrets", "secret-key"))
		if err != nil || first != nil && !bytes.Equal(first, key) {
			t.Fatalf("the secret key was %q and is %q, %v", first, key, err)
		}
		first = key
	}
	for _, name := range []string{"secret-key", "evm-gas-key", "database-url", "postgres-password", "pgpass"} {
		info, err := os.Stat(filepath.Join(dir, "secrets", name))
		if err != nil || info.Mode().Perm() != 0o600 {
			t.Errorf("%s: %v, %v", name, info, err)
		}
	}
	return filepath.Join(dir, "secrets")
}

// load loads settings as the program does.
func load(t *testing.T, env []string) config.Config {
	t.Helper()
	c, err := config.Load(env, "")
	if err != nil {
		t.Fatalf("the program refuses the settings: %v", err)
	}
	return c
}

// allowed fails unless the time that stops a program by force is enough for its own stop, and little more.
func allowed(t *testing.T, what string, allowed, wait time.Duration) {
	t.Helper()
	if least := app.StopWithin(wait); allowed < least || allowed > least+10*time.Second {
		t.Errorf("%s allows %v; with FLORIN_DRAIN_WAIT=%v a stop takes up to %v", what, allowed, wait, least)
	}
}

func seconds(t *testing.T, text string) time.Duration {
	t.Helper()
	d, err := time.ParseDuration(strings.TrimSuffix(text, "s") + "s")
	testkit.Must(t, err)
	return d
}

var unitLine = regexp.MustCompile(`(?m)^([A-Za-z]+)=(.*)$`)

// TestUnit: the unit of systemd allows a whole stop and the files of 30,000 live pages.
func TestUnit(t *testing.T) {
	t.Parallel()
	dir := makeSecrets(t)
	var env []string
	values := map[string]string{}
	for _, m := range unitLine.FindAllStringSubmatch(read(t, "florin.service"), -1) {
		values[m[1]] = m[2]
		if m[1] == "Environment" {
			env = append(env, strings.ReplaceAll(m[2], "%d", dir))
		}
	}
	allowed(t, "TimeoutStopSec", seconds(t, values["TimeoutStopSec"]), load(t, env).DrainWait)
	if values["LimitNOFILE"] != "40000" || values["DynamicUser"] != "yes" || values["ProtectSystem"] != "strict" {
		t.Errorf("the unit has %v", values)
	}
}

// TestCompose: the program takes the settings, and everything that stops allows the stop of an instance.
func TestCompose(t *testing.T) {
	t.Parallel()
	file := documents(t, "compose/compose.yaml")[0]
	florin := file.at("services", "florin-1")
	env := append(environ(florin.at("environment"), "/run/secrets/", makeSecrets(t)), exampleEnv(t)...)
	wait := load(t, env).DrainWait
	for _, service := range []string{"florin-1", "florin-2", "caddy"} {
		text, _ := file.at("services", service, "stop_grace_period").v.(string)
		allowed(t, service, seconds(t, text), wait)
	}
	second := file.at("services", "florin-2")
	second.at("read_only").is(t, "read_only of the second instance", true)
	second.at("ulimits", "nofile").is(t, "nofile", uint64(40000))
	second.at("cap_drop", 0).is(t, "cap_drop", "ALL")
	subnet, _ := file.at("networks", "inside", "ipam", "config", 0, "subnet").v.(string)
	florin.at("environment", "FLORIN_TRUSTED_PROXIES").is(t, "FLORIN_TRUSTED_PROXIES", subnet)
	for _, target := range []string{
		"florin-1:8080", "florin-2:8080", "health_uri /readyz", "request_buffers 1MB", "lb_try_duration 5s", "flush_interval -1", "http://{$DOMAIN} {",
		"not header X-Api-Key *", "redir @page https://", " 403\n",
	} {
		if !strings.Contains(read(t, "compose/Caddyfile"), target) {
			t.Errorf("the Caddyfile lacks %s", target)
		}
	}
}

// ownImage is the image of the Kubernetes sample, which has a digest once it was pushed. Kubernetes refuses this one,
// so that it cannot be forgotten.
const ownImage = "registry.example.com/florin:1.0.0@sha256:DIGEST-THAT-DOCKER-PUSH-PRINTED"

// TestImages: every image but those that are built here is named by its digest, every action of the workflow by its
// commit, and none is made up.
func TestImages(t *testing.T) {
	t.Parallel()
	found, built := 0, []string{"florin:${VERSION:-local}", "florin-backup:local", ownImage}
	for _, name := range []string{
		"compose/compose.yaml", "kubernetes/florin.yaml", "kubernetes/migrate.yaml", "../Dockerfile",
		"../.ci/workflow.yml",
	} {
		for _, m := range regexp.MustCompile(`(?m)^\s*(?:image:|FROM|- uses:) (\S+)`).FindAllStringSubmatch(read(t, name), -1) {
			if found++; slices.Contains(built, m[1]) {
				continue
			}
			_, digest, _ := strings.Cut(m[1], "@")
			digest, image := strings.CutPrefix(digest, "sha256:")
			raw, err := hex.DecodeString(digest)
			size := map[bool]int{true: sha256.Size, false: sha1.Size}[image]
			if err != nil || len(raw) != size || bytes.Count(raw, raw[:1]) == len(raw) {
				t.Errorf("%s names %s without its digest", name, m[1])
			}
		}
	}
	if found < 10 {
		t.Errorf("%d images were found", found)
	}
}

// TestVerifyImages: a release asks the registries for what it names, and goes no further with what is not there or is
// something else.
func TestVerifyImages(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	// curl answers for each image with what lies in the file of its repository.
	curl := `#!/bin/sh
for a; do case $last in -o) out=$a;; esac; last=$a; done
case $last in *auth.docker.io*) echo '{"token":"t"}'; exit;; esac
cat "$(dirname "$0")/$(echo "$last" | sed 's#.*/v2/\(.*\)/manifests/.*#\1#; s#/#_#g')" >"$out" 2>/dev/null || exit 22`
	write := func(name, text string, mode os.FileMode) {
		t.Helper()
		testkit.Must(t, os.WriteFile(filepath.Join(dir, name), []byte(text), mode))
	}
	write("curl", curl, 0o755)
	write("library_caddy", "its manifest", 0o600)
	sum := sha256.Sum256([]byte("its manifest"))
	for image, want := range map[string]string{
		"caddy:2": "is there", "postgres:17": "registry-1.docker.io does not answer with it",
		"ghcr.example/library/caddy:2": "is there",
		"ghcr.example/other/caddy:2":   "ghcr.example does not answer with it",
	} {
		write("compose.yaml", "    image: "+image+"@sha256:"+hex.EncodeToString(sum[:])+" # why\n", 0o600)
		verify := exec.CommandContext(t.Context(), "../.ci/verify-images", filepath.Join(dir, "compose.yaml"))
		verify.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
		said, err := verify.CombinedOutput()
		if !strings.Contains(string(said), want) || (err == nil) != (want == "is there") {
			t.Errorf("%s: %s (%v), want %q", image, said, err, want)
		}
	}
	write("library_caddy", "another manifest", 0o600)
	write("compose.yaml", "    image: caddy:2@sha256:"+hex.EncodeToString(sum[:])+"\n", 0o600)
	verify := exec.CommandContext(t.Context(), "../.ci/verify-images", filepath.Join(dir, "compose.yaml"))
	verify.Env = append(os.Environ(), "PATH="+dir+":"+os.Getenv("PATH"))
	said, err := verify.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "answers with something else") {
		t.Errorf("another manifest: %s, %v", said, err)
	}
}

// exampleEnv lists the settings of example.env, also those that are commented out, except the addresses without value.
func exampleEnv(t *testing.T) (list []string) {
	t.Helper()
	for line := range strings.Lines(read(t, "compose/example.env")) {
		name, value, ok := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "#"), "=")
		if ok && strings.HasPrefix(name, "FLORIN_") && !strings.Contains(name, " ") {
			list = append(list, name+"="+value)
		}
	}
	return list
}

// TestReadme: the sheet for operators says how long a stop takes.
func TestReadme(t *testing.T) {
	t.Parallel()
	if d := app.StopWithin(5 * time.Second); d != 43*time.Second {
		t.Errorf("a stop takes up to %v; web/docs/operate/README.md and florin.service say 43 s", d)
	}
	if a, b := app.StopWithin(26*time.Second), app.StopWithin(time.Minute); a != 43*time.Second || b != 77*time.Second {
		t.Errorf("with a longer wait a stop takes up to %v and %v", a, b)
	}
}

// TestModule: `go install github.com/florinpay/florin/cmd/florin@version` refuses a module with a replace or exclude.
func TestModule(t *testing.T) {
	t.Parallel()
	if found := regexp.MustCompile(`(?m)^(replace|exclude)\b.*`).FindString(read(t, "../go.mod")); found != "" {
		t.Errorf("go.mod has %q", found)
	}
}
