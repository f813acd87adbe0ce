package main_test

import (
	"context"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"filippo.io/age"

	main "github.com/florinpay/florin/cmd/florin"
	"github.com/florinpay/florin/internal/testkit"
)

const root = "../../"

// guides are the files that tell an operator what to type.
func guides(t *testing.T) map[string]string {
	t.Helper()
	files, err := filepath.Glob(root + "web/docs/operate/*.md")
	if err != nil || len(files) < 6 {
		t.Fatalf("the pages for operators: %v, %v", files, err)
	}
	for _, name := range []string{
		"README.md", "CONTRIBUTING.md", "SECURITY.md", "deploy/florin.service", "Dockerfile",
	} {
		files = append(files, root+name)
	}
	texts := make(map[string]string)
	for _, f := range files {
		text := testkit.ReadFile(t, f)
		texts[strings.TrimPrefix(f, root)] = string(text)
	}
	return texts
}

var (
	shell        = regexp.MustCompile("(?ms)^```sh\n(.*?)^```$")
	here         = regexp.MustCompile(`(?ms)^(.*) <<'END'\n.*?^END$`)
	remark       = regexp.MustCompile(`\s+# .*$`)
	redirect     = regexp.MustCompile(`\s[0-9]?[<>]+\s*\S+`)
	substitution = regexp.MustCompile(`\$\([^)]*\)`)
	connector    = regexp.MustCompile(`\s(?:&&|\|\||\||;)\s`)
	quoted       = regexp.MustCompile("`(florin [^`]+)`")
	example      = regexp.MustCompile(`(?m)^ {4}(florin .*)$`)
	explained    = regexp.MustCompile(`\s{2,}\(.*\)$`)
)

// linesOf returns the lines of the boxes of shell commands in a text, without remarks.
func linesOf(text string) []string {
	var lines []string
	for _, box := range shell.FindAllStringSubmatch(text, -1) {
		whole := strings.ReplaceAll(here.ReplaceAllString(box[1], "$1"), "\\\n", " ")
		for line := range strings.Lines(whole) {
			if line = strings.TrimSpace(remark.ReplaceAllString(strings.TrimRight(line, "\n"), "")); line != "" {
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// programs cuts a line into the programs it runs, each as its words.
func programs(line string) [][]string {
	line = redirect.ReplaceAllString(substitution.ReplaceAllString(line, "X"), "")
	var all [][]string
	for _, part := range connector.Split(line, -1) {
		words := strings.Fields(part)
		if len(words) > 4 && slices.Equal(words[:3], []string{"docker", "compose", "exec"}) {
			words = words[4:] // in a container
		}
		if len(words) > 0 && words[0] == "sudo" {
			words = words[1:]
		}
		if len(words) > 2 && words[0] == "-u" { // of sudo
			words = words[2:]
		}
		if len(words) > 0 {
			all = append(all, words)
		}
	}
	return all
}

// isFlorin reports whether a word names the program.
func isFlorin(word string) bool {
	return slices.Contains([]string{"florin", "bin/florin", "/florin"}, word)
}

// TestDocumented: every command in the guides and in the help exists, with its flags, as it is written.
func TestDocumented(t *testing.T) {
	t.Parallel()
	checked := 0
	check := func(where, line string) {
		for _, words := range programs(line) {
			switch {
			case isFlorin(words[0]):
				checked++
				if err := main.Parse(words[1:]); err != nil {
					t.Errorf("%s: %q: %v", where, line, err)
				}
			case strings.Contains(words[0], "/") && !strings.HasPrefix(words[0], "/") && !isThere(words[0]):
				t.Errorf("%s: %q: there is no %s", where, line, words[0])
			case words[0] == "make" && !isTarget(t, words[1]):
				t.Errorf("%s: make has no target %s", where, words[1])
			}
		}
	}
	for name, text := range guides(t) {
		for _, line := range linesOf(text) {
			check(name, line)
		}
	}
	helps, err := main.Helps()
	testkit.Must(t, err)
	for command, help := range helps {
		for _, e := range example.FindAllStringSubmatch(help, -1) {
			check(command+" --help", explained.ReplaceAllString(e[1], ""))
		}
	}
	if checked < 60 {
		t.Errorf("only %d commands were found", checked)
	}
}

// isThere reports whether a script of a guide exists, from the root or from where the guide has gone with cd.
func isThere(path string) bool {
	for _, from := range []string{"", "deploy/compose/"} {
		if _, err := os.Stat(root + from + path); err == nil {
			return true
		}
	}
	return false
}

func isTarget(t *testing.T, name string) bool {
	t.Helper()
	text := testkit.ReadFile(t, root+"Makefile")
	return regexp.MustCompile(`(?m)^` + regexp.QuoteMeta(name) + `:`).Match(text)
}

// TestDocumented_Quoted: what a sentence names as a command is one, with flags that it has.
func TestDocumented_Quoted(t *testing.T) {
	t.Parallel()
	found := 0
	for name, text := range guides(t) {
		for _, m := range quoted.FindAllStringSubmatch(text, -1) {
			for _, words := range programs(m[1]) {
				if !isFlorin(words[0]) {
					continue
				}
				found++
				command, flags, err := main.FlagsOf(words[1:])
				testkit.Must(t, err)
				if len(command) == 0 && !strings.HasPrefix(words[1], "--") {
					t.Errorf("%s: `%s` is no command", name, m[1])
				}
				for _, w := range words[1:] {
					if flag, _, _ := strings.Cut(w, "="); strings.HasPrefix(flag, "--") && !flags[flag] {
						t.Errorf("%s: `%s` has no flag %s", name, m[1], flag)
					}
				}
			}
		}
	}
	if found < 30 {
		t.Errorf("only %d were found", found)
	}
}

// elsewhere are the commands of the pages for operators that need more than an empty machine, with the test that runs
// them against the real thing; an empty name: it is no program of Florin's, or begins another shell.
var elsewhere = map[string]string{
	"make build": "", "make release": "", "make outages": "", "cd": "", "export": "", "cat": "", "cp": "", "chmod": "",
	"docker": "", "kubectl": "", "systemctl": "", "litestream": "", "pg_dump": "", "pg_restore": "",
	"/usr/lib/postgresql/17/bin/pg_ctl": "TestRestore_PointInTime", "echo": "", "age-keygen": "", "umask": "",
	"florin keygen >>": "TestDocumented_ByHand", "florin keygen --evm --sol >>": "TestDocumented_ByHand",
	"florin keygen --sol-seed >":                  "TestDocumented_ByHand",
	"florin keygen --sol-seed --sealed --words <": "TestDocumented_ByHand",
	"apt": "", "editor": "", "sudo florin": "TestDeb", "curl": "TestDocumented_FirstPayment",
	"./secrets.sh": "TestCompose", "deploy/compose/upgrade.sh": "TestCompose",
	"deploy/compose/backup.sh": "TestRestore_PointInTime", "deploy/compose/restore.sh": "TestRestore_PointInTime",
	"florin serve": "TestServe", "florin deploy": "TestDeploy", "florin doctor": "TestDoctor_Healthy",
	"florin rescan": "TestRescue", "florin sweep": "TestRescue", "florin recover": "TestRecover_EVM",
	"florin restore --adopt": "TestRestore_Elsewhere",
}

// TestDocumented_EachIsRun: every line of the pages for operators is run by TestDocumented_Run or by the named test.
func TestDocumented_EachIsRun(t *testing.T) {
	t.Parallel()
	tests := testNames(t)
	for _, name := range elsewhere {
		if name != "" && !tests[name] {
			t.Errorf("there is no test %s", name)
		}
	}
	for page, text := range guides(t) {
		for _, name := range namedTest.FindAllString(text, -1) {
			if !tests[name] && strings.HasPrefix(page, "web/docs/operate/") {
				t.Errorf("%s names %s, which is no test", page, name)
			}
		}
	}
	runs := make(map[string]bool)
	for _, step := range documentedRun {
		runs[step.line] = true
	}
	for name, text := range guides(t) {
		if !strings.HasPrefix(name, "web/docs/operate/") {
			continue
		}
		for _, line := range linesOf(text) {
			ok := runs[line]
			for prefix := range elsewhere {
				begins := func(words []string) bool {
					return strings.HasPrefix(strings.Join(words, " ")+" ", prefix+" ")
				}
				ok = ok || begins(strings.Fields(line)) || slices.ContainsFunc(programs(line), begins)
			}
			if !ok {
				t.Errorf("%s: no test runs %q", name, line)
			}
		}
	}
	for _, line := range slices.Sorted(maps.Keys(runs)) {
		if !isDocumented(t, line) {
			t.Errorf("no page has %q, which is run", line)
		}
	}
}

func isDocumented(t *testing.T, line string) bool {
	t.Helper()
	for _, text := range guides(t) {
		if slices.Contains(linesOf(text), line) {
			return true
		}
	}
	return false
}

var namedTest = regexp.MustCompile(`\bTest[A-Z]\w+`)

var testName = regexp.MustCompile(`(?m)^func (Test\w+)\(`)

// testNames are the tests of this package and of deploy.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := make(map[string]bool)
	for _, pattern := range []string{"*_test.go", root + "deploy/*_test.go"} {
		files, err := filepath.Glob(pattern)
		testkit.Must(t, err)
		for _, f := range files {
			text := testkit.ReadFile(t, f)
			for _, m := range testName.FindAllStringSubmatch(string(text), -1) {
				names[m[1]] = true
			}
		}
	}
	return names
}

// step is a line of the pages that is run, and what is typed into it.
type step struct {
	line, stdin, want string
	fails             bool // as it should on a machine without payments
}

// documentedRun are lines of the pages in an order in which they work on an empty machine.
var documentedRun = []step{
	{line: "florin migrate --plan", want: "up to date"},
	{line: "florin migrate", want: "up to date"},
	{line: "florin config", want: "FLORIN_SECRET_KEY"},
	{line: "florin user create --email you@example.com --operator", stdin: password, want: "you@example.com"},
	{line: "florin user operator --email bob@example.com"},
	{line: "florin user list", want: "bob@example.com"},
	{line: "florin key create --email you@example.com --wallet 0x52908400098527886E0F7030069857D2E4169EE7", want: "flk_"},
	{line: "florin key list --email you@example.com", want: "you@example.com"},
	{line: "florin credit grant --email you@example.com --credits 100", want: "120"},
	{line: "florin user password --email bob@example.com --link", want: "/reset"},
	{line: "florin user reset-factor --email bob@example.com"},
	{line: "florin user end-sessions --email bob@example.com"},
	{line: "florin erase --customer customer@example.com", want: "no payment has the customer", fails: true},
	{line: "florin keygen --evm", want: "FLORIN_EVM_GAS_KEY="},
	{line: "florin keygen --sol-seed", want: "for paper"},
	{line: "florin keygen --sol-seed --sealed --words > /etc/florin/sol-seed", stdin: seedWords},
	{line: "florin backup /mnt/backups/$(date +%F).age --recipient age1…"},
	{line: "florin restore /mnt/backups/2026-11-22.age --identity backup-key.txt"},
}

// seedWords is a seed that everybody knows.
const seedWords = "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon " +
	"abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon art\n"

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
