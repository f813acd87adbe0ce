// Package operation implements every operation of the interface once for both
// surfaces: it authenticates, reads the arguments, calls the service that does
// the work and shapes the result. GraphQL resolvers and REST handlers are thin
// layers around it, so the two can never differ.
//
// Its one invariant: every operation returns a result with a code and a message.
// An error that is not a fault is logged and never shown.
package operation
