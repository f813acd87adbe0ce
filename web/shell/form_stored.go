package shell

import (
	"strings"

	"github.com/florinpay/florin/views/panel"
)

// Since compares the form with the settings as they are stored now, so that an old page undoes nothing. What the
// user did not touch takes the stored value, and Touched says so. What both the user and somebody else changed is
// reported beside its input with both values, and makes the form Stale.
//
// A form without the values that its page showed, such as a program's, touches all that it sends.
func (f *Form) Since(stored ...panel.Field) {
	f.untouched = make(map[string]bool)
	for _, x := range stored {
		if !f.Values.Has(panel.WasName(x.Name)) {
			continue
		}
		was, typed := plain(f.Values.Get(panel.WasName(x.Name))), plain(strings.Join(f.Values[x.Name], " "))
		switch now := plain(x.Value); {
		case typed == was:
			f.untouched[x.Name] = true
			f.put(x)
		case was == now || typed == now:
		default:
			f.Stale = true
			f.Bad(x.Name, f.Locale.T("{{.Label}}: {{.Now}} is stored now, and you chose {{.Typed}}. "+
				"Save again to replace it.",
				"Label", f.Locale.T(x.Label), "Now", f.shown(now), "Typed", f.shown(typed)))
		}
	}
}

// put gives an input the stored value.
func (f *Form) put(x panel.Field) {
	if x.Type == panel.Boxes {
		f.Values[x.Name] = strings.Fields(x.Value)
		return
	}
	f.Values.Set(x.Name, x.Value)
}

// Touched reports whether the user changed one of the inputs since the page was made; true before Since.
func (f *Form) Touched(names ...string) bool {
	for _, name := range names {
		if !f.untouched[name] {
			return true
		}
	}
	return false
}

// Changed is a pointer to the text of an input that the user touched, and nil for another, also one that the form
// lacks.
func (f *Form) Changed(name string) *string {
	if !f.Touched(name) || !f.Values.Has(name) {
		return nil
	}
	text := f.Text(name)
	return &text
}

// plain is a value as browsers send it back: with their line ends, and without the space around it.
func plain(value string) string { return strings.TrimSpace(strings.ReplaceAll(value, "\r\n", "\n")) }

func (f *Form) shown(value string) string {
	if value == "" {
		return f.Locale.T("(empty)")
	}
	return "“" + value + "”"
}
