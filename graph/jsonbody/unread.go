package jsonbody

import (
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
)

// Limits of what is said of fields that no operation has: enough to find a mistake.
const (
	maxUnread     = 20
	maxUnreadName = 64 // longer ones are not like any name
)

// Unread returns a warning for each field that was left out, and for each that was not asked for, in the order of their
// names: a name that is spelled wrong would otherwise be a value that is lost without a word.
func (o *Object) Unread() []fault.Warning {
	list := slices.Clone(o.left)
	for _, name := range slices.Sorted(maps.Keys(o.fields)) {
		if !o.known[name] && len(list) < maxUnread {
			list = append(list, Unknown("field", name, slices.Sorted(maps.Keys(o.known))))
		}
	}
	return list
}

// Unknown is the warning of a field or variable that was ignored, with the known name that is meant, if one is like it.
func Unknown(kind, name string, known []string) fault.Warning {
	shown := input.Name(name)
	for _, meant := range known {
		if alike(name, meant) {
			return fault.Warn(shown, "there is no such %s, so it was ignored; did you mean %s?", kind, meant)
		}
	}
	return fault.Warn(shown, "there is no such %s, so it was ignored", kind)
}

// alike reports whether a name is another one in other letters, such as success_url, or with a typing mistake or two.
func alike(name, meant string) bool {
	plain := func(text string) string {
		return strings.Map(func(r rune) rune {
			if r == '_' || r == '-' || r == ' ' {
				return -1
			}
			return r
		}, strings.ToLower(text))
	}
	a, b := plain(name), plain(meant)
	return len(a) <= maxUnreadName && distance(a, b) <= min(2, len(b)/3)
}

// distance is how many letters must be typed, left out or replaced to make one text of the other (Levenshtein).
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		last := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := last
			if a[i] != b[j] {
				cost++
			}
			last = row[j+1]
			row[j+1] = min(cost, row[j]+1, last+1)
		}
	}
	return row[len(b)]
}
