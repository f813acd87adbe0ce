package views

import (
	"hash/fnv"
	"strconv"
	"strings"

	"github.com/a-h/templ"
)

// Part is a part of an open page that is kept up to date.
type Part struct {
	// Name is that of the event that replaces it: lower-case letters.
	Name string
	// Key stands for all that the part shows: parts with the same key look the same. The HTML of a part without one is
	// its key, which has to be rendered to be compared.
	Key  string
	HTML templ.Component
	// In is the part that holds this one and is sent in its place when both have changed.
	In string
}

// Tag names what a page shows of some parts: a name and a hash for each, in order.
func Tag(parts ...Part) string {
	marks := make([]string, len(parts))
	for i, p := range parts {
		marks[i] = p.Mark()
	}
	return strings.Join(marks, TagSeparator)
}

// TagSeparator stands between the marks of a tag. A tag may stand in an address and in an entity tag (RFC 9110 section
// 8.8.3) as it is.
const TagSeparator = "."

// Mark is the part in a tag.
func (p Part) Mark() string {
	const base = 36
	h := fnv.New64a()
	_, _ = h.Write([]byte(p.Key)) // a hash never fails
	return p.Name + "-" + strconv.FormatUint(h.Sum64(), base)
}
