package app

import (
	"encoding/base64"
	"testing"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/web"
)

// TestDefaultLimits: who configures nothing gets what the surfaces were measured with.
func TestDefaultLimits(t *testing.T) {
	t.Parallel()
	load := func(settings ...string) config.Config {
		key := base64.StdEncoding.EncodeToString(make([]byte, 32))
		c, err := config.Load(append(settings, "FLORIN_SECRET_KEY="+key), "")
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := load()
	if got, want := graphLimits(c.GraphQL), graph.DefaultLimits(); got != want {
		t.Errorf("GraphQL limits %+v, want %+v", got, want)
	}
	if got, want := rates(c.Rates), web.DefaultRates(); got != want {
		t.Errorf("rates %+v, want %+v", got, want)
	}
	c = load("FLORIN_GRAPHQL_MAX_COMPLEXITY=77", "FLORIN_GRAPHQL_MAX_BODY=5000", "FLORIN_RATE_COSTLY=3", "FLORIN_RATE_KEY_BURST=9")
	if g, r := graphLimits(c.GraphQL), rates(c.Rates); g.Fields != 77 || g.Body != 5000 || r.Costly.PerSecond != 3 || r.Key.Burst != 9 {
		t.Errorf("what was configured does not count: %+v, %+v", g, r)
	}
}
