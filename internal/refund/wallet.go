package refund

import (
	"context"
	"slices"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
)

// Wallets build and send what wallets on Solana sign.
type Wallets interface {
	// Transfers returns an unsigned transaction with the transfers, at most chain.MostTransfers; it fails with
	// fault.Unprocessable where the payer holds too little.
	Transfers(ctx context.Context, payer chain.Address, list []chain.Transfer) ([]byte, error)
	// SendTransfers sends a transaction that a wallet has signed, and returns its signature; it fails with
	// fault.Invalid unless its transfers are each another one of the list.
	SendTransfers(ctx context.Context, raw []byte, list []chain.Transfer) (chain.TxHash, error)
}

var (
	errNoWallets = fault.New(fault.Unavailable, "transactions for wallets on Solana cannot be built here")
	// errMoved: the payer gave another address between the two steps, say.
	errMoved = fault.New(fault.Conflict, "a refund has changed at this moment; try again")
)

// Prepares reports whether wallets on Solana can be asked.
func (s *Service) Prepares() bool { return s.d.Solana != nil }

// Prepare returns one transaction on Solana by which the wallet sends refunds that wait for it, as many as there is
// room for, and records that it was asked for them. No refund is asked for where the wallet could not pay.
func (s *Service) Prepare(
	ctx context.Context, keys []int64, wallet string, act audit.Act,
) (asked []Refund, transaction []byte, err error) {
	if s.d.Solana == nil {
		return nil, nil, errNoWallets
	}
	payer, err := chain.ParseAddress(chain.Solana, wallet)
	if err != nil {
		return nil, nil, err
	}
	list, err := s.Waiting(ctx, keys, chain.Solana)
	if err != nil || len(list) == 0 {
		return nil, nil, err
	}
	list = list[:min(len(list), chain.MostTransfers)]
	transaction, err = s.d.Solana.Transfers(chain.AsStranger(ctx), payer.Address, transfersOf(list))
	if err != nil {
		return nil, nil, err
	}
	asked, err = s.AskAll(ctx, list, act)
	if err == nil && slices.EqualFunc(asked, list, func(a, b Refund) bool {
		return a.ID == b.ID && a.Address.Address == b.Address.Address
	}) {
		return asked, transaction, nil
	}
	for _, r := range asked { // the wallet has seen nothing
		if _, failed := s.Unsend(ctx, r, act); failed != nil {
			return nil, nil, failed
		}
	}
	if err == nil {
		err = errMoved
	}
	return nil, nil, err
}

// Relay sends the transaction that the merchant's wallet has signed and does not send itself, if it pays refunds that a
// wallet was asked for, each once, and nothing else. Those of which the merchant has named a transaction are paid.
func (s *Service) Relay(ctx context.Context, keys []int64, raw []byte) (chain.TxHash, error) {
	if s.d.Solana == nil {
		return "", errNoWallets
	}
	list, err := s.d.Store.Payable(ctx, keys, chain.Solana)
	if err != nil {
		return "", err
	}
	list = slices.DeleteFunc(list, func(r Refund) bool { return r.AskedAt.IsZero() || r.Status == Sent })
	return s.d.Solana.SendTransfers(chain.AsStranger(ctx), raw, transfersOf(list))
}

// transfersOf are the transfers that pay the refunds.
func transfersOf(list []Refund) []chain.Transfer {
	transfers := make([]chain.Transfer, len(list))
	for i, r := range list {
		transfers[i] = chain.Transfer{To: r.Address.Address, Asset: r.Asset, Units: r.Units}
	}
	return transfers
}
