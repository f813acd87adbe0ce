package testkit_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

func TestEnginePath(t *testing.T) {
	t.Parallel()
	t.Run("Installed", func(t *testing.T) {
		t.Parallel()
		testkit.MustEngine(t, "axe-core/axe.min.js")
	})
	t.Run("Missing", func(t *testing.T) {
		t.Parallel()
		_, err := testkit.EnginePath("no-such-package")
		if err == nil || !strings.Contains(err.Error(), "npm ci") {
			t.Errorf("error %v does not say how to install the package", err)
		}
	})
}
