package store_test

import (
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
)

// written stores a payment of the amount a minute after the one before.
func (w *world) written(k merchant.Key, minute int, amount money.Micros, d payment.Details) payment.Payment {
	w.T.Helper()
	p, err := w.CreatePayment(w.T.Context(), payment.New(payment.Request{
		ID: storetest.NewID(), KeyID: k.ID, Kind: payment.KindMerchant, Amount: amount, ValidFor: time.Hour, Details: d,
	}, storetest.Start.Add(time.Duration(minute)*time.Minute)))
	w.Must(err)
	return p
}

// Any word of what is written about a payment finds it, among the newest and by the index, of its own merchant alone.
func TestStore_SearchPayments_Words(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(50, 50), w.NewKey(50, 50)
		mine := w.written(k, 0, 1_234_560_000, payment.Details{
			Reference: "INV-2026/0042", Description: "Two grey Müller-mugs, hand thrown, for the kitchen of the old mill",
			CustomerEmail: "Ann.Smith@shop.example",
			Metadata:      map[string]string{"cart": "blue-17", "Größe": "Überlänge"},
		})
		w.written(other, 1, 1_234_560_000, payment.Details{Description: "grey mugs"})
		for i := range 5 {
			w.written(k, 2+i, 12_500_000, payment.Details{Reference: "another one"})
		}
		for _, text := range []string{
			"0042", "2026", "inv 0042", "mugs", "MUGS", "muller", "Müll", "kitchen", "mill", "smith", "example",
			"shop.exam",
			"blue", "17", "cart", "uberlange", "Größe", "mugs smith cart", "thr", "old mill", "1.234,56", "1,234.56",
			"$1,234.56", "1234,56 USDC", "USDT 1234.56", "1234.56 usd",
		} {
			for _, look := range []int{0, 2} { // 2: the index, since it is not among the newest
				list := w.search(report.Query{Keys: []int64{k.ID}, Text: text, Look: look})
				if len(list) != 1 || list[0].ID != mine.ID {
					t.Errorf("%q finds %d, compared with %d of the newest", text, len(list), look)
				}
			}
		}
		for _, text := range []string{"ugs", "mugs cellar", "th mugs", "greymugs", "grey' | 'one", `grey" OR "one`, "gre*y"} {
			for _, look := range []int{0, 2} {
				if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text, Look: look}); len(list) > 0 {
					t.Errorf("%q finds %d", text, len(list))
				}
			}
		}
		if both := w.search(report.Query{Keys: []int64{k.ID, other.ID}, Text: "grey mugs", Look: 2}); len(both) != 2 {
			t.Errorf("of two keys %d are found", len(both))
		}
		_, err := w.EraseCustomer(t.Context(), "ann.smith@shop.example",
			audit.Entry{At: storetest.Start, Action: audit.ActionErase})
		w.Must(err)
		if !w.ManyWriters() {
			var left int // of "smith", whose first letter the index shares with a word before it
			w.Must(w.SQL().QueryRowContext(t.Context(),
				"SELECT count(*) FROM payment_words_data WHERE instr(block, CAST('mith' AS blob)) > 0").Scan(&left))
			if left > 0 {
				t.Error("the index still has a word of an erased customer")
			}
		}
		for text, want := range map[string]int{"smith": 0, "blue": 0, "mugs": 1} {
			for _, look := range []int{0, 2} {
				if list := w.search(report.Query{Keys: []int64{k.ID}, Text: text, Look: look}); len(list) != want {
					t.Errorf("erased: %q finds %d", text, len(list))
				}
			}
		}
	})
}

// The pages of a search are together what it finds, the newest first, and the totals count it, whatever is compared
// row by row before the index is asked.
func TestStore_SearchPayments_WordsByPage(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a, b, other := w.NewKey(500, 50), w.NewKey(500, 50), w.NewKey(500, 50)
		keys, want := []int64{a.ID, b.ID}, []payment.ID(nil)
		var sum money.Micros
		for i := range 30 {
			if i%9 == 5 { // a few payments before and after a new age of the index, one of them in an age of its own
				w.numbersFrom(other, int64(i/9+1)<<17-int64(i%3))
			}
			k, d := a, payment.Details{Reference: "tea", Description: "plain"}
			if i%3 == 0 {
				k = b
			}
			if i%4 == 0 {
				d.Description = "gold leaf"
			}
			p := w.written(k, i, money.Micros(i+1)*money.USD, d)
			if i%4 == 0 {
				want, sum = append(want, p.ID), sum+p.Amount
			}
		}
		slices.Reverse(want)
		for _, look := range []int{0, 4, 12, 1000} {
			q := report.Query{Keys: keys, Text: "gold tea", Limit: 3, Look: look}
			totals, err := w.Totals(t.Context(), q)
			w.Must(err)
			if !totals.More || look == 0 || look == 1000 {
				storetest.Same(t, "totals", totals, report.Totals{Payments: int64(len(want)), Amount: sum})
			}
			got, _ := w.everyPage(q)
			if !slices.Equal(got, want) {
				t.Errorf("compared with %d: %v, want %v", look, got, want)
			}
		}
		for text, n := range map[string]int{"tea": 30, "leaf tea": 8, "gold": 8, "lea": 8} {
			q := report.Query{Keys: keys, Text: text, Limit: 50, Look: 2, Ascending: true}
			if list, _ := w.everyPage(q); len(list) != n {
				t.Errorf("%q, the oldest first: %d are found, want %d", text, len(list), n)
			}
		}
		late := report.Query{
			Keys: keys, Text: "gold", Look: 2, Until: storetest.Start.Add(5 * time.Minute), Min: 2 * money.USD,
		}
		if list := w.search(late); len(list) != 1 || list[0].Amount != 5*money.USD {
			t.Errorf("with other filters %d are found", len(list))
		}
	})
}

// everyPage returns what the pages of a search have together, and how many pages there are.
func (w *world) everyPage(q report.Query) (all []payment.ID, pages int) {
	w.T.Helper()
	for first := true; first || q.After != (report.Place{}); first = false {
		page, err := w.SearchPayments(w.T.Context(), q)
		w.Must(err)
		for _, p := range page.Payments {
			all = append(all, p.ID)
		}
		if pages++; pages > 500 {
			w.T.Fatalf("%+v has no end", q)
		}
		q.After = page.Next
	}
	return all, pages
}

// However frequent words are, a page reads a bounded part of the index: it has what was found so far, and goes on.
func TestStore_SearchPayments_WordsBounded(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(500, 50), w.NewKey(500, 50)
		const ages, each, look = 5, 12, 4
		for i := range ages * each {
			if i%each == 0 {
				w.numbersFrom(other, int64(i/each+1)<<17)
			}
			d := payment.Details{Description: []string{"tickets north", "tickets south"}[i%2]}
			switch i {
			case 5:
				d = payment.Details{Reference: "north south", Description: "tickets zebra"}
			case 7, 40, 55:
				d.Reference = "blue"
			}
			w.written(k, i, money.Micros(i+1)*money.USD, d)
		}
		type pages struct{ first, all, pages int } // found on the first, and together
		for name, c := range map[string]struct {
			q    report.Query
			want pages
		}{
			"a word of all":                        {report.Query{Text: "tickets"}, pages{3, 60, 20}},
			"frequent words, hardly ever together": {report.Query{Text: "north south"}, pages{0, 1, 3}},
			"the beginning of a word likewise":     {report.Query{Text: "south nort"}, pages{0, 1, 3}},
			"a frequent word, rarely of a filter":  {report.Query{Text: "tickets", Max: money.USD}, pages{0, 1, 16}},
			"a rare word":                          {report.Query{Text: "zebra"}, pages{1, 1, 1}},
			"a rare word with a frequent one":      {report.Query{Text: "zebra tickets"}, pages{1, 1, 1}},
			"a word of few":                        {report.Query{Text: "blue"}, pages{3, 3, 1}},
			"a word of none":                       {report.Query{Text: "yak tickets"}, pages{0, 0, 1}},
			"the oldest first":                     {report.Query{Text: "north south", Ascending: true}, pages{0, 1, 16}},
			"a rare word, the oldest first":        {report.Query{Text: "blue", Ascending: true}, pages{3, 3, 1}},
		} {
			c.q.Keys, c.q.Limit, c.q.Look = []int64{k.ID}, 3, look
			first, err := w.SearchPayments(t.Context(), c.q)
			w.Must(err)
			all, n := w.everyPage(c.q)
			if got := (pages{len(first.Payments), len(all), n}); got != c.want {
				t.Errorf("%s: %+v, want %+v", name, got, c.want)
			}
			sum, err := w.Totals(t.Context(), c.q)
			w.Must(err)
			shown, known := first.Totals(c.q)
			if known != (name != "a word of all") || known && shown != sum || known && sum.More != (n > 1) {
				t.Errorf("%s: the totals are %+v, and of the page %t %+v", name, sum, known, shown)
			}
		}
	})
}

// numbersFrom has another key take the payment of the number, so that the next ones follow it.
func (w *world) numbersFrom(other merchant.Key, number int64) {
	w.T.Helper()
	p := w.written(other, 0, 1_000_000, payment.Details{Description: "gold tea"})
	database, change := w.SQL(), "SELECT setval(pg_get_serial_sequence('payments', 'id'), $1) + $2"
	if !w.ManyWriters() {
		change = "UPDATE payments SET id = $1 WHERE id = $2"
		database.SetMaxOpenConns(1) // the pragma is the connection's
		w.MustDo(database.ExecContext(w.T.Context(), "PRAGMA foreign_keys = OFF"))
	}
	w.MustDo(database.ExecContext(w.T.Context(), change, number, p.Number))
}

// Totals are of the whole filter, of all keys and whatever the page.
func TestStore_Totals(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		a, b := w.NewKey(500, 500), w.NewKey(500, 500)
		mine := append(w.populate(a), w.populate(b)...)
		for i, q := range []report.Query{
			{},
			{Statuses: []payment.Status{payment.Completed}},
			{Network: chain.Polygon},
			{Token: money.USDC},
			{Min: 12_500_000},
			{From: storetest.Start.Add(10 * time.Minute)},
		} {
			var want report.Totals
			for _, p := range mine {
				if queryTakes(q, p) {
					want.Payments, want.Amount = want.Payments+1, want.Amount+p.Amount
				}
			}
			q.Keys, q.After = []int64{a.ID, b.ID}, report.Place{At: storetest.Start, Number: 1}
			got, err := w.Totals(t.Context(), q)
			w.Must(err)
			storetest.Same(t, "totals", got, want)
			if want.Payments == 0 {
				t.Errorf("query %d takes nothing", i)
			}
		}
		got, err := w.Totals(t.Context(), report.Query{Keys: []int64{a.ID}, Token: money.USDC, Look: 3})
		w.Must(err)
		if !got.More {
			t.Errorf("three were compared, and %+v are all", got)
		}
	})
}
