package config

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/testkit"
)

var (
	readmeRow = regexp.MustCompile("(?m)^\\| (`FLORIN_[^|]*) \\| ([^|]*) \\|")
	code      = regexp.MustCompile("`([^`]*)`")
	braces    = regexp.MustCompile(`^(.*)\{(.*)\}(.*)$`)
)

// TestSettingsPage: the table of web/docs/operate/settings.md lists every setting with its default, and no other.
func TestSettingsPage(t *testing.T) {
	t.Parallel()
	text := testkit.ReadFile(t, "../../web/docs/operate/settings.md")
	documented := make(map[string]string) // the cell with the default, by name
	for _, row := range readmeRow.FindAllStringSubmatch(string(text), -1) {
		for _, name := range expand(row[1]) {
			documented[name] = row[2]
		}
	}
	for _, s := range newConfig().settings() {
		cell, ok := documented[s.name]
		if !ok {
			t.Errorf("the page lacks %s", s.name)
		}
		if s.fallback != "" && !strings.Contains(cell, "`"+s.fallback+"`") {
			t.Errorf("the page says that %s is %s by default, not %s", s.name, cell, s.fallback)
		}
		delete(documented, s.name)
	}
	for name := range documented {
		t.Errorf("the page lists %s, which is no setting", name)
	}
}

// expand returns the names in a cell: {NET} stands for every network, {A,B} for A and B, and _X follows the braces of
// the first name.
func expand(cell string) (names []string) {
	var stem string
	for _, m := range code.FindAllStringSubmatch(cell, -1) {
		name := m[1]
		if strings.HasPrefix(name, "_") {
			name = stem + name
		}
		parts := braces.FindStringSubmatch(name)
		if parts == nil {
			names = append(names, name)
			continue
		}
		stem = parts[1] + "{" + parts[2] + "}"
		choices := strings.Split(parts[2], ",")
		if slices.Equal(choices, []string{"NET"}) {
			choices = nil
			for _, n := range chain.Networks() {
				choices = append(choices, string(n))
			}
		}
		for _, c := range choices {
			names = append(names, parts[1]+c+parts[3])
		}
	}
	return names
}
