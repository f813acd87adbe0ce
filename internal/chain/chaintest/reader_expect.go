package chaintest

import (
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/chain"
)

// want is a payment that must be reported as a transfer of the transaction.
type want struct {
	Payment
	tx chain.TxHash
}

func heads(t *testing.T, h Harness) chain.Heads {
	t.Helper()
	hs, err := h.Reader().Heads(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	checkHeads(t, hs)
	return hs
}

func blockAt(t *testing.T, h Harness, number uint64) (chain.Head, bool) {
	t.Helper()
	head, ok, err := h.Reader().BlockAt(t.Context(), number)
	if err != nil {
		t.Fatal(err)
	}
	return head, ok
}

func watchSet(addresses ...chain.Watched) *chain.WatchSet {
	set := chain.NewWatchSet(len(addresses))
	for _, a := range addresses {
		set.Add(a)
	}
	return set
}

func scan(t *testing.T, h Harness, from uint64, to chain.Head, addresses ...chain.Watched) []chain.Transfer {
	t.Helper()
	got, _, err := h.Reader().Scan(t.Context(), from, to, watchSet(addresses...))
	if err != nil {
		t.Fatal(err)
	}
	return got
}

// scanAll scans from the first block to the newest.
func scanAll(t *testing.T, h Harness, addresses ...chain.Watched) []chain.Transfer {
	t.Helper()
	return scan(t, h, 0, heads(t, h).Latest, addresses...)
}

func find(t *testing.T, h Harness, tx chain.TxHash) chain.Found {
	t.Helper()
	found, err := h.Reader().Find(t.Context(), tx)
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func sameHead(a, b chain.Head) bool {
	return a.Number == b.Number && a.Hash == b.Hash && a.Time.Equal(b.Time)
}

// wantTransfers compares the reported transfers with the payments made, in any
// order.
func wantTransfers(t *testing.T, got []chain.Transfer, wants ...want) {
	t.Helper()
	rest := slices.Clone(got)
	for _, w := range wants {
		i := slices.IndexFunc(rest, func(tr chain.Transfer) bool { return w.matches(tr) })
		if i < 0 {
			t.Errorf("%d units of %s to %s in %s are not reported; the transfers are %+v", w.Units, w.Asset.Symbol,
				w.To.Address, w.tx, got)
			continue
		}
		if rest[i].Asset != w.Asset {
			t.Errorf("asset is %+v, want %+v", rest[i].Asset, w.Asset)
		}
		rest = slices.Delete(rest, i, i+1)
	}
	if len(rest) > 0 {
		t.Errorf("reported but never paid: %+v", rest)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// reported returns the payments as the harness's chain reports them.
func reported(h Harness, wants ...want) []want {
	if _, sums := h.(Summer); !sums {
		return wants
	}
	var list []want
	for _, w := range wants {
		i := slices.IndexFunc(list, func(o want) bool {
			return o.tx == w.tx && o.To.Address == w.To.Address && o.Asset.Contract == w.Asset.Contract
		})
		if i >= 0 {
			list[i].Units += w.Units
		} else {
			list = append(list, w)
		}
	}
	return list
}

// matches reports whether the transfer is of the payment.
func (w want) matches(tr chain.Transfer) bool {
	return tr.Tx == w.tx && tr.Network == w.Asset.Network && tr.To == w.To.Address &&
		tr.Asset.Contract == w.Asset.Contract && tr.Units.Cmp(w.units()) == 0
}

// wantFound is wantTransfers for Find, which may report more than the payments.
func wantFound(t *testing.T, found chain.Found, w want) {
	t.Helper()
	i := slices.IndexFunc(found.Transfers, w.matches)
	if i < 0 {
		t.Fatalf("%d units to %s are not reported: %+v", w.Units, w.To.Address, found.Transfers)
	}
	if found.Transfers[i].Asset != w.Asset {
		t.Errorf("asset is %+v, want %+v", found.Transfers[i].Asset, w.Asset)
	}
}

// wantVerdict asks about a transfer that nobody has voted for yet.
func wantVerdict(t *testing.T, h Harness, tr chain.Transfer, at chain.Head, want chain.Verdict) {
	t.Helper()
	tr.Source = ""
	got, err := chain.JudgeAll(t.Context(), h.Reader(), []chain.Transfer{tr}, at)
	if err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("verdict at block %d on %+v is %d, want %d", at.Number, tr, got, want)
	}
}

// denied is the verdict on a transfer that is not in its block, which is still there: one endpoint alone contradicts
// itself.
func denied(h Harness) chain.Verdict {
	if h.Reader().Quorum() == 1 {
		return chain.Undecided
	}
	return chain.Missing
}
