package evm

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// maxQuickReadCalls bounds the queries of one quick read. Where more are needed, a round that reads everything costs no
// more.
const maxQuickReadCalls = 8

// quickReadMemory is up to which block quick reads through each endpoint have found no news, where ranges are limited.
type quickReadMemory struct {
	mu   sync.Mutex
	upTo map[*rpc.Endpoint]uint64
}

// after returns from which block on a quick read must look: a few blocks that were looked at before again, because
// another node behind the same address may have answered, which did not have them yet.
func (m *quickReadMemory) after(e *rpc.Endpoint, known, overlap uint64) uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if upTo := m.upTo[e]; upTo > known+overlap {
		return upTo - overlap
	}
	return known
}

func (m *quickReadMemory) remember(e *rpc.Endpoint, upTo uint64) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.upTo == nil {
		m.upTo = make(map[*rpc.Endpoint]uint64)
	}
	m.upTo[e] = upTo
}

// QuickRead asks the preferred endpoint, or in its turn another one, for the logs of the newest blocks and, if asked
// for, for the block that is final by its tag. It reports news where it cannot tell, so that a round reads everything.
func (a *Adapter) QuickRead(ctx context.Context, l chain.Look) (seen chain.QuickRead, err error) {
	err = a.pool.InTurn(ctx, func(ctx context.Context, e *rpc.Endpoint) (err error) {
		_, perQuery := e.LogLimits()
		if e.LimitsBlocks() || l.Watch.Len() > perQuery*maxTopicQueries {
			seen, err = a.quickReadInPieces(ctx, e, l)
		} else {
			seen, err = a.quickReadAtOnce(ctx, e, l)
		}
		if errors.Is(err, rpc.ErrTooLarge) || errors.Is(err, rpc.ErrTooManyTopics) {
			// The round that follows asks for the same blocks, and learns how many the endpoint takes at once.
			seen.News, err = true, nil
		}
		return e.OfLogs(ctx, err)
	})
	return seen, err
}

// quickReadLimit is how long the logs of a quick read may take.
const quickReadLimit = 3 * time.Second

// quickReadAtOnce asks in one request from block After on, which the endpoint surely has, so that a range is never
// beyond its newest block.
func (a *Adapter) quickReadAtOnce(
	ctx context.Context, e *rpc.Endpoint, l chain.Look,
) (seen chain.QuickRead, err error) {
	_, perQuery := e.LogLimits()
	calls := rpc.Within(quickReadLimit, a.logCalls(rpc.Quantity(l.After), "latest", l.Watch, perQuery, false)...)
	logs := len(calls)
	if l.Final {
		calls = append(calls, rpc.BlockByTag(string(a.profile.Finality.Tag)))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return seen, err
	}
	if l.Final {
		if seen.Final, err = a.finalIn(replies[logs]); err != nil {
			return seen, err
		}
	}
	seen.News, _, err = a.newsIn(replies[:logs], l)
	return seen, err
}

// quickReadInPieces asks for the newest block first, and then for the blocks since the last quick read in ranges that
// the endpoint takes.
func (a *Adapter) quickReadInPieces(
	ctx context.Context, e *rpc.Endpoint, l chain.Look,
) (seen chain.QuickRead, err error) {
	calls := []rpc.Call{rpc.NewCall("eth_blockNumber")}
	if l.Final {
		calls = append(calls, rpc.BlockByTag(string(a.profile.Finality.Tag)))
	}
	replies, err := e.Ask(ctx, calls...)
	if err != nil {
		return seen, err
	}
	if l.Final {
		if seen.Final, err = a.finalIn(replies[1]); err != nil {
			return seen, err
		}
	}
	if replies[0].Err != nil {
		return seen, rpc.CallError(replies[0].Err)
	}
	head, ok := rpc.ParseNumber(replies[0].Result)
	if !ok {
		return seen, rpc.Malformed("eth_blockNumber")
	}
	calls, enough := a.pieces(e, l, head)
	if !enough || len(calls) == 0 {
		seen.News = !enough
		return seen, nil
	}
	if replies, err = e.Ask(ctx, rpc.Within(quickReadLimit, calls...)...); err != nil {
		return seen, err
	}
	var lagging bool
	if seen.News, lagging, err = a.newsIn(replies, l); err == nil && !seen.News && !lagging {
		a.quickReads.remember(e, head)
	}
	return seen, err
}

// pieces returns the queries for the blocks up to the number; enough is false if a quick read may not make so many.
func (a *Adapter) pieces(e *rpc.Endpoint, l chain.Look, head uint64) (calls []rpc.Call, enough bool) {
	const mostOverlap = 10 // blocks
	blocks, perQuery := e.LogLimits()
	first := a.quickReads.after(e, l.After, min(mostOverlap, blocks/2)) //nolint:mnd // half
	for ; first <= head && l.Watch.Len() > 0; first += blocks {
		last := min(first+blocks-1, head)
		calls = append(calls, a.logCalls(rpc.Quantity(first), rpc.Quantity(last), l.Watch, perQuery, false)...)
		if len(calls) > maxQuickReadCalls {
			return nil, false
		}
	}
	return calls, true
}

// newsIn reports whether answers have news; lagging: the endpoint does not have all the blocks yet.
func (a *Adapter) newsIn(replies []rpc.Reply, l chain.Look) (news, lagging bool, err error) {
	for _, r := range replies {
		if r.Err != nil {
			if err := rpc.LogsError(r.Err); !errors.Is(err, rpc.ErrLagging) {
				return false, false, err
			}
			lagging = true // there is nothing to see
			continue
		}
		some, err := a.news(r.Result, l)
		if err != nil {
			return false, false, err
		}
		news = news || some
	}
	return news, lagging, nil
}

// finalIn returns the number of the final block in the answer to its tag.
func (a *Adapter) finalIn(r rpc.Reply) (uint64, error) {
	final, err := tagged(r, string(a.profile.Finality.Tag))
	return final.Number, err
}

// news reports whether an answer has a transfer to a watched address that is not known.
func (a *Adapter) news(logs []byte, l chain.Look) (news bool, err error) {
	err = rpc.ReadLogs(logs, func(raw *rpc.RawLog) error {
		var to rpc.Address
		if news || raw.Removed || !raw.HasTransferTopic() || !a.isAsset(raw.Address) || !raw.IsTransfer() ||
			!raw.Recipient(&to) {
			return nil
		}
		address, watched := l.Watch.Lookup(to[:])
		if !watched {
			return nil
		}
		moved, ok := raw.Decode()
		news = ok && !moved.Units.IsZero() && l.News(address, chain.TxHash(moved.Tx.String()))
		return nil
	})
	return news, err
}
