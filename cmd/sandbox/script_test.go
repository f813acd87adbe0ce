package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
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

func chainNetwork(name string) chain.Network { return chain.Network(name) }

func choice(network, token string) payment.Choice {
	return payment.Choice{Network: chain.Network(network), Token: money.Token(token)}
}

// TestRecharge: the printed command works. The demo merchant buys query units with the wallet of their key.
func TestRecharge(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	before, err := s.App.Merchants.Balance(t.Context(), s.Demo.KeyID)
	testkit.Must(t, err)
	s.awaitNetworks(t)
	query := fmt.Sprintf(`mutation { rechargeApiKey(apiKey: %q, privateKey: %q, unit: 20) { code message newBalance } }`, s.Demo.Key, DemoWalletKey)
	body, err := json.Marshal(map[string]string{"query": query})
	testkit.Must(t, err)
	request, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, s.BaseURL+"/graphql", strings.NewReader(string(body)),
	)
	testkit.Must(t, err)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	testkit.Must(t, err)
	defer response.Body.Close()
	var got struct {
		Data struct {
			RechargeAPIKey struct {
				Code       int
				Message    string
				NewBalance int64
			} `json:"rechargeApiKey"`
		}
	}
	testkit.Must(t, json.NewDecoder(response.Body).Decode(&got))
	if r := got.Data.RechargeAPIKey; r.Code != 200 || r.NewBalance != before.Queries+20 {
		t.Errorf("%+v, want 20 more than %d", r, before.Queries)
	}
}
