package store_test

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/internal/store/storetest"
)

// lineOf is what an export writes of a payment.
func lineOf(p payment.Payment) string {
	r, _ := p.Route()
	return fmt.Sprint(
		p.ID, p.Number, p.KeyID, p.Kind, p.Amount, p.Status, p.Choice, p.CreatedAt, p.StartedAt, p.EndedAt, p.Hash,
		p.ByHand, p.Reference, p.Description, p.CustomerEmail, p.Received().Micros(), r.Address.Address, r.Settlement,
	)
}

// An export reads a part of each payment, and writes the same as if it had read the whole.
func TestStore_ExportPayments(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(500, 500), w.NewKey(500, 500)
		want := w.populate(k)
		for i := range 24 { // every second one is another's
			if p := w.NewStarted([]merchant.Key{other, k}[i%2]); p.KeyID == k.ID {
				want = append(want, p)
			}
		}
		slices.SortStableFunc(want, func(a, b payment.Payment) int {
			return cmp.Or(b.CreatedAt.Compare(a.CreatedAt), cmp.Compare(b.Number, a.Number))
		})
		q := report.Query{Keys: []int64{k.ID}, Limit: 7}
		received := 0
		for {
			page, err := w.ExportPayments(t.Context(), q)
			w.Must(err)
			list, err := page.Read(t.Context())
			w.Must(err)
			for i, p := range list {
				if got, whole := lineOf(p.Payment), lineOf(want[i]); got != whole {
					t.Errorf("an export has %s, want %s", got, whole)
				}
				if !p.Received().IsZero() {
					received++
				}
			}
			want = want[len(list):]
			if q.After = page.Next; q.After == (report.Place{}) {
				break
			}
		}
		if len(want) > 0 || received < 3 {
			t.Errorf("%d payments are missing, %d have money", len(want), received)
		}
	})
}

// An export of what was paid goes by when, page by page.
func TestStore_ExportPaid(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 500)
		var want []payment.ID
		for i := range 5 {
			p := w.NewPaymentAt(k, storetest.Start)
			if i == 4 {
				continue // it is not paid
			}
			w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, storetest.Start.Add(-time.Duration(i)*time.Hour))
			})
			if i > 0 {
				want = append(want, p.ID) // the first is paid at the end of the span, which is not part of it
			}
		}
		q := report.Query{
			Keys: []int64{k.ID}, Paid: true, Limit: 2,
			From: storetest.Start.Add(-3 * time.Hour), Until: storetest.Start,
		}
		var got []payment.ID
		for {
			page, err := w.ExportPayments(t.Context(), q)
			w.Must(err)
			list, err := page.Read(t.Context())
			w.Must(err)
			for _, p := range list {
				got = append(got, p.ID)
			}
			if q.After = page.Next; q.After == (report.Place{}) {
				break
			}
		}
		if !slices.Equal(got, want) {
			t.Errorf("paid were %v, want %v", got, want)
		}
	})
}

// A day is that of the shop's time zone: it has 25 hours where clocks go back, and begins amid an hour of UTC in Nepal.
func TestStore_Days_Zones(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(500, 500)
		for _, at := range []string{
			"2026-10-24T21:59:59Z", "2026-10-24T22:00:00Z", "2026-10-25T00:59:00Z", "2026-10-25T01:01:00Z",
			"2026-10-25T22:59:59Z", "2026-10-25T23:00:00Z",
		} {
			when, err := time.Parse(time.RFC3339, at)
			w.Must(err)
			p := w.NewPaymentAt(k, storetest.Start)
			w.Update(p.ID, func(p payment.Payment) (payment.Change, error) {
				return p.MarkCompleted(payment.Actor{Name: "API key"}, when)
			})
		}
		for name, want := range map[string]string{
			"UTC": "24 Oct: 2, 25 Oct: 4", "Europe/Berlin": "24 Oct: 1, 25 Oct: 4, 26 Oct: 1",
			"Asia/Kathmandu": "25 Oct: 4, 26 Oct: 2",
		} {
			zone, err := time.LoadLocation(name)
			w.Must(err)
			days, err := w.Days(t.Context(), []int64{k.ID}, time.Date(2026, 10, 20, 0, 0, 0, 0, zone),
				time.Date(2026, 11, 1, 0, 0, 0, 0, zone))
			w.Must(err)
			counts := map[string]int64{}
			for _, d := range days {
				counts[d.Day.Format("02 Jan")] += d.Count
			}
			var got []string
			for _, day := range slices.Sorted(maps.Keys(counts)) {
				got = append(got, fmt.Sprintf("%s: %d", day, counts[day]))
			}
			if text := strings.Join(got, ", "); text != want {
				t.Errorf("%s: %s, want %s", name, text, want)
			}
		}
	})
}

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

// TestReader_UnderSeed: what lies on Solana deposit addresses is summed by token, seen or final, until it is swept.
func TestReader_UnderSeed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.NewKey(5, 5)
		amounts := func() string {
			t.Helper()
			all, err := w.UnderSeed(ctx)
			w.Must(err)
			var text strings.Builder
			for _, x := range all {
				fmt.Fprintf(&text, "%s %s of %d;", x.Units.Display(x.Decimals), x.Symbol, x.Payments)
			}
			return text.String()
		}
		storetest.Same(t, "at first", amounts(), "")
		for _, tx := range []string{"0xa1", "0xa2"} {
			p := w.NewStarted(k)
			_, err := w.UpdatePayment(ctx, p.ID, storetest.Observe(20,
				storetest.Transfer(p, tx, p.Amount, 10), storetest.Transfer(p, tx+"f", p.Amount, 30)))
			w.Must(err)
		}
		storetest.Same(t, "money on Polygon only", amounts(), "")
		change := func(text string, args ...any) {
			t.Helper()
			w.MustDo(w.SQL().ExecContext(ctx, text, args...))
		}
		change("UPDATE deposits SET network = '" + string(chain.Solana) + "'")
		p := w.Stored(w.NewStarted(k).ID)
		four := (4 * p.Amount).Display()
		storetest.Same(t, "final and seen", amounts(), four+" USDC of 2;")
		change("UPDATE deposits SET token = '', symbol = 'SCAM' WHERE tx_hash = $1", db.Packed("0xa1"))
		storetest.Same(t, "without a token that does not count", amounts(), (3*p.Amount).Display()+" USDC of 2;")
		change("UPDATE deposits SET swept_at = final_at WHERE state = 'FINAL'")
		storetest.Same(t, "after a sweep", amounts(), (2*p.Amount).Display()+" USDC of 2;")
		change("UPDATE deposits SET state = 'VANISHED' WHERE state = 'SEEN'")
		storetest.Same(t, "after a reorg", amounts(), "")
	})
}
