package shell

import "strings"

// Amount is the amount of an input as a plain decimal ("1234.5"), read as in the language of the browser: "12,50" and
// "1 234.50" are amounts everywhere. What another language would read as thousands ("1.500" where a point begins the
// decimals) is asked, beside the input. A text that is no amount is returned as it is.
func (f *Form) Amount(name string) string { return f.amount(name, f.Text(name)) }

// Amounts are those of an input that holds several, with spaces or semicolons between them.
func (f *Form) Amounts(name string) []string {
	var all []string
	for x := range strings.FieldsFuncSeq(strings.ReplaceAll(f.Text(name), ", ", " "), func(r rune) bool {
		return r == ' ' || r == ';' || r == '\t'
	}) {
		all = append(all, f.amount(name, x))
	}
	return all
}

func (f *Form) amount(name, typed string) string {
	plain, other := f.Locale.Readings(typed)
	if plain == "" {
		return typed
	}
	if other != "" {
		f.Bad(name, f.Locale.T("“{{.Typed}}” can be read in two ways: enter {{.One}} or {{.Other}}.",
			"Typed", typed, "One", plain, "Other", other))
	}
	return plain
}
