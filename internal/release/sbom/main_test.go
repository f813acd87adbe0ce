package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"
)

// TestRun: of this test's own program.
func TestRun(t *testing.T) {
	t.Parallel()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	var first, second bytes.Buffer
	for _, out := range []*bytes.Buffer{&first, &second} {
		if err := run(program, out); err != nil {
			t.Fatal(err)
		}
	}
	if first.String() != second.String() {
		t.Error("the same program gives two texts")
	}
	var d document
	if err := json.Unmarshal(first.Bytes(), &d); err != nil {
		t.Fatal(err)
	}
	uuid := regexp.MustCompile(`^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	if !uuid.MatchString(d.Serial) {
		t.Errorf("serial number %s", d.Serial)
	}
	if len(d.Components) == 0 || d.Components[0].Version != runtime.Version() ||
		len(d.Metadata.Component.Hashes) != 1 {
		t.Errorf("%+v", d)
	}
	if err := run(filepath.Join(t.TempDir(), "none"), &second); err == nil {
		t.Error("a program that is not there has a bill of materials")
	}
}

func TestBill(t *testing.T) {
	t.Parallel()
	d := bill("florin", [32]byte{1}, &debug.BuildInfo{
		GoVersion: "go1.26.8", Main: debug.Module{Path: "github.com/florinpay/florin", Version: "v1.0.0"},
		Deps: []*debug.Module{
			{Path: "example.org/a", Version: "v1.2.3", Sum: "h1:aaa="},
			{
				Path: "example.org/b", Version: "v1.0.0",
				Replace: &debug.Module{Path: "example.org/c", Version: "v2.0.0"},
			},
		},
	})
	var purls []string
	for _, c := range d.Components {
		purls = append(purls, c.PURL)
	}
	want := "pkg:golang/std@go1.26.8 pkg:golang/example.org/a@v1.2.3 pkg:golang/example.org/c@v2.0.0"
	if got := strings.Join(purls, " "); got != want {
		t.Errorf("components %s", got)
	}
	if d.Components[1].Properties[0].Value != "h1:aaa=" || d.Metadata.Component.Version != "v1.0.0" {
		t.Errorf("%+v", d)
	}
}
