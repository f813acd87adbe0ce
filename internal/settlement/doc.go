// Package settlement brings deposits to the merchant's settlement wallet.
//
// Its one invariant: signed bytes are stored before they are broadcast, and each
// network has one sweep in flight at a time. So after any crash the same bytes are
// sent again; nothing is swept twice, nothing is forgotten and no nonce is skipped.
//
//	PLANNED ──sign──▶ SIGNED ──broadcast──▶ SENT ──final──▶ CONFIRMED
//	   │                                    │  ▲ └─reverted─▶ FAILED
//	   │                                    │  │ bump: another attempt
//	   └──── none can be included any more ─┴──┴────────────▶ SUPERSEDED
//
// What a sweep moved is read from the chain, not from what it was expected to
// move: flushing an address moves all it holds.
package settlement
