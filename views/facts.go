package views

import "strings"

// Facts are named values as lines of a plain text.
type Facts struct {
	Locale *Locale
	lines  []string
}

// Add adds a line, if there is a value. In a right-to-left language the value is isolated, as in sentences.
func (f *Facts) Add(name, value string) {
	if value == "" {
		return
	}
	if f.Locale.Dir == "rtl" {
		value = "\u2068" + value + "\u2069"
	}
	f.lines = append(f.lines, name+": "+value)
}

// String returns the lines.
func (f *Facts) String() string { return strings.Join(f.lines, "\n") }
