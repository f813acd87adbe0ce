package app

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/refund"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// linkPurpose is what the links of payers who get money back are signed for.
const linkPurpose = "refund link v1"

func (a *App) refunds(sealer *secret.Sealer) *refund.Service {
	var wallets refund.Wallets
	if x := a.networks.solana(); x != nil {
		wallets = x
	}
	return refund.New(refund.Deps{
		Store: a.Store, Payments: a.Payments, Readers: a.networks.readers(), CheckWallet: a.checkPayee,
		Links: refund.Links{
			Keys: func() [][]byte { return sealer.DeriveAll(linkPurpose) }, CheckoutURL: a.Config.CheckoutURL,
		},
		Solana: wallets, SignerOf: wallet.SignerOf, Now: a.clock.Now,
		NewID: func(t time.Time) refund.ID { return refund.ID(newULID(t)) },
	})
}

// checkPayee refuses an address of the network that nobody could move tokens from.
func (a *App) checkPayee(ctx context.Context, n chain.Network, to chain.Address) error {
	if x := a.networks.solana(); x != nil && n == chain.Solana {
		return x.CheckPayee(ctx, to)
	}
	return a.networks.checkWallet(ctx, n, to)
}

// refundLoop finds the transfers that pay refunds.
func (a *App) refundLoop() loop {
	w := &refund.Watcher{
		Service: a.Refunds, Log: a.log, Slowdown: a.networks.refundSlowdown,
		Lease: func(ctx context.Context, name string, now, until time.Time) (bool, error) {
			return a.Store.Lease(ctx, name, a.holder, now, until)
		},
	}
	return loop{
		name: "refunds", every: refund.WatchEvery, within: refund.Within, turn: w.RunOnce,
		failed: "refunds that were sent are not seen yet",
	}
}
