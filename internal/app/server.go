package app

import (
	"net"
	"net/netip"
	"strings"
	"time"

	"github.com/florinpay/florin/graph"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/config"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/lookup"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
	"github.com/florinpay/florin/web"
	"github.com/florinpay/florin/web/shell"
)

// reportProxy warns at start where the proxy that an https address needs cannot be one that is believed: this server
// listens beyond its machine, and no network is named. Whether a proxy that is believed says what it has to is known
// once requests arrive (shell.WithheldWarning, GET /health).
func (a *App) reportProxy() {
	host, _, _ := net.SplitHostPort(a.Config.Listen)
	ip, err := netip.ParseAddr(host)
	own := err == nil && ip.IsLoopback() || host == "localhost"
	if !strings.HasPrefix(a.Config.BaseURL, "https://") || own || len(a.Config.TrustedProxies) > 0 {
		return
	}
	a.log.Warn("FLORIN_BASE_URL is https, so a proxy is in front: its X-Forwarded-For is believed only from this machine until "+
		"FLORIN_TRUSTED_PROXIES names its network", "listen", a.Config.Listen)
}

func (a *App) newServer(o Options, sealer *secret.Sealer) *web.Server {
	finder := lookup.New(a.Payments, a.networks.readers(), a.Store, a.clock.Now)
	finder.Lists = a.expirer.Lists
	build, send := a.networks.transfers()
	return web.New(web.Deps{
		Users: a.Users, Merchants: a.Merchants,
		Payments: a.Payments, Campaigns: a.Campaigns, Store: a.Store, Ping: a.Store.Works,
		Ready: a.Store.Ready, Sealer: sealer,
		Wallets:       operation.Wallets{WalletOf: walletOf, SignerOf: wallet.SignerOf},
		Recharges:     a.recharge,
		Lookup:        finder,
		Refunds:       a.Refunds,
		BuildTransfer: build, SendTransfers: send,
		Dashboard: a.dashboard(),
		Now:       a.clock.Now, NewID: func(t time.Time) payment.ID { return payment.ID(newULID(t)) }, Log: a.log,
	}, web.Options{
		BaseURL: a.Config.BaseURL, CheckoutURL: a.Config.CheckoutURL, Version: o.Version,
		GraphQL:     graph.Options{Limits: graph.DefaultLimits(), Introspection: a.Config.Introspection},
		IdleTimeout: a.Config.IdleTimeout,
		Rates:       rates(a.Config), Proxies: a.Config.TrustedProxies, ClientHeader: a.Config.ClientHeader,
		SignUp:  a.Config.Signup == config.SignupOpen,
		NewKeys: operation.NewKeys{Credits: a.Config.SignupCredits, Queries: a.Config.SignupQueries},
		Sandbox: o.Sandbox, SandboxKey: o.SandboxKey, Answered: a.monitor.answered(), Trace: a.trace,
	})
}

// rates returns the configured rates. The number of event streams is bounded by the number of files the program may
// open.
func rates(c config.Config) shell.Rates {
	r, out := c.Rates, shell.DefaultRates()
	var budgets chain.Budgets
	for _, n := range c.Networks {
		budgets = append(budgets, n.RPCBudget...)
	}
	out.Calls = shell.CallsWithin(budgets.Least())
	out.AllStreams = streamsWithin(MaxFiles(), out.AllStreams)
	out.Client, out.Key = shell.Rate(r.Client), shell.Rate(r.Key)
	out.Costly = shell.Rate(r.Costly)
	return out
}

// otherFiles is how many open files are reserved for requests, the database,
// chains and webhooks: event streams must never use them up.
const otherFiles = 1_024

// streamsWithin returns how many event streams to allow when so many files may be open, at most the given number; 0
// files means no limit. Of very few files, streams get half.
func streamsWithin(files uint64, most int) int {
	if files == 0 || files >= uint64(most)+otherFiles {
		return most
	}
	if files < 2*otherFiles {
		return int(files / 2)
	}
	return int(files - otherFiles)
}

// walletOf returns the wallet of a private key. It fails with fault.Invalid if
// the text is not a private key.
func walletOf(privateKey secret.Text) (chain.Address, error) {
	k, err := wallet.ParseEVM(privateKey)
	if err != nil {
		return "", err
	}
	return k.Wallet(), nil
}
