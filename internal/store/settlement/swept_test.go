package settlement_test

import (
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/store/storetest"
)

// What sweeps moved from an address, also beyond what was recorded there. While a sweep is in flight that is not known.
func TestStore_SweptFrom(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(100, 0)
		a, b := w.paidIn(k, 11, 3_000_000), w.paidIn(k, 11, 5_000_000)
		routeA, _ := a.Route()
		routeB, _ := b.Route()
		asset := a.Deposits[0].Transfer.Asset
		want := func(what string, want map[chain.Address]string) {
			t.Helper()
			got, err := w.SweptFrom(t.Context(), asset, []chain.Address{routeA.Address.Address, routeB.Address.Address})
			w.Must(err)
			texts := make(map[chain.Address]string)
			for address, units := range got {
				texts[address] = units.String()
			}
			storetest.Same(t, what, texts, want)
		}
		want("before any sweep", map[chain.Address]string{routeA.Address.Address: "0", routeB.Address.Address: "0"})
		due := w.due()
		first := due[0]
		s := w.planned(first)
		left := routeA.Address.Address
		if first.Address.Address == left {
			left = routeB.Address.Address
		}
		want("while one is swept", map[chain.Address]string{left: "0"})
		end := confirmed(s, 12)
		end.Moved[0].Units = end.Moved[0].Units.Add(money.UnitsFromUint64(7))
		w.Must(w.EndSweep(t.Context(), end, end.EndedAt))
		want("after it", map[chain.Address]string{first.Address.Address: end.Moved[0].Units.String(), left: "0"})
	})
}
