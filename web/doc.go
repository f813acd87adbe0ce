// Package web serves Florin over HTTP: the REST interface, GraphQL, the hosted
// checkout with its live pages, and the health check.
//
// Its one invariant: every response comes from one of three places. An operation
// answers through api.Answer, a page through shell.Render, and every error through
// shell.Fail, which maps a fault's kind to a status and never shows an error that
// is not a fault.
package web
