package testkit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// MustEngine is EnginePath for tests, which it fails if the package is missing.
func MustEngine(t testing.TB, name string) string {
	t.Helper()
	path, err := EnginePath(name)
	Must(t, err)
	return path
}

// EnginePath returns the absolute path of a file or directory below node_modules of internal/engines, such as
// "axe-core/axe.min.js". The programs and libraries there are independent chains, the Solidity compiler, the
// accessibility checker: npm packages, pinned by its package-lock.json.
func EnginePath(name string) (string, error) {
	directory, err := EngineDirectory()
	if err != nil {
		return "", err
	}
	path := filepath.Join(directory, "node_modules", filepath.FromSlash(name))
	if _, err := os.Stat(path); err != nil {
		return "", fmt.Errorf("%w: run `npm ci --ignore-scripts` in internal/engines, or `make test`, which does", err)
	}
	return path, nil
}

// EngineDirectory returns the absolute path of internal/engines. It works in the tests of every package of this module,
// since a test runs in its package's directory.
func EngineDirectory() (string, error) {
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
