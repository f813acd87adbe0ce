package store

import (
	"context"
	"fmt"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/meter"
)

// AddCalls adds counts of calls to what is stored, and forgets the days before the one given.
func (s *Store) AddCalls(ctx context.Context, calls []meter.Calls, forget string) error {
	err := s.db.Write(ctx, func(ctx context.Context, t tx) error {
		for _, c := range calls {
			if _, err := t.NewRaw("INSERT INTO rpc_calls (day, network, endpoint, method, calls) VALUES (?, ?, ?, ?, ?) "+
				"ON CONFLICT (day, network, endpoint, method) DO UPDATE SET calls = rpc_calls.calls + excluded.calls",
				c.Day, string(c.Network), c.Endpoint, c.Method, c.Count).Exec(ctx); err != nil {
				return err
			}
		}
		_, err := t.NewRaw("DELETE FROM rpc_calls WHERE day < ?", forget).Exec(ctx)
		return err
	})
	if err != nil {
		return fmt.Errorf("store %d counts of calls: %w", len(calls), err)
	}
	return nil
}

// CallsSince lists the calls of the day and later ones.
func (s *Store) CallsSince(ctx context.Context, day string) ([]meter.Calls, error) {
	var rows []struct {
		Day, Network, Endpoint, Method string
		Calls                          int64
	}
	err := s.db.Reader().NewRaw("SELECT day, network, endpoint, method, calls FROM rpc_calls WHERE day >= ?", day).
		Scan(ctx, &rows)
	if err != nil {
		return nil, fmt.Errorf("calls since %s: %w", day, err)
	}
	list := make([]meter.Calls, len(rows))
	for i, r := range rows {
		list[i] = meter.Calls{
			Day: r.Day, Network: chain.Network(r.Network), Endpoint: r.Endpoint, Method: r.Method, Count: r.Calls,
		}
	}
	return list, nil
}
