package main

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestRecharge: the printed command works. The demo merchant buys query units with the wallet of their key.
func TestRecharge(t *testing.T) {
	t.Parallel()
	s := start(t, t.TempDir())
	before, err := s.App.Merchants.Balance(t.Context(), s.Demo.KeyID)
	if err != nil {
		t.Fatal(err)
	}
	s.awaitNetworks(t)
	query := fmt.Sprintf(`mutation { rechargeApiKey(apiKey: %q, privateKey: %q, unit: 20) { code message newBalance } }`, s.Demo.Key, DemoWalletKey)
	body, err := json.Marshal(map[string]string{"query": query})
	if err != nil {
		t.Fatal(err)
	}
	request, err := http.NewRequestWithContext(
		t.Context(), http.MethodPost, s.BaseURL+"/graphql", strings.NewReader(string(body)),
	)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
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
	if err := json.NewDecoder(response.Body).Decode(&got); err != nil {
		t.Fatal(err)
	}
	if r := got.Data.RechargeAPIKey; r.Code != 200 || r.NewBalance != before.Queries+20 {
		t.Errorf("%+v, want 20 more than %d", r, before.Queries)
	}
}
