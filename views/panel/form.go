package panel

import "strings"

// Field is one labelled input of a form.
type Field struct {
	Form               string // tells inputs of one name apart, where a page has two forms; may be empty
	Name, Label, Value string
	Hint               string // may be empty
	Problem            string // what is wrong with the value; may be empty
	Type               string // of the input; empty: text
	Autocomplete       string
	Mode               string // inputmode
	Placeholder        string
	Required           bool
	Mono               bool
	Max                string // maxlength
	ReadOnly           bool
	// Whole: where the input is narrower than the value, this stands below it
	// in full. It is for what must be compared to the last character.
	Whole bool
	// PasskeyAt is our public address if a passkey is as good an answer as what
	// is typed; may be empty. Passkeys work at no other address.
	PasskeyAt string
}

// id is what the ids of the input, its hint and its problem end in.
func (f Field) id() string {
	if f.Form == "" {
		return f.Name
	}
	return f.Form + "-" + f.Name
}

func (f Field) Kind() string {
	if f.Type == "" {
		return "text"
	}
	return f.Type
}

// described names the elements that describe the input.
func (f Field) Described() string {
	ids := ""
	if f.Hint != "" {
		ids = "hint-" + f.id()
	}
	if f.Problem != "" {
		if ids != "" {
			ids += " "
		}
		ids += "problem-" + f.id()
	}
	return ids
}

// Reauth is the input that asks once more who is there, for pages with several
// forms that do.
type Reauth struct {
	Field Field
	// Posted is the path of the form whose proof was refused; may be empty.
	Posted string
}

// of is the input of the form that posts to the path; purpose follows its label.
func (p Reauth) For(path, purpose string) Field {
	f := p.Field
	f.Form, f.Hint = strings.ReplaceAll(strings.Trim(path, "/"), "/", "-"), ""
	f.Label += purpose
	if path != p.Posted {
		f.Problem = ""
	}
	return f
}

// refused tells whether a form under the path was refused.
func (p Reauth) Refused(path string) bool { return strings.HasPrefix(p.Posted, path) }

// Choice is one of a list.
type Choice struct{ Value, Text string }

// KeyChoice is which of a merchant's keys a page is about.
type KeyChoice struct {
	Path    string // of the page
	Current string // public id
	Keys    []Choice
}
