// Package operation is every operation of the interface, once, for both
// surfaces: it authenticates, reads the arguments, calls the service that does
// the work and shapes the result. GraphQL resolvers and REST handlers are thin
// around it, so the two can never differ.
//
// Its one invariant: an operation ends in a result with a code and a message,
// whatever happens in it; what is not a fault for the caller is logged and
// never shown.
package operation
