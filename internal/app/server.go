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
		GraphQL: graph.Options{Limits: graphLimits(a.Config.GraphQL), Introspection: a.Config.Introspection},
		Rates:   rates(a.Config.Rates), Proxies: a.Config.TrustedProxies,
		SignUp:  a.Config.Signup == config.SignupOpen,
		NewKeys: operation.NewKeys{Credits: a.Config.SignupCredits, Queries: a.Config.SignupQueries},
		Sandbox: o.Sandbox, Answered: a.monitor.answered(),
	})
}

func graphLimits(g config.GraphQL) graph.Limits {
	return graph.Limits{
		Tokens: g.Tokens, Depth: g.Depth, Fields: g.Complexity, Aliases: g.Aliases, RootFields: g.RootFields, Body: g.Body,
	}
}

// rates are the configured ones; how many live pages there may be is not
// configured.
func rates(r config.Rates) web.Rates {
	out := web.DefaultRates()
	out.Client, out.Key, out.Costly, out.Open = web.Rate(r.Client), web.Rate(r.Key), web.Rate(r.Costly), web.Rate(r.Open)
	return out
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
