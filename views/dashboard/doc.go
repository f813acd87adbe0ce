// Package dashboard is the merchant's and the operator's pages: sign-in,
// overview, payments, keys, custodian, webhooks and what else stands in the
// left rail. A page takes a props struct and returns HTML, as in package views,
// whose tokens and parts it uses.
package dashboard
