// Package rpc queries the JSON-RPC endpoints of one EVM network and parses their
// answers.
//
//	Pool ──▶ Endpoint ──▶ wire ──HTTP──▶ node
//	  │         └ health, cool-down, chain id; accepted sizes of requests
//	  └ order of preference, health check, second opinions
//
// Each call is next to its typed answer: BlockByNumber and Header, ReceiptCall
// and Receipt, ContractCall and ParseWord.
//
// Its one invariant: an answer that does not have the expected form is an error
// of its endpoint, never a value.
package rpc
