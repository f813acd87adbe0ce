package shell

import (
	"net/http"
	"slices"
	"testing"
	"time"
)

// A minute of answers is one line; the next minute starts from nothing.
func TestSummary(t *testing.T) {
	t.Parallel()
	var s summary
	start := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	for i, status := range []int{http.StatusOK, http.StatusFound, http.StatusNotFound, http.StatusBadGateway} {
		if line := s.add(start.Add(time.Duration(i)*time.Second), status, time.Duration(i)*time.Second); line != nil {
			t.Errorf("a line after %d s: %v", i, line)
		}
	}
	text := func(at time.Duration) (all []string) {
		for _, a := range s.add(start.Add(at), http.StatusOK, time.Second) {
			all = append(all, a.String())
		}
		return all
	}
	want := []string{"since=" + start.String(), "ok=3", "refused=1", "failed=1", "slowest=3s"}
	if got := text(time.Minute); !slices.Equal(got, want) {
		t.Errorf("the line is %v, want %v", got, want)
	}
	if got := text(2 * time.Minute); len(got) != 5 || got[1] != "ok=1" || got[2] != "refused=0" {
		t.Errorf("the next line is %v", got)
	}
}
