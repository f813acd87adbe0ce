package config

import (
	"log/slog"
	"net/netip"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// Config is everything the operator can decide (spec.md section 11).
type Config struct {
	Listen      string // host:port
	BaseURL     string // without a slash at the end
	CheckoutURL string

	DatabaseURL secret.Text // it may hold a password
	SecretKey   secret.Text // its secret.KeyLen bytes, decoded

	Networks []Network // those that are on, in the order they are offered

	EVMGas  *wallet.EVM    // nil: EVM networks are not swept
	SolGas  *wallet.Solana // nil: Solana is not swept
	SolSeed *wallet.Seed   // nil only while Solana is off

	SweepMin  money.Micros  // smaller amounts wait until they are SweepAge old
	SweepDust money.Micros  // smaller amounts wait until more comes
	SweepWait time.Duration // for others to share the transaction
	SweepAge  time.Duration

	PaymentTTL time.Duration
	StartTTL   time.Duration
	MinAmount  money.Micros
	MaxAmount  money.Micros

	Signup        Signup
	SignupCredits int64 // free credits of a new key
	SignupQueries int64

	AllowPrivateCallbacks bool
	Introspection         bool // GraphQL answers questions about its schema, and /graphiql is served
	GraphQL               GraphQL
	Rates                 Rates

	SMTPURL  secret.Text // empty: no mail
	MailFrom string

	MetricsListen  string         // host:port; empty: no metrics
	TrustedProxies []netip.Prefix // whose X-Forwarded-For counts

	LogLevel  slog.Level
	LogFormat LogFormat

	shown []shown
}

// Network is a network that is on.
type Network struct {
	// Profile is the compiled-in one with what the operator overrides.
	Profile chain.Profile
	// RPC are the endpoints, in order of preference. They often hold a key.
	RPC      []secret.Text
	Treasury chain.Address // where top-ups settle; empty: none here
	// MaxGasPrice is the most a unit of gas may cost a sweep, in wei; 0: what
	// is compiled in.
	MaxGasPrice money.Units
	// MaxPriorityFee is the most a unit of compute may cost a sweep on Solana,
	// in micro-lamports.
	MaxPriorityFee uint64
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

// Signup is who may register.
type Signup string

// The ways to register.
const (
	SignupOpen   Signup = "open"   // anybody
	SignupInvite Signup = "invite" // whoever was invited
	SignupClosed Signup = "closed" // nobody; the operator makes users
)

// LogFormat is how log lines are written.
type LogFormat string

// The formats.
const (
	LogText LogFormat = "text"
	LogJSON LogFormat = "json"
)

// Bounds of what is configured.
const (
	// MinTTL and MaxTTL bound the validity of payments. Addresses are watched
	// for 30 days after the end, so longer waits would outlive their own care.
	MinTTL = time.Second
	MaxTTL = 30 * 24 * time.Hour
	// MaxSweepWait and MaxSweepAge bound how long money may lie on deposit
	// addresses.
	MaxSweepWait = 24 * time.Hour
	MaxSweepAge  = 30 * 24 * time.Hour
	// MaxEndpoints bounds the RPC endpoints of one network.
	MaxEndpoints = 16
	// HighestAmount bounds FLORIN_MAX_AMOUNT: a billion dollars.
	HighestAmount = 1_000_000_000 * money.USD
	// HighestPriorityFee bounds FLORIN_SOL_MAX_PRIORITY_FEE: a sweep of five
	// deposits would cost some hundredths of a SOL.
	HighestPriorityFee = 1_000_000_000
	// MaxFree bounds the free credits and queries of a new key.
	MaxFree = 1_000_000
)
