// Package dashboard is the merchant's and the operator's pages: sign-in,
// overview, payments, keys, custodian, webhooks and what else stands in the
// left rail. A page takes a props struct and returns HTML, as in package views,
// whose tokens and parts it uses. It speaks English.
//
// Its one invariant: every page works without JavaScript, under the
// Content-Security-Policy of package views, and whatever a merchant or a payer
// wrote reaches it escaped.
package dashboard
