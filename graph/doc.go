// Package graph serves the interface over GraphQL: the schema in schema/, code
// generated from it, and resolvers that pass each field to one operation.
//
// gqlgen executes the documents. Limits, strict variables and idempotency are
// its extensions; media types and statuses are those of GraphQL over HTTP.
// Limits are checked before validation, because the time of one validation
// rule grows with the square of a document's fields.
//
// Its one invariant: the `errors` list of an answer is about the document and
// its variables only; an operation reports in its result.
package graph

//go:generate go run ./gen
