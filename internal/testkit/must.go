package testkit

import (
	"os"
	"path/filepath"
	"testing"
)

// Must ends the test for an error.
func Must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// ReadFile returns the content of a file.
func ReadFile(t testing.TB, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(filepath.Clean(path))
	Must(t, err)
	return content
}
