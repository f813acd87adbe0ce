package db

import (
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/testkit/postgres"
)

// A pooler that pools sessions may stand in between; one that pools transactions is refused by name.
func TestPostgres_Pooler(t *testing.T) {
	t.Parallel()
	for mode, want := range map[string]error{"session": nil, "transaction": ErrPooler} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			through, _ := postgres.Pooler(t, postgres.URL(t), mode)
			e, err := Open(t.Context(), through, 4)
			if err == nil {
				err = e.Close()
			}
			if !errors.Is(err, want) {
				t.Errorf("opened with %v, want %v", err, want)
			}
		})
	}
}

// pool_max_conns bounds both pools and the connection for notifications, and leaves two to commands.
func TestPoolConns(t *testing.T) {
	t.Parallel()
	for given, want := range map[string]int{
		"": 16, "?pool_max_conns=20": 8, "?sslmode=require&pool_max_conns=9": 3,
		"?pool_max_conns=1": 1, "?pool_max_conns=100": 16,
	} {
		if got := poolConns("postgres://florin@db/florin"+given, DefaultMaxConns); got != want {
			t.Errorf("%s: %d connections a pool, want %d", given, got, want)
		}
	}
}
