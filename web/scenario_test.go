package web

import (
	"strings"
	"testing"
)

// scenario is one request and what its response must and must not contain.
type scenario struct {
	name               string
	method, path, body string
	header             []string
	status             int
	want, not          []string
}

func (b *bundle) run(t *testing.T, rows []scenario) {
	t.Helper()
	for _, row := range rows {
		got := b.ask(row.method, row.path, row.body, row.header...)
		if got.status != row.status {
			t.Errorf("%s: %d %s, want %d", row.name, got.status, got.start(), row.status)
		}
		for _, want := range row.want {
			if !strings.Contains(got.body, want) {
				t.Errorf("%s: %s is not in %s", row.name, want, got.start())
			}
		}
		for _, not := range row.not {
			if strings.Contains(got.body, not) {
				t.Errorf("%s: %s is in %s", row.name, not, got.start())
			}
		}
	}
}
