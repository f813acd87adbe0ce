package evm

import (
	"context"
	"errors"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// Glance asks the preferred endpoint in one request for the logs of the newest blocks and, if asked for, for the block
// that is final by its tag.
func (a *Adapter) Glance(ctx context.Context, l chain.Look) (seen chain.Glance, err error) {
	err = a.pool.Do(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		seen, err = a.glanceVia(ctx, e, l)
		return err
	})
	return seen, err
}

// glanceVia asks from block After on, which the endpoint surely has, so that a range is never beyond its newest block.
func (a *Adapter) glanceVia(ctx context.Context, e *rpc.Endpoint, l chain.Look) (seen chain.Glance, err error) {
	_, perQuery := e.LogLimits()
	calls := a.logCalls(rpc.Quantity(l.After), "latest", l.Watch, perQuery, false)
	logs := len(calls)
	if l.Final {
		calls = append(calls, rpc.BlockByTag(string(a.profile.Finality.Tag)))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return seen, err
	}
	for _, r := range replies[:logs] {
		if r.Err != nil {
			if err := rpc.LogsError(r.Err); !errors.Is(err, rpc.ErrLagging) {
				return seen, err
			}
			continue // it does not have the block yet: there is nothing to see
		}
		news, err := a.news(r.Result, l)
		if err != nil {
			return seen, err
		}
		seen.News = seen.News || news
	}
	if l.Final {
		final, err := tagged(replies[logs], string(a.profile.Finality.Tag))
		if err != nil {
			return seen, err
		}
		seen.Final = final.Number
	}
	return seen, nil
}

// news reports whether an answer has a transfer to a watched address that is not known.
func (a *Adapter) news(logs []byte, l chain.Look) (news bool, err error) {
	err = rpc.ReadLogs(logs, func(raw *rpc.RawLog) error {
		var to rpc.Address
		if news || raw.Removed || !raw.HasTransferTopic() || !a.isAsset(raw.Address) || !raw.IsTransfer() ||
			!raw.Recipient(&to) {
			return nil
		}
		if _, watched := l.Watch.Lookup(to[:]); !watched {
			return nil
		}
		moved, ok := raw.Decode()
		news = ok && !moved.Units.IsZero() && !l.Known(chain.TxHash(moved.Tx.String()))
		return nil
	})
	return news, err
}
