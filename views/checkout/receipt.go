package checkout

import (
	"time"

	"github.com/florinpay/florin/views"
)

// ReceiptProps is the receipt of a completed payment: what anyone with its link may see.
type ReceiptProps struct {
	views.Page
	Merchant views.Merchant

	TxnID, Reference, Description string
	// Amount is the requested amount, Received what arrived; plain decimals.
	Amount, Received string
	// Price is what the amount was made of, if it was given in another currency.
	Price views.Price
	// Network and Token are the enum values.
	Network, Token string
	Address        string
	CreatedAt      time.Time
	PaidAt         time.Time
	Deposits       []Deposit
	// VerifyURL is the absolute public address of this receipt.
	VerifyURL string
	// ByHand: the merchant marked the payment as completed; no transaction proves it.
	ByHand bool
	// Back is what of it goes back.
	Back Back
	// Offer is what the payer may have back, with its token; empty: nothing.
	Offer string
}
