package docs

import (
	"cmp"
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
	// Account is that of the signed-in reader.
	Account Account
	// Query is what was searched for.
	Query string
}

// Account fills the samples. A field that is not known is empty.
type Account struct {
	Email, KeyName, Wallet, CallbackURL string
	// Key is the text of the API key, which only a sandbox knows: otherwise it is stored as a hash.
	Key string
}

// placeholder stands for the API key in samples; docs.js puts the reader's in its place.
const placeholder = "flk_…"

// environment sets what samples read.
func (f Frame) environment() string {
	a := f.Account
	return "export FLORIN_API_KEY=" + cmp.Or(a.Key, placeholder) +
		"\nexport SETTLEMENT_WALLET=" + cmp.Or(a.Wallet, "0x…") +
		"\nexport CALLBACK_URL=" + cmp.Or(a.CallbackURL, "https://…")
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
	OperatePath   = "/docs/operate" // and those below it, which are files of the folder docs/operate
	RESTPath      = "/docs/rest"
	GraphQLPath   = "/docs/graphql"
	GoLivePath    = "/docs/go-live"
	PricesPath    = "/docs/prices"
	ChangelogPath = "/docs/changelog"
	SearchPath    = "/docs/search"
	ConsolePath   = "/graphiql"
)

// MarkdownEnding is added to the path of a page for its Markdown.
const MarkdownEnding = ".md"

type entry struct{ path, title, about string }

// Entry is a page as lists of pages show it.
type Entry struct{ Path, Title, About string }

// Pages lists the pages that have Markdown, in their order.
func Pages() []Entry {
	var out []Entry
	for _, e := range contents {
		out = append(out, Entry{e.path, e.title, e.about})
	}
	return out
}

var contents = []entry{
	{StartPath, "Your first payment", "From an account to a paid order, step by step."},
	{ExamplesPath, "Examples", "Every task in curl, JavaScript, PHP, Go and Python."},
	{WebhooksPath, "Webhooks", "Bodies, signatures, retries, and events that were missed."},
	{PricesPath, "Prices in your currency", "Euros, pounds or yuan instead of dollars: the rate, where it comes from, and what happens without one."},
	{RequestsPath, "Requests", "GraphQL and REST, keys, credits, idempotency, pages and limits."},
	{ErrorsPath, "Errors", "Codes, reasons, and what to do about each."},
	{TestingPath, "Testing", "The sandbox: pay without money, by hand and by script."},
	{GoLivePath, "Going live", "What to check before the first real payment."},
	{AddressesPath, "Deposit addresses", "How addresses derive, and how to find one again without the server."},
	{OperatePath, "Run a server", "From a bare machine to a server that takes payments; checks, probes, instances."},
	{OperatePath + "/choose", "What to choose", "Database, endpoints and their plans, and wallets."},
	{OperatePath + "/first-payment", "From key to first payment", "Four calls from an API key to a paid order."},
	{OperatePath + "/settings", "Settings", "Every setting of a server with its default."},
	{OperatePath + "/networks", "Networks", "RPC endpoints, gas wallets, the Solana seed, and when money is sent on."},
	{OperatePath + "/alerts", "Alerts and metrics", "What an operator is notified of, and what Prometheus reads."},
	{OperatePath + "/upgrade", "Upgrade", "Replacing servers without a lost request, and the way back."},
	{OperatePath + "/capacity", "Capacity", "What one machine carries, and what 10,000 payments a second would need."},
	{OperatePath + "/keys", "Keys and accounts", "Changing each key while payments go on; users who are locked out."},
	{OperatePath + "/backup", "Backups", "Backing up, restoring, and what to do when something is lost."},
	{RESTPath, "REST reference", "Every endpoint with its parameters and answers."},
	{GraphQLPath, "GraphQL reference", "Every operation and type of the schema."},
	{ChangelogPath, "Changelog", "What changed, release by release."},
}

// contents are the pages that are served here.
func (f Frame) contents() []entry {
	if f.Console {
		return append(slices.Clone(contents), entry{path: ConsolePath, title: "Query console"})
	}
	return contents
}

// scripts are the assets the page runs.
func (f Frame) scripts() []string {
	if f.Path == ConsolePath {
		return []string{"docs.js", "console.js"}
	}
	return []string{"docs.js"}
}

func (f Frame) title() string {
	if f.Path == SearchPath {
		return "Search"
	}
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
