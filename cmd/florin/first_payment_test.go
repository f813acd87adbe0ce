package main_test

import (
	"context"
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/sandbox/devchain"
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

// TestPay_Otherwise: a payer who sends the other token, or pays on another EVM network
// of the same wallet, has paid, and the money arrives at that wallet.
func TestPay_Otherwise(t *testing.T) {
	t.Parallel()
	s := openShop(t, settling...)
	s.fundGas(t)
	polygon, base := s.chains[1], s.chains[2]
	otherToken, at := s.start(t, "POLYGON", "USDT", 1250)
	polygon.pay(t, polygon.Tokens().USDC, at, 1250)
	otherNetwork, at := s.start(t, "POLYGON", "USDT", 2000)
	tx := base.pay(t, base.Tokens().USDT, at, 2000)
	inParts, at := s.start(t, "POLYGON", "USDC", 900)
	polygon.pay(t, polygon.Tokens().USDC, at, 400)
	base.pay(t, base.Tokens().USDC, at, 500)

	if p := s.await(t, otherToken, "COMPLETED"); p["token"] != "USDC" || p["network"] != "POLYGON" {
		t.Errorf("paid in the other token: %v", p)
	}
	if p := s.await(t, otherNetwork, "COMPLETED"); p["network"] != "BASE" || p["hash"] != tx {
		t.Errorf("paid on the other network by %s: %v", tx, p)
	}
	if a := s.awaitWebhook(t, otherNetwork, "completed"); a.body["network"] != "base" || a.body["token"] != "USDT" {
		t.Errorf("webhook: %v", a.body)
	}
	if p := s.await(t, inParts, "COMPLETED"); p["receivedAmount"] != 9.0 {
		t.Errorf("paid in two parts: %v", p)
	}
	s.awaitSwept(t)
	for what, sum := range map[string]struct {
		of    testChain
		token devchain.Token
		cents int64
	}{
		"USDC on Polygon": {polygon, polygon.Tokens().USDC, 1250 + 400},
		"USDT on Base":    {base, base.Tokens().USDT, 2000},
		"USDC on Base":    {base, base.Tokens().USDC, 500},
	} {
		eventually(t, what+" at the wallet", func() bool {
			return sum.of.balance(t, sum.token, settlementWallet) == sum.cents
		})
	}
	if out := s.must(t, "", "reconcile"); !strings.HasPrefix(out, "No differences in ") {
		t.Errorf("reconcile says %q", out)
	}
}
