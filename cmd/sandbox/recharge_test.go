package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

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
