package simulation

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/settlement"
)

// touched notes that a sweep may have changed deposits.
func (w *world) touched() {
	for id, p := range w.last {
		if slices.ContainsFunc(p.Deposits, func(d payment.Deposit) bool { return !d.Swept }) {
			w.dirty[id] = true
		}
	}
}

// changed reads the payments that may have changed, by ID. On SQLite that is known; the end reads all.
func (w *world) changed() []payment.Payment {
	ids := slices.Sorted(maps.Keys(w.dirty))
	if w.postgres {
		ids = w.ids
	} else if w.commits == w.checked {
		return nil
	}
	w.checked = w.commits
	clear(w.dirty)
	var all []payment.Payment
	for page := range slices.Chunk(ids, payment.MaxPage) {
		list, err := w.observer.PaymentsByID(w.Context(), page)
		w.must(err)
		all = append(all, list...)
	}
	slices.SortFunc(all, func(a, b payment.Payment) int { return cmp.Compare(a.ID, b.ID) })
	return all
}

// check compares what changed in the database with the chain and with its earlier state.
func (w *world) check() {
	w.Helper()
	for _, p := range w.changed() {
		before, known := w.last[p.ID]
		if known && before.Status.Final() && before.Status != p.Status && p.Status != payment.Completed {
			w.failf("payment %s was %s and is %s", p.ID, before.Status, p.Status)
		}
		w.checkRoutes(p)
		w.checkDeposits(p)
		if p.Status != before.Status {
			w.tracef("%s is %s", p.ID, p.Status)
			w.checkCompleted(p)
			w.checkCancelled(p)
		}
		w.last[p.ID] = p
	}
}

// checkRoutes: the settlement wallet of an address is the merchant's wallet at its first appearance, and
// never changes.
func (w *world) checkRoutes(p payment.Payment) {
	w.Helper()
	for _, r := range p.Routes {
		a := r.Address.Address
		before, known := w.recorded[a]
		if !known {
			w.shown = append(w.shown, a)
			before = w.settlesTo(p, r.Network)
			w.recorded[a] = before
		}
		if r.Settlement != before {
			w.failf("address %s of %s settles to %s, want %s", a, p.ID, r.Settlement, before)
		}
	}
}

// checkDeposits: a deposit recorded as final was in a safe block, and is recorded once.
func (w *world) checkDeposits(p payment.Payment) {
	w.Helper()
	seen := map[chain.TransferID]bool{}
	swept := map[holding]uint64{}
	for _, d := range p.Deposits {
		t := d.Transfer
		if seen[t.ID()] && !d.Folded() {
			w.failf("deposit %v of %s is recorded twice", t.ID(), p.ID)
		}
		seen[t.ID()] = true
		if d.State == payment.DepositVanished {
			w.checkVanished(p, t)
		}
		if d.Swept {
			swept[holding{t.To, t.Asset.Contract}] += t.Units.Big().Uint64()
			if d.State != payment.DepositFinal {
				w.failf("deposit %v of %s is swept and %s", t.Key, p.ID, d.State)
			}
		}
		if d.State != payment.DepositFinal || d.Folded() {
			continue // what is folded is summed at the end
		}
		l := w.of(t.Network)
		b := l.counted[t.Block.Hash]
		if b == nil {
			w.failf("deposit %v of %s is final in block %d, which was never safe", t.Key, p.ID, t.Block.Number)
		}
		i := slices.IndexFunc(b.txs, func(o *tx) bool { return o.hash == t.Tx })
		if i < 0 || t.Ordinal >= len(l.shown(b, b.txs[i])) {
			w.failf("deposit %v of %s is in no block", t.Key, p.ID)
		}
		if m := l.shown(b, b.txs[i])[t.Ordinal]; m.to != t.To || m.contract != t.Asset.Contract ||
			m.units != t.Units.Big().Uint64() {
			w.failf("deposit %v of %s is recorded as %s, want %d", t.Key, p.ID, t.Units, m.units)
		}
		if d.Rechecked && b.Number > uint64(l.finalHeight) {
			w.failf("deposit %v of %s is rechecked in block %d, and only %d is final", t.Key, p.ID, b.Number, l.finalHeight)
		}
	}
	for at, units := range swept {
		if moved := w.movedFrom(at); moved < units {
			w.failf("%d of %s are recorded as swept, want %d", units, at.address, moved)
		}
	}
}

// checkVanished: only what a reorg took out of a block counts as vanished, or what an endpoint showed with a larger
// amount or in another block.
func (w *world) checkVanished(p payment.Payment, t chain.Transfer) {
	w.Helper()
	l := w.of(t.Network)
	b, in := l.find(t.Tx, len(l.blocks))
	if b == nil || l.removed[t.Tx] || b.Number != t.Block.Number || t.Ordinal >= len(l.shown(b, in)) {
		return
	}
	m := l.shown(b, in)[t.Ordinal]
	if m.to == t.To && m.contract == t.Asset.Contract && m.units == t.Units.Big().Uint64() {
		w.failf("deposit %v of %s vanished, and it was in block %d all the time", t.Key, p.ID, b.Number)
	}
}

// movedFrom sums what has left the address in safe blocks.
func (w *world) movedFrom(at holding) (sum uint64) {
	for _, l := range w.chains {
		for _, b := range l.blocks[:l.credited+1] {
			for _, done := range b.moved {
				for _, m := range done {
					if m.from == at.address && m.contract == at.contract {
						sum += m.units
					}
				}
			}
		}
	}
	return sum
}

// checkCompleted: a payment completes only with enough money that counts.
func (w *world) checkCompleted(p payment.Payment) {
	w.Helper()
	if p.Status != payment.Completed || p.ByHand {
		return
	}
	var sum money.Micros
	for _, r := range p.Routes {
		sum += money.Micros(
			w.of(r.Network).everFinal(r.Address.Address, func(c chain.Address) bool { return w.counts(p, r, c) }),
		)
	}
	if p.Kind == payment.KindTopUp && sum > 0 {
		return // what it buys is checked by its credits
	}
	if sum < p.Amount {
		w.failf("payment %s of %s is completed with %s of final money", p.ID, p.Amount, sum)
	}
}

// checkCancelled: a payment with a known deposit cannot be cancelled.
func (w *world) checkCancelled(p payment.Payment) {
	w.Helper()
	for _, d := range p.Deposits {
		if p.Status == payment.Cancelled && p.Counts(d) && !d.Late {
			w.failf("payment %s is cancelled with the known deposit %v", p.ID, d.Transfer.Key)
		}
	}
}

// everFinal sums what came to the address in blocks that were ever safe, even if replaced since: a finality
// rule weaker than the chain's own permits that. Where forks differ, the larger amount counts.
func (l *testChain) everFinal(a chain.Address, counts func(contract chain.Address) bool) (sum uint64) {
	seen := map[chain.Key]uint64{}
	for _, b := range l.counted {
		for _, t := range b.txs {
			for i, m := range l.shown(b, t) {
				k := chain.Key{Tx: t.hash, Ordinal: i}
				if m.to == a && counts(m.contract) {
					seen[k] = max(seen[k], m.units)
				}
			}
		}
	}
	for _, units := range seen {
		sum += units
	}
	return sum
}

// counts reports whether the payment accepts the contract on the route. A top-up accepts every token.
func (w *world) counts(p payment.Payment, r payment.Route, contract chain.Address) bool {
	return slices.ContainsFunc(w.of(r.Network).profile.Assets, func(a chain.Asset) bool {
		return a.Contract == contract && a.Token != "" &&
			(p.Kind == payment.KindTopUp || slices.Contains(r.Tokens, a.Token))
	})
}

// checkBroadcast: a sweep that is sent is stored, pays only the recorded wallets, and moves only final money.
func (w *world) checkBroadcast(ctx context.Context, l *testChain, a chain.Attempt) {
	w.Helper()
	list, err := w.observer.Settlement().InFlight(ctx, l.profile.Network)
	w.must(err)
	at := slices.IndexFunc(list, func(s settlement.Sweep) bool {
		return slices.ContainsFunc(
			s.Attempts, func(o chain.Attempt) bool { return o.Tx == a.Tx && bytes.Equal(o.Raw, a.Raw) },
		)
	})
	if at < 0 {
		w.failf("sweep %s is sent but not stored", a.Tx)
	}
	s := list[at]
	for i, other := range list {
		if last, signed := other.Last(); i != at && signed && a.Until == 0 && last.Nonce == a.Nonce {
			w.failf("sweeps %s and %s have the nonce %d", s.ID, other.ID, a.Nonce)
		}
	}
	for _, i := range s.Items {
		if got, want := i.Settlement, w.recorded[i.Address.Address]; got != want {
			w.failf("sweep %s pays %s to %s, want %s", s.ID, i.Address.Address, got, want)
		}
		final := l.everFinal(i.Address.Address, func(c chain.Address) bool { return c == i.Asset.Contract })
		if i.Expected.Big().Uint64() > final {
			w.failf("sweep %s takes %s of %s, of which %d are final", s.ID, i.Expected, i.Address.Address, final)
		}
	}
	w.tracef("sweep %s is sent as %s", s.ID, a.Tx)
}

// checkEnd: every payment and sweep has ended, and no money is lost.
func (w *world) checkEnd() {
	w.Helper()
	var started, marked int64
	var least, most int64 // credits that the top-ups bought
	for _, p := range w.last {
		if !p.Status.Final() {
			w.failf("payment %s is still %s", p.ID, p.Status)
		}
		w.checkArrivals(p)
		if p.Kind == payment.KindMerchant && !p.StartedAt.IsZero() {
			started++
		}
		if p.Kind == payment.KindTopUp {
			from, to := w.bought(p)
			least, most = least+from, most+to
		}
		marked += w.checkEvents(p)
	}
	_, differences, err := w.observer.VerifyLedger(w.Context())
	w.must(err)
	if len(differences) > 0 {
		w.failf("the ledger: %v", differences)
	}
	balance, err := w.observer.Merchant().Balance(w.Context(), w.key)
	w.must(err)
	if topped := balance.Credits - creditsGiven + started; topped < least || topped > most {
		w.failf("the top-ups bought %d credits, want %d to %d", topped, least, most)
	}
	if want := queriesGiven - marked + w.paidUnits(); balance.Queries != want {
		w.failf("the key has %d queries, want %d", balance.Queries, want)
	}
	w.checkHoldings()
	w.checkDeliveries()
}

// checkEvents: the history has no gap, each end has one event, and the last was delivered. It returns how often
// the payment was marked as completed.
func (w *world) checkEvents(p payment.Payment) (marked int64) {
	w.Helper()
	events, err := w.observer.Events(w.Context(), p.ID)
	w.must(err)
	ends := map[payment.EventType]int{}
	types := map[payment.EventType]bool{}
	var last payment.Event // of those that are sent
	before := 0
	for _, e := range events {
		if !w.inSequence(before, e.Seq) {
			w.failf("event %s has sequence %d, after %d", e.ID, e.Seq, before)
		}
		before = e.Seq
		types[e.Type] = true
		if e.Type == payment.EventMarked {
			marked++
		}
		if !e.Type.Public() {
			continue
		}
		ends[e.Type]++
		last = e
	}
	// One that a later event overtook may not have been sent.
	if p.Kind == payment.KindMerchant && last.ID != "" && !w.delivered(last.ID) {
		w.failf("event %s (%s) was never delivered", last.ID, last.Type)
	}
	for kind, n := range ends {
		if n != 1 {
			w.failf("payment %s has %d events %s", p.ID, n, kind)
		}
	}
	for _, r := range p.Attention() {
		if !types[payment.EventType("payment."+strings.ToLower(string(r)))] {
			w.failf("payment %s needs attention (%s) without an event: %v", p.ID, r, slices.Sorted(maps.Keys(types)))
		}
	}
	if ends[terminal(p.Status)] != 1 {
		w.failf("payment %s is %s without an event", p.ID, p.Status)
	}
	if p.Seq != before && !w.inSequence(before, p.Seq) {
		w.failf("payment %s is at sequence %d, want %d", p.ID, p.Seq, before)
	}
	return marked
}
