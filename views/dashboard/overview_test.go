package dashboard

import (
	"testing"
)

func TestRunwayText(t *testing.T) {
	t.Parallel()
	for want, in := range map[string][2]int64{
		"At the pace of the last day, they last less than a day.":  {0, 1},
		"At the pace of the last 2 days, they last about 1 day.":   {1, 2},
		"At the pace of the last 7 days, they last about 30 days.": {30, 7},
	} {
		if got := RunwayText(t.Context(), in[0], in[1]); got != want {
			t.Errorf("%d days are %q, want %q", in[0], got, want)
		}
	}
}

func TestPercent(t *testing.T) {
	t.Parallel()
	for in, want := range map[[2]int64]int64{
		{5, 8}: 63, {2, 3}: 67, {1, 3}: 33, {1, 1000}: 1, {999, 1000}: 99, {0, 7}: 0, {7, 7}: 100,
	} {
		if got := Percent(in[0], in[1]); got != want {
			t.Errorf("%d of %d is %d %%, want %d", in[0], in[1], got, want)
		}
	}
}
