// Package recharge sells query units for a transfer of USDT on BNB Smart Chain
// that Florin makes with the merchant's own private key (interface.md,
// rechargeApiKey).
//
// Its one invariant: the signed bytes and their hash are stored before they are
// broadcast, and units are credited for a recharge once, in the transaction in
// which it becomes CREDITED, when exactly that hash is final and moved the price
// from the registered wallet to the treasury. So after any crash the
// same bytes are sent again, and no units are credited without the money.
//
//	        sign, store                 final, paid
//	(none) ─────────────▶ SIGNED ─────────────────────▶ CREDITED
//	                       │  ▲│ final, not paid             ▲
//	                       │  │└────────────▶ FAILED ◀─┐     │ final, paid
//	                       │  └ broadcast again        │     │
//	                       │ nonce used by another     │     │
//	                       ├─────────────▶ REPLACED ◀──┤     │
//	                       │ in no block for an hour   │     │
//	                       └─────────────▶ ABANDONED ──┴─────┘
//
// Nodes may report FAILED and REPLACED wrongly, so both are tracked for another
// day: if the transfer is found after all, the recharge is CREDITED.
//
// A wallet has one SIGNED recharge at a time, so two of them never share a
// nonce. An ABANDONED one is not broadcast again and does not hold up the next;
// but its bytes may still be included, so it is tracked for 30 days.
//
// The private key is used for one signature and not stored.
package recharge
