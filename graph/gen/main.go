// Command gen generates the code of the GraphQL schema. Run by go generate in
// the folder graph.
package main

import (
	"fmt"
	"os"

	"github.com/99designs/gqlgen/api"
	"github.com/99designs/gqlgen/codegen/config"
	"github.com/99designs/gqlgen/plugin/modelgen"
	"github.com/vektah/gqlparser/v2/ast"
)

func main() {
	if err := generate(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func generate() error {
	cfg, err := config.LoadConfig("gqlgen.yml")
	if err != nil {
		return err
	}
	return api.Generate(cfg, api.ReplacePlugin(&modelgen.Plugin{
		MutateHook: modelgen.DefaultBuildMutateHook, FieldHook: leaveOutEmpty,
	}))
}

// leftOut are the fields that REST answers without a value do not have: most have none.
var leftOut = map[string]bool{
	"reason": true, "warnings": true, "price": true, "goalPrice": true, "raisedPrice": true, "suggestedPrices": true,
	"markupPercent": true,
}

// leaveOutEmpty keeps them out.
func leaveOutEmpty(_ *ast.Definition, _ *ast.FieldDefinition, f *modelgen.Field) (*modelgen.Field, error) {
	if leftOut[f.Name] {
		f.Tag = `json:"` + f.Name + `,omitempty"`
	}
	return f, nil
}
