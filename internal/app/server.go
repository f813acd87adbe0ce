package app

import (
	"time"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/finding"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
	"github.com/florinpay/florin/web"
)

func (a *App) newServer(o Options, sealer *secret.Sealer) *web.Server {
	return web.New(web.Deps{
		Payments: a.Payments, Campaigns: a.Campaigns, Accounts: a.Accounts, Store: a.Store, Sealer: sealer, Wallets: wallets{},
		Recharges: a.recharge,
		Finder:    finding.New(a.Payments, a.lanes.readers(), Now),
		Transfers: a.lanes.transfers(),
		Dashboard: a.dashboard(o, sealer),
		Now:       Now, NewID: func(t time.Time) payment.ID { return payment.ID(newULID(t)) }, Log: a.log,
	}, web.Options{
		BaseURL: a.Config.BaseURL, CheckoutURL: a.Config.CheckoutURL, Version: o.Version,
		GraphQL: graph.Options{Introspection: a.Config.Introspection}, Proxies: a.Config.TrustedProxies,
		SignUp:  a.Config.Signup == config.SignupOpen,
		NewKeys: operation.NewKeys{Credits: a.Config.SignupCredits, Queries: a.Config.SignupQueries},
		Sandbox: o.Sandbox, Answered: a.monitor.answered(),
	})
}

// wallets tells which wallet a private key belongs to.
type wallets struct{}

// WalletOf returns the wallet, or fault.Invalid for what is no private key.
func (wallets) WalletOf(privateKey secret.Text) (chain.Address, error) {
	k, err := wallet.ParseEVM(privateKey)
	if err != nil {
		return "", err
	}
	return k.Wallet(), nil
}
