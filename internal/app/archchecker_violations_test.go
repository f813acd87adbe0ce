package app_test

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/testkit"
)

func TestEdges_Violations(t *testing.T) {
	t.Parallel()
	imports := tree{
		"internal/payment":     {"internal/money", "internal/store", "time"},
		"internal/payment/sub": {"internal/store"},
		"internal/payments":    {"internal/store"},
		"internal/store":       {"internal/payment", "internal/store/rows", "github.com/uptrace/bun"},
		"web":                  {"github.com/uptrace/bun/dialect", "github.com/uptrace/bunny"},
	}
	for name, test := range map[string]struct {
		rule edges
		want []string // "importer imports imported"
	}{
		"OnePackage": {
			edges{from: []string{"internal/payment"}, to: []string{"internal/store"}},
			[]string{"internal/payment imports internal/store"},
		},
		"AndAllBelow": {
			edges{from: []string{"internal/payment/..."}, to: []string{"internal/store"}},
			[]string{"internal/payment imports internal/store", "internal/payment/sub imports internal/store"},
		},
		"Allowed": {
			edges{from: []string{"internal/payment"}, to: []string{"own"}, allow: []string{"internal/money"}},
			[]string{"internal/payment imports internal/store"},
		},
		"AllAllowed": {
			edges{
				from: []string{"internal/payment"}, to: []string{"own"},
				allow: []string{"internal/money", "internal/store"},
			},
			nil,
		},
		"Except": {
			edges{except: []string{"internal/store"}, to: []string{"github.com/uptrace/bun/..."}},
			[]string{"web imports github.com/uptrace/bun/dialect"},
		},
		"PackagesToCome": {
			edges{from: []string{"internal/campaign"}, to: []string{"own"}},
			nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test.rule.reason = "because"
			var want []string
			for _, line := range test.want {
				want = append(want, line+": because")
			}
			if got := test.rule.violations(imports); !slices.Equal(got, want) {
				t.Errorf("violations = %q, want %q", got, want)
			}
		})
	}
}

func TestReach_Violations(t *testing.T) {
	t.Parallel()
	imports := tree{
		"cmd/florin":   {"internal/app"},
		"internal/app": {"internal/store", "internal/payment"},
		"internal/store": {
			"internal/payment", "internal/app", // a circle must not catch the search
			"github.com/ethereum/go-ethereum/node",
		},
	}
	rule := reach{from: "cmd/florin", to: []string{"github.com/ethereum/go-ethereum/node"}, reason: "because"}
	want := []string{"cmd/florin → internal/app → internal/store → github.com/ethereum/go-ethereum/node: because"}
	if got := rule.violations(imports); !slices.Equal(got, want) {
		t.Errorf("violations = %q, want %q", got, want)
	}
	rule.from = "internal/payment"
	if got := rule.violations(imports); got != nil {
		t.Errorf("violations = %q, want none", got)
	}
}

func TestCalls(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	for name, source := range map[string]string{
		"internal/payment/a.go":      "package payment\nimport \"time\"\nvar A = time.Now()\nvar B = time.Second\n",
		"internal/payment/b.go":      "package payment\nimport clock \"time\"\nvar C = clock.Since\n",
		"internal/payment/a_test.go": "package payment\nimport \"time\"\nvar D = time.Now()\n",
		"internal/app/a.go":          "package app\nimport \"time\"\nvar A = time.Now()\n",
	} {
		file := filepath.Join(root, name)
		testkit.Must(t, os.MkdirAll(filepath.Dir(file), 0o700))
		testkit.Must(t, os.WriteFile(file, []byte(source), 0o600))
	}
	got := calls(t, root, []string{"internal/payment"}, "time", "Now", "Since")
	if len(got) != 2 || !strings.Contains(got[0], "a.go:3") || !strings.Contains(got[1], "b.go:3") {
		t.Errorf("calls = %q, want one in a.go and one in b.go", got)
	}
	if imports := readTree(t, root); !slices.Equal(imports["internal/payment"], []string{"time"}) {
		t.Errorf("imports = %v", imports)
	}
}
