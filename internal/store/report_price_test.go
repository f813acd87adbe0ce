package store_test

import (
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
)

// priced stores a payment of the key whose price is so many of the smallest unit of the currency.
func (w *world) priced(k merchant.Key, c exchange.Currency, units int64) payment.Payment {
	w.T.Helper()
	r := storetest.Request(k)
	r.Price = exchange.Price{
		Sum: exchange.Sum{Currency: c, Units: units}, Quote: exchange.Quote{Rate: 11_615_200_000, At: storetest.Start},
	}
	p, err := w.CreatePayment(w.T.Context(), payment.New(r, storetest.Start))
	w.Must(err)
	return p
}

// A price is found as people of any country write it, and by its beginning, as an amount in dollars is.
func TestStore_SearchPayments_Price(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(50, 50), w.NewKey(50, 50)
		euro, yen, dinar := w.priced(k, "EUR", 103_050), w.priced(k, "JPY", 7777), w.priced(k, "KWD", 5_250)
		w.priced(other, "EUR", 103_050)
		for id, texts := range map[payment.ID][]string{
			euro.ID: {
				"1030.50", "1030,50", "1,030.50", "1.030,50", "1 030,50", "1\u00a0030,50 €", "1’030.50", "€1,030.50",
				"EUR 1030.5", "1030.50 eur", "1030", "1.030", "١٬٠٣٠٫٥٠", "1030,5€",
			},
			yen.ID:   {"7777", "7,777", "¥7,777", "JPY 7777", "7.777", "７７７７"},
			dinar.ID: {"5.250", "5,250 KWD", "KWD 5.25"},
		} {
			for _, text := range texts {
				list := w.search(report.Query{Keys: []int64{k.ID}, Text: text})
				if len(list) != 1 || list[0].ID != id {
					t.Errorf("%q finds %d", text, len(list))
				}
			}
		}
		for _, text := range []string{
			"GBP 1030.50", "$1030.50", "1030.51", "10305", "1030,50 XYZ", "1030.50 EUR EUR", "1.0.3", "EUR",
		} {
			if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text}); len(list) != 0 {
				t.Errorf("%q finds %d", text, len(list))
			}
		}
	})
}

// What was sold is summed in the currency it was priced in, in the transaction that completes it.
func TestStore_Days_Price(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(50, 50)
		complete := func(p payment.Payment) {
			w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start)
			})
		}
		complete(w.priced(k, "EUR", 3050))
		complete(w.priced(k, "EUR", 2000))
		complete(w.priced(k, "JPY", 7777))
		complete(w.NewPaymentAt(k, storetest.Start))
		days, err := w.Days(t.Context(), []int64{k.ID}, storetest.Start.Add(-time.Hour), storetest.Start.Add(time.Hour))
		w.Must(err)
		sums := map[exchange.Currency]int64{}
		for _, d := range days {
			sums[d.Price.Currency] += d.Price.Units
			if d.Network != chain.Network("") || d.Volume <= 0 {
				t.Errorf("%+v", d)
			}
		}
		if len(days) != 3 || sums["EUR"] != 5050 || sums["JPY"] != 7777 || sums[""] != 0 {
			t.Errorf("%+v", days)
		}
	})
}
