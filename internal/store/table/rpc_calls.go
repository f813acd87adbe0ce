package table

import (
	"context"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/store/db"
)

// Calls stores how often endpoints were called (meter.Store).
type Calls struct{ engine db.Engine }

// NewCalls returns the counts of an open database.
func NewCalls(e db.Engine) Calls { return Calls{e} }

// AddCalls adds counts of calls to what is stored, and forgets the days before the one given.
func (c Calls) AddCalls(ctx context.Context, calls []chain.Calls, forget string) error {
	err := c.engine.Write(ctx, func(ctx context.Context, t db.Tx) error {
		for _, n := range calls {
			if _, err := t.NewRaw(`INSERT INTO rpc_calls (day, network, endpoint, method, calls) VALUES (?, ?, ?, ?, ?)
				ON CONFLICT (day, network, endpoint, method) DO UPDATE SET calls = rpc_calls.calls + excluded.calls`,
				n.Day, n.Network, n.Endpoint, n.Method, n.Count).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := t.NewRaw("DELETE FROM rpc_calls WHERE day < ?", forget).Exec(ctx)
		return err
	})
	return db.Wrap(err, "store %d counts of calls", len(calls))
}

// CallsSince lists the calls of the day and later ones.
func (c Calls) CallsSince(ctx context.Context, day string) ([]chain.Calls, error) {
	list, err := db.All[chain.Calls](ctx, c.engine.Reader(),
		"SELECT day, network, endpoint, method, calls AS count FROM rpc_calls WHERE day >= ?", day)
	return list, db.Wrap(err, "calls since %s", day)
}
