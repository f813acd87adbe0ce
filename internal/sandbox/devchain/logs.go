package devchain

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/ethereum/go-ethereum/common"
	"github.com/ethereum/go-ethereum/core/types"
	"github.com/ethereum/go-ethereum/rpc"
)

// query says which logs are wanted. Of addresses, and of the topics in each place, one must match; none is any.
type query struct {
	BlockHash *common.Hash         `json:"blockHash"`
	FromBlock *rpc.BlockNumber     `json:"fromBlock"`
	ToBlock   *rpc.BlockNumber     `json:"toBlock"`
	Addresses some[common.Address] `json:"address"`
	Topics    []some[common.Hash]  `json:"topics"`
}

// some is one value in JSON, a list, or null.
type some[T any] []T

// UnmarshalJSON reads either form.
func (s *some[T]) UnmarshalJSON(text []byte) error {
	if text[0] == '[' || string(text) == "null" {
		return json.Unmarshal(text, (*[]T)(s))
	}
	*s = make(some[T], 1)
	return json.Unmarshal(text, &(*s)[0])
}

// maxTopics is the most topics that a log has.
const maxTopics = 4

// badParams is an error of the caller.
type badParams string

func (e badParams) Error() string { return string(e) }

// ErrorCode is that of JSON-RPC 2.0 for wrong parameters.
func (e badParams) ErrorCode() int { return -32602 }

// GetLogs returns the logs of a block, or of a range of the chain, oldest first.
func (a *ethAPI) GetLogs(q query) ([]*types.Log, error) {
	if len(q.Topics) > maxTopics {
		return nil, badParams("exceed max topics")
	}
	if q.BlockHash != nil {
		if q.FromBlock != nil || q.ToBlock != nil {
			return nil, badParams("can't specify fromBlock/toBlock with blockHash")
		}
		b, _ := a.chain.byHash(*q.BlockHash)
		if b == nil {
			return nil, errors.New("unknown block")
		}
		return q.match([]*block{b}), nil
	}
	blocks := a.chain.chain()
	from, err := a.bound(q.FromBlock, blocks)
	if err != nil {
		return nil, err
	}
	to, err := a.bound(q.ToBlock, blocks)
	switch {
	case err != nil:
		return nil, err
	case from > to:
		return nil, badParams("invalid block range params")
	case to >= len(blocks):
		return nil, badParams("block range extends beyond current head block")
	}
	return q.match(blocks[from : to+1]), nil
}

// bound is the number of an end of a range.
func (a *ethAPI) bound(at *rpc.BlockNumber, blocks []*block) (int, error) {
	safe, final := a.chain.labels()
	switch {
	case at == nil || *at == rpc.LatestBlockNumber:
		return len(blocks) - 1, nil
	case *at == rpc.PendingBlockNumber:
		return 0, badParams("pending logs are not supported")
	case *at == rpc.SafeBlockNumber:
		return int(safe), nil
	case *at == rpc.FinalizedBlockNumber:
		return int(final), nil
	case *at == rpc.EarliestBlockNumber:
		return 0, nil
	case *at < 0:
		return 0, errors.New("negative block number")
	}
	return int(*at), nil
}

// match returns the wanted logs of the blocks.
func (q query) match(blocks []*block) []*types.Log {
	found := []*types.Log{}
	for _, b := range blocks {
		for _, receipt := range b.receipts() {
			for _, log := range receipt.Logs {
				if q.matches(log) {
					found = append(found, log)
				}
			}
		}
	}
	return found
}

func (q query) matches(log *types.Log) bool {
	if len(q.Topics) > len(log.Topics) || len(q.Addresses) > 0 && !slices.Contains(q.Addresses, log.Address) {
		return false
	}
	for i, topics := range q.Topics {
		if len(topics) > 0 && !slices.Contains(topics, log.Topics[i]) {
			return false
		}
	}
	return true
}

// NewHeads sends every new head's header to the subscriber.
func (a *ethAPI) NewHeads(ctx context.Context) (*rpc.Subscription, error) {
	return a.subscribe(ctx, func(c change, send func(any)) { send(c.head.header()) })
}

// Logs sends the wanted logs of every new block to the subscriber, and those of removed blocks once more, marked
// as removed.
func (a *ethAPI) Logs(ctx context.Context, q query) (*rpc.Subscription, error) {
	return a.subscribe(ctx, func(c change, send func(any)) {
		for _, log := range q.match(c.removed) {
			gone := *log
			gone.Removed = true
			send(&gone)
		}
		if c.added != nil {
			for _, log := range q.match([]*block{c.added}) {
				send(log)
			}
		}
	})
}

// maxBehind is by how many changes of the head a subscriber may lag before the chain waits for it.
const maxBehind = 1000

func (a *ethAPI) subscribe(ctx context.Context, each func(change, func(any))) (*rpc.Subscription, error) {
	notifier, ok := rpc.NotifierFromContext(ctx)
	if !ok {
		return nil, rpc.ErrNotificationsUnsupported
	}
	subscription := notifier.CreateSubscription()
	changes := make(chan change, maxBehind)
	source := a.chain.changes.Subscribe(changes)
	go func() {
		defer source.Unsubscribe()
		for {
			select {
			case c := <-changes:
				each(c, func(value any) { _ = notifier.Notify(subscription.ID, value) }) // a lost connection ends it
			case <-subscription.Err():
				return
			}
		}
	}()
	return subscription, nil
}
