// Package refund is money that a merchant pays back from a wallet of his own: pure decisions over a payment and its
// refunds, the Service through which surfaces use them, and the Watcher that finds the transfers.
//
// Florin holds no key of the merchant's, so it moves nothing. It says how much is left to pay back, has the payer give
// the address, and finds the transfer on the chain.
//
// Its one invariant: what is refunded or may still be never exceeds what was received in the same token on the same
// network, and a transfer settles one refund, once.
//
//	 request
//	    │           give address (again)
//	    ▼             ┌────┐
//	REQUESTED ─▶ ADDRESS_GIVEN ◀──┐ was not sent
//	    │             │   │ │ send│
//	    │ cancel      │   │ └──▶ SENT
//	    ▼             │   │       │
//	CANCELLED ◀───────┘   ▼ a final transfer
//	                    FINAL ◀───┘
//
// From when the merchant's wallet was asked the address stays as it is, and the refund cannot be cancelled until the
// merchant says that nothing was sent.
package refund
