package refund

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// Watcher finds the transfers that pay refunds. Each round reads, on the networks where a refund has an address and
// nothing paid it yet, the finalized blocks since the last round through as many voices as must say the same. What one
// of them shows settles a refund once a look-up, in which they must agree, says so, too. Without such a refund it sends
// no request.
//
// One endpoint that is all there is is asked for each block in two rounds: it may leave a transfer out of an answer,
// and a merchant whose refund stays open may pay it twice.
//
// Its invariant: a refund's mark moves past a block only after every transfer in it that fits has settled a refund.
type Watcher struct {
	Service *Service
	// Lease takes or renews the right to read a network until the time given, and reports whether this instance has it.
	Lease func(ctx context.Context, name string, now, until time.Time) (bool, error)
	// Slowdown is by what factor a network is read less often, so that its budget of calls lasts the day; nil: by none.
	Slowdown func(chain.Network) int64
	Log      *slog.Logger

	readAt map[chain.Network]time.Time
	once   map[chain.Network]map[ID]uint64 // up to where the last round read, where that may not be enough
}

// Limits of a watcher.
const (
	// WatchEvery is the time between two rounds while a refund was just asked for.
	WatchEvery = 15 * time.Second
	// patientEvery and idleEvery are the same while the merchant was not asked, and when he was long ago.
	patientEvery = 2 * time.Minute
	idleEvery    = 15 * time.Minute
	// patientAfter and idleAfter are since when.
	patientAfter = 20 * time.Minute
	idleAfter    = 24 * time.Hour
	// Within bounds a round.
	Within = 2 * time.Minute
	// leaseFor is for how long another instance does not read the network.
	leaseFor = 3 * time.Minute
	// blocksAtOnce bounds one scan, and scansAtOnce one round, so that a long outage is made up in pieces.
	blocksAtOnce = 2_000
	scansAtOnce  = 50
)

// every returns the time between two rounds for the sake of the refund.
func (r Refund) every(now time.Time) time.Duration {
	since := r.AskedAt
	if since.IsZero() {
		since = r.AddressAt.Add(-patientAfter) // nobody has asked the merchant's wallet yet
	}
	switch age := now.Sub(since); {
	case age < patientAfter:
		return WatchEvery
	case age < idleAfter:
		return patientEvery
	}
	return idleEvery
}

// RunOnce makes a round on the networks where one is due. One that fails holds up no other.
func (w *Watcher) RunOnce(ctx context.Context) (failed error) {
	if w.readAt == nil {
		w.readAt, w.once = make(map[chain.Network]time.Time), make(map[chain.Network]map[ID]uint64)
	}
	for _, n := range chain.Networks() {
		reader, ok := w.Service.d.Readers[n]
		if !ok {
			continue
		}
		if err := w.network(ctx, n, reader); err != nil {
			failed = errors.Join(failed, fmt.Errorf("refunds on %s: %w", n, err))
		}
	}
	return failed
}

func (w *Watcher) network(ctx context.Context, n chain.Network, reader chain.Reader) error {
	list, err := w.Service.d.Store.Awaited(ctx, n)
	now := w.Service.d.Now()
	if err != nil || !w.due(n, list, now) {
		return err
	}
	if w.Lease != nil {
		mine, err := w.Lease(ctx, "refunds:"+string(n), now, now.Add(leaseFor))
		if err != nil || !mine {
			return err
		}
	}
	w.readAt[n] = now
	return w.read(ctx, n, reader, list)
}

// due reports whether a round is due for any of the refunds. Rounds are tried every WatchEvery, give or take what the
// database took: without the half of it, one that comes a moment early would wait for the next.
func (w *Watcher) due(n chain.Network, list []Refund, now time.Time) bool {
	waited := now.Add(WatchEvery / 2).Sub(w.readAt[n])
	if w.Slowdown != nil {
		waited /= time.Duration(max(w.Slowdown(n), 1))
	}
	return slices.ContainsFunc(list, func(r Refund) bool { return r.Payable() && waited >= r.every(now) })
}

// read reads the addresses of the refunds up to the finalized block.
func (w *Watcher) read(ctx context.Context, n chain.Network, reader chain.Reader, list []Refund) error {
	heads, err := reader.Heads(ctx)
	if err != nil {
		return err
	}
	set, marks, err := w.marks(ctx, reader, list, heads.Finalized)
	if err != nil {
		return err
	}
	held := make(map[chain.Address]error)
	for range scansAtOnce {
		from := heads.Finalized.Number
		for _, mark := range marks {
			from = min(from, mark)
		}
		if from >= heads.Finalized.Number {
			break
		}
		to, err := blockTo(ctx, reader, from+blocksAtOnce, heads.Finalized)
		if err != nil {
			return err
		}
		found, err := scanned(ctx, reader, set, from+1, to, held)
		if err != nil {
			return err
		}
		w.settle(ctx, n, reader, found, heads.Finalized, held)
		if err := w.advance(ctx, list, marks, to.Number, held, reader.Quorum() == 1); err != nil {
			return err
		}
	}
	w.once[n] = marks
	for a, err := range held {
		w.Log.Warn("a refund's address could not be read to the end; it is tried again", "network", n, "address", a,
			"error", err)
	}
	return nil
}

// marks returns the addresses of the open refunds, and up to which block each refund was read: a new one from before
// the address was given.
func (w *Watcher) marks(
	ctx context.Context, reader chain.Reader, list []Refund, top chain.Head,
) (*chain.WatchSet, map[ID]uint64, error) {
	set, marks := chain.NewWatchSet(len(list)), make(map[ID]uint64)
	for _, r := range list {
		if !r.Payable() {
			continue
		}
		set.Add(r.Address)
		mark := r.Scanned
		if mark == 0 {
			first, err := chain.BlockBefore(ctx, reader, r.AddressAt, top)
			if err != nil {
				return nil, nil, err
			}
			mark = max(first, 1) - 1
			if err := w.Service.d.Store.Read(ctx, []Refund{r}, max(mark, 1)); err != nil {
				return nil, nil, err
			}
		}
		marks[r.ID] = mark
	}
	return set, marks, nil
}

// blockTo returns a block at or soon after the number, and the top where that is not higher. A number may have no
// block: each that has none costs a call, so the steps grow, and a range is a little longer.
func blockTo(ctx context.Context, reader chain.Reader, number uint64, top chain.Head) (chain.Head, error) {
	for step := uint64(1); number < top.Number; number, step = number+step, 2*step {
		if head, ok, err := reader.BlockAt(ctx, number); ok || err != nil {
			return head, err
		}
	}
	return top, nil
}

// scanned returns what any of the voices shows that must say the same. What one of them has shown wrongly before is
// read again with the rest. An address that one of them cannot read is held.
func scanned(
	ctx context.Context, reader chain.Reader, set *chain.WatchSet, from uint64, to chain.Head,
	held map[chain.Address]error,
) (all []chain.Transfer, err error) {
	var heard []string
	for len(heard) < reader.Quorum() {
		found, by, err := reader.Scan(ctx, from, to, set, heard...)
		unread, some := errors.AsType[*chain.UnreadError](err)
		if some && unread.From > 0 {
			found, by, err = reader.Scan(ctx, min(from, unread.From), to, set, heard...)
			unread, some = errors.AsType[*chain.UnreadError](err)
		}
		if some {
			for _, a := range unread.Addresses {
				held[a] = unread
			}
			err = nil
		}
		if err != nil {
			return nil, err
		}
		all, heard = append(all, found...), append(heard, by)
	}
	return inOrder(all), nil
}

// settle looks up the transactions of transfers that fit a refund, and settles what they pay. The address of what
// cannot be looked up is held.
func (w *Watcher) settle(
	ctx context.Context, n chain.Network, reader chain.Reader, found []chain.Transfer, top chain.Head,
	held map[chain.Address]error,
) {
	list, err := w.Service.d.Store.Awaited(ctx, n)
	if err != nil {
		for _, t := range found {
			held[t.To] = err
		}
		return
	}
	// Those that do not stand are left out before they are matched: an invented one would take the place of a real one.
	looked := make(map[chain.TxHash]chain.Found)
	for _, t := range found {
		if !slices.ContainsFunc(list, func(r Refund) bool { return r.Concerns(t) }) {
			continue
		}
		transfers, err := standing(ctx, reader, t, top, looked)
		if err == nil {
			err = w.Service.settle(ctx, n, transfers)
		}
		if err != nil {
			held[t.To] = err
		}
	}
}

// standing returns the transfer, or those that it consists of, if the endpoints agree that it is in a finalized block.
func standing(
	ctx context.Context, reader chain.Reader, t chain.Transfer, top chain.Head, looked map[chain.TxHash]chain.Found,
) (transfers []chain.Transfer, err error) {
	found, known := looked[t.Tx]
	if !known {
		if found, err = reader.Find(ctx, t.Tx); err != nil {
			return nil, err
		}
		looked[t.Tx] = found
	}
	if !found.Exists || found.Failed {
		return nil, nil // one endpoint has invented it
	}
	if found.Block.Number > top.Number {
		return nil, fault.New(fault.Unavailable, "transaction %s is not final", t.Tx)
	}
	if !slices.ContainsFunc(found.Transfers, func(o chain.Transfer) bool {
		return o.ID() == t.ID() && o.Units.Cmp(t.Units) == 0
	}) {
		return nil, nil
	}
	return slices.DeleteFunc(found.Each(), func(o chain.Transfer) bool {
		return o.To != t.To || o.Asset.Contract != t.Asset.Contract
	}), nil
}

// advance stores up to which block the addresses were read that nothing holds; of a single endpoint, by two rounds.
func (w *Watcher) advance(
	ctx context.Context, list []Refund, marks map[ID]uint64, block uint64, held map[chain.Address]error, single bool,
) error {
	read := make(map[uint64][]Refund)
	for _, r := range list {
		mark, open := marks[r.ID]
		if _, waits := held[r.Address.Address]; waits {
			delete(marks, r.ID)
			continue
		}
		if !open || mark >= block {
			continue
		}
		marks[r.ID] = block
		upTo := block
		if single {
			upTo = min(block, w.once[r.Asset.Network][r.ID])
		}
		if upTo > r.Scanned {
			read[upTo] = append(read[upTo], r)
		}
	}
	for upTo, list := range read {
		if err := w.Service.d.Store.Read(ctx, list, upTo); err != nil {
			return err
		}
	}
	return nil
}
