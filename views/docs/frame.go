package docs

import (
	"slices"
	"strings"

	"github.com/florinpay/florin/views"
)

// Frame is what every page of the documentation shows.
type Frame struct {
	views.Page

	// Path is the page's own, one of those below.
	Path string
	// BaseURL and CheckoutURL are the server's public addresses, which stand
	// in every sample.
	BaseURL, CheckoutURL string
	// Sandbox is set where /sandbox is served, SignIn where the dashboard is.
	Sandbox, SignIn bool
	// Console is set where the query console is served.
	Console bool
	Version string
}

// The pages.
const (
	StartPath     = "/docs"
	ExamplesPath  = "/docs/examples"
	WebhooksPath  = "/docs/webhooks"
	RequestsPath  = "/docs/requests"
	ErrorsPath    = "/docs/errors"
	TestingPath   = "/docs/testing"
	AddressesPath = "/docs/addresses"
	OperatePath   = "/docs/operate"
	RESTPath      = "/docs/rest"
	GraphQLPath   = "/docs/graphql"
	ConsolePath   = "/graphiql"
)

type entry struct{ path, title string }

var contents = []entry{
	{StartPath, "Your first payment"},
	{ExamplesPath, "Examples"},
	{WebhooksPath, "Webhooks"},
	{RequestsPath, "Requests"},
	{ErrorsPath, "Errors"},
	{TestingPath, "Testing"},
	{AddressesPath, "Deposit addresses"},
	{OperatePath, "Keys and backups"},
	{RESTPath, "REST reference"},
	{GraphQLPath, "GraphQL reference"},
}

// contents are the pages that are served here.
func (f Frame) contents() []entry {
	if f.Console {
		return append(slices.Clone(contents), entry{ConsolePath, "Query console"})
	}
	return contents
}

// scripts are the assets the page runs.
func (f Frame) scripts() []string {
	if f.Path == ConsolePath {
		return []string{"page.js", "console.js"}
	}
	return []string{"page.js"}
}

func (f Frame) title() string {
	for _, e := range f.contents() {
		if e.path == f.Path {
			return e.title
		}
	}
	return "Documentation"
}

// neighbours are the previous and next pages, with an empty path at the ends.
func (f Frame) neighbours() (before, after entry) {
	all := f.contents()
	for i, e := range all {
		if e.path != f.Path {
			continue
		}
		if i > 0 {
			before = all[i-1]
		}
		if i+1 < len(all) {
			after = all[i+1]
		}
	}
	return before, after
}

// Field is one row of a reference: an argument, a field, a value.
type Field struct {
	Name string
	// Type is how it is written, Link the anchor of its description; empty
	// for built-in types.
	Type, Link  string
	Required    bool
	Description string
}

// part is a piece of a description; text in backquotes is code.
type part struct {
	text string
	code bool
}

func parts(text string) []part {
	var out []part
	for i, piece := range strings.Split(text, "`") {
		if piece != "" {
			out = append(out, part{piece, i%2 == 1})
		}
	}
	return out
}
