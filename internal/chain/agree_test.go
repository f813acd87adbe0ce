package chain_test

import (
	"errors"
	"slices"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// said is the answer of each endpoint in use: its verdict, or that it fails.
type said int

const (
	yes said = iota // it has the transfer
	no
	lags
	dead
)

func (s said) verdict() (chain.Verdict, error) {
	switch s {
	case yes:
		return chain.Stands, nil
	case no:
		return chain.Missing, nil
	case lags:
		return chain.Undecided, nil
	case dead:
	}
	return chain.Undecided, errors.New("connection refused")
}

// TestPresent: with one endpoint its word decides, with two both must agree, and with three any two, in whatever order
// they are asked. The answers are those of the endpoints apart from the source.
func TestPresent(t *testing.T) {
	t.Parallel()
	const failed = chain.Verdict(-1)
	for name, c := range map[string]struct {
		configured int
		others     []said
		want       chain.Verdict
	}{
		"OneHasIt":             {1, []said{yes}, chain.Stands},
		"OneDenies":            {1, []said{no}, chain.Missing},
		"OneLags":              {1, []said{lags}, chain.Undecided},
		"OneDead":              {1, []said{dead}, failed},
		"TwoAgree":             {2, []said{yes}, chain.Stands},
		"TwoDisagree":          {2, []said{no}, chain.Missing},
		"SecondLags":           {2, []said{lags}, chain.Undecided},
		"SecondDead":           {2, []said{dead}, failed},
		"SecondCoolsDown":      {2, nil, failed},
		"ThreeAgree":           {3, []said{yes, yes}, chain.Stands},
		"DenialThenSupport":    {3, []said{no, yes}, chain.Stands},
		"SupportThenDenial":    {3, []said{yes, no}, chain.Stands},
		"TwoDeny":              {3, []said{no, no}, chain.Missing},
		"DenialAndDead":        {3, []said{no, dead}, chain.Undecided},
		"DeadAndDenial":        {3, []said{dead, no}, chain.Undecided},
		"DenialAndLag":         {3, []said{no, lags}, chain.Undecided},
		"DenialAndCoolsDown":   {3, []said{no}, chain.Undecided},
		"DeadAndSupport":       {3, []said{dead, yes}, chain.Stands},
		"LagAndSupport":        {3, []said{lags, yes}, chain.Stands},
		"ThreeBothDead":        {3, []said{dead, dead}, failed},
		"ThreeDeadAndLag":      {3, []said{dead, lags}, chain.Undecided},
		"FourOneDenies":        {4, []said{no, yes, yes}, chain.Stands},
		"FourNoMajority":       {4, []said{no, no, yes}, chain.Undecided},
		"FourDenialAndDead":    {4, []said{no, dead, yes}, chain.Undecided},
		"FiveTwoOfOneMind":     {5, []said{yes, no, no, no}, chain.Missing},
		"SourceLeftTheList":    {2, []said{no, yes}, chain.Stands},
		"SourceLeftTheListToo": {2, []said{no, no}, chain.Missing},
	} {
		got, err := chain.Present(c.others, c.configured, said.verdict)
		if c.want == failed {
			if !errors.Is(err, chain.ErrNoEndpoint) {
				t.Errorf("%s: verdict %d, %v, want ErrNoEndpoint", name, got, err)
			}
			continue
		}
		if err != nil || got != c.want {
			t.Errorf("%s: verdict %d, %v, want %d", name, got, err, c.want)
		}
	}
}

// TestAbsent: two must deny a recorded transfer where two are configured; one that has it does not outweigh two that
// deny it.
func TestAbsent(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		configured int
		answers    []said
		want       chain.Verdict
	}{
		"OneDenies":         {1, []said{no}, chain.Missing},
		"OneHasIt":          {1, []said{yes}, chain.Stands},
		"OneLags":           {1, []said{lags}, chain.Undecided},
		"TwoDeny":           {2, []said{no, no}, chain.Missing},
		"OneOfTwoDenies":    {2, []said{no, yes}, chain.Stands},
		"OneOfTwoHasIt":     {2, []said{yes, no}, chain.Stands},
		"DenialAndDead":     {2, []said{no, dead}, chain.Undecided},
		"DenialAndLag":      {2, []said{lags, no}, chain.Undecided},
		"OnlyOneInUse":      {2, []said{no}, chain.Undecided},
		"NoneInUse":         {2, nil, chain.Undecided},
		"LiarFirst":         {3, []said{yes, no, no}, chain.Missing},
		"LiarInBetween":     {3, []said{no, yes, no}, chain.Missing},
		"LiarDenies":        {3, []said{no, yes, yes}, chain.Stands},
		"LiarDeadAndDenial": {3, []said{yes, dead, no}, chain.Stands},
	} {
		if got := chain.Absent(c.answers, c.configured, said.verdict); got != c.want {
			t.Errorf("%s: verdict %d, want %d", name, got, c.want)
		}
	}
}

// TestPresent_AsksNoMore: no endpoint is asked once a quorum has answered alike.
func TestPresent_AsksNoMore(t *testing.T) {
	t.Parallel()
	asked := 0
	_, err := chain.Present([]said{yes, yes, yes}, 4, func(s said) (chain.Verdict, error) {
		asked++
		return s.verdict()
	})
	if err != nil || asked != 2 {
		t.Errorf("asked %d endpoints, %v", asked, err)
	}
}

// TestHeld: each balance is what two endpoints say, and the largest where no two agree: nothing is not believed on one
// word.
func TestHeld(t *testing.T) {
	t.Parallel()
	type answer []uint64 // nil: the endpoint does not answer
	for name, c := range map[string]struct {
		configured int
		answers    []answer
		want       []uint64 // nil: it fails
		agreed     bool
		asked      int
	}{
		"One":             {1, []answer{{5, 0}}, []uint64{5, 0}, true, 1},
		"OneDead":         {1, []answer{nil}, nil, false, 1},
		"TwoAgree":        {2, []answer{{5, 0}, {5, 0}}, []uint64{5, 0}, true, 2},
		"TwoDisagree":     {2, []answer{{5, 0}, {0, 0}}, []uint64{5, 0}, false, 2},
		"SecondDead":      {2, []answer{{5, 0}, nil}, nil, false, 2},
		"SecondCoolsDown": {2, []answer{{5, 0}}, nil, false, 1},
		"ThirdNotNeeded":  {3, []answer{{5, 0}, {5, 0}, {9, 9}}, []uint64{5, 0}, true, 2},
		"ThirdDecides":    {3, []answer{{9, 9}, {5, 0}, {5, 0}}, []uint64{5, 0}, true, 3},
		"EachByItself":    {3, []answer{{9, 0}, {5, 0}, {5, 9}}, []uint64{5, 0}, true, 3},
		"HiderFirst":      {3, []answer{{0, 0}, {5, 1}, {5, 1}}, []uint64{5, 1}, true, 3},
		"AllDiffer":       {3, []answer{{1, 0}, {2, 0}, {3, 0}}, []uint64{3, 0}, false, 3},
		"DeadInBetween":   {3, []answer{{5, 0}, nil, {5, 0}}, []uint64{5, 0}, true, 3},
		"NoAddresses":     {2, []answer{{}, {}}, []uint64{}, true, 2},
	} {
		asked := 0
		held, agreed, err := chain.Held(c.answers, c.configured, func(a answer) ([]money.Units, error) {
			asked++
			if a == nil {
				return nil, errors.New("connection refused")
			}
			units := make([]money.Units, len(a))
			for i, n := range a {
				units[i] = money.UnitsFromUint64(n)
			}
			return units, nil
		})
		var got []uint64
		for _, u := range held {
			got = append(got, u.Big().Uint64())
		}
		if (err == nil) != (c.want != nil) || !slices.Equal(got, c.want) || agreed != c.agreed || asked != c.asked {
			t.Errorf("%s: %v, agreed %v, asked %d, %v", name, got, agreed, asked, err)
		}
		if err != nil && !errors.Is(err, chain.ErrNoEndpoint) {
			t.Errorf("%s: %v, want ErrNoEndpoint", name, err)
		}
	}
}

// TestAgree: what a transaction did is what two endpoints say.
func TestAgree(t *testing.T) {
	t.Parallel()
	same := func(a, b string) bool { return a == b }
	answer := func(s string) (string, error) {
		if s == "" {
			return "", errors.New("connection refused")
		}
		return s, nil
	}
	for name, c := range map[string]struct {
		configured int
		answers    []string
		want       string
		err        error
	}{
		"One":         {1, []string{"a"}, "a", nil},
		"TwoAgree":    {2, []string{"a", "a"}, "a", nil},
		"TwoDisagree": {2, []string{"a", "b"}, "", chain.ErrDisagree},
		"SecondDead":  {2, []string{"a", ""}, "", chain.ErrNoEndpoint},
		"NoneInUse":   {2, nil, "", chain.ErrNoEndpoint},
		"ThirdHelps":  {3, []string{"a", "b", "b"}, "b", nil},
		"AllDiffer":   {3, []string{"a", "b", "c"}, "", chain.ErrDisagree},
	} {
		got, err := chain.Agree(c.answers, c.configured, same, answer)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%s: %q, %v, want %q, %v", name, got, err, c.want, c.err)
		}
	}
}

// TestSearchAll: what any endpoint reports is searched for once, by block, and that there is nothing needs two answers
// where two are configured.
func TestSearchAll(t *testing.T) {
	t.Parallel()
	type answer []uint64 // blocks with a transfer; nil: the endpoint does not answer
	for name, c := range map[string]struct {
		configured int
		answers    []answer
		want       []uint64
		fails      bool
	}{
		"One":             {1, []answer{{3, 1}}, []uint64{1, 3}, false},
		"OneFindsNothing": {1, []answer{{}}, nil, false},
		"OneDead":         {1, []answer{nil}, nil, true},
		"NothingByTwo":    {2, []answer{{}, {}}, nil, false},
		"NothingByOne":    {2, []answer{{}, nil}, nil, true},
		"FirstCoolsDown":  {2, []answer{{}}, nil, true},
		"FoundByOne":      {2, []answer{nil, {2}}, []uint64{2}, false},
		"FoundByBoth":     {2, []answer{{2, 5}, {5, 1}}, []uint64{1, 2, 5}, false},
		"NothingByThird":  {3, []answer{{7}, {}, nil}, []uint64{7}, false},
		"NothingByMost":   {3, []answer{{}, nil, {}}, nil, false},
	} {
		found, err := chain.SearchAll(c.answers, c.configured, func(a answer) ([]chain.Transfer, error) {
			if a == nil {
				return nil, errors.New("connection refused")
			}
			list := make([]chain.Transfer, len(a))
			for i, block := range a {
				list[i].Ordinal, list[i].Block.Number = int(block), block
			}
			return list, nil
		})
		var got []uint64
		for _, f := range found {
			got = append(got, f.Block.Number)
		}
		if !slices.Equal(got, c.want) || (err != nil) != c.fails || err != nil && !errors.Is(err, chain.ErrNoEndpoint) {
			t.Errorf("%s: blocks %v, %v, want %v", name, got, err, c.want)
		}
	}
}
