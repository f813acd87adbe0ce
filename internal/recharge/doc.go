// Package recharge sells query units for a transfer of USDT on BNB Smart Chain
// that Florin makes with the merchant's own private key (interface.md,
// rechargeApiKey).
//
// Its one invariant: the signed bytes and their hash are stored before they are
// broadcast, and units are credited for a recharge once, in the transaction in
// which it becomes CREDITED, when that very hash is final and moved the price
// from the registered wallet to the treasury. So whatever crashes, the same
// bytes are sent again, and nothing is credited for money that did not come.
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
// FAILED and REPLACED are what nodes say of the past, some wrongly, so a second
// one is asked, and both are looked at for another day: should the transfer be
// found after all, the recharge is CREDITED from there too.
//
// A wallet has one SIGNED recharge at a time, so two of them never share a
// nonce. An ABANDONED one is broadcast no more and no longer in the way of the
// next; but its bytes are out, so it is watched for as long as it may matter.
//
// The private key is used for one signature and kept nowhere.
package recharge
