package main

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/views/docs"
)

// The script of the documentation pays in the sandbox, with the key that is printed.
func TestSandbox_PayByScript(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	sample := docs.Samples(docs.PayInSandbox, s.BaseURL)[0]
	file := filepath.Join(t.TempDir(), sample.File)
	testkit.Must(t, os.WriteFile(file, []byte(sample.Code), 0o600))
	for _, how := range []string{"exactly", "other-chain"} {
		ctx, cancel := context.WithTimeout(t.Context(), patience)
		defer cancel()
		cmd := exec.CommandContext(ctx, "bash", file)
		cmd.Env = append(os.Environ(), "FLORIN_API_KEY="+s.Demo.Key, "HOW="+how)
		out, err := cmd.CombinedOutput()
		if err != nil || !strings.Contains(string(out), "COMPLETED") {
			t.Errorf("%s: %v: %s", how, err, out)
		}
	}
}
