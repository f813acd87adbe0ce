package db

import (
	"strings"
	"testing"
)

func TestSchema_Plan(t *testing.T) {
	t.Parallel()
	first := Step{Name: "20261122000000", Reason: "the schema of the first version.", Needs: "20261122000000"}
	expand := Step{Name: "20270101000000", Reason: "notes.", Needs: first.Name}
	contract := Step{Name: "20270201000000", Reason: "notes have moved.", Needs: expand.Name}
	for name, x := range map[string]struct {
		schema Schema
		says   []string
	}{
		"Empty": {Schema{Missing: []Step{first}}, []string{first.Name + "  the schema of the first version\n", "is empty"}},
		"Expand": {
			Schema{Applied: first.Name, Missing: []Step{expand}},
			[]string{expand.Name + "  notes\n", "go on serving", "`florin migrate`"},
		},
		"Contract": {
			Schema{Applied: expand.Name, Missing: []Step{contract}},
			[]string{"notes have moved", "schema 20270101000000 go on serving"},
		},
		"Both": {
			Schema{Applied: first.Name, Missing: []Step{expand, contract}},
			[]string{"notes\n", "notes have moved\n", "cannot use the database afterwards: stop them first"},
		},
		"Nothing": {Schema{Applied: first.Name, Known: first.Name}, []string{"up to date"}},
		"Newer":   {Schema{Applied: expand.Name, Known: first.Name}, []string{"a newer version has migrated"}},
	} {
		t.Run(name, func(t *testing.T) {
			said := x.schema.Plan()
			for _, text := range x.says {
				if !strings.Contains(said, text) {
					t.Errorf("%+v: %q lacks %q", x.schema, said, text)
				}
			}
		})
	}
}
