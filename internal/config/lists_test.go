package config

import (
	"reflect"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

// TestLoad_Lists: the parts of every list may be separated as other programs do it, and a list without a part is
// refused by name.
func TestLoad_Lists(t *testing.T) {
	t.Parallel()
	for name, parts := range map[string][2]string{
		"FLORIN_BASE_RPC":         {"https://a.example.com/v2/key", "wss://b.example.com"},
		"FLORIN_BASE_RPC_BUDGET":  {"5000", Unlimited},
		"FLORIN_BASE_RATE_FEEDS":  {"EUR=" + token + "@26h", "USDC=" + None},
		"FLORIN_RATE_SOURCES":     {"coinbase", "kraken=https://rates.example.com"},
		"FLORIN_CALLBACK_HOSTS":   {"shop.example", "*.nordlicht.example"},
		"FLORIN_OPERATOR_EMAIL":   {"ops@example.com", "night@example.com"},
		"FLORIN_TRUSTED_PROXIES":  {"10.0.0.0/8", "::1"},
		"FLORIN_POLYGON_RPC_FILE": {"https://a.example.com/v2/key", "https://b.example.com"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			set := func(text string) (Config, error) {
				if name == "FLORIN_POLYGON_RPC_FILE" {
					text = file(t, text)
				}
				c, err := Load(environ("FLORIN_BASE_RPC=https://a.example.com", "FLORIN_SMTP_URL=smtp://mail.example.com",
					"FLORIN_MAIL_FROM=pay@example.com", name+"="+text), "")
				c.printed = nil
				return c, err
			}
			want, err := set(parts[0] + "," + parts[1])
			testkit.Must(t, err)
			for _, between := range []string{", ", ";", "; ", " ", "\t", "\n", "\r\n", ",,", " ,\n "} {
				got, err := set(parts[0] + between + parts[1])
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("with %q between its parts: %v, or another list", between, err)
				}
			}
			for _, around := range [][2]string{{"", ","}, {"", ";"}, {",", ""}, {" ", " \n"}} {
				got, err := set(around[0] + parts[0] + "," + parts[1] + around[1])
				if err != nil || !reflect.DeepEqual(got, want) {
					t.Errorf("with %q around it: %v, or another list", around, err)
				}
			}
			for _, empty := range []string{",", " ; ", "\n,"} {
				if _, err := set(empty); len(asProblems(t, err)) != 1 || asProblems(t, err)[0].Name+"_FILE" != name &&
					asProblems(t, err)[0].Name != name {
					t.Errorf("%q: %v does not name the setting", empty, err)
				}
			}
		})
	}
}
