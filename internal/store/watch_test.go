package store_test

import (
	"math"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

// watched returns what Watches gives, as a set, and the next mark.
func (w *world) watched(
	since watch.Mark, endedAfter time.Time, networks ...chain.Network,
) (map[payment.ID]watch.Address, watch.Mark) {
	w.T.Helper()
	list, next, err := w.Watches(w.T.Context(), networks, since, endedAfter)
	w.Must(err)
	set := make(map[payment.ID]watch.Address)
	for _, x := range list {
		set[x.PaymentID] = x
	}
	return set, next
}

func TestStore_Watches(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		w.NewPayment(k) // was never started: has no address
		running, ended, longEnded := w.NewStarted(k), w.NewStarted(k), w.NewStarted(k)
		for p, when := range map[payment.ID]time.Time{
			ended.ID: storetest.Start.Add(time.Hour), longEnded.ID: storetest.Start,
		} {
			w.Update(p, func(q payment.Payment) (payment.Change, error) {
				return q.Cancel(when)
			})
		}
		set, mark := w.watched(watch.Mark{}, storetest.Start, chain.Polygon)
		if len(set) != 2 || set[running.ID].Address != running.Routes[0].Address.Address ||
			set[ended.ID].PaymentID == "" {
			t.Errorf("at first: %+v", set)
		}
		storetest.Same(t, "a watch", set[running.ID], watch.Address{
			Watched: running.Routes[0].Address, PaymentID: running.ID, Network: chain.Polygon,
		})
		if none, _ := w.watched(watch.Mark{}, storetest.Start, chain.Base, chain.Solana); len(none) != 0 {
			t.Errorf("on other networks: %+v", none)
		}
		late := w.NewStarted(k)
		w.Update(late.ID, storetest.StartOn(chain.Base, money.USDC, storetest.Start.Add(time.Minute)))
		next, mark := w.watched(mark, storetest.Start, chain.Polygon)
		if _, ok := next[late.ID]; !ok {
			t.Errorf("the new address is missing: %+v", next)
		}
		if base, _ := w.watched(watch.Mark{}, storetest.Start, chain.Base); len(base) != 1 {
			t.Errorf("on Base: %+v", base)
		}
		// On PostgreSQL what is new may come again, as long as any transaction
		// on the server, another test's for instance, runs since before it.
		again, _ := w.watched(mark, storetest.Start, chain.Polygon)
		delete(again, late.ID)
		if w.ManyWriters() {
			delete(again, running.ID)
			delete(again, ended.ID)
		}
		if len(again) != 0 {
			t.Errorf("with nothing new: %+v", again)
		}
	})
}

// An address whose transaction began first and commits last is not skipped.
func TestStore_Watches_LateCommit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		late := w.NewPayment(k)
		_, mark := w.watched(watch.Mark{}, storetest.Start, chain.Polygon)

		open, err := w.SQL().Begin()
		w.Must(err)
		defer func() { _ = open.Rollback() }()
		r := storetest.RouteOf(chain.Polygon, late.Number)
		xact := "0"
		if w.ManyWriters() {
			xact = "pg_current_xact_id()::text::bigint"
		}
		_, err = open.Exec(`INSERT INTO routes (payment_id, network, address, raw, settlement, scheme, tokens, since, xact)
			SELECT id, 'POLYGON', $1, $2, $1, 1, 'USDC', created_at, `+xact+` FROM payments WHERE id = $3`,
			db.Packed(r.Address.Address), r.Address.Raw, late.Number)
		w.Must(err)
		seen := make(map[payment.ID]bool)
		read := func() {
			set, next := w.watched(mark, storetest.Start, chain.Polygon)
			for id := range set {
				seen[id] = true
			}
			mark = next
		}
		if w.ManyWriters() { // on SQLite no other can write meanwhile
			for range 3 {
				early := w.NewStarted(k)
				read()
				if !seen[early.ID] {
					t.Errorf("a committed address is missing")
				}
			}
		}
		read()
		if seen[late.ID] {
			t.Fatal("an address was seen before its transaction committed")
		}
		w.Must(open.Commit())
		read()
		if !seen[late.ID] {
			t.Error("the address that was committed last was skipped")
		}
	})
}

// Data that was moved to a server whose transaction numbers are lower is read
// once, not at every call.
func TestStore_Watches_MovedServer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(9, 0)
		old := w.NewStarted(k)
		for _, text := range []string{"UPDATE routes SET xact = 5000000000", "UPDATE instance SET server = 'another'"} {
			w.MustDo(w.SQL().Exec(text))
		}
		moved := newWorld(t, storetest.Open(t, w.URL), w.URL)
		set, mark := moved.watched(watch.Mark{}, storetest.Start, chain.Polygon)
		if _, ok := set[old.ID]; !ok {
			t.Error("an address was lost with the move")
		}
		fresh := moved.NewStarted(k)
		set, _ = moved.watched(mark, storetest.Start, chain.Polygon)
		if _, ok := set[old.ID]; ok && moved.Engine().Dialect().ManyWriters {
			t.Error("an address that was moved comes again and again")
		}
		if _, ok := set[fresh.ID]; !ok {
			t.Errorf("after the move: %+v", set)
		}
	})
}

func TestStore_DueRunningUnsettled(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		var pending, running []payment.ID
		for range 7 {
			pending = append(pending, w.NewPayment(k).ID)
			running = append(running, w.NewStarted(k).ID)
		}
		_, err := w.UpdatePayment(t.Context(), running[0],
			func(p payment.Payment) (payment.Change, error) { return p.Cancel(storetest.Start) })
		w.Must(err)
		running = running[1:]
		open := slices.Concat(pending, running)
		slices.Sort(open)
		slices.Sort(running)

		end := storetest.Start.Add(time.Hour) // all of them expire then
		pages := func(read func(after payment.ID) ([]payment.ID, error)) []payment.ID {
			var all []payment.ID
			for after := payment.ID(""); ; after = all[len(all)-1] {
				page, err := read(after)
				w.Must(err)
				all = append(all, page...)
				if len(page) < 3 {
					return all
				}
			}
		}
		w.Run("Due", func(t *testing.T) {
			due := func(now time.Time) []payment.ID {
				return pages(func(after payment.ID) ([]payment.ID, error) { return w.Due(t.Context(), now, after, 3) })
			}
			storetest.Same(t, "due at the end", due(end), open)
			storetest.Same(t, "due before", due(end.Add(-time.Microsecond)), nil)
		})
		w.Run("Running", func(t *testing.T) {
			runs := func(n chain.Network, after time.Time) []payment.ID {
				return pages(func(id payment.ID) ([]payment.ID, error) {
					return w.Running(t.Context(), n, after, id, 3)
				})
			}
			storetest.Same(t, "running", runs(chain.Polygon, end.Add(-time.Second)), running)
			storetest.Same(t, "running later", runs(chain.Polygon, end), nil)
			storetest.Same(t, "running elsewhere", runs(chain.Base, storetest.Start), nil)
		})
		w.Run("Unsettled", func(t *testing.T) {
			p := w.Stored(running[2])
			tx := storetest.Transfer(p, "0xaa", 1, 10)
			unsettled := func() []payment.ID {
				list, err := w.Unsettled(t.Context(), chain.Polygon, tx.Block.Number, tx.Block.Number)
				w.Must(err)
				for _, beside := range [][2]uint64{{0, tx.Block.Number - 1}, {tx.Block.Number + 1, math.MaxUint64}} {
					none, err := w.Unsettled(t.Context(), chain.Polygon, beside[0], beside[1])
					w.Must(err)
					storetest.Same(t, "unsettled in other blocks", none, []payment.ID{})
				}
				return list
			}
			storetest.Same(t, "before any deposit", unsettled(), []payment.ID{})
			for _, step := range []struct {
				decide func(payment.Payment) (payment.Change, error)
				want   []payment.ID
			}{
				{storetest.Observe(5, tx), []payment.ID{p.ID}},
				{storetest.Observe(5), []payment.ID{}},
				{storetest.Observe(5, tx), []payment.ID{p.ID}},
				{storetest.Observe(10, tx), []payment.ID{}},
			} {
				w.Update(p.ID, step.decide)
				storetest.Same(t, "unsettled", unsettled(), step.want)
			}
		})
	})
}

func TestStore_Cursor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		_, ok, err := w.Cursor(t.Context(), chain.Base)
		w.Must(err)
		if ok {
			t.Error("a cursor before the first")
		}
		c := watch.Cursor{
			Scanned:   chain.Head{Number: 1<<62 + 7, Hash: "0xaa", Time: storetest.Start},
			Rechecked: chain.Head{Number: 5, Hash: "0xbb"},
			UpdatedAt: storetest.Start.Add(time.Second), Ended: 4,
		}
		for range 2 {
			w.Must(w.SaveCursor(t.Context(), chain.Base, c))
			read, ok, err := w.Cursor(t.Context(), chain.Base)
			w.Must(err)
			if !ok {
				t.Fatal("the cursor is gone")
			}
			storetest.Same(t, "cursor", read, c)
			c.BehindSince, c.Scanned.Number, c.Ended = storetest.Start, 9, 8
		}
		_, ok, err = w.Cursor(t.Context(), chain.BEP20)
		w.Must(err)
		if ok {
			t.Error("another network has the cursor")
		}
	})
}

// TestStore_Cursor_Fenced: an instance that lost its lease while it was paused stores nothing. One whose lease has run
// out and was taken by no other may.
func TestStore_Cursor_Fenced(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		lease := func(holder string, now time.Time) {
			t.Helper()
			ok, err := w.Store.Lease(t.Context(), watch.LeaseName(chain.Base), holder, now, now.Add(time.Second))
			w.Must(err)
			storetest.Same(t, holder+" leads", ok, true)
		}
		at := func(number uint64, holder string) watch.Cursor {
			return watch.Cursor{Scanned: chain.Head{Number: number}, Holder: holder, UpdatedAt: storetest.Start}
		}
		storetest.WantError(t, "without a lease", w.SaveCursor(t.Context(), chain.Base, at(1, "paused")), watch.ErrNotLeading)
		lease("paused", storetest.Start)
		w.Must(w.SaveCursor(t.Context(), chain.Base, at(7, "paused")))
		lease("other", storetest.Start.Add(time.Minute))
		w.Must(w.SaveCursor(t.Context(), chain.Base, at(90, "other")))
		storetest.WantError(t, "after the pause", w.SaveCursor(t.Context(), chain.Base, at(8, "paused")), watch.ErrNotLeading)
		c, _, err := w.Cursor(t.Context(), chain.Base)
		w.Must(err)
		storetest.Same(t, "the cursor", c.Scanned.Number, 90)
		lease("paused", storetest.Start.Add(time.Hour))
		w.Must(w.SaveCursor(t.Context(), chain.Base, at(91, "paused")))
	})
}

func TestStore_Lease(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		take := func(holder string, now, until time.Duration) bool {
			has, err := w.Store.Lease(
				t.Context(), "watch BASE", holder, storetest.Start.Add(now), storetest.Start.Add(until),
			)
			w.Must(err)
			return has
		}
		for _, step := range []struct {
			holder     string
			now, until time.Duration
			want       bool
		}{
			{"a", 0, 10 * time.Second, true},
			{"b", 5 * time.Second, 20 * time.Second, false},
			{"a", 6 * time.Second, 16 * time.Second, true}, // renewed
			{"b", 15 * time.Second, 30 * time.Second, false},
			{"b", 16 * time.Second, 30 * time.Second, true}, // has run out
			{"a", 17 * time.Second, 40 * time.Second, false},
		} {
			if got := take(step.holder, step.now, step.until); got != step.want {
				t.Errorf("%+v: %v", step, got)
			}
		}
		holders := make([]bool, 30)
		for _, err := range storetest.AtOnce(len(holders), func(i int) (err error) {
			holders[i], err = w.Store.Lease(
				t.Context(), "another", strconv.Itoa(i), storetest.Start, storetest.Start.Add(time.Minute),
			)
			return err
		}) {
			w.Must(err)
		}
		if n := len(slices.DeleteFunc(holders, func(has bool) bool { return !has })); n != 1 {
			t.Errorf("%d hold the lease", n)
		}
	})
}
