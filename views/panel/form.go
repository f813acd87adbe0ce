package panel

import (
	"context"
	"strings"

	"github.com/a-h/templ"

	"github.com/florinpay/florin/views"
)

// Field is one labelled input of a form.
type Field struct {
	Form               string // distinguishes inputs of the same name in several forms of a page; may be empty
	Name, Label, Value string
	Purpose            string // follows the label; may be empty
	Hint               string // may be empty
	Problem            string // what is wrong with the value; may be empty
	Type               string // of the input; empty: text
	Autocomplete       string
	Mode               string // inputmode
	Placeholder        string
	Required           bool
	Mono               bool
	Colour             bool   // a picker stands beside the input, which takes #rrggbb
	Max                string // maxlength
	ReadOnly           bool
	// Setting: the input holds a stored setting, and the form sends back what the page showed (Was), so that only what
	// was touched is written.
	Setting bool
	Was     string
	// Whole repeats the value below an input that is too narrow for it. Set it
	// for values that users compare to the last character.
	Whole bool
	// PasskeyAt is the public address at which a passkey may replace the typed
	// value. Passkeys work at no other address. Empty: no passkey is accepted.
	PasskeyAt string
	// Confirmed: the user re-authenticated a moment ago, so this input of a
	// re-authentication is left out.
	Confirmed bool
	// NoInput: nothing can be typed. SetUp is where the user sets up what is asked for;
	// empty if they have it.
	NoInput bool
	SetUp   string
}

// Boxes is the type of a group of check boxes of one name; its value lists those that are ticked.
const Boxes = "boxes"

// WasName is the name of the hidden input that holds what an input held when its page was made.
func WasName(name string) string { return "was." + name }

// id is the end of the element ids of the input, its hint and its problem.
func (f Field) id() string {
	if f.Form == "" {
		return f.Name
	}
	return f.Form + "-" + f.Name
}

// label is the label in the language of the page, with what the input is for.
func (f Field) label(ctx context.Context) string {
	between := ""
	if strings.HasPrefix(f.Purpose, "(") {
		between = " "
	}
	return views.T(ctx, f.Label) + between + views.T(ctx, f.Purpose)
}

// pickerValue is the colour a picker starts with, which must be #rrggbb.
func (f Field) pickerValue() string {
	for _, text := range []string{f.Value, f.Placeholder} {
		if c, err := views.ParseColour(text); err == nil {
			return c.String()
		}
	}
	return "#000000"
}

// Kind returns the type of the input.
func (f Field) Kind() string {
	if f.Type == "" {
		return "text"
	}
	return f.Type
}

// Described returns the ids of the elements that describe the input (aria-describedby).
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

// Reauth is the input by which a user re-authenticates, for pages with several
// forms that need it.
type Reauth struct {
	Field Field
	// Posted is the path of the form whose re-authentication was refused; may be empty.
	Posted string
	// IfAsked leaves the input out of every form but that one.
	IfAsked bool
}

// For returns the input of the form that posts to the path; purpose follows its label.
func (p Reauth) For(path, purpose string) Field {
	f := p.Field
	f.Form, f.Hint = strings.ReplaceAll(strings.Trim(path, "/"), "/", "-"), ""
	f.Purpose = purpose
	if path != p.Posted {
		f.Problem = ""
		f.Confirmed = f.Confirmed || p.IfAsked
	}
	return f
}

// Refused reports whether a form under the path was refused.
func (p Reauth) Refused(path string) bool { return strings.HasPrefix(p.Posted, path) }

// Choice is one entry of a drop-down list.
type Choice struct{ Value, Text string }

// KeyChoice is the API key of a page, and the merchant's others.
type KeyChoice struct {
	Path    string // of the page
	Current string // public id
	Keys    []Choice
}

// PasskeyTexts are what the script of passkeys says, as attributes of where it says it.
func PasskeyTexts(ctx context.Context) templ.Attributes {
	return templ.Attributes{
		"data-notallowederror":   views.T(ctx, "No passkey was used. Try again, or use your password."),
		"data-invalidstateerror": views.T(ctx, "This device holds a passkey of your account already."),
		"data-securityerror":     views.T(ctx, "Passkeys do not work at this address."),
		"data-other":             views.T(ctx, "That did not work. Try again, or use your password."),
	}
}
