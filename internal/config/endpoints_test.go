package config_test

import (
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

func TestNetwork_Endpoints(t *testing.T) {
	t.Parallel()
	const key = "FLORIN_SECRET_KEY=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
	for name, c := range map[string]struct{ rpc, calls, sockets string }{
		"CallsAlone":     {"https://a.example/1,https://b.example/2", "https://a.example/1,https://b.example/2", ""},
		"SocketAlone":    {"wss://a.example/key", "https://a.example/key", "wss://a.example/key"},
		"UpperCase":      {"WSS://a.example/key", "https://a.example/key", "WSS://a.example/key"},
		"WithItsTwin":    {"https://a.example/v3/key,wss://a.example/ws/v3/key", "https://a.example/v3/key", "wss://a.example/ws/v3/key"},
		"TwinComesFirst": {"wss://a.example/ws,https://A.example/http", "https://A.example/http", "wss://a.example/ws"},
		"OtherPort":      {"http://127.0.0.1:8545,ws://127.0.0.1:8546", "http://127.0.0.1:8545", "ws://127.0.0.1:8546"},
		"OfAnother":      {"https://a.example,wss://b.example", "https://a.example,https://b.example", "wss://b.example"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			cfg, err := config.Load([]string{key, "FLORIN_BASE_RPC=" + c.rpc}, "")
			testkit.Must(t, err)
			n := cfg.Networks[0]
			if got := joined(n.Endpoints()); got != c.calls {
				t.Errorf("calls go to %s, want %s", got, c.calls)
			}
			if got := joined(n.Sockets()); got != c.sockets {
				t.Errorf("pushed by %s, want %s", got, c.sockets)
			}
		})
	}
}

func joined(list []secret.Text) string {
	texts := make([]string, len(list))
	for i, e := range list {
		texts[i] = e.Reveal()
	}
	return strings.Join(texts, ",")
}
