package evm

import (
	"maps"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/chain/evm/rpc"
)

// slowReceipts holds which receipts an endpoint took too long for, and the logs of which blocks. Such a receipt is not
// asked for together with others, nor again at once: everything that reads its block would wait for it. It is safe for
// concurrent use.
type slowReceipts struct {
	now func() time.Time
	mu  sync.Mutex
	at  map[slowReceipt]time.Time
}

type slowReceipt struct {
	e  *rpc.Endpoint
	of rpc.Hash // a transaction, or a block
}

const (
	// slowRest is for how long a slow receipt is not asked for, and slowAge for how long not together with others.
	slowRest = 20 * time.Second
	slowAge  = 15 * time.Minute
	// mostSlow bounds the memory: anyone can make transactions.
	mostSlow = 10_000
)

// known reports whether the receipt was slow of late, and lately whether it was a moment ago.
func (s *slowReceipts) known(e *rpc.Endpoint, of rpc.Hash) bool { return s.within(e, of, slowAge) }

func (s *slowReceipts) lately(e *rpc.Endpoint, of rpc.Hash) bool { return s.within(e, of, slowRest) }

func (s *slowReceipts) within(e *rpc.Endpoint, of rpc.Hash, age time.Duration) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	at, known := s.at[slowReceipt{e, of}]
	return known && s.now().Sub(at) < age
}

// record keeps that the receipt was slow, or forgets it.
func (s *slowReceipts) record(e *rpc.Endpoint, of rpc.Hash, slow bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !slow {
		delete(s.at, slowReceipt{e, of})
		return
	}
	now := s.now()
	if len(s.at) >= mostSlow {
		maps.DeleteFunc(s.at, func(_ slowReceipt, at time.Time) bool { return now.Sub(at) >= slowRest })
	}
	if s.at == nil || len(s.at) >= mostSlow {
		s.at = make(map[slowReceipt]time.Time)
	}
	s.at[slowReceipt{e, of}] = now
}
