package settlement_test

import (
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/settlement"
)

func units(n int64) money.Units { return money.NewUnits(big.NewInt(n)) }

func final(n int64, block uint64) settlement.CoveredDeposit {
	return settlement.CoveredDeposit{Units: units(n), Block: block, Through: block, Final: true, Rechecked: true}
}

// folded is a deposit that stands for the small transfers of several blocks.
func folded(n int64, block, through uint64) settlement.CoveredDeposit {
	d := final(n, block)
	d.Through = through
	return d
}

func TestCovering_Cover(t *testing.T) {
	t.Parallel()
	seen, swept := final(5, 1), final(5, 1)
	seen.Final, swept.Swept = false, true
	for name, row := range map[string]struct {
		covering  settlement.Covering
		deposits  []settlement.CoveredDeposit
		rescued   bool
		marked    []int
		sum       int64 // marked afterwards
		found     int64
		wantAhead bool
	}{
		"NothingMoved": {
			settlement.Covering{}, []settlement.CoveredDeposit{final(5, 1)}, false, nil, 0, 0, false,
		},
		"All": {
			covering(8, 0, 2), []settlement.CoveredDeposit{final(5, 1), final(3, 2)}, false, []int{0, 1}, 8, 0, false,
		},
		"LaterBlock": {
			covering(8, 0, 2), []settlement.CoveredDeposit{final(5, 1), final(3, 3)}, false, []int{0}, 5, 0, true,
		},
		"StopsAtFirst": {
			covering(4, 0, 2), []settlement.CoveredDeposit{final(5, 1), final(3, 2)}, false, nil, 0, 0, true,
		},
		"NotFinalYet": {
			covering(8, 0, 2), []settlement.CoveredDeposit{seen, final(3, 2)}, false, []int{1}, 3, 0, true,
		},
		"MarkedBefore": {
			covering(8, 5, 2), []settlement.CoveredDeposit{swept, final(3, 2)}, false, []int{1}, 8, 0, false,
		},
		"MarkedVanished": {
			covering(5, 5, 2), []settlement.CoveredDeposit{final(3, 1), final(2, 2)}, false, []int{0, 1}, 5, 0, false,
		},
		"MoreThanDeposited": {
			covering(9, 0, 2), []settlement.CoveredDeposit{final(5, 1)}, false, []int{0}, 5, 0, true,
		},
		"FoldedLaterToo": {covering(9, 0, 2), []settlement.CoveredDeposit{folded(5, 1, 3)}, false, nil, 0, 0, true},
		"FoldedUntilThen": {
			covering(5, 0, 3), []settlement.CoveredDeposit{folded(5, 1, 3)}, false, []int{0}, 5, 0, false,
		},
		"RescueFindsMore":    {covering(9, 0, 2), []settlement.CoveredDeposit{final(5, 1)}, true, []int{0}, 5, 4, true},
		"RescueOfNoDeposits": {covering(9, 0, 2), nil, true, nil, 0, 9, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			after, marked := row.covering.Cover(row.deposits, row.rescued)
			if !slices.Equal(marked, row.marked) || after.Marked.Cmp(units(row.sum)) != 0 ||
				after.Found.Cmp(units(row.found)) != 0 || after.Ahead() != row.wantAhead {
				t.Errorf("marked %v, after %+v, ahead %t", marked, after, after.Ahead())
			}
		})
	}
}

func TestCovering_Standing(t *testing.T) {
	t.Parallel()
	again := final(5, 3)
	again.Rechecked = false
	for name, row := range map[string]struct {
		covering settlement.Covering
		deposits []settlement.CoveredDeposit
		want     int64
	}{
		"NothingMoved":              {covering(0, 0, 0), []settlement.CoveredDeposit{final(5, 1), final(3, 4)}, 8},
		"AllMoved":                  {covering(8, 0, 4), []settlement.CoveredDeposit{final(5, 1), final(3, 4)}, 0},
		"InPartMoved":               {covering(6, 0, 4), []settlement.CoveredDeposit{final(5, 1), final(3, 4)}, 2},
		"CameLater":                 {covering(5, 0, 2), []settlement.CoveredDeposit{final(5, 1), final(3, 4)}, 3},
		"CameAfterIt":               {covering(0, 0, 0), []settlement.CoveredDeposit{final(5, 1), final(3, 5)}, 5},
		"NotFoundAgain":             {covering(0, 0, 0), []settlement.CoveredDeposit{again}, 0},
		"MovedWhatWasNotRecorded":   {covering(9, 0, 2), []settlement.CoveredDeposit{final(5, 1), final(3, 4)}, 3},
		"FoldedAlsoAfterIt":         {covering(0, 0, 0), []settlement.CoveredDeposit{folded(5, 1, 5)}, 0},
		"MovedAndFoldedAlsoAfterIt": {covering(2, 0, 2), []settlement.CoveredDeposit{folded(5, 1, 5)}, 0},
		"MovedAndFoldedLaterToo":    {covering(2, 0, 2), []settlement.CoveredDeposit{folded(5, 1, 4)}, 3},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := row.covering.Standing(row.deposits, 4); got.Cmp(units(row.want)) != 0 {
				t.Errorf("%s stand there, want %d", got, row.want)
			}
		})
	}
}

func TestCovering_Due(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		covering settlement.Covering
		deposits []settlement.CoveredDeposit
		want     int64
	}{
		"NothingMoved":        {covering(0, 0, 0), []settlement.CoveredDeposit{final(5, 1), final(3, 2)}, 8},
		"MovedAndNotMarked":   {covering(4, 0, 1), []settlement.CoveredDeposit{final(5, 1)}, 1},
		"NeverBelowZero":      {covering(9, 0, 1), []settlement.CoveredDeposit{final(5, 1)}, 0},
		"LaterMoneyIsDue":     {covering(9, 0, 1), []settlement.CoveredDeposit{final(5, 1), final(3, 2)}, 3},
		"MarkedDoesNotCover":  {covering(5, 5, 1), []settlement.CoveredDeposit{final(3, 1)}, 3},
		"SpareIsUsedUpOnce":   {covering(4, 0, 2), []settlement.CoveredDeposit{final(3, 1), final(3, 2)}, 2},
		"NoDepositNothingDue": {covering(4, 0, 2), nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if due := row.covering.Due(row.deposits); due.Cmp(units(row.want)) != 0 {
				t.Errorf("due %s, want %d", due, row.want)
			}
		})
	}
}

// TestCovering_Invariants: for any deposits and any amount moved, marks never exceed what was moved, later deposits
// stay unmarked, and covering again changes nothing.
func TestCovering_Invariants(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		var deposits []settlement.CoveredDeposit
		for range rapid.IntRange(0, 8).Draw(t, "deposits") {
			d := final(rapid.Int64Range(1, 9).Draw(t, "units"), rapid.Uint64Range(1, 9).Draw(t, "block"))
			d.Final = rapid.Bool().Draw(t, "final")
			deposits = append(deposits, d)
		}
		c := covering(rapid.Int64Range(0, 40).Draw(t, "moved"), 0, rapid.Uint64Range(0, 9).Draw(t, "through"))
		after, marked := c.Cover(deposits, rapid.Bool().Draw(t, "rescued"))
		if after.Marked.Cmp(after.Moved) > 0 {
			t.Fatalf("marked %s of %s moved", after.Marked, after.Moved)
		}
		for _, i := range marked {
			if !deposits[i].Final || deposits[i].Block > c.Through {
				t.Fatalf("marked %+v through block %d", deposits[i], c.Through)
			}
			deposits[i].Swept = true
		}
		if again, more := after.Cover(deposits, false); len(more) > 0 || again.Marked.Cmp(after.Marked) != 0 {
			t.Fatalf("covered again: %v, %+v", more, again)
		}
	})
}

func covering(moved, marked int64, through uint64) settlement.Covering {
	return settlement.Covering{Moved: units(moved), Marked: units(marked), Through: through}
}
