// Package refund is the page on which a payer says where money that is paid back is to go.
package refund
