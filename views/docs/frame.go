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
	ShopPath      = "/docs/shop"    // and those below it, which are files of the folder docs/shop
	OperatePath   = "/docs/operate" // likewise
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

// Entry is a page as lists of pages show it.
type Entry struct{ Path, Title, About string }

// Door is a kind of reader, with the pages for them; the first is where they begin.
type Door struct {
	Title, For string
	Pages      []Entry
}

// Doors lists the pages that have Markdown, by whom they are for.
func Doors() []Door { return slices.Clone(doors) }

// Pages lists them all, in their order.
func Pages() (all []Entry) {
	for _, d := range doors {
		all = append(all, d.Pages...)
	}
	return all
}

var doors = []Door{
	{"Shop owner", "You sell, and want to be paid: wallets, refunds, fees, tax. Nothing here needs a programmer.", []Entry{
		{ShopPath, "Take payments in your shop", "How it works, and the first steps, without programming."},
		{ShopPath + "/website", "WooCommerce, Shopify, your website", "What works today with a shop system: links, buttons, webhooks, the API."},
		{ShopPath + "/wallet", "Your wallet", "Which wallet to take, how to keep it, and why not an exchange's address."},
		{ShopPath + "/exchanges", "Customers who pay from an exchange", "Binance, Coinbase and others: their fee, the network, and how long it takes."},
		{ShopPath + "/wrong-network", "Wrong network or wrong token", "What counts all the same, what you can accept, and what is lost."},
		{ShopPath + "/amounts", "Too little, too much, too late", "Tolerance, and what to do with money that does not fit the order."},
		{ShopPath + "/refunds", "Refunds", "Paying money back, step by step."},
		{ShopPath + "/prices", "Prices in EUR and other currencies", "Charging in your own currency, and what you receive."},
		{ShopPath + "/fees", "Fees, gas and credits", "What a payment costs, and who pays it."},
		{ShopPath + "/tax", "Tax, invoices and your accountant", "What each payment records, and the export."},
		{ShopPath + "/live", "Going live with your shop", "What to check before the first customer pays."},
	}},
	{"Developer", "You build a shop or an app: create payments, get webhooks, test everything without money.", []Entry{
		{StartPath, "Your first payment", "From an account to a paid order, step by step."},
		{ExamplesPath, "Examples", "Every task in curl, JavaScript, PHP, Go and Python."},
		{WebhooksPath, "Webhooks", "Bodies, signatures, retries, and events that were missed."},
		{PricesPath, "Prices in your currency", "Euros, pounds or yuan instead of dollars: the rate, where it comes from, and what happens without one."},
		{RequestsPath, "Requests", "GraphQL and REST, keys, credits, idempotency, pages and limits."},
		{ErrorsPath, "Errors", "Codes, reasons, and what to do about each."},
		{TestingPath, "Testing", "The sandbox: pay without money, by hand and by script."},
		{GoLivePath, "Going live", "What to check before the first real payment."},
		{RESTPath, "REST reference", "Every endpoint with its parameters and answers."},
		{GraphQLPath, "GraphQL reference", "Every operation and type of the schema."},
		{AddressesPath, "Deposit addresses", "How addresses derive, and how to find one again without the server."},
		{ChangelogPath, "Changelog", "What changed, release by release."},
	}},
	{"Operator", "You run the server: set it up, watch it, upgrade it, and bring it back when something is lost.", []Entry{
		{OperatePath, "Run a server", "From a bare machine to a server that takes payments; checks, probes, instances."},
		{OperatePath + "/choose", "What to choose", "Database, endpoints and their plans, and wallets."},
		{OperatePath + "/first-payment", "From key to first payment", "Four calls from an API key to a paid order."},
		{OperatePath + "/settings", "Settings", "Every setting of a server with its default."},
		{OperatePath + "/networks", "Networks", "RPC endpoints, gas wallets, the Solana seed, and when money is sent on."},
		{OperatePath + "/alerts", "Alerts and metrics", "What an operator is notified of, and what Prometheus reads."},
		{OperatePath + "/upgrade", "Upgrade", "Replacing servers without a lost request, and the way back."},
		{OperatePath + "/capacity", "Capacity", "What a small server carries, and how to measure yours."},
		{OperatePath + "/keys", "Keys and accounts", "Changing each key while payments go on; users who are locked out."},
		{OperatePath + "/backup", "Backups", "Backing up, restoring, and what to do when something is lost."},
	}},
}

// doors are those of the pages that are served here.
func (f Frame) doors() []Door {
	all := Doors()
	for i, d := range all {
		if f.Console && d.Pages[0].Path == StartPath {
			all[i].Pages = append(slices.Clone(d.Pages), Entry{Path: ConsolePath, Title: "Query console"})
		}
	}
	return all
}

// here returns the door of this page, and its place in it; no door for the search.
func (f Frame) here() (Door, int) {
	for _, d := range f.doors() {
		if i := slices.IndexFunc(d.Pages, func(e Entry) bool { return e.Path == f.Path }); i >= 0 {
			return d, i
		}
	}
	return Door{}, 0
}

// scripts are the assets the page runs.
func (f Frame) scripts() []string {
	if f.Path == ConsolePath {
		return []string{"docs.js", "console.js"}
	}
	return []string{"docs.js"}
}

func (f Frame) title() string {
	if d, i := f.here(); d.Title != "" {
		return d.Pages[i].Title
	}
	return "Search"
}

// neighbours are the previous and next pages for the same reader, with an empty path at the ends.
func (f Frame) neighbours() (before, after Entry) {
	d, i := f.here()
	if i > 0 {
		before = d.Pages[i-1]
	}
	if i+1 < len(d.Pages) {
		after = d.Pages[i+1]
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
