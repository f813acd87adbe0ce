package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"testing"

	"github.com/andybalholm/brotli"
)

// TestCurrent builds every asset again: the committed files equal the result, in all three forms.
func TestCurrent(t *testing.T) {
	t.Parallel()
	again := t.TempDir()
	if err := run("..", again); err != nil {
		t.Fatal(err)
	}
	read := func(root, name string) []byte {
		text, err := os.ReadFile(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		return text
	}
	same := func(name string) []byte {
		want := read(again, name)
		if !bytes.Equal(read("..", name), want) {
			t.Errorf("%s is stale: run go generate ./static", name)
		}
		return want
	}
	same("assets_gen.go")
	for _, b := range bundles {
		name := filepath.Join("dist", b.Name)
		if want := same(name); !b.Inline {
			checkPacked(t, name, want, func(name string) []byte { return read("..", name) })
		}
	}
}

// checkPacked unpacks the compressed forms of an asset.
func checkPacked(t *testing.T, name string, want []byte, read func(name string) []byte) {
	t.Helper()
	unzip, err := gzip.NewReader(bytes.NewReader(read(name + ".gz")))
	if err != nil {
		t.Fatal(err)
	}
	for suffix, r := range map[string]io.Reader{".gz": unzip, ".br": brotli.NewReader(bytes.NewReader(read(name + ".br")))} {
		got, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s%s holds something else than %s: %v", name, suffix, name, err)
		}
		if len(read(name+suffix)) >= len(want) {
			t.Errorf("%s%s is no smaller than %s", name, suffix, name)
		}
	}
}
