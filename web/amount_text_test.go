package web

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/money"
)

// An amount over REST may be a decimal text where that is unambiguous, exact to its last place.
func TestAmountText(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newMerchant(30)
	c := b.newCampaign(m)
	for text, want := range map[string]money.Micros{
		"12.50": 12_500_000, "5": 5_000_000, "0.01": 10_000, "49.123456": 49_123_456, "999999.99": 999_999_990_000,
		"1000000": 1_000_000_000_000, "0.123": 123_000, "12.5000000": 12_500_000, " 12.50\n": 12_500_000,
		"1000.5": 1_000_500_000,
	} {
		text = string(encoded(t, text))
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":`+text+`}`)
		p, err := b.payments.Get(t.Context(), got.text(t, "transaction.txnid"))
		must(t, err)
		if p.Amount != want {
			t.Errorf("%s is %s", text, p.Amount)
		}
	}
	if p := b.gift(c, `{"amount":"5.25","network":"POLYGON","token":"USDC"}`); p.Amount != 5_250_000 {
		t.Errorf("a donation of %s", p.Amount)
	}
	for _, text := range []string{
		"12,50", "1,234.50", "1.234,50", "1.000", "12.345", "1.234.567", "1e3", "1E3", "+5", "-5", ".5",
		"5.", "012.50", "0x10",
		"5 USD", "$5", "1 000", "1_000", "NaN", "Infinity", "٥", "５", "five", "12.50.00", "1'000",
		"", "  ", "0", "0.001", "12.1234567",
	} {
		text = string(encoded(t, text))
		got := b.ask("POST", "/create-payment", `{"apiKey":"`+m.text+`","amount":`+text+`}`)
		if got.status != 400 || !strings.Contains(got.text(t, "message"), "amount") {
			t.Errorf("%s: %d %s", text, got.status, got.start())
		}
	}
	if got := b.graphQL(`mutation { payment(apiKey: "`+m.text+`", amount: "5") { code message } }`, ""); !strings.Contains(
		got.body, `"code":400`,
	) {
		t.Errorf("GraphQL takes a text: %s", got.body)
	}
}

func encoded(t *testing.T, text string) []byte {
	t.Helper()
	raw, err := json.Marshal(text)
	must(t, err)
	return raw
}

// Every amount in openapi.json says that it is a double of 6 places within bounds; a generator would choose a type of 7
// digits otherwise.
func TestOpenAPI_Amounts(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	var document any
	must(t, json.Unmarshal([]byte(b.ask("GET", "/openapi.json", "").body), &document))
	amounts := 0
	var look func(path string, v any)
	look = func(path string, v any) {
		switch v := v.(type) {
		case map[string]any:
			kind, _ := json.Marshal(v["type"])
			if strings.Contains(string(kind), `"number"`) {
				amounts++
				if v["format"] != "double" || v["multipleOf"] != 1e-6 || v["minimum"] == nil || v["maximum"] == nil {
					t.Errorf("%s is %v", path, v)
				}
				asked := strings.HasSuffix(path, "Request/properties/amount")
				if asked && (v["minimum"] != 0.01 || v["maximum"] != 1e6) {
					t.Errorf("%s does not have the bounds of the server: %v", path, v)
				}
			}
			for name, each := range v {
				look(path+"/"+name, each)
			}
		case []any:
			for _, each := range v {
				look(path, each)
			}
		}
	}
	look("", document)
	if amounts < 15 {
		t.Errorf("only %d amounts", amounts)
	}
}
