package simulation

import (
	"errors"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/store"
)

// loss is a disk that is lost at a step, and restored from a backup of an earlier one. Its draws are its own, so that
// worlds without it stay as they were.
type loss struct {
	savedAt, at int // steps; at 0: none
	file        string
	wallet      chain.Address          // the merchant's at the backup
	orphaned    map[chain.Address]bool // addresses that the restored database does not know
}

// drawLoss draws the steps of the backup and of the loss: in one world in four, on SQLite.
func (w *world) drawLoss(steps int) {
	if w.postgres || w.seed%4 != 0 {
		return
	}
	r := rand.New(rand.NewPCG(w.seed, 9)) //nolint:gosec // it must be repeatable
	w.loss.savedAt = 1 + r.IntN(steps-2)
	w.loss.at = w.loss.savedAt + 1 + r.IntN(steps-w.loss.savedAt-1)
	w.loss.orphaned = map[chain.Address]bool{}
}

// lose makes the backup, or restores it, at their steps.
func (w *world) lose(step int) {
	path := strings.TrimPrefix(w.url, "sqlite://")
	switch {
	case w.loss.at == 0:
	case step == w.loss.savedAt:
		w.tracef("a backup is made")
		w.loss.file, w.loss.wallet = path+".backup", w.wallet
		w.must(store.CopyFile(w.Context(), path, w.loss.file))
	case step == w.loss.at:
		w.tracef("the backup is restored")
		w.must(w.observer.Close())
		_, err := store.ReplaceFile(w.Context(), w.loss.file, path, w.clock)
		w.must(err)
		defer guard(path, w)()
		w.observer = open(w, w.url)
		_, err = w.observer.Adopt(w.Context(), backup.Mark{}, w.clock)
		w.must(err)
		w.restartAll()
		w.forget()
	}
}

// forget drops what the restored database cannot know.
func (w *world) forget() {
	before, ids := w.last, w.ids
	w.last, w.ids = map[payment.ID]payment.Payment{}, nil
	for page := range slices.Chunk(ids, payment.MaxPage) {
		list, err := w.observer.PaymentsByID(w.Context(), page)
		w.must(err)
		for _, p := range list {
			w.last[p.ID] = p
			w.ids = append(w.ids, p.ID)
		}
	}
	slices.Sort(w.ids)
	clear(w.dirty)
	clear(w.inbox.newest) // what was waiting is sent after what was sent in the lost time, marked as replayed
	w.checked, w.wallet = -1, w.loss.wallet
	for id, p := range before {
		for _, r := range p.Routes {
			a := r.Address.Address
			if !slices.ContainsFunc(w.last[id].Routes, func(o payment.Route) bool { return o.Address.Address == a }) {
				w.loss.orphaned[a] = true
			}
		}
	}
	clear(w.sweeping)
	for _, l := range w.chains {
		list, err := w.observer.Settlement().InFlight(w.Context(), l.profile.Network)
		w.must(err)
		for _, s := range list {
			w.sweeping[s.ID] = true
		}
	}
	known := map[chain.TxHash]bool{}
	for n := range w.purchases {
		r, err := w.observer.Settlement().Recharge(w.Context(), rechargeID(n+1))
		if !errors.Is(err, recharge.ErrUnknown) {
			w.must(err)
			known[r.Bytes.Tx] = true
		}
	}
	w.transfers = slices.DeleteFunc(w.transfers, func(b boughtUnits) bool { return !known[b.tx] })
}

// TestRestored: worlds that lose their disk.
func TestRestored(t *testing.T) {
	t.Parallel()
	from := template(t)
	for n := range *seedsFlag / 4 {
		seed := (*seedFlag+3)/4*4 + 4*n
		t.Run("", func(t *testing.T) { runSQLite(t, seed, from) })
	}
}

// lostAddresses returns the addresses on the network whose payment is unknown since the restore, or was not started
// again. florin recover brings home what lies there.
func (w *world) lostAddresses(l *testChain) []chain.Address {
	var list []chain.Address
	for a := range w.loss.orphaned {
		routed := w.some(func(p payment.Payment) bool {
			return slices.ContainsFunc(p.Routes, func(r payment.Route) bool { return r.Address.Address == a })
		})
		if !routed && len(l.arrivals(len(l.blocks), a)) > 0 {
			list = append(list, a)
		}
	}
	return list
}

// inSequence reports whether the sequence may follow the one before: the next number, or the first after a restore.
func (w *world) inSequence(before, sequence int) bool {
	return sequence == before+1 || w.loss.at > 0 && !backup.Continued(before) && backup.Continued(sequence)
}
