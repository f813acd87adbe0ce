package engines_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit/engines"
)

func TestPath(t *testing.T) {
	t.Parallel()
	t.Run("Installed", func(t *testing.T) {
		t.Parallel()
		engines.MustPath(t, "axe-core/axe.min.js")
	})
	t.Run("Missing", func(t *testing.T) {
		t.Parallel()
		_, err := engines.Path("no-such-package")
		if err == nil || !strings.Contains(err.Error(), "npm ci") {
			t.Errorf("error %v does not say how to install the package", err)
		}
	})
}
