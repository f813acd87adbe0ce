package app_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// wording is a text that no tracked file may contain. The patterns do not match themselves: one letter is in brackets.
type wording struct {
	pattern *regexp.Regexp
	in      []string // file name endings; empty means every text file
	reason  string
}

var forbidden = []wording{
	{
		pattern: regexp.MustCompile(`(^|[^\w.-])/(wor[k]/|roo[t]/|hom[e]/[a-z])`),
		reason:  "an absolute path of one machine; paths are relative to the repository or configured",
	},
	{
		pattern: regexp.MustCompile(`(?i)https?://[^/\s"']*(regist[r]y|artifactor[y]|goprox[y]|prox[y]\.golang)`),
		reason:  "lock files pin versions and hashes; where packages come from is the machine's affair",
	},
	{
		pattern: regexp.MustCompile(`\b(TOD[O]|FIXM[E]|XX[X])\b`),
		in:      []string{".go", ".templ", ".sql", ".graphqls", ".sol", ".js", ".css"},
		reason:  "what is left to do is not left in the code",
	},
	{
		pattern: regexp.MustCompile(`(?m)^(<<<<<<[<] |======[=]$|>>>>>>[>] )`),
		reason:  "a merge that was not finished",
	},
}

// found returns the first line of the text that contains the wording, empty if none does.
func (w wording) found(name string, text []byte) string {
	if len(w.in) > 0 && !hasSuffix(name, w.in) {
		return ""
	}
	at := w.pattern.FindIndex(text)
	if at == nil {
		return ""
	}
	start := bytes.LastIndexByte(text[:at[1]], '\n') + 1
	line, _, _ := bytes.Cut(text[start:], []byte("\n"))
	return strings.TrimSpace(string(line))
}

func hasSuffix(name string, endings []string) bool {
	for _, ending := range endings {
		if strings.HasSuffix(name, ending) {
			return true
		}
	}
	return false
}

func TestTrackedText(t *testing.T) {
	t.Parallel()
	root := moduleRoot(t)
	// The tree may belong to another user than the one that runs the test, as in a container.
	listing, err := exec.Command("git", "-C", root, "-c", "safe.directory=*", "ls-files", "-z").Output()
	if err != nil {
		t.Fatalf("listing the tracked files with git: %v", err)
	}
	names := strings.Split(strings.TrimRight(string(listing), "\x00"), "\x00")
	if len(names) < 10 {
		t.Fatalf("git lists %d files: the test looks in the wrong place", len(names))
	}
	for _, name := range names {
		text, err := os.ReadFile(filepath.Join(root, name))
		if os.IsNotExist(err) || bytes.IndexByte(text, 0) >= 0 {
			continue // deleted and not yet committed, or not text
		}
		testkit.Must(t, err)
		for _, word := range forbidden {
			if line := word.found(name, text); line != "" {
				t.Errorf("%s says %q: %s", name, line, word.reason)
			}
		}
	}
}

func TestWording_Found(t *testing.T) {
	t.Parallel()
	anywhere := func(name, text string) bool {
		for _, word := range forbidden {
			if word.found(name, []byte(text)) != "" {
				return true
			}
		}
		return false
	}
	// The parts are joined here, so that this file does not contain what it forbids.
	for _, bad := range []struct{ name, text string }{
		{"README.md", "first\nsee /wo" + "rk/main/x"},
		{"a.go", `"/ro` + `ot/go"`},
		{"package-lock.json", `"resolved": "https://regis` + `try.example/x.tgz"`},
		{"a.go", "// TO" + "DO: later"},
		{"a.sql", "-- FIX" + "ME"},
		{"a.go", "x\n<<<<<<" + "< HEAD\n"},
	} {
		if !anywhere(bad.name, bad.text) {
			t.Errorf("%s may say %q", bad.name, bad.text)
		}
	}
	for _, good := range []struct{ name, text string }{
		{"README.md", "a framework/test, https://example.com/roots/"},
		{"a.go", "todo := list"},
		{"CHANGELOG.md", "the TO" + "DO list"},
	} {
		if anywhere(good.name, good.text) {
			t.Errorf("%s may not say %q", good.name, good.text)
		}
	}
}
