// Package settlement brings deposits to the merchant's settlement wallet.
//
// Its one invariant: what is about to be broadcast is stored, signed, before
// it is, and on each network one sweep is in flight at a time. So whatever
// crashes, the same bytes are sent again; nothing is swept twice, nothing is
// forgotten, and no nonce is left out.
//
//	PLANNED ──sign──▶ SIGNED ──broadcast──▶ SENT ──final──▶ CONFIRMED
//	   │                                    │  ▲ └─reverted─▶ FAILED
//	   │                                    │  │ bump: another attempt
//	   └──────── none can land any more ────┴──┴────────────▶ SUPERSEDED
//
// What a sweep really moved comes from the chain, never from what it was
// expected to move: flushing an address moves all it holds.
package settlement
