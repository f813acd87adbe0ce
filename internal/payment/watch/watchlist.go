package watch

import (
	"context"
	"fmt"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

// rebuildEvery is how often all addresses are read again, which drops those that
// are no longer watched.
const rebuildEvery = 6 * time.Hour

// watchlist holds the addresses a watcher watches, with their payments. On an
// EVM network it holds those of every EVM network: the same address exists on
// all of them, and money sent on the wrong one must be recorded.
type watchlist struct {
	networks []chain.Network
	set      *chain.WatchSet
	owners   map[chain.Address]payment.ID
	mark     Mark
	built    time.Time
	// byID are the addresses by payment, and fresh the payments whose addresses were stored since an earlier load. Both
	// are kept on networks where addresses rest.
	byID  map[payment.ID]chain.Watched
	fresh map[payment.ID]bool
	all   bool // also those of payments that ended long ago
}

func newWatchlist(n chain.Network) watchlist {
	l := watchlist{networks: []chain.Network{n}}
	if n.EVM() {
		l.networks = l.networks[:0]
		for _, o := range chain.Networks() {
			if o.EVM() {
				l.networks = append(l.networks, o)
			}
		}
	}
	l.clear()
	return l
}

func (l *watchlist) clear() {
	l.set, l.owners, l.mark = chain.NewWatchSet(0), make(map[chain.Address]payment.ID), Mark{}
	l.byID, l.fresh = make(map[payment.ID]chain.Watched), make(map[payment.ID]bool)
}

func (l *watchlist) owner(a chain.Address) (payment.ID, bool) {
	id, ok := l.owners[a]
	return id, ok
}

// load adds the addresses stored since the last load; all also takes those of
// payments that ended long ago. It must be called after
// the heads are read.
func (l *watchlist) load(ctx context.Context, s Store, now time.Time, all bool) error {
	if now.Sub(l.built) > rebuildEvery || all != l.all {
		l.clear()
	}
	l.all = all
	endedAfter := now.Add(-payment.WatchAfterEnd)
	if all {
		endedAfter = time.Unix(0, 0)
	}
	added, mark, err := s.Watches(ctx, l.networks, l.mark, endedAfter)
	if err != nil {
		return fmt.Errorf("load watched addresses: %w", err)
	}
	first := l.mark == (Mark{})
	if first {
		l.built = now
	}
	for _, a := range added {
		if _, known := l.owners[a.Address]; known {
			continue
		}
		l.set.Add(a.Watched)
		l.owners[a.Address] = a.PaymentID
		if rests(l.networks[0]) {
			l.byID[a.PaymentID] = a.Watched
			l.fresh[a.PaymentID] = !first
		}
	}
	l.mark = mark
	return nil
}
