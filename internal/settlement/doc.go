// Package settlement brings deposits to the merchant's settlement wallet.
//
// Its one invariant: signed bytes are stored before they are broadcast, an address is
// in one sweep in flight, and a nonce of one of them is reserved with its bytes. So
// after any crash the same bytes are sent again; nothing is swept twice, nothing is
// forgotten and no nonce is skipped. A network has up to MaxInFlight sweeps in flight,
// on EVM networks with consecutive nonces: one that is slow is replaced under its own
// nonce while the others queue behind it, and none is planned while one is unsigned.
//
//	PLANNED ──sign──▶ SIGNED ──broadcast──▶ SENT ──final──▶ CONFIRMED
//	   │                                    │  ▲ └─reverted─▶ FAILED
//	   │                                    │  │ bump: another attempt
//	   └──── none can be included any more ─┴──┴────────────▶ SUPERSEDED
//
// What a sweep moved is read from the chain, not from what it was expected to
// move: flushing an address moves all it holds.
package settlement
