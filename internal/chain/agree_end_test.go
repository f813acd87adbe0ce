package chain_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
)

// tracked is what an endpoint reports of a transaction.
type tracked struct {
	status chain.TxStatus
	effect string
	block  chain.Support // what its blocks say, if it has lost its index
	dead   bool
}

func track(reports []tracked, configured int) (tracked, bool, error) {
	return chain.Tracking[tracked, tracked]{
		Read: func(r tracked) (tracked, error) {
			if r.dead {
				return r, errors.New("connection refused")
			}
			return r, nil
		},
		Status:  func(r tracked) chain.TxStatus { return r.status },
		Same:    func(a, b tracked) bool { return a.effect == b.effect },
		Support: func(dropped, _ tracked) chain.Support { return dropped.block },
	}.Track(reports, configured)
}

// trackCase is what endpoints report, and what is concluded.
type trackCase struct {
	configured int
	reports    []tracked
	want       chain.TxStatus
	effect     string
}

// trackCases are named by what the endpoints report.
func trackCases() map[string]trackCase {
	final, other := tracked{status: chain.TxFinal, effect: "10"}, tracked{status: chain.TxFinal, effect: "0"}
	reverted, dropped := tracked{status: chain.TxReverted}, tracked{status: chain.TxDropped, block: chain.Refutes}
	lost, unsure := tracked{status: chain.TxDropped, block: chain.Backs}, tracked{status: chain.TxDropped}
	unknown, pending := tracked{status: chain.TxUnknown}, tracked{status: chain.TxPending}
	included, dead := tracked{status: chain.TxIncluded}, tracked{dead: true}
	behind := tracked{status: chain.TxIncluded, block: chain.Backs} // its block is not final by its own word
	waits := tracked{status: chain.TxPending, block: chain.Backs}
	return map[string]trackCase{
		"LaggardBacksNot":    {2, []tracked{final, behind}, chain.TxIncluded, "10"},
		"PendingBacksNot":    {2, []tracked{final, waits}, chain.TxIncluded, "10"},
		"OneFinal":           {1, []tracked{final}, chain.TxFinal, "10"},
		"OneReverted":        {1, []tracked{reverted}, chain.TxReverted, ""},
		"OneDropped":         {1, []tracked{dropped}, chain.TxDropped, ""},
		"NotEnded":           {2, []tracked{pending, dead}, chain.TxPending, ""},
		"Included":           {2, []tracked{included, final}, chain.TxIncluded, ""},
		"TwoFinal":           {2, []tracked{final, final}, chain.TxFinal, "10"},
		"SecondDead":         {2, []tracked{final, dead}, chain.TxIncluded, "10"},
		"SecondCoolsDown":    {2, []tracked{final}, chain.TxIncluded, "10"},
		"SecondBehind":       {2, []tracked{final, included}, chain.TxIncluded, "10"},
		"SecondHasNot":       {2, []tracked{final, unknown}, chain.TxIncluded, "10"},
		"OtherEffect":        {2, []tracked{final, other}, chain.TxIncluded, "10"},
		"FinalOrReverted":    {2, []tracked{reverted, final}, chain.TxIncluded, ""},
		"RevertedByOne":      {2, []tracked{reverted, dead}, chain.TxIncluded, ""},
		"DroppedByOne":       {2, []tracked{dropped, dead}, chain.TxUnknown, ""},
		"DroppedOrPending":   {2, []tracked{dropped, pending}, chain.TxPending, ""},
		"DroppedByTwo":       {2, []tracked{dropped, dropped}, chain.TxDropped, ""},
		"FinalOrDropped":     {2, []tracked{final, dropped}, chain.TxIncluded, "10"},
		"DroppedOrFinal":     {2, []tracked{dropped, final}, chain.TxIncluded, "10"},
		"LostIndex":          {2, []tracked{lost, final}, chain.TxFinal, "10"},
		"LostIndexLast":      {2, []tracked{final, lost}, chain.TxFinal, "10"},
		"LiarSaysFinal":      {3, []tracked{final, dropped, dropped}, chain.TxDropped, ""},
		"LiarSaysDropped":    {3, []tracked{dropped, final, final}, chain.TxFinal, "10"},
		"LiarSaysOther":      {3, []tracked{other, final, final}, chain.TxFinal, "10"},
		"LiarSaysReverted":   {3, []tracked{final, reverted, final}, chain.TxFinal, "10"},
		"OneDeadTwoFinal":    {3, []tracked{dead, final, final}, chain.TxFinal, "10"},
		"DroppedCannotTell":  {3, []tracked{final, unsure, unsure}, chain.TxIncluded, "10"},
		"TwoLostTheirIndex":  {3, []tracked{lost, lost, final}, chain.TxFinal, "10"},
		"LiarLast":           {3, []tracked{dropped, dropped, final}, chain.TxDropped, ""},
		"LostIndexBetween":   {3, []tracked{dropped, final, lost}, chain.TxFinal, "10"},
		"DroppedDeadDropped": {3, []tracked{dropped, dead, dropped}, chain.TxDropped, ""},
		"LiarSaysPending":    {3, []tracked{pending, final, final}, chain.TxFinal, "10"},
		"LiarSaysUnknown":    {3, []tracked{unknown, reverted, reverted}, chain.TxReverted, ""},
		"LiarSaysIncluded":   {3, []tracked{included, unknown, unknown}, chain.TxUnknown, ""},
		"LaggardSaysNotYet":  {3, []tracked{included, final, final}, chain.TxFinal, "10"},
		"FirstHasNotHeard":   {2, []tracked{unknown, included}, chain.TxIncluded, ""},
		"PendingNotDropped":  {3, []tracked{pending, dropped, dropped}, chain.TxDropped, ""},
		"UnknownNotDropped":  {3, []tracked{dropped, unknown, dropped}, chain.TxDropped, ""},
		"IncludedNotDropped": {3, []tracked{included, dropped, dropped}, chain.TxDropped, ""},
		"IncludedAndLost":    {3, []tracked{included, lost, lost}, chain.TxIncluded, ""},
		"DroppedTooEarly":    {3, []tracked{dropped, pending, pending}, chain.TxPending, ""},
		"RefutedByOne":       {3, []tracked{final, dropped, unsure}, chain.TxIncluded, "10"},
		"RefutedByOneBefore": {3, []tracked{unsure, dropped, final}, chain.TxIncluded, "10"},
		"DroppedOrUnknown":   {2, []tracked{dropped, unknown}, chain.TxUnknown, ""},
	}
}

// TestTracking: a transaction ends as two endpoints say, in whatever order they are asked; short of that it is known to
// be in a block at most.
func TestTracking(t *testing.T) {
	t.Parallel()
	for name, c := range trackCases() {
		got, ended, err := track(c.reports, c.configured)
		if !ended {
			got.status = chain.Downgraded(got.status)
		}
		if err != nil || got.status != c.want || ended != c.want.Ended() || got.effect != c.effect {
			t.Errorf("%s: %s, ended %v, effect %q, %v; want %s, %q", name, got.status, ended, got.effect, err, c.want, c.effect)
		}
	}
	dead := tracked{dead: true}
	if _, _, err := track([]tracked{dead, dead}, 2); !errors.Is(err, chain.ErrNoEndpoint) {
		t.Errorf("no endpoint answers: %v", err)
	}
}

// TestCompare: all endpoints are asked only where a quorum agree on nothing newer, and then every AllEvery. Where there
// are more than three, two of one mind do not decide.
func TestCompare(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	var views chain.FinalViews
	// known is the newest block that a quorum of the endpoints, whose blocks are given, have reached.
	compare := func(needed int, blocks []int) (known, asked int) {
		reached, all := make(chain.Reached[int, int]), make([]int, len(blocks)) // the endpoints by their number
		for i := range all {
			all[i] = i
		}
		chain.Compare(&views, now, needed, 0, all[1:],
			func(e int) (int, bool) { asked++; return e, blocks[e] >= 0 },
			func(a, b int) {
				if low := min(blocks[a], blocks[b]); reached.Add(low, a, b) >= needed {
					known = max(known, low)
				}
			},
			func() bool { return known > 10 })
		return known, asked
	}
	for _, c := range []struct {
		name         string
		later        time.Duration
		needed       int
		blocks       []int
		known, asked int
	}{
		{"TwoAgree", 0, 2, []int{12, 11, 20}, 11, 1},
		{"FirstDead", 0, 2, []int{12, -1, 11, 20}, 11, 2},
		{"SecondStandsStill", 0, 2, []int{12, 10, 12, 12}, 12, 2},
		{"AskedOfLate", chain.AllEvery - 1, 2, []int{12, 10, 12, 12}, 10, 1},
		{"AskedAgain", 1, 2, []int{12, 10, 10, 12}, 12, 3},
		{"ThreeOfFive", 0, 3, []int{99, 99, 12, 12, 12}, 12, 2},
		{"TwoOfFive", chain.AllEvery, 3, []int{99, 99, -1, -1, 10}, 10, 4},
	} {
		now = now.Add(c.later)
		if known, asked := compare(c.needed, c.blocks); known != c.known || asked != c.asked {
			t.Errorf("%s: %d known, %d asked, want %d, %d", c.name, known, asked, c.known, c.asked)
		}
	}
}
