package db

import "testing"

// TestGroup_Done: if a merged statement wrote fewer rows than it should, none of
// its executions counts as written.
func TestGroup_Done(t *testing.T) {
	t.Parallel()
	for affected, want := range map[int64]int64{0: 0, 1: 0, 2: 0, 3: 1, 4: 0} {
		var calls []*Stmt
		for i := range 3 {
			calls = append(calls, Text{"UPDATE one", "UPDATE many"}.With(int64(i)))
		}
		groups := grouped(calls)
		if len(groups) != 1 {
			t.Fatalf("%d statements for executions of one text", len(groups))
		}
		groups[0].one.affected = affected
		groups[0].done()
		for i, k := range calls {
			if k.affected != want {
				t.Errorf("%d rows of 3: execution %d counts %d, want %d", affected, i, k.affected, want)
			}
		}
	}
}
