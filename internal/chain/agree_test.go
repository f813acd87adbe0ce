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

func (s said) verdicts() ([]chain.Verdict, error) {
	switch s {
	case yes:
		return []chain.Verdict{chain.Stands}, nil
	case no:
		return []chain.Verdict{chain.Missing}, nil
	case lags:
		return []chain.Verdict{chain.Undecided}, nil
	case dead:
	}
	return nil, errors.New("connection refused")
}

// TestJudged: with one endpoint its word decides, with two both must agree, and with more a majority, in whatever order
// they are asked. With a report, the answers are those of the endpoints apart from its source, which has one vote.
func TestJudged(t *testing.T) {
	t.Parallel()
	const failed = chain.Verdict(-1)
	for name, c := range map[string]struct {
		configured int
		reported   bool
		answers    []said
		want       chain.Verdict
	}{
		"OneHasIt":            {1, true, []said{yes}, chain.Stands},
		"OneDenies":           {1, true, []said{no}, chain.Missing},
		"OneLags":             {1, true, []said{lags}, chain.Undecided},
		"OneDead":             {1, true, []said{dead}, failed},
		"TwoAgree":            {2, true, []said{yes}, chain.Stands},
		"TwoDisagree":         {2, true, []said{no}, chain.Undecided},
		"SecondLags":          {2, true, []said{lags}, chain.Undecided},
		"SecondDead":          {2, true, []said{dead}, failed},
		"SecondCoolsDown":     {2, true, nil, failed},
		"ThreeAgree":          {3, true, []said{yes, yes}, chain.Stands},
		"DenialThenSupport":   {3, true, []said{no, yes}, chain.Stands},
		"SupportThenDenial":   {3, true, []said{yes, no}, chain.Stands},
		"TwoDeny":             {3, true, []said{no, no}, chain.Missing},
		"DenialAndDead":       {3, true, []said{no, dead}, chain.Undecided},
		"DeadAndDenial":       {3, true, []said{dead, no}, chain.Undecided},
		"DenialAndLag":        {3, true, []said{no, lags}, chain.Undecided},
		"DenialAndCoolsDown":  {3, true, []said{no}, chain.Undecided},
		"DeadAndSupport":      {3, true, []said{dead, yes}, chain.Stands},
		"LagAndSupport":       {3, true, []said{lags, yes}, chain.Stands},
		"ThreeBothDead":       {3, true, []said{dead, dead}, failed},
		"ThreeDeadAndLag":     {3, true, []said{dead, lags}, chain.Undecided},
		"SourceLeftTheList":   {2, true, []said{no, yes}, chain.Stands},
		"FourOneDenies":       {4, true, []said{no, yes, yes}, chain.Stands},
		"FourNoMajority":      {4, true, []said{no, no, yes}, chain.Undecided},
		"FourDenialAndDead":   {4, true, []said{no, dead, yes}, chain.Undecided},
		"FiveTwoOfOneMind":    {5, true, []said{yes, no, no, no}, chain.Missing},
		"NobodyOneDenies":     {1, false, []said{no}, chain.Missing},
		"NobodyTwoDeny":       {2, false, []said{no, no}, chain.Missing},
		"NobodyOneOfTwo":      {2, false, []said{no, yes}, chain.Undecided},
		"NobodyDenialAndDead": {2, false, []said{no, dead}, chain.Undecided},
		"NobodyDenialAndLag":  {2, false, []said{lags, no}, chain.Undecided},
		"NobodyOnlyOneInUse":  {2, false, []said{no}, chain.Undecided},
		"NobodyNoneInUse":     {2, false, nil, failed},
		"NobodyLiarFirst":     {3, false, []said{yes, no, no}, chain.Missing},
		"NobodyLiarDenies":    {3, false, []said{no, yes, yes}, chain.Stands},
		"NobodyLiarAndDead":   {3, false, []said{yes, dead, no}, chain.Undecided},
	} {
		got, err := chain.Judged(c.answers, c.configured, make([]chain.Transfer, 1), c.reported, said.verdicts)
		if c.want == failed {
			if !errors.Is(err, chain.ErrNoEndpoint) {
				t.Errorf("%s: verdict %d, %v, want ErrNoEndpoint", name, got, err)
			}
			continue
		}
		if err != nil || got[0] != c.want {
			t.Errorf("%s: verdict %d, %v, want %d", name, got, err, c.want)
		}
	}
}

// TestJudged_AsksNoMore: no endpoint is asked once a quorum has answered alike.
func TestJudged_AsksNoMore(t *testing.T) {
	t.Parallel()
	asked := 0
	one := make([]chain.Transfer, 1)
	_, err := chain.Judged([]said{yes, yes, yes}, 3, one, true, func(s said) ([]chain.Verdict, error) {
		asked++
		return s.verdicts()
	})
	if err != nil || asked != 1 {
		t.Errorf("asked %d endpoints, %v", asked, err)
	}
}

const unread = 99 // the endpoint fails for the address

func balancesOf(list []uint64) (b chain.Balances, err error) {
	if list == nil {
		return b, errors.New("connection refused")
	}
	b.Unread = make(map[int]error)
	for i, n := range list {
		if n == unread {
			b.Unread[i], n = errors.New("internal error"), 0
		}
		b.Held = append(b.Held, money.UnitsFromUint64(n))
	}
	return b, nil
}

// TestHeld: each balance is what two endpoints say, and the largest where no two agree: nothing is not believed on one
// word.
func TestHeld(t *testing.T) {
	t.Parallel()
	type answer = []uint64 // nil: the endpoint does not answer
	for name, c := range map[string]struct {
		configured int
		answers    []answer
		want       []uint64 // nil: it fails
		agreed     bool
		asked      int
		unread     int // the address that is not known, from 1; 0: none
	}{
		"One":             {1, []answer{{5, 0}}, []uint64{5, 0}, true, 1, 0},
		"OneDead":         {1, []answer{nil}, nil, false, 1, 0},
		"TwoAgree":        {2, []answer{{5, 0}, {5, 0}}, []uint64{5, 0}, true, 2, 0},
		"TwoDisagree":     {2, []answer{{5, 0}, {0, 0}}, []uint64{5, 0}, false, 2, 0},
		"SecondDead":      {2, []answer{{5, 0}, nil}, []uint64{5, 0}, false, 2, 0},
		"SecondUnread":    {2, []answer{{5, unread}, nil}, nil, false, 2, 0},
		"SecondCoolsDown": {2, []answer{{5, 0}}, []uint64{5, 0}, false, 1, 0},
		"ThirdNotNeeded":  {3, []answer{{5, 0}, {5, 0}, {9, 9}}, []uint64{5, 0}, true, 2, 0},
		"ThirdDecides":    {3, []answer{{9, 9}, {5, 0}, {5, 0}}, []uint64{5, 0}, true, 3, 0},
		"EachByItself":    {3, []answer{{9, 0}, {5, 0}, {5, 9}}, []uint64{5, 0}, true, 3, 0},
		"HiderFirst":      {3, []answer{{0, 0}, {5, 1}, {5, 1}}, []uint64{5, 1}, true, 3, 0},
		"AllDiffer":       {3, []answer{{1, 0}, {2, 0}, {3, 0}}, []uint64{3, 0}, false, 3, 0},
		"DeadInBetween":   {3, []answer{{5, 0}, nil, {5, 0}}, []uint64{5, 0}, true, 3, 0},
		"NoAddresses":     {2, []answer{{}, {}}, []uint64{}, true, 2, 0},
		"OneUnread":       {1, []answer{{5, unread}}, []uint64{5, 0}, false, 1, 2},
		"UnreadByOne":     {2, []answer{{5, 7}, {unread, 7}}, []uint64{5, 7}, false, 2, 1},
		"ThirdReads":      {3, []answer{{5, 7}, {unread, 7}, {5, 7}}, []uint64{5, 7}, true, 3, 0},
		"ThirdDiffers":    {3, []answer{{5, 7}, {unread, 7}, {6, 7}}, []uint64{6, 7}, false, 3, 0},
		"UnreadByMost":    {3, []answer{{unread, 7}, {unread, 7}, {6, 7}}, []uint64{6, 7}, false, 3, 1},
	} {
		asked := 0
		addresses := []chain.Address{"1", "2"}[:len(c.answers[0])]
		held, agreed, err := chain.Held(c.answers, c.configured, addresses, func(a []uint64) (chain.Balances, error) {
			asked++
			return balancesOf(a)
		})
		if u, _ := errors.AsType[*chain.UnreadError](err); (u != nil) != (c.unread > 0) ||
			u != nil && !slices.Equal(u.Addresses, addresses[c.unread-1:c.unread]) {
			t.Errorf("%s: %v, want address %d not to be known", name, err, c.unread)
		} else if u != nil {
			err = nil
		}
		dead := func(a answer) bool { return a == nil }
		if answered := slices.DeleteFunc(slices.Clone(c.answers), dead); c.want != nil &&
			len(answered) < chain.Quorum(c.configured) && errors.Is(err, chain.ErrNoEndpoint) {
			err = nil // beside what they say
		}
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
