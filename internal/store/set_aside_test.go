package store_test

import (
	"fmt"
	"math"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
	"github.com/florinpay/florin/internal/store/storetest"
)

// setAside returns what is set aside on the network.
func (w *world) setAside(n chain.Network) []watch.SetAside {
	w.T.Helper()
	list, err := w.SetAsides(w.T.Context(), n)
	w.Must(err)
	return list
}

// TestStore_SetAside: a payment that cannot be read is kept once for each network, from the
// first block and since the first time, until it was read to the end.
func TestStore_SetAside(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		p, other := w.NewStarted(w.NewKey(10, 0)), w.NewStarted(w.NewKey(10, 0))
		a := watch.SetAside{
			Network: chain.Polygon, PaymentID: p.ID, From: 100, Since: storetest.Start, Attempts: 1,
			NextAt: storetest.Start.Add(time.Second), Reason: "first",
		}
		w.Must(w.SaveSetAside(ctx, a))
		storetest.Same(t, "stored", w.setAside(chain.Polygon), []watch.SetAside{a})

		later := a
		later.From, later.Since, later.Attempts, later.Reason = 120, a.Since.Add(time.Hour), 2, "second"
		later.NextAt = a.NextAt.Add(time.Minute)
		w.Must(w.SaveSetAside(ctx, later))
		want := later
		want.From, want.Since = a.From, a.Since
		storetest.Same(t, "saved again", w.setAside(chain.Polygon), []watch.SetAside{want})

		earlier := want
		earlier.From, earlier.Since = 50, a.Since.Add(-time.Hour)
		w.Must(w.SaveSetAside(ctx, earlier))
		storetest.Same(t, "from an earlier block", w.setAside(chain.Polygon), []watch.SetAside{earlier})

		// The same payment on another network, and another payment, are entries of their own.
		base, second := earlier, earlier
		base.Network, second.PaymentID, second.Since = chain.Base, other.ID, earlier.Since.Add(-time.Hour)
		w.Must(w.SaveSetAside(ctx, base))
		w.Must(w.SaveSetAside(ctx, second))
		storetest.Same(t, "the longest first", w.setAside(chain.Polygon), []watch.SetAside{second, earlier})

		w.Must(w.AdvanceSetAside(ctx, earlier, 80))
		moved := earlier
		moved.From = 80
		storetest.Same(t, "read up to a block", w.setAside(chain.Polygon), []watch.SetAside{second, moved})
		// Whoever read it from another block than the stored one changes nothing.
		w.Must(w.AdvanceSetAside(ctx, earlier, 200))
		w.Must(w.DeleteSetAside(ctx, earlier))
		storetest.Same(t, "read from another block", w.setAside(chain.Polygon), []watch.SetAside{second, moved})
		w.Must(w.DeleteSetAside(ctx, moved))
		storetest.Same(t, "read to the end", w.setAside(chain.Polygon), []watch.SetAside{second})
		storetest.Same(t, "on another network", w.setAside(chain.Base), []watch.SetAside{base})

		ended := storetest.Start.Add(time.Minute)
		w.MustDo(w.UpdatePayment(ctx, p.ID, func(p payment.Payment) (payment.Change, error) { return p.Cancel(ended) }))
		base.EndedAt = ended
		storetest.Same(t, "of a payment that has ended", w.setAside(chain.Base), []watch.SetAside{base})
	})
}

// TestStore_SetAside_Shown: transfers that an endpoint showed are kept with what was kept before, each once. Who read
// the payment without one of them does not end it.
func TestStore_SetAside_Shown(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		p := w.NewStarted(w.NewKey(10, 0))
		shown := func(ordinal int) chain.Transfer {
			return chain.Transfer{
				Key:   chain.Key{Network: chain.Polygon, Tx: "0xab", Ordinal: ordinal},
				Asset: chain.Asset{Network: chain.Polygon, Contract: "0xcd", Symbol: "USDC", Token: money.USDC},
				To:    "0xef", Units: money.UnitsFromUint64(math.MaxUint64),
				Block: chain.Head{Number: 100, Hash: "0x12", Time: storetest.Start},
			}
		}
		a := watch.SetAside{
			Network: chain.Polygon, PaymentID: p.ID, From: 100, Since: storetest.Start, NextAt: storetest.Start,
			Reason: "disputed", Shown: []chain.Transfer{shown(1)},
		}
		w.Must(w.SaveSetAside(ctx, a))
		storetest.Same(t, "stored", w.setAside(chain.Polygon), []watch.SetAside{a})
		more := a
		more.Shown = []chain.Transfer{shown(1), shown(2)}
		invented := shown(3)
		invented.Block.Time = time.Unix(math.MaxInt64/4, 0)
		asked := more
		asked.Shown = append([]chain.Transfer{invented}, more.Shown...)
		w.Must(w.SaveSetAside(ctx, asked))
		w.Must(w.DeleteSetAside(ctx, a))
		storetest.Same(t, "shown more", w.setAside(chain.Polygon), []watch.SetAside{more})
		for i := range 2 * watch.MostShown {
			more.Shown = []chain.Transfer{shown(i)}
			w.Must(w.SaveSetAside(ctx, more))
		}
		list := w.setAside(chain.Polygon)
		if n := len(list[0].Shown); n != watch.MostShown {
			t.Errorf("%d transfers are kept, want %d", n, watch.MostShown)
		}
		w.Must(w.DeleteSetAside(ctx, list[0]))
		storetest.Same(t, "read to the end", w.setAside(chain.Polygon), nil)
	})
}

// TestStore_SetAside_Limits: what is stored of a failure is bounded, and a payment that does
// not exist is refused.
func TestStore_SetAside_Limits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(10, 0))
		a := watch.SetAside{
			Network: chain.Polygon, PaymentID: p.ID, From: math.MaxUint64, Since: storetest.Start,
			NextAt: storetest.Start, Reason: strings.Repeat("long \x00", 10_000),
		}
		w.Must(w.SaveSetAside(t.Context(), a))
		got := w.setAside(chain.Polygon)
		if len(got) != 1 || got[0].From != math.MaxInt64 || strings.ContainsRune(got[0].Reason, 0) {
			t.Errorf("stored from %d, because %.40q", got[0].From, got[0].Reason)
		}
		a.PaymentID = "01KAJ000000000000000000NON"
		storetest.WantError(t, "an unknown payment", w.SaveSetAside(t.Context(), a), payment.ErrUnknown)
	})
}

// TestStore_MoveCursor_Above: a cursor that is moved to a block above those that are not rechecked yet leaves their
// recheck to be done.
func TestStore_MoveCursor_Above(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		at := func(n uint64, hash string) chain.Head {
			return chain.Head{Number: n, Hash: hash, Time: storetest.Start.Add(time.Duration(n) * time.Second)}
		}
		read := watch.Cursor{
			Scanned: at(900, "0x900"), Rechecked: at(20, "0x20"), UpdatedAt: storetest.Start, Ended: 850,
		}
		w.Must(w.SaveCursor(t.Context(), chain.Base, read))
		entry := audit.Entry{At: storetest.Start, Actor: "command line", Action: audit.ActionRescan, Subject: "Base"}
		w.Must(w.MoveCursor(t.Context(), chain.Base, read, at(30, "0x30"), entry))
		moved, _, err := w.Cursor(t.Context(), chain.Base)
		w.Must(err)
		if moved.Scanned != at(30, "0x30") || moved.Rechecked != at(20, "0x20") {
			t.Errorf("the cursor is %+v", moved)
		}
	})
}

// TestStore_MoveCursor: an operator moves a cursor once, every operator finds it in the
// audit log, and a round that began before cannot move it on.
func TestStore_MoveCursor(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		operator, merchant := w.NewUser(), w.NewUser()
		w.MustDo(w.SQL().ExecContext(ctx, fmt.Sprintf("UPDATE users SET operator = TRUE WHERE id = %d", operator.ID)))
		entries := func(user int64, more string) int64 {
			return w.Count(fmt.Sprintf("SELECT count(*) FROM audit_log WHERE user_id = %d", user) + more)
		}
		at := func(n uint64, hash string) chain.Head {
			return chain.Head{Number: n, Hash: hash, Time: storetest.Start.Add(time.Duration(n) * time.Second)}
		}
		read := watch.Cursor{
			Scanned: at(900, "0x900"), Rechecked: at(890, "0x890"), UpdatedAt: storetest.Start, Ended: 850,
		}
		w.Must(w.SaveCursor(ctx, chain.Base, read))
		entry := audit.Entry{
			At: storetest.Start, Actor: "command line", Action: audit.ActionRescan,
			Subject: "Base", Detail: "900 to 100",
		}
		w.Must(w.MoveCursor(ctx, chain.Base, read, at(100, "0x100"), entry))
		moved, ok, err := w.Cursor(ctx, chain.Base)
		w.Must(err)
		want := watch.Cursor{
			Scanned: at(100, "0x100"), Rechecked: at(100, "0x100"), UpdatedAt: read.UpdatedAt, Moves: 1, RereadTo: 900,
			Ended: 100,
		}
		storetest.Same(t, "the cursor", moved, want)
		if !ok {
			t.Error("the cursor is gone")
		}
		storetest.WantError(t, "a round that began before", w.SaveCursor(ctx, chain.Base, read), watch.ErrCursorMoved)
		storetest.WantError(t, "moved by who did not see it",
			w.MoveCursor(ctx, chain.Base, read, at(50, "0x50"), entry), watch.ErrCursorMoved)
		storetest.WantError(t, "a network never read",
			w.MoveCursor(ctx, chain.BEP20, watch.Cursor{}, at(1, "0x1"), entry), watch.ErrCursorMoved)
		// Moved again before it has caught up, it still knows how far it was read at first.
		w.Must(w.MoveCursor(ctx, chain.Base, moved, at(40, "0x40"), entry))
		again, _, err := w.Cursor(ctx, chain.Base)
		w.Must(err)
		if again.RereadTo != 900 || again.Moves != 2 || again.Scanned != at(40, "0x40") {
			t.Errorf("moved again: %+v", again)
		}
		if n := entries(operator.ID, " AND actor = 'command line' AND action = '"+string(audit.ActionRescan)+
			"' AND subject = 'Base' AND detail = '900 to 100'"); n != 2 || entries(operator.ID, "") != 2 {
			t.Errorf("the operator has %d audit entries of it, want 2", n)
		}
		if n := entries(merchant.ID, ""); n != 0 {
			t.Errorf("a merchant has %d audit entries of it", n)
		}
	})
}

// TestStore_SetAsideAccounts: the token accounts that are to be read add up, each once and not without end.
func TestStore_SetAsideAccounts(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.NewStarted(w.NewKey(10, 0))
		save := func(accounts ...chain.Address) {
			w.Must(w.SaveSetAside(t.Context(), watch.SetAside{
				Network: chain.Solana, PaymentID: p.ID, From: 100, Since: storetest.Start, NextAt: storetest.Start,
				Accounts: accounts,
			}))
		}
		save("one", "two")
		save()
		save("two", "three")
		storetest.Same(t, "accounts", w.setAside(chain.Solana)[0].Accounts, []chain.Address{"one", "two", "three"})
		for i := range 100 {
			save(chain.Address(fmt.Sprintf("more %d", i)))
		}
		if n := len(w.setAside(chain.Solana)[0].Accounts); n != 64 {
			t.Errorf("%d accounts are kept", n)
		}
	})
}
