// Package api is the interface for programs: REST and GraphQL, both on the
// operations of graph/operation.
//
// A REST handler reads its arguments and calls one operation. Answer and Write run
// it and write its result, whose code is the HTTP status.
package api
