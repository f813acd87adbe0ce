package main

import (
	"errors"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// hours is how busy a real shop is in each hour of the day, in parts of the day's payments.
var hours = [24]int{2, 1, 1, 1, 1, 2, 3, 5, 7, 8, 9, 9, 10, 9, 8, 8, 8, 9, 10, 12, 12, 10, 7, 4}

// arrival is a payer and what is awaited of the payment.
type arrival struct {
	id      payment.ID
	network chain.Network
	paid    *transfer
	seen    bool
	started bool
	open    bool // its page
}

// What payers do, in per cent.
const (
	abandon   = 15 // leave without paying
	closePage = 10 // close the page once they have paid
)

// openFor plans so many payments over the day that begins, on the network given, or on all in turn if it is empty.
func (w *world) openFor(day time.Time, count int, on chain.Network) {
	sum := 0
	for _, part := range hours {
		sum += part
	}
	for i := range count {
		at, hour := w.rng.IntN(sum), 0
		for at >= hours[hour] {
			at -= hours[hour]
			hour++
		}
		n := on
		if n == "" {
			n = chain.Networks()[i%len(chain.Networks())]
		}
		offset := time.Duration(hour)*time.Hour + w.upTo(time.Hour)
		w.plan(day.Add(offset), func() error { return w.arrive(n) })
	}
}

// upTo returns a random time below d.
func (w *world) upTo(d time.Duration) time.Duration { return time.Duration(w.rng.Int64N(int64(d))) }

// arrive opens the page of a new payment, chooses the network and mostly pays.
func (w *world) arrive(n chain.Network) error {
	p, err := w.service.Create(w.ctx, payment.CreateInput{KeyID: w.key, Amount: "25"}, audit.Act{})
	if err != nil {
		return err
	}
	a := &arrival{id: p.ID, network: n}
	w.look(a)
	pays := w.rng.IntN(100) >= abandon
	w.after(5*time.Second+w.upTo(15*time.Second), func() error {
		return w.start(a, w.clock.Now(), func(p payment.Payment) error {
			a.started = true
			w.wake(w.networks[n])
			if pays {
				w.after(20*time.Second+w.upTo(130*time.Second), func() error { return w.pay(a, p) })
			} else {
				w.after(3*time.Minute, func() error { w.leave(a); return nil })
			}
			return nil
		})
	})
	return nil
}

// pay makes the transfer that the page asked for.
func (w *world) pay(a *arrival, p payment.Payment) error {
	x := w.networks[a.network]
	asset, _ := x.offered.Profile.Asset(p.Choice.Token)
	t := x.chain.pay(p.Routes[0].Address, asset, p.Amount.Units(asset.Decimals))
	a.paid = &t
	x.waiting[a.id] = a
	if w.pushed {
		w.plan(x.chain.timeOf(t.block), func() error {
			x.watcher.Pushed()
			return w.step(x)
		})
	}
	if w.rng.IntN(100) < closePage {
		w.leave(a)
	}
	return nil
}

// look opens the page, which from then on says every few seconds that it is open, until leave closes it.
func (w *world) look(a *arrival) {
	a.open = true
	var turn func() error
	turn = func() error {
		if !a.open {
			return nil
		}
		w.after(pageTurn, turn)
		if !a.started {
			return nil
		}
		return w.attend(a.id)
	}
	w.after(0, turn)
}

// attend says that the page of a payment is open, as the server does.
func (w *world) attend(id payment.ID) error {
	p, err := w.store.Payment(w.ctx, id)
	if err != nil {
		return err
	}
	w.presence.Look(p)
	_ = w.presence.RunOnce(w.ctx)
	return nil
}

// squat has an order open as a stranger who costs as much as one order can, and the next one when that has ended.
func (w *world) squat(n chain.Network, specks time.Duration) error {
	p, err := w.service.Create(w.ctx, payment.CreateInput{KeyID: w.key, Amount: "25"}, audit.Act{})
	if err != nil {
		return err
	}
	choice := payment.Choice{Network: n, Token: money.USDC}
	if p, err = w.service.Start(w.ctx, string(p.ID), choice, audit.Act{}); err != nil {
		return err
	}
	x := w.networks[n]
	w.wake(x)
	asset, _ := x.offered.Profile.Asset(p.Choice.Token)
	w.each(specks, func() (bool, error) {
		if !w.clock.Now().Before(begin) { // while the program comes up the chains make no blocks
			x.chain.pay(p.Routes[0].Address, asset, money.UnitsFromUint64(1))
		}
		return w.clock.Now().Before(p.ExpiresAt), nil
	})
	w.each(pollEvery, func() (bool, error) {
		stored, err := w.store.Payment(w.ctx, p.ID)
		if err != nil || stored.Status != payment.Started {
			return false, errors.Join(err, w.squat(n, specks))
		}
		return true, w.attend(p.ID)
	})
	return nil
}

// pollEvery is how often a stranger's program asks for the status of his order.
const pollEvery = 5 * time.Second

// each has something done again and again until it returns false; never if the time is 0.
func (w *world) each(every time.Duration, do func() (goOn bool, err error)) {
	if every == 0 {
		return
	}
	w.after(every, func() error {
		goOn, err := do()
		if goOn && err == nil {
			w.each(every, do)
		}
		return err
	})
}

// pageTurn is how often an open page is brought up to date.
const pageTurn = 15 * time.Second

func (w *world) leave(a *arrival) { a.open = false }

// measure records how long the payments of a network took that a round has changed.
func (w *world) measure(x *network) error {
	for id, a := range x.waiting {
		p, err := w.store.Payment(w.ctx, id)
		if err != nil {
			return err
		}
		now := w.clock.Now()
		if !a.seen && len(p.Deposits) > 0 {
			a.seen = true
			x.seen = append(x.seen, now.Sub(x.chain.timeOf(a.paid.block)))
		}
		if p.Status == payment.Completed {
			x.finals = append(x.finals, now.Sub(x.chain.finalAt(a.paid.block)))
			delete(x.waiting, id)
			w.after(10*time.Second, func() error { w.leave(a); return nil })
		}
	}
	return nil
}
