// Package views renders Florin's pages: the checkout, its receipt, donation pages and payment links, the sandbox, the
// front page and the error pages. A view takes a props struct and returns HTML; it reads no database, chain or
// clock, so every state of a page can be rendered in a test.
//
// Its one invariant: whatever text a merchant or a payer controls reaches the page escaped, and no
// page needs an inline script or an inline style attribute, so it works under
//
//	default-src 'none'; script-src 'self'; style-src 'self' 'nonce-…'; img-src 'self' https: data:;
//	connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'
//
// # The checkout and its routes
//
// The views link to and post to these routes. Every one of them carries ?lang= when the page has a
// language, so a handler redirects with 303 to [PayPath] and keeps it.
//
//	GET  /pay?txnid=&lang=&view=      Checkout; view is "", "choose", "find" or "cancel" (see View)
//	POST /pay/{txnid}/start           fields network, token            → 303 PayPath
//	POST /pay/{txnid}/cancel          no fields                        → 303 PayPath
//	POST /pay/{txnid}/find            field hash                       → 200 Checkout, View "find", Lookup set
//	GET  /pay/{txnid}/live?shown=     server-sent events, see below
//	GET  /pay/{txnid}/now             JSON, or 304 with If-None-Match
//	POST /pay/{txnid}/transaction     field account                    → 200 JSON, see [SolanaWallet]
//	GET  /pay/{txnid}/receipt         Receipt
//
//	GET  /donate/{campaignId} …       Donate, see [DonateProps]
//	GET  /link/{slug} …               PayLink, see [LinkProps]
//
// A refused form gets the page itself as the response: set Problem (or Lookup) and the fitting status.
//
// # Live updates
//
// A page has parts ([Part]): "stage" is the whole step of a checkout (address shown, paid, expired, …), and "status" in
// it the line that says what is happening. What a page shows of them is named by its [Tag]. The page opens
// /pay/{txnid}/live?shown=TAG, where each part that changes comes as an event of its name, and "beat" every 10 s. One
// that has heard nothing for 12 s, that is looked at again, or whose countdown has ended asks /pay/{txnid}/now, whose
// answer holds the same parts: the truth of a page must not depend on one stream. A browser that does not run scripts
// loads the page again every [RefreshSeconds] seconds.
package views

// This makes the pages of the directories below too.
//go:generate go tool templ generate
