package app

import (
	"time"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
	"github.com/florinpay/florin/web"
	"github.com/florinpay/florin/web/shell"
)

func (a *App) newServer(o Options, sealer *secret.Sealer) *web.Server {
	return web.New(web.Deps{
		Payments: a.Payments, Campaigns: a.Campaigns, Accounts: a.accounts(), Store: a.Store, Sealer: sealer, Wallets: wallets{},
		Recharges: a.recharge,
		Finder:    payment.NewLookup(a.Payments, a.lanes.readers(), Now),
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

// rates are the configured ones; how many live pages there may be is what the
// system has room for.
func rates(r config.Rates) shell.Rates {
	out := shell.DefaultRates()
	out.AllStreams = streamsWithin(maxFiles(), out.AllStreams)
	out.Client, out.Key, out.Costly, out.Open = shell.Rate(r.Client), shell.Rate(r.Key), shell.Rate(r.Costly), shell.Rate(r.Open)
	return out
}

// otherFiles are kept free of live pages: requests, the database, chains and
// callbacks must never find that customers who only watch have taken them all.
const otherFiles = 1_024

// streamsWithin is how many of so many live pages there may be where so many
// files may be open; 0: any number. Half of very few are theirs.
func streamsWithin(files uint64, most int) int {
	if files == 0 || files >= uint64(most)+otherFiles {
		return most
	}
	if files < 2*otherFiles {
		return int(files / 2)
	}
	return int(files - otherFiles)
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
