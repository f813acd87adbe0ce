// Package checkout is the hosted checkout: the page a payer pays on, its forms, its
// live updates and the receipt.
package checkout
