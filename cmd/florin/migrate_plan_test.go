package main

import (
	"strings"
	"testing"
)

func TestPlan(t *testing.T) {
	t.Parallel()
	first := store.Step{Name: "20261122000000", Reason: "the schema of the first version.", Needs: "20261122000000"}
	expand := store.Step{Name: "20270101000000", Reason: "notes.", Needs: first.Name}
	contract := store.Step{Name: "20270201000000", Reason: "notes have moved.", Needs: expand.Name}
	for name, x := range map[string]struct {
		schema store.Schema
		says   []string
	}{
		"Empty": {store.Schema{Missing: []store.Step{first}}, []string{first.Name + "  the schema of the first version\n", "is empty"}},
		"Expand": {
			store.Schema{Applied: first.Name, Missing: []store.Step{expand}},
			[]string{expand.Name + "  notes\n", "go on serving", "`florin migrate`"},
		},
		"Contract": {
			store.Schema{Applied: expand.Name, Missing: []store.Step{contract}},
			[]string{"notes have moved", "schema 20270101000000 go on serving"},
		},
		"Both": {
			store.Schema{Applied: first.Name, Missing: []store.Step{expand, contract}},
			[]string{"notes\n", "notes have moved\n", "cannot use the database afterwards: stop them first"},
		},
		"Nothing": {store.Schema{Applied: first.Name, Known: first.Name}, []string{"up to date"}},
		"Newer":   {store.Schema{Applied: expand.Name, Known: first.Name}, []string{"a newer version has migrated"}},
	} {
		t.Run(name, func(t *testing.T) {
			said := plan(x.schema)
			for _, text := range x.says {
				if !strings.Contains(said, text) {
					t.Errorf("%+v: %q lacks %q", x.schema, said, text)
				}
			}
		})
	}
}
