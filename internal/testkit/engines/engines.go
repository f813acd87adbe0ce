// Package engines finds the programs and libraries of internal/engines for tests: independent chains, the Solidity
// compiler, the accessibility checker. They are npm packages, pinned by its package-lock.json.
package engines

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// MustPath is Path for tests, which it fails if the package is missing.
func MustPath(t testing.TB, name string) string {
	t.Helper()
	path, err := Path(name)
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// Path returns the absolute path of a file or directory below node_modules, such as "axe-core/axe.min.js".
func Path(name string) (string, error) {
	directory, err := Directory()
	if err != nil {
		return "", err
	}
	path := filepath.Join(directory, "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: run `npm ci --ignore-scripts` in internal/engines, or `make test`, which does", err)
	}
	return path, nil
}

// Directory returns the absolute path of internal/engines. It works in the tests of every package of this module,
// since a test runs in its package's directory.
func Directory() (string, error) {
	directory, err := os.Getwd()
	if err != nil {
		return "", fmt.Errorf("finding the module: %w", err)
	}
	for {
		if _, err := os.Stat(filepath.Join(directory, "go.mod")); err == nil {
			return filepath.Join(directory, "internal", "engines"), nil
		}
		above := filepath.Dir(directory)
		if above == directory {
			return "", errors.New("no go.mod above the working directory: run the test inside the module")
		}
		directory = above
	}
}
