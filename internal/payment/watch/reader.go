package watch

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/payment"
)

const (
	// scanRange bounds how many blocks one scan reads before the cursor is stored,
	// so that a crash while catching up loses little.
	scanRange = 2_000
	// saveEvery bounds how often a cursor is stored while no money comes.
	saveEvery = time.Second
	// restEvery is the same while nothing moves; far below any HeadLimit.
	restEvery = 10 * time.Second
)

// reader reads ranges of blocks and has payments observe them. Each pass is one, with a cursor of its own.
type reader struct {
	*network

	pace    *pacer
	health  *health
	heads   chain.Heads             // of this round, no lower than what was read
	cursor  Cursor                  // as far as this round has read
	failed  map[payment.ID]SetAside // the payments that are set aside
	watched watchlist
	current *chain.WatchSet // the addresses that every round reads: where some rest, the others
	size    uint64          // how many blocks one scan reads at present
	once    memory
	above   kept
	changed int // how many changes of payments were found
}

// finalizes reports whether nothing is credited on the network before the chain has finalized it.
func (r *reader) finalizes() bool { return r.profile.Finality.Tag == chain.TagFinalized }

// single reports whether one endpoint is all there is.
func (r *reader) single() bool { return r.endpoints.Quorum() == 1 }

// folded is up to where small transfers to the payment may be folded already: one endpoint is asked at two times before
// they are. Where payments that ended rest, only a pass over all that rests leaves out no block of them.
func (r *reader) folded(p payment.Payment) uint64 {
	read := r.cursor.Rechecked.Number
	if r.single() {
		read = r.cursor.Second.Number
	}
	if rests(r.profile.Network) && p.Status.Final() {
		read = min(read, r.cursor.Ended)
	}
	return read
}

// advance reads the blocks after the first of the cursors up to end as take does, in ranges, and moves all of them with
// it. A first reading is stored once a second while no money comes.
func (r *reader) advance(ctx context.Context, twice bool, end chain.Head, cursors ...*chain.Head) error {
	stored, again := r.cursor.UpdatedAt, cursors[0] != &r.cursor.Scanned
	return r.walk(ctx, cursors[0].Number, end, 0, func(from uint64, to chain.Head) error {
		before := r.changed
		if err := r.take(ctx, r.current, twice, from, to); err != nil {
			return err
		}
		move(to, cursors...)
		return r.save(ctx, again || r.changed > before || to.Number < end.Number || to.Number <= r.cursor.RereadTo ||
			r.now().Sub(stored) >= saveEvery)
	})
}

// move moves the cursors that are below the block.
func move(to chain.Head, cursors ...*chain.Head) {
	for _, c := range cursors {
		if c.Number < to.Number {
			*c = to
		}
	}
}

// walk reads the blocks after..end in ranges, one after the other, of which the first is halved so often, and each of
// the others once less.
func (r *reader) walk(
	ctx context.Context, after uint64, end chain.Head, halved int, read func(from uint64, to chain.Head) error,
) error {
	for after < end.Number {
		to := end
		if size := max(r.size>>halved, 1); end.Number-after > size {
			var err error
			if to, err = r.endOfRange(ctx, after+size, end); err != nil {
				return err
			}
		}
		if err := read(after+1, to); err != nil {
			return err
		}
		after, halved = to.Number, max(halved-1, 0)
	}
	return nil
}

// endTries is how many blocks a range may end at: endpoints may fail for the header of one for good.
const endTries = 4

// endOfRange returns the block with the number, at which a range ends, or where that cannot be read one after it, up to
// the last one.
func (r *reader) endOfRange(ctx context.Context, number uint64, last chain.Head) (head chain.Head, err error) {
	for n := number; n < min(number+endTries, last.Number); n++ {
		var ok bool
		head, ok, err = r.endpoints.BlockAt(ctx, n)
		switch {
		case err == nil && !ok:
			return head, chain.ErrReorged // the chain was found to have it
		case err == nil, ctx.Err() != nil:
			return head, err
		}
	}
	if number+endTries > last.Number {
		return last, nil
	}
	return head, err
}

// resize reads fewer blocks at once after a scan that ran out of time, and more after one that did not.
func (r *reader) resize(err error) {
	switch {
	case err == nil:
		r.size = min(r.size*2, scanRange)
	case errors.Is(err, context.DeadlineExceeded):
		r.size = max(r.size/2, 1)
	}
}

// take reads the blocks from..to for the addresses of the set through one endpoint or, twice, through as many voices as
// must say the same: what one of them leaves out, another shows, and payments observe what any of them shows. Concerned
// are those with a transfer in the blocks and those with a recorded deposit in them. What cannot be read, or is
// disputed, is set aside.
func (r *reader) take(ctx context.Context, set *chain.WatchSet, twice bool, from uint64, to chain.Head) error {
	voices, shown, heard := 1, []chain.Transfer(nil), []string(nil)
	if twice {
		voices = r.endpoints.Quorum()
	}
	if twice && set == r.current { // this set was read before
		shown = r.once.shown
		if first := r.once.first(from-1, to.Number); first != "" && voices > 1 {
			heard = append(heard, first)
		}
	}
	found, by, err := r.scan(ctx, voices, from, to, set, true, heard...)
	if err == nil {
		if r.single() {
			shown = superseded(shown, found)
		}
		found = append(found, shown...)
		var agreed judgement
		if twice {
			agreed = r.agree(found)
		}
		found = distinct(found, from, to.Number) // a voice that is asked now prevails
		err = r.observe(ctx, set, r.view(from, to, found), agreed,
			func(id payment.ID, cause error, shown []chain.Transfer) error {
				return r.setAside(ctx, from, r.now(), cause, shown, id)
			})
	}
	switch {
	case twice || set != r.current:
	case err == nil:
		r.once.keep(found, by, from-1, to.Number)
	case !errors.Is(err, context.DeadlineExceeded) || r.profile.Finality.Depth > 0:
		r.once.said = make(judgement) // the blocks may be others when they are read again
	}
	r.resize(err)
	return err
}

// superseded leaves out what a voice has shown before of transactions that it shows again: it shows all that one moved
// at once.
func superseded(shown, found []chain.Transfer) []chain.Transfer {
	again := make(map[chain.TxHash]bool)
	for _, t := range found {
		again[t.Tx] = again[t.Tx] || t.Placed()
	}
	return slices.DeleteFunc(slices.Clone(shown), func(t chain.Transfer) bool { return t.Placed() && again[t.Tx] })
}

// agree decides about transfers that are not placed, which nobody can be asked about one by one: one stands if as many
// voices as must say the same have shown it.
func (r *reader) agree(found []chain.Transfer) judgement {
	voices := make(map[string]string)
	for _, e := range r.endpoints.Endpoints() {
		voices[e.Name] = e.Voice
	}
	by, agreed := make(map[confirmation][]string), make(judgement)
	for _, t := range found {
		voice, c := voices[t.Source], confirmationOf(t)
		if t.Placed() || slices.Contains(by[c], voice) {
			continue
		}
		if by[c] = append(by[c], voice); len(by[c]) < r.endpoints.Quorum() {
			agreed[c] = ErrDisagree
		} else {
			agreed[c] = nil
		}
	}
	return agreed
}

// view is what the blocks hold for payments to observe.
func (r *reader) view(from uint64, to chain.Head, found []chain.Transfer) payment.View {
	return payment.View{
		Network: r.profile.Network, From: from, To: to.Number, Latest: r.heads.Latest,
		Final: r.heads.Final, Finalized: r.heads.Finalized, Transfers: found, End: to,
	}
}

// moreWithin is how long a voice may take that is heard beyond those that must say the same.
const moreWithin = retryLimit / 4

// scan returns what so many voices show of the blocks, those that were heard already included, and the last one asked.
// What one of them cannot read is set aside, if goesOn is true; else it is an error. More voices than must say the same
// are heard as far as they answer.
func (r *reader) scan(
	ctx context.Context, voices int, from uint64, to chain.Head, set *chain.WatchSet, goesOn bool, heard ...string,
) (all []chain.Transfer, by string, err error) {
	for len(heard) < voices && set.Len() > 0 {
		var found []chain.Transfer
		more := len(heard) >= r.endpoints.Quorum()
		asked, cancel := ctx, func() {}
		if more {
			asked, cancel = context.WithTimeout(ctx, moreWithin)
		}
		found, by, err = r.endpoints.Scan(asked, from, to, set, heard...)
		cancel()
		if unread, some := errors.AsType[*chain.UnreadError](err); some && goesOn {
			var ids []payment.ID
			if ids, err = r.concernedBy(ctx, unread); err == nil {
				err = r.setAside(ctx, min(cmp.Or(unread.From, from), from), r.now(), unread, nil, ids...)
			}
		}
		switch {
		case err != nil && ctx.Err() == nil && more:
			return all, by, nil
		case err != nil:
			return nil, "", err
		}
		all, heard = append(all, found...), append(heard, by)
	}
	return all, by, nil
}

// mostUnread bounds how many payments are set aside because an EVM network's block cannot be read for any of them.
// Beyond it only those are at whose addresses money is at risk: to the others late money at most has come, which the
// daily comparison of balances finds, and reading each of them again would cost more than the budget.
const mostUnread = 256

// concernedBy returns the payments to set aside because of what cannot be read.
func (r *reader) concernedBy(ctx context.Context, unread *chain.UnreadError) (ids []payment.ID, err error) {
	open := make(map[chain.Address]bool)
	all := len(unread.Addresses) <= mostUnread || rests(r.profile.Network)
	if !all {
		list, err := r.store.OpenAddresses(ctx, r.profile.Network, r.now().Add(-endFor))
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			open[a.Address] = true
		}
	}
	for _, a := range unread.Addresses {
		if id, ok := r.watched.owners[a]; ok && (all || open[a]) {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// save stores the cursor, while this instance leads, if it must: after a crash, blocks without money may be read again.
func (r *reader) save(ctx context.Context, must bool) error {
	if !must {
		return nil
	}
	r.cursor.UpdatedAt, r.cursor.Pause = r.now(), r.pace.round
	return r.saveAsIs(ctx)
}

// saveAsIs stores the cursor without saying that the network was read.
func (r *reader) saveAsIs(ctx context.Context) error {
	r.cursor.Holder = r.holder
	if err := r.store.SaveCursor(ctx, r.profile.Network, r.cursor); err != nil {
		return fmt.Errorf("store the cursor: %w", err)
	}
	r.health.alive()
	return nil
}
