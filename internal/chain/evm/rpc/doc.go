// Package rpc asks the JSON-RPC endpoints of one EVM network and reads their
// answers.
//
//	Pool ──▶ Endpoint ──▶ wire ──HTTP──▶ node
//	  │         └ health, cool-down, chain id; accepted sizes of requests
//	  └ order of preference, health check, second opinions
//
// Calls and their typed answers stand beside each other: BlockByNumber and
// Header, ReceiptCall and Receipt, ContractCall and ParseWord.
//
// Its one invariant: an answer that does not have the expected form is an error
// of its endpoint, never a value.
package rpc
