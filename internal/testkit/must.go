package testkit

import (
	"os"
	"path/filepath"
	"testing"
	"time"
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

// rarest is the longest time from one look of Until to the next.
const rarest = 200 * time.Millisecond

// Until waits until something is so, and ends the test if that takes longer. It looks ever more rarely: most waits are
// short, and long ones leave the processors to what they wait for.
func Until(t testing.TB, within time.Duration, what string, so func() bool) {
	t.Helper()
	end := time.Now().Add(within)
	for pause := 2 * time.Millisecond; !so(); pause = min(2*pause, rarest) {
		if time.Now().After(end) {
			t.Fatalf("not within %s: %s", within, what)
		}
		time.Sleep(pause)
	}
}
