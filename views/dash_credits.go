package views

import "time"

// CreditsProps is the balance of a key, its book, and the way to buy.
//
//	GET  /dashboard/credits?key=&before=   Credits
//	POST /dashboard/credits                fields key, credits   → 303 the checkout of the top-up
type CreditsProps struct {
	Dash
	Form             Form
	Credits, Queries int64
	// RunwayDays is for how long the credits last at the pace of the last days, -1 when it cannot be told.
	RunwayDays int
	// Low: a notice is shown. PerUSD is how many credits a dollar buys, MinTopUp the fewest that can be bought.
	Low              bool
	PerUSD, MinTopUp int64
	// NoTreasury: this installation sells no credits, and says so instead of the form.
	NoTreasury bool
	Rows       []BookRow
	// Next is the id to go on before; empty on the last page.
	Next string
}

// BookRow is one line of the book.
type BookRow struct {
	At time.Time
	// Unit is credit or query; Count is negative for what was spent.
	Unit  string
	Count int64
	// Text says why, in words: "Payment started", "Bought".
	Text string
	// TxnID links a payment; Ref is shown otherwise. Both may be empty.
	TxnID, Ref string
}
