// Package model has the arguments and results of the interface's operations, as
// both surfaces, GraphQL and REST, write them.
//
// Its one invariant: an amount keeps the digits it was written with; it never
// passes through a float.
package model
