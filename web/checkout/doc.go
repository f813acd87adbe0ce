// Package checkout is the hosted checkout: the page a payer pays on, its forms, its
// live updates and the receipt.
//
// The Presenter turns a payment into what a page shows of it. Campaign pages and
// the dashboard use it too.
package checkout
