// Package contracts holds the forwarder contracts of the EVM networks and the
// rules by which deposit addresses follow from them.
//
// A deposit address is a counterfactual clone: CREATE2 from one factory, with
// the merchant's settlement address as immutable argument. It has no key, and
// its code can pay the settlement address and nothing else.
//
//	deterministic proxy ──CREATE2──▶ ForwarderFactory ──CREATE──▶ Forwarder (implementation)
//	                                        │ CREATE2(salt, settlement)                ▲
//	                                        ▼                                          │ delegatecall
//	                                 forwarder = deposit address ──────────────────────┘
//	                                        │ balanceOf, transfer
//	                                        ▼
//	                                   settlement
//
// Its one invariant: deposit addresses never change. They depend on the
// factory's bytecode, the settlement address and the salt, so bytecode,
// compiler and settings are frozen here, and the tests compile and deploy them
// again.
package contracts

//go:generate sh -c "node compile.js src > forwarder.json"
//go:generate go tool abigen --v2 --combined-json forwarder.json --pkg contracts --out bindings.go
//go:generate sh -c "node compile.js contractstest/src > contractstest/contractstest.json"
//go:generate go tool abigen --v2 --combined-json contractstest/contractstest.json --pkg contractstest --out contractstest/bindings.go
