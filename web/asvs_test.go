package web

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// SECURITY.md counts the requirements of ASVS 5.0.0 at levels 1 and 2: its chapters add
// up to the numbers it states, every open one has its reason, and at most 8 stay open.
func TestASVS_Counts(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("../SECURITY.md")
	must(t, err)
	id := regexp.MustCompile(`\b\d{1,2}\.\d\.\d{1,2}\b`)
	var total, none, open int
	var reasons []string
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		chapter := regexp.MustCompile(`^\| (\d{1,2}) [A-Z]`).FindStringSubmatch(line)
		if reason := regexp.MustCompile(`^\| (\d{1,2}\.\d\.\d{1,2}) `).FindStringSubmatch(line); reason != nil {
			reasons = append(reasons, reason[1])
		}
		if chapter == nil || len(cells) != 6 {
			continue
		}
		n, err := strconv.Atoi(strings.TrimSpace(cells[2]))
		must(t, err)
		total += n
		if strings.TrimSpace(cells[3]) == "all" {
			none += n
		}
		for _, x := range append(id.FindAllString(cells[3], -1), id.FindAllString(cells[4], -1)...) {
			if !strings.HasPrefix(x, chapter[1]+".") {
				t.Errorf("%s stands in chapter %s", x, chapter[1])
			}
		}
		none += len(id.FindAllString(cells[3], -1))
		for _, x := range id.FindAllString(cells[4], -1) {
			if open++; len(reasons) > 0 || !strings.Contains(string(text), "\n| "+x+" ") {
				t.Errorf("%s is open without a reason", x)
			}
		}
	}
	stated := regexp.MustCompile(`have (\d+)\s+requirements. (\d+) do not apply, (\d+) are held, and (\d+) stay open`).
		FindStringSubmatch(string(text))
	if stated == nil {
		t.Fatal("SECURITY.md states no numbers")
	}
	for i, n := range []int{total, none, total - none - open, open} {
		if got := strconv.Itoa(n); got != stated[i+1] {
			t.Errorf("SECURITY.md states %s, and its chapters have %s", stated[i+1], got)
		}
	}
	if total != 253 || open > 8 || len(reasons) != open {
		t.Errorf("%d requirements, %d open, %d reasons", total, open, len(reasons))
	}
}
