package config

import (
	"log/slog"
	"net/netip"
	"slices"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/endpoint"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// Config is everything the operator can decide (spec.md section 11).
type Config struct {
	Listen      string // host:port
	BaseURL     string // without a slash at the end
	CheckoutURL string
	AllowHTTP   bool // public addresses may be http
	// DrainWait is how long a server that stops goes on serving, so that balancers notice that it is not
	// ready.
	DrainWait time.Duration
	// IdleTimeout is how long a connection may be idle.
	IdleTimeout time.Duration

	DatabaseURL secret.Text // it may hold a password
	SecretKey   secret.Text // its secret.KeyLen bytes, decoded
	// OldSecretKey was the SecretKey before; what it sealed is still opened. Empty: there is none.
	OldSecretKey secret.Text
	Mark         string // path of the mark (package backup); empty: beside a SQLite database, none for PostgreSQL

	Networks []Network // those that are on, in the order they are offered

	EVMGas  *wallet.EVM    // nil: EVM networks are not swept
	SolGas  *wallet.Solana // nil: Solana is not swept
	SolSeed *wallet.Seed   // nil only while Solana is off

	SweepMin  money.Micros  // smaller amounts wait for a day
	SweepDust money.Micros  // smaller amounts wait until more arrives
	SweepWait time.Duration // the longest that money waits for others to share the transaction

	PaymentTTL time.Duration
	StartTTL   time.Duration
	MinAmount  money.Micros
	MaxAmount  money.Micros

	// RateFence is where reference rates come from: ecb, frankfurter or an address; empty: there is no fence.
	RateFence   string
	RateSources []string      // asked beside the price feeds: see reference.Source
	RateEvery   time.Duration // from one reading of the sources to the next

	// Keep is how long what grows with the payments is kept.
	Keep retention.Policy

	Credits       ledger.Meter // whether operations cost credits
	Signup        Signup
	SignupCredits int64 // free credits of a user's first key
	SignupQueries int64

	AllowPrivateCallbacks bool
	CallbackHosts         []string // names, or *.name; empty: every public host
	Introspection         bool     // GraphQL clients may read the schema, and /graphiql is served
	Rates                 Rates

	SMTPURL  secret.Text // empty: no mail
	MailFrom string

	// OperatorMail are the addresses of the operator, and OperatorHook is the address of a webhook, to which alerts are
	// sent; empty: none. OperatorHookKey signs the webhook (Standard Webhooks 1.0); empty: it is not signed.
	OperatorMail    []string
	OperatorHook    secret.Text
	OperatorHookKey secret.Text

	MetricsListen  string         // host:port; empty: no metrics
	DebugListen    string         // host:port of this machine; empty: no profiles
	TrustedProxies []netip.Prefix // their X-Forwarded-For is believed
	ClientHeader   string         // in which they name the client; empty: X-Forwarded-For

	LogLevel  slog.Level
	LogFormat LogFormat

	seed    seedSource
	printed []string // one line a setting, with secrets masked
}

// CreditsEnd says why shops on this installation stop after their free credits; empty if they do not.
func (c Config) CreditsEnd() string {
	sold := slices.ContainsFunc(c.Networks, func(n Network) bool { return n.Treasury != "" })
	if c.Credits == ledger.Free || sold {
		return ""
	}
	return "FLORIN_CREDITS is metered, and no network has a treasury (FLORIN_…_TREASURY) to which credits could be paid: " +
		"a shop stops after its free credits, unless you grant more. On a server of your own set FLORIN_CREDITS=free"
}

// Network is a network that is on.
type Network struct {
	Profile  chain.Profile // the compiled-in one with the operator's overrides
	RPC      []secret.Text // endpoints, in order of preference; they often contain a key
	Treasury chain.Address // where top-ups settle; empty: none here
	// MaxGasPrice is the most a sweep pays for a unit of gas, in wei; 0: sender.DefaultMaxPrice.
	MaxGasPrice money.Units
	// CoinPrice is what a native coin costs in USD, to tell what a sweep costs; 0 on a test network.
	CoinPrice money.Micros
	// RPCBudget is how many calls a day reading the network may cost at each endpoint, in their order; the last one is
	// for all further endpoints. 0: as many as it takes, for a node of one's own.
	RPCBudget []int64
	// Alone is what one of two endpoints may decide while the other one is silent.
	Alone chain.Alone
	// RateFeeds are the price feeds that are read on the network: the compiled-in ones, with the operator's instead.
	RateFeeds RateFeeds
}

// OwnNode reports whether no endpoint has a budget of calls: the network is read through nodes of one's own.
func (n Network) OwnNode() bool {
	return !slices.ContainsFunc(n.RPCBudget, func(b int64) bool { return b > 0 })
}

// CallRate is the most calls that each endpoint gets in a second; 0 for nodes of one's own: any number. A plan of so
// many a day carries ten times its mean for a second, every plan carries endpoint.DefaultRate, and what carries less is
// found out by its refusals.
func (n Network) CallRate() float64 {
	const perDay = 10. / (24 * 60 * 60)
	var rate float64
	for _, budget := range n.RPCBudget {
		if r := max(endpoint.DefaultRate, float64(budget)*perDay); budget > 0 && (rate == 0 || r < rate) {
			rate = r
		}
	}
	return rate
}

// Sealer returns the sealer of stored secrets: with FLORIN_SECRET_KEY, and what it was before.
func (c Config) Sealer() (*secret.Sealer, error) {
	s, err := secret.NewSealer([]byte(c.SecretKey.Reveal()))
	if err == nil && !c.OldSecretKey.Empty() {
		err = s.Add([]byte(c.OldSecretKey.Reveal()))
	}
	return s, err
}

// Profiles lists the profiles of the networks that are on.
func (c Config) Profiles() []chain.Profile {
	profiles := make([]chain.Profile, len(c.Networks))
	for i, n := range c.Networks {
		profiles[i] = n.Profile
	}
	return profiles
}

// Network returns the network if it is on.
func (c Config) Network(n chain.Network) (Network, bool) {
	for _, x := range c.Networks {
		if x.Profile.Network == n {
			return x, true
		}
	}
	return Network{}, false
}

// Rates limit how often something may be done.
type Rates struct {
	Client Rate // requests of one address
	Key    Rate // operations of one API key
	Costly Rate // expensive operations of one address
}

// Rate is PerSecond in the long run, and Burst at once.
type Rate struct {
	PerSecond float64
	Burst     int
}

// Signup is who may register.
type Signup string

// The ways to register.
const (
	SignupOpen   Signup = "open"   // anyone
	SignupInvite Signup = "invite" // users with an invitation
	SignupClosed Signup = "closed" // only the operator creates users
)

// LogFormat is the format of log lines.
type LogFormat string

// The formats.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)
