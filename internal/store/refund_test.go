package store_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
)

// received returns a completed payment of the key.
func (w *world) received(tx string) payment.Payment {
	w.T.Helper()
	p := w.NewStarted(w.NewKey(5, 0))
	t := storetest.Transfer(p, tx, 10_000_000, 13)
	p = w.Update(p.ID, storetest.Observe(13, t))
	return p
}

// asked returns a refund of all money of the payment to the address, which the merchant was asked to send.
func (w *world) asked(p payment.Payment, id refund.ID, to chain.Address) refund.Refund {
	w.T.Helper()
	now := storetest.Start.Add(time.Minute)
	var last refund.Refund
	for _, decide := range []func(refund.Account) (refund.Change, error){
		func(a refund.Account) (refund.Change, error) {
			c, err := a.Request(refund.Ask{ID: id, Reason: "a wish"}, now)
			c.Payment.Audit = []audit.Entry{{UserID: 1, At: now, Action: audit.ActionRefund, Subject: string(id)}}
			c.Payment.Mails = []mail.Mail{{
				ID: "m" + string(id), Kind: mail.Plain, To: "a@b.example", Subject: "s", Text: secret.New("t"), At: now,
			}}
			return c, err
		},
		func(a refund.Account) (refund.Change, error) {
			return a.GiveAddress(id, chain.Watched{Address: to, Raw: []byte(to)}, true, now)
		},
		func(a refund.Account) (refund.Change, error) { return a.Ask(id, now) },
	} {
		var err error
		last, err = w.UpdateRefunds(w.T.Context(), p.ID, decide)
		w.Must(err)
		read, err := w.Refund(w.T.Context(), id)
		w.Must(err)
		storetest.Same(w.T, "read", read, last)
	}
	return last
}

// pay is the transfer that pays the refund.
func pay(r refund.Refund, tx chain.TxHash) chain.Transfer {
	return chain.Transfer{
		Key: chain.Key{Network: r.Asset.Network, Tx: tx, Ordinal: 2}, Asset: r.Asset, To: r.Address.Address,
		Units: r.Units, Block: chain.Head{Number: 20, Hash: "0xb20", Time: r.CreatedAt.Add(time.Minute)},
	}
}

func TestStore_UpdateRefunds(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.received("0xaa")
		r := w.asked(p, "01KAX00000000000000000000A", "0xa1")
		other := r
		other.Address.Address = "0xa2"
		w.Must(w.Read(t.Context(), []refund.Refund{r}, 19))
		w.Must(w.Read(t.Context(), []refund.Refund{other}, 99)) // the address is another one now
		settle := func(a refund.Account) (refund.Change, error) {
			return a.Settle(r.ID, pay(r, "0xcc"), storetest.Start.Add(time.Hour))
		}
		taken := payment.Refunded{Network: r.Asset.Network, Contract: r.Asset.Contract, Open: r.Units}
		storetest.Same(t, "open", fmt.Sprint(w.Stored(p.ID).Refunded), fmt.Sprint([]payment.Refunded{taken}))
		done, err := w.UpdateRefunds(t.Context(), p.ID, settle)
		w.Must(err)
		list, err := w.RefundsOf(t.Context(), p.ID)
		w.Must(err)
		storetest.Same(t, "refunds", list, []refund.Refund{done})
		if done.Scanned != 19 || done.Status != refund.Final || done.Hash != "0xcc" || done.Ordinal != 2 {
			t.Errorf("settled: %+v", done)
		}
		again, err := w.UpdateRefunds(t.Context(), p.ID, settle)
		w.Must(err)
		storetest.Same(t, "settled again", again, done)
		after := w.Stored(p.ID)
		w.checkHistory(after)
		taken.Arrived, taken.Open = r.Units, money.Units{}
		storetest.Same(t, "arrived", fmt.Sprint(after.Refunded), fmt.Sprint([]payment.Refunded{taken}))
		if after.Returned() != 10_000_000 || !after.Arrived().IsZero() {
			t.Errorf("the payment: %s returned, %s left", after.Returned(), after.Arrived().Micros())
		}
		events, _, err := w.PublicEvents(t.Context(), p.KeyID, "", 100)
		w.Must(err)
		var feed []string
		for _, e := range events {
			feed = append(feed, string(e.Type))
		}
		storetest.Same(t, "feed", feed, []string{"refund.requested", "refund.address_given", "refund.final"})
		if n := w.Count("SELECT count(*) FROM mails WHERE recipient = 'a@b.example'"); n != 1 {
			t.Errorf("%d mails to the customer, want 1", n)
		}
		if n := w.Count("SELECT count(*) FROM audit_log WHERE action = 'asked for a refund'"); n != 1 {
			t.Errorf("%d audit entries, want 1", n)
		}
	})
}

// TestStore_UpdateRefunds_Taken: two refunds of two payments, to one address; a transfer settles one of them, whoever
// decides, and at the same time.
func TestStore_UpdateRefunds_Taken(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		payments := []payment.Payment{w.received("0xaa"), w.received("0xbb")}
		refunds := []refund.Refund{
			w.asked(payments[0], "01KAX00000000000000000000A", "0xa1"),
			w.asked(payments[1], "01KAX00000000000000000000B", "0xa1"),
		}
		awaited, err := w.Awaited(t.Context(), refunds[0].Asset.Network)
		w.Must(err)
		storetest.Same(t, "awaited", awaited, refunds)
		taken, settled := 0, 0
		for _, err := range storetest.AtOnce(8, func(i int) error {
			r := refunds[i%2]
			_, err := w.UpdateRefunds(t.Context(), r.PaymentID, func(a refund.Account) (refund.Change, error) {
				return a.Settle(r.ID, pay(r, "0xcc"), storetest.Start.Add(time.Hour))
			})
			return err
		}) {
			switch {
			case err == nil:
				settled++
			case errors.Is(err, refund.ErrTaken):
				taken++
			default:
				t.Error(err)
			}
		}
		final := w.Count("SELECT count(*) FROM refunds WHERE status = 'FINAL'")
		if final != 1 || settled != 4 || taken != 4 {
			t.Errorf("%d final, %d settled, %d refused", final, settled, taken)
		}
	})
}

func TestStore_IsDeposit(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p := w.received("0xaa")
		for a, want := range map[chain.Address]bool{p.Routes[0].Address.Address: true, "0xa1": false} {
			is, err := w.IsDeposit(t.Context(), a)
			w.Must(err)
			if is != want {
				t.Errorf("%s: %t", a, is)
			}
		}
		if _, err := w.Refund(t.Context(), "01KAX00000000000000000000Z"); !errors.Is(err, refund.ErrUnknown) {
			t.Errorf("unknown refund: %v", err)
		}
	})
}

// TestStore_RefundsToSend: what waits for the merchant is counted until his wallet was asked, and what went back is
// found as refunded, of the keys that are asked for alone.
func TestStore_RefundsToSend(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		p, other := w.received("0xaa"), w.received("0xab")
		keys, id, now := []int64{p.KeyID}, refund.ID("01KAX00000000000000000000A"), storetest.Start.Add(time.Minute)
		wait := func(when string, want int64) {
			t.Helper()
			n, oldest, err := w.RefundsToSend(t.Context(), keys)
			w.Must(err)
			if n != want || want > 0 && oldest != p.ID {
				t.Errorf("%s: %d refunds wait, the oldest of %s; want %d of %s", when, n, oldest, want, p.ID)
			}
		}
		refunded := func(when string, want ...payment.ID) {
			t.Helper()
			var got []payment.ID
			for _, x := range w.search(report.Query{Keys: keys, Refunded: true}) {
				got = append(got, x.ID)
			}
			storetest.Same(t, when, got, want)
		}
		for _, x := range []struct {
			when   string
			decide func(refund.Account) (refund.Change, error)
			want   int64
		}{
			{"asked for", func(a refund.Account) (refund.Change, error) {
				return a.Request(refund.Ask{ID: id}, now)
			}, 0},
			{"addressed", func(a refund.Account) (refund.Change, error) {
				return a.GiveAddress(id, chain.Watched{Address: "0xa1", Raw: []byte("0xa1")}, false, now)
			}, 1},
			{"asked", func(a refund.Account) (refund.Change, error) { return a.Ask(id, now) }, 0},
			{"unsent", func(a refund.Account) (refund.Change, error) { return a.Unsend(id, now) }, 1},
		} {
			w.MustDo(w.UpdateRefunds(t.Context(), p.ID, x.decide))
			wait(x.when, x.want)
			refunded(x.when)
		}
		w.MustDo(w.UpdateRefunds(t.Context(), p.ID, func(a refund.Account) (refund.Change, error) {
			return a.Settle(id, pay(a.Refunds[0], "0xcc"), now)
		}))
		wait("settled", 0)
		refunded("settled", p.ID)
		keys = []int64{other.KeyID}
		refunded("another key")
	})
}
