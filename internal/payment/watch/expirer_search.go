package watch

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
)

// errUnexplained: an endpoint says that an address holds more than is recorded,
// and none shows the transfers.
var errUnexplained error = fault.New(fault.Unavailable,
	"an endpoint reports a balance that no endpoint's transfers explain; compare the endpoints with a block explorer")

// balanceDispute identifies a payment whose balance on a network is disputed.
type balanceDispute struct {
	network chain.Network
	id      payment.ID
}

// search scans all blocks since a payment's address was shown, for that address
// only, through every endpoint: the watcher missed money that a balance shows. If
// that does not explain the balance, the payment stays open.
func (e *Expirer) search(ctx context.Context, n chain.Network, r chain.Reader, p payment.Payment, c Cursor) error {
	if e.now().Sub(e.searched[p.ID]) < searchEvery {
		return nil
	}
	e.searched[p.ID] = e.now()
	route, _ := p.WatchedOn(n)
	e.log.Error("an address holds money that the scan missed; scanning again", "network", n, "txnid", p.ID)
	found, err := e.searchOnce(ctx, n, r, p, c, route.Since)
	if err == nil && found {
		_, err = e.agreed(ctx, n, p.ID)
		return err
	}
	if err != nil && !errors.Is(err, ErrDisagree) {
		return err
	}
	cause := cmp.Or(err, errUnexplained)
	return errors.Join(err, e.dispute(ctx, SetAside{
		Network: n, PaymentID: p.ID, From: c.Scanned.Number + 1, Since: e.now(), Reason: cause.Error(),
	}))
}

// searchLost searches the address of a payment of before a restore, once: its balance says nothing, because a sweep
// that the database does not know may have emptied it. It reports whether the address was searched and nothing was
// found.
func (e *Expirer) searchLost(
	ctx context.Context, n chain.Network, r chain.Reader, p payment.Payment, c Cursor,
) (bool, error) {
	key := balanceDispute{n, p.ID}
	if !p.CreatedAt.Before(c.RestoredAt) || e.lost[key] {
		return true, nil
	}
	if e.now().Sub(e.searched[p.ID]) < searchEvery {
		return false, nil
	}
	e.searched[p.ID] = e.now()
	// It may have been started in the time that is lost.
	found, err := e.searchOnce(ctx, n, r, p, c, p.CreatedAt)
	if err != nil || found {
		return false, err
	}
	delete(e.searched, p.ID)
	e.lost[key] = true
	return true, nil
}

// searchOnce searches all blocks since then. It reports whether the search changed the payment.
func (e *Expirer) searchOnce(
	ctx context.Context, n chain.Network, r chain.Reader, p payment.Payment, c Cursor, since time.Time,
) (bool, error) {
	route, _ := p.WatchedOn(n)
	from, err := chain.BlockBefore(ctx, r, since, c.Scanned)
	if err != nil {
		return false, err
	}
	set := chain.NewWatchSet(1)
	set.Add(route.Address)
	transfers, err := r.Search(ctx, from, c.Scanned, set)
	if err != nil {
		return false, err
	}
	known := e.confirmed[p.ID]
	if known == nil {
		known = make(confirmed)
		e.confirmed[p.ID] = known
	}
	confirm := func(ctx context.Context, transfers []chain.Transfer, at chain.Head) error {
		_, err := known.some(ctx, r, transfers, at, ConfirmRound)
		return err
	}
	if err := confirm(ctx, transfers, c.Scanned); err != nil {
		return false, err
	}
	delete(e.confirmed, p.ID)
	v := payment.View{
		Network: n, From: from, To: c.Scanned.Number, Latest: c.Scanned, Final: c.Scanned, Finalized: c.Rechecked,
		Transfers: transfers, End: c.Scanned,
	}
	return observation{r, e.store, e.now, confirm}.apply(ctx, p, v)
}

// dispute counts a search that did not explain a balance. After disputeRounds of
// them the payment is set aside, which alerts the operator. The searches go on;
// the watcher does not read the payment meanwhile.
func (e *Expirer) dispute(ctx context.Context, a SetAside) error {
	key := balanceDispute{a.Network, a.PaymentID}
	if before, known := e.disputes[key]; known {
		a.From, a.Since, a.Attempts = before.From, before.Since, before.Attempts
	}
	a.Attempts++
	a.NextAt = e.now().Add(lastRetry)
	e.disputes[key] = a
	if a.Attempts < disputeRounds {
		return nil
	}
	return e.store.SaveSetAside(ctx, a)
}

// agreed ends a dispute. It reports whether the payment was set aside: then the
// watcher first reads what came meanwhile.
func (e *Expirer) agreed(ctx context.Context, n chain.Network, id payment.ID) (bool, error) {
	a := e.disputes[balanceDispute{n, id}]
	if a.Attempts >= disputeRounds {
		a.NextAt = e.now()
		if err := e.store.SaveSetAside(ctx, a); err != nil {
			return true, err
		}
	}
	delete(e.disputes, balanceDispute{n, id})
	return a.Attempts >= disputeRounds, nil
}
