package store_test

import (
	"context"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/backup"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

// TestStore_Adopt: what was numbered in the time that a restore lost is not numbered again.
func TestStore_Adopt(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.receiver("https://shop.example/hook")
		at := chain.Head{Number: 1000, Hash: "0x1", Time: storetest.Start}
		w.Must(w.SaveCursor(
			t.Context(), chain.Base, watch.Cursor{Scanned: at, Rechecked: at, UpdatedAt: storetest.Start},
		))
		before := w.NewPayment(k)
		w.end(k)
		_, position := w.feed(k, "")
		lost := backup.Mark{Generation: 1_000_000_000 / 10}
		now := storetest.Start.Add(time.Hour)
		a, err := w.Adopt(t.Context(), lost, now)
		w.Must(err)
		if a.Generation != lost.Generation+1 || a.Payments != 2 || a.Deliveries != 1 || a.Newest.IsZero() {
			t.Errorf("adopted: %+v", a)
		}
		after := w.Update(before.ID, func(p payment.Payment) (payment.Change, error) {
			return p.Cancel(now)
		})
		if after.Seq <= int(backup.SequenceBase(a.Generation)) || after.Seq <= before.Seq {
			t.Errorf("the sequence goes on at %d", after.Seq)
		}
		list, next, err := w.PublicEvents(t.Context(), k.ID, position, payment.MaxPage)
		w.Must(err)
		if n, err := strconv.ParseInt(next, 10, 64); err != nil || n <= backup.PositionBase(a.Generation) ||
			len(list) != 1 {
			t.Errorf("%d events up to position %q, %v", len(list), next, err)
		}
		if n := w.Count("SELECT count(*) FROM deliveries WHERE NOT replayed"); n != 0 {
			t.Errorf("%d deliveries are not marked as replayed", n)
		}
		again, err := w.Adopt(t.Context(), backup.Mark{}, now)
		w.Must(err)
		if again.Generation != a.Generation+1 {
			t.Errorf("adopted again: generation %d after %d", again.Generation, a.Generation)
		}
	})
}

// TestStore_AdoptReadsOn: each network is read on from its cursor, with every address up to now.
func TestStore_AdoptReadsOn(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		at := chain.Head{Number: 1000, Hash: "0x1", Time: storetest.Start}
		w.Must(
			w.SaveCursor(t.Context(), chain.Base, watch.Cursor{Scanned: at, Rechecked: at, UpdatedAt: storetest.Start}),
		)
		w.MustDo(w.Adopt(t.Context(), backup.Mark{}, storetest.Start.Add(24*time.Hour)))
		c, ok, err := w.Cursor(t.Context(), chain.Base)
		w.Must(err)
		if !ok || c.Scanned != at || c.Moves != 1 || c.RereadTo < 1000+24*3600*2 {
			t.Errorf("the cursor is %+v", c)
		}
		w.NewStarted(w.NewKey(100, 0)) // of after
		if n := w.Count("SELECT count(*) FROM set_aside"); n != 0 {
			t.Errorf("%d new payments are read from where the backup stands", n)
		}
	})
}

// TestStore_Tick: the mark of a database that is served grows, and one of an older copy does not pass.
func TestStore_Tick(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		old, err := w.Mark(t.Context())
		w.Must(err)
		mark, err := w.Tick(t.Context())
		w.Must(err)
		now, err := w.Mark(t.Context())
		w.Must(err)
		if now != mark || mark.Ticks != old.Ticks+1 || mark.Installation == "" {
			t.Errorf("%+v after %+v", mark, old)
		}
		w.Must(mark.Check(now))
		storetest.WantError(t, "an older copy", mark.Check(old), backup.ErrOlder)
	})
}

// TestStore_ServeHere: a database that was served elsewhere, and came here without florin restore, is not served before
// it is adopted.
func TestStore_ServeHere(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		for range 2 {
			w.Must(w.ServeHere(t.Context(), false))
		}
		w.MustDo(w.SQL().ExecContext(t.Context(), "UPDATE instance SET home = '1.2'"))
		for range 2 {
			storetest.WantError(t, "served elsewhere", w.ServeHere(t.Context(), false), backup.ErrMoved)
		}
		w.MustDo(w.Adopt(t.Context(), backup.Mark{}, storetest.Start))
		w.Must(w.ServeHere(t.Context(), false))
	})
}

// TestStore_ReplayOfANetwork: webhooks of a payment of before the restore are marked until its network is read to its
// end, whatever becomes of the others.
func TestStore_ReplayOfANetwork(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewCustodian(k, "https://shop.example/hook")
		at := chain.Head{Number: 1000, Hash: "0x1", Time: storetest.Start}
		for _, n := range []chain.Network{chain.Polygon, chain.Base} {
			w.Must(w.SaveCursor(t.Context(), n, watch.Cursor{Scanned: at, Rechecked: at, UpdatedAt: storetest.Start}))
		}
		var old []payment.Payment
		for range 3 {
			old = append(old, w.NewStarted(k)) // on Polygon
		}
		unstarted := w.NewPayment(k)
		w.MustDo(w.Adopt(t.Context(), backup.Mark{}, storetest.Start))
		cancel := func(p payment.Payment, want bool) {
			t.Helper()
			q := w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.Cancel(storetest.Start)
			})
			n := w.Count(`SELECT count(*) FROM deliveries AS d JOIN payments AS p ON p.id = d.payment_id
				WHERE d.replayed AND d.seq = p.seq AND p.public_id = '` + string(q.ID) + `'`)
			if (n > 0) != want {
				t.Errorf("the webhook of %s: replayed %t, want %t", q.ID, n > 0, want)
			}
		}
		replaying := func(want ...chain.Network) {
			t.Helper()
			got, err := w.Replaying(t.Context())
			w.Must(err)
			storetest.Same(t, "replaying", got, want)
		}
		end := func(n chain.Network, now time.Time, want bool) {
			t.Helper()
			if ended, err := w.EndReplay(t.Context(), n, now); ended != want || err != nil {
				t.Errorf("the replay of %s ended: %t, %v", n, ended, err)
			}
		}
		replaying(chain.Base, chain.Polygon)
		cancel(old[0], true)
		cancel(w.NewStarted(k), false) // of after the restore
		end(chain.Base, storetest.Start, true)
		cancel(old[1], true)
		end(chain.Polygon, storetest.Start.Add(100*24*time.Hour), false) // one has expired in the lost time
		replaying(chain.Polygon)
		cancel(unstarted, true)
		end(chain.Polygon, storetest.Start, true)
		cancel(old[2], false)
		replaying()
	})
}

// TestStore_RecordBackup: the newest backup counts, and none of before a restore.
func TestStore_RecordBackup(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		want := func(at time.Time) {
			t.Helper()
			got, err := w.Reports().BackedUpAt(t.Context())
			w.Must(err)
			if !got.Equal(at) {
				t.Errorf("backed up at %s, want %s", got, at)
			}
		}
		want(time.Time{})
		path, err := store.SQLiteFile(w.URL)
		if err != nil {
			return // PostgreSQL is backed up by its own tools
		}
		w.Must(store.RecordBackup(t.Context(), path, storetest.Start))
		w.Must(store.RecordBackup(t.Context(), path, storetest.Start.Add(-time.Hour)))
		want(storetest.Start)
		w.MustDo(w.Adopt(t.Context(), backup.Mark{}, storetest.Start))
		want(time.Time{})
	})
}

// TestStore_Served: a PostgreSQL database is served while a server listens on it, whatever it holds of servers.
func TestStore_Served(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		now := storetest.Start
		w.MustDo(w.Store.Lease(t.Context(), "retention", "gone", now, now.Add(time.Hour)))
		if served, err := w.Served(t.Context()); err != nil || served {
			t.Errorf("by a lease that it holds: %v, %v", served, err)
		}
		ctx, stop := context.WithCancel(t.Context())
		listens, ended := make(chan struct{}, 1), make(chan error, 1)
		go func() {
			ended <- w.Listen(ctx, func() {
				select {
				case listens <- struct{}{}:
				default:
				}
			})
		}()
		if w.ManyWriters() {
			<-listens
		}
		if served, err := w.Served(t.Context()); err != nil || served != w.ManyWriters() {
			t.Errorf("while one listens: %v, %v", served, err)
		}
		stop()
		<-ended
		for range 100 { // the server ends the connection's process a moment later
			if served, err := w.Served(t.Context()); err == nil && !served {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
		t.Error("it is served when nobody listens any more")
	})
}
