package config

import (
	"fmt"
	"io"
)

// mask is what a secret is shown as.
const mask = "***"

// shown is a variable as it is shown to people.
type shown struct {
	name  string
	value string // masked if it is a secret; empty if there is none
}

func (d *draft) show(table []variable, texts map[string]string) []shown {
	list := make([]shown, len(table))
	for i, v := range table {
		list[i] = shown{v.name, d.value(v, texts[v.name])}
	}
	return list
}

// value returns what counts for a variable, as it may be shown.
func (d *draft) value(v variable, text string) string {
	if text == "" {
		text = v.fallback
	}
	switch {
	case text == "" && v.effective != nil:
		return v.effective(&d.Config)
	case text == "" || !v.secret:
		return text
	case v.masked != nil:
		return v.masked(text)
	}
	return mask
}

// Print writes every variable as it counts, one a line, as a .env file would
// have it: with secrets masked, and those that have no value in a comment.
func (c Config) Print(w io.Writer) error {
	for _, s := range c.shown {
		line := s.name + "=" + quoteValue(s.value)
		if s.value == "" {
			line = "# " + s.name + "="
		}
		if _, err := fmt.Fprintln(w, line); err != nil {
			return fmt.Errorf("print the configuration: %w", err)
		}
	}
	return nil
}
