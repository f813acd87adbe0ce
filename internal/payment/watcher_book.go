package payment

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// rebuildEvery is how often the addresses are read anew, so that those whose
// time is over are forgotten.
const rebuildEvery = 6 * time.Hour

// watchBook is the addresses a watcher looks out for, and whose they are. On an
// EVM network it holds those of every EVM network: the same address exists on
// all of them, and money sent on the wrong one must be seen to be told about.
type watchBook struct {
	networks []chain.Network
	set      *chain.WatchSet
	owners   map[chain.Address]ID
	mark     Mark
	built    time.Time
}

func newWatchBook(n chain.Network) watchBook {
	b := watchBook{networks: []chain.Network{n}}
	if n.EVM() {
		b.networks = b.networks[:0]
		for _, o := range chain.Networks() {
			if o.EVM() {
				b.networks = append(b.networks, o)
			}
		}
	}
	b.clear()
	return b
}

func (b *watchBook) clear() {
	b.set, b.owners, b.mark = chain.NewWatchSet(0), make(map[chain.Address]ID), Mark{}
}

func (b *watchBook) owner(a chain.Address) (ID, bool) {
	id, ok := b.owners[a]
	return id, ok
}

// load brings the book up to date. It must be called after the heads are read.
func (b *watchBook) load(ctx context.Context, s WatchStore, now time.Time) error {
	if now.Sub(b.built) > rebuildEvery {
		b.clear()
	}
	added, mark, err := s.Watches(ctx, b.networks, b.mark, now.Add(-WatchAfterEnd))
	if err != nil {
		return fmt.Errorf("load watched addresses: %w", err)
	}
	if b.mark == (Mark{}) {
		b.built = now
	}
	for _, a := range added {
		if _, known := b.owners[a.Address]; known {
			continue
		}
		b.set.Add(a.Watched)
		b.owners[a.Address] = a.PaymentID
	}
	b.mark = mark
	return nil
}
