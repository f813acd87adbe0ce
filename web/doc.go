// Package web serves Florin over HTTP: the REST interface, GraphQL, the hosted
// checkout with its live pages, and the health check.
//
// Its one invariant: every answer comes from one of three places. An operation
// answers through answer, a page through page, and whatever fails on the way
// there through fail, which maps a fault's kind to a status and never shows
// what is not a fault.
package web
