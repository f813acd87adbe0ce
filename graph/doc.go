// Package graph serves the interface over GraphQL: the schema in schema/, code
// generated from it, resolvers that hand each field to one operation, and the
// executor in front of them.
//
// The executor is our own, for three reasons. The digits of an amount must
// reach the operation, and the generated code would read them into a float64;
// so every Float, written in the document or in the variables, is made a
// model.Decimal before the generated code sees it. Limits are checked before
// any rule is, for some validation rules take exponential time. And media types
// and statuses are those of GraphQL over HTTP.
//
// Its one invariant: the `errors` list of an answer speaks of the document and
// its variables only; what an operation has to say stands in its result.
package graph

//go:generate go tool gqlgen generate --config gqlgen.yml
