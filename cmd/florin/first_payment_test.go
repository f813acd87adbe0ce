package main_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestDocumented_FirstPayment types the page "From key to first payment" into one shell, beside a server: its key gets
// a custodian, and an order that is read back.
func TestDocumented_FirstPayment(t *testing.T) {
	t.Parallel()
	c := startChains(t)[2]
	i := newInstallation(t, append(c.environ(), "FLORIN_CREDITS=free")...)
	i.must(t, password, "user", "create", "--email", "you@example.com")
	var key struct{ Key string }
	made := i.must(t, "", "key", "create", "--email", "you@example.com", "--json")
	testkit.Must(t, json.Unmarshal([]byte(made), &key))
	s := i.serve(t)
	fill := strings.NewReplacer("https://pay.example.com", s.url, "flk_YOUR_KEY", key.Key)
	script := "set -e\n"
	for _, line := range linesOf(fill.Replace(guides(t)["web/docs/operate/first-payment.md"])) {
		line = strings.ReplaceAll(line, "/TXNID", "/$(cat txnid)")
		if strings.Contains(line, "/create-payment") {
			line += ` | tee answer; sed -E 's/.*"txnid":"([^"]+)".*/\1/' answer > txnid`
		}
		script += line + "\n"
	}
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	cmd := exec.CommandContext(ctx, "sh", "-c", script)
	cmd.Dir, cmd.Env = t.TempDir(), []string{"PATH=/usr/bin:/bin"}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, want := range []string{`"custodian":{"id":`, `"paymentLink":"`, `"status":"PENDING"`, `"amount":1.5`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("the page lacks %s in what it prints: %s", want, out)
		}
	}
}
