package input_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/input"
)

func TestWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]string{
		"":                          nil,
		" - ":                       nil,
		"INV-2026/0042":             {"inv", "2026", "0042"},
		"ann.smith+shop@Example.IO": {"ann", "smith", "shop", "example", "io"},
		"Crème brûlée, crème":       {"creme", "brulee"},
		"cre\u0300me":               {"creme"},
		"İstanbul ΣΟΦΟΣ":            {"istanbul", "σοφοσ"},
		"ﬁne ½":                     {"fine", "1", "2"},
		"咖啡 500g":                   {"咖", "啡", "500g"},
		"a咖b":                       {"a", "咖", "b"},
		"สวัสดี":                    {"ส", "ว", "ด"},
		"हिन्दी":                    {"हिनदी"},
		strings.Repeat("é", 100):    {strings.Repeat("e", 64)},
		strings.Repeat("я", 100):    {strings.Repeat("я", 32)},
	} {
		if got := input.Words(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := input.Words("two tea", "tea three"); !slices.Equal(got, []string{"two", "tea", "three"}) {
		t.Errorf("of two texts: %q", got)
	}
}
