package chain

import (
	"context"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// TransferSender makes, sends and tracks token transfers on one network, with
// a private key that it is given for one call.
type TransferSender interface {
	// Sign makes and signs the transfer with the private key and sends
	// nothing. It fails with faults of kind PaymentRequired that name what is
	// missing, before anything is signed.
	Sign(ctx context.Context, privateKey secret.Text, t TokenTransfer) (SignedTx, error)
	// Broadcast sends the signed transaction to the network. Sending it twice
	// is not an error.
	Broadcast(ctx context.Context, tx SignedTx) error
	// Track returns the outcome of the transaction.
	Track(ctx context.Context, from Address, tx SignedTx) (TransferOutcome, error)
	// Judge says which of the transfers of one transaction stand, as that of Reader does.
	Judge(ctx context.Context, transfers []Transfer, at Head) ([]Verdict, error)
}

// Reasons why a transfer is not signed.
var (
	ErrTransferFunds = fault.New(fault.PaymentRequired, "the wallet does not hold enough USDT")
	ErrTransferGas   = fault.New(fault.PaymentRequired, "the wallet does not hold enough of the native coin for gas")
)

// TokenTransfer is a transfer to make: tokens from one wallet to another.
type TokenTransfer struct {
	Asset  Asset
	From   Address
	To     Address
	Amount money.Units
}

// SignedTx is a signed EVM transaction.
type SignedTx struct {
	Tx    TxHash
	Raw   []byte // the signed bytes, as they are broadcast
	Nonce uint64
}

// TransferOutcome is the outcome of a signed transfer.
type TransferOutcome struct {
	Status    TxStatus
	Block     Head // that includes it
	Final     Head // the newest final block when it was read
	Transfers []Transfer
}
