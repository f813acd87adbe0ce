package web

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/views"
)

// The page about testing explains each button of the sandbox, by its name there.
func TestDocs_SandboxButtons(t *testing.T) {
	t.Parallel()
	page := newDesk(t).ask("GET", "/docs/testing", "").body
	for _, act := range views.SandboxActs {
		if !strings.Contains(page, "<dt>"+act.Label+"</dt>") {
			t.Errorf("the button %q is not explained", act.Label)
		}
	}
}
