// Package dashboard is the pages of a merchant: overview, payments, keys, credits and
// webhooks. A page takes a props struct and returns HTML; package panel has what all
// of them share.
package dashboard
