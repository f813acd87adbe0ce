package config

import (
	"fmt"
	"reflect"
	"regexp"
	"time"

	"github.com/florinpay/florin/internal/exchange/reference"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/wallet"
)

// setting is one name of the environment, and where its value goes.
type setting struct {
	name     string
	fallback string                   // the value when it is not set
	required string                   // the reason to refuse when it is not set; empty: it is optional
	mask     func(text string) string // nil: not a secret; else it may come from a file and is printed through mask
	parse    func(text string) error  // stores the value
	stored   func() string            // the stored value; empty: none
	compiled bool                     // without a value, the one that is compiled in counts
}

// plain returns a setting whose value parse reads into target.
func plain[T any](name, fallback string, target *T, parse func(text string) (T, error)) setting {
	return setting{
		name: prefix + name, fallback: fallback,
		parse: func(text string) (err error) {
			*target, err = parse(text)
			return err
		},
		stored: func() string {
			if reflect.ValueOf(target).Elem().IsZero() {
				return ""
			}
			return fmt.Sprint(*target)
		},
	}
}

// hidden returns a setting whose value is a secret.
func hidden[T any](
	name, fallback string, mask func(string) string, target *T, parse func(text string) (T, error),
) setting {
	s := plain(name, fallback, target, parse)
	s.mask = mask
	return s
}

// Limits of the settings.
const (
	// Deposit addresses are watched for 30 days after the end of a payment; it must end within that time.
	minTTL, maxTTL = time.Second, 30 * 24 * time.Hour
	// Money stays on deposit addresses at most this long.
	maxSweepWait = 24 * time.Hour

	day = 24 * time.Hour
	// Money is watched for and reported for 30 days after a payment has ended.
	minKeepEvents, minKeepAudit = 35 * day, 30 * day

	maxDrainWait = 10 * time.Minute // nothing balances more slowly
	// The default is longer than the 60 s for which nginx and the load balancers of AWS keep a connection: where the
	// server ends it first, the next request of the proxy may meet its end, and is answered 502.
	maxIdleTimeout = time.Hour

	maxAmount    = 1_000_000_000 * money.USD
	maxFree      = 1_000_000 // free credits and queries of a new key
	maxEndpoints = 16

	// Less than one in a thousand seconds is a typing error; a burst above a million limits nothing.
	minPerSecond, maxPerSecond = 0.001, 100_000
	maxBurst                   = 1_000_000
)

// settings lists every setting, in the order they are printed. Parsing one stores its value in c.
func (c *Config) settings() []setting {
	list := []setting{
		plain("LISTEN", "127.0.0.1:8080", &c.Listen, parseHostPort),
		plain("BASE_URL", "http://localhost:8080", &c.BaseURL, parseRootURL),
		plain("CHECKOUT_URL", "", &c.CheckoutURL, parseRootURL),
		plain("ALLOW_HTTP", "false", &c.AllowHTTP, parseBool),
		plain("DRAIN_WAIT", "5s", &c.DrainWait, duration(0, maxDrainWait)),
		plain("IDLE_TIMEOUT", "2m", &c.IdleTimeout, duration(time.Second, maxIdleTimeout)),
		hidden("DATABASE_URL", "sqlite://florin.db", maskURL, &c.DatabaseURL, parseDatabaseURL),
		hidden("SECRET_KEY", "", maskAll, &c.SecretKey, ParseSecretKey),
	}
	list[len(list)-1].required = "is required: 32 bytes in base64; make one with `florin keygen`"
	list = append(list, hidden("OLD_SECRET_KEY", "", maskAll, &c.OldSecretKey, ParseSecretKey))
	list = append(list, plain("MARK", "", &c.Mark, parsePath))
	for i := range c.Networks {
		list = append(list, c.Networks[i].settings()...)
	}
	list = append(list,
		hidden("EVM_GAS_KEY", "", maskAll, &c.EVMGas, fromSecret(wallet.ParseEVM)),
		hidden("SOL_GAS_KEY", "", maskAll, &c.SolGas, fromSecret(wallet.ParseSolana)),
		hidden("SOL_SEED", "", maskAll, &c.seed.text, fromSecret(parseSeed)),
		plain("PAYMENT_TTL", "60m", &c.PaymentTTL, duration(minTTL, maxTTL)),
		plain("START_TTL", "30m", &c.StartTTL, duration(minTTL, maxTTL)),
		plain("MIN_AMOUNT", "0.01", &c.MinAmount, parseAmount),
		plain("MAX_AMOUNT", "1000000", &c.MaxAmount, parseAmount),
		plain("RATE_FENCE", reference.ECB, &c.RateFence, parseFence),
		plain("RATE_SOURCES", "", &c.RateSources, listed(addSource)),
		plain("SWEEP_MIN", "1", &c.SweepMin, parseAmount),
		plain("SWEEP_DUST", "0.05", &c.SweepDust, parseAmount),
		plain("SWEEP_WAIT", "24h", &c.SweepWait, duration(0, maxSweepWait)),
		plain("KEEP_EVENTS", "365d", &c.Keep.Events, parseKeep(minKeepEvents)),
		plain("KEEP_AUDIT", "730d", &c.Keep.Audit, parseKeep(minKeepAudit)),
		plain("CREDITS", "metered", &c.Credits, oneOf(ledger.Metered, ledger.Free)),
		plain("SIGNUP", "", &c.Signup, oneOf(SignupOpen, SignupInvite, SignupClosed)),
		plain("SIGNUP_CREDITS", "20", &c.SignupCredits, whole[int64](0, maxFree)),
		plain("SIGNUP_QUERIES", "5", &c.SignupQueries, whole[int64](0, maxFree)),
		plain("ALLOW_PRIVATE_CALLBACKS", "false", &c.AllowPrivateCallbacks, parseBool),
		plain("CALLBACK_HOSTS", "", &c.CallbackHosts, listed(addHost)),
		plain("INTROSPECTION", "false", &c.Introspection, parseBool),
		hidden("SMTP_URL", "", maskURL, &c.SMTPURL, parseSMTPURL),
		plain("MAIL_FROM", "", &c.MailFrom, parseMailFrom),
		plain("OPERATOR_EMAIL", "", &c.OperatorMail, listed(addMail)),
		hidden("OPERATOR_WEBHOOK", "", maskURL, &c.OperatorHook, parseHook),
		hidden("OPERATOR_WEBHOOK_SECRET", "", maskAll, &c.OperatorHookKey, parseSigningSecret),
		plain("METRICS_LISTEN", "", &c.MetricsListen, parseHostPort),
		plain("DEBUG_LISTEN", "", &c.DebugListen, parseLoopback),
		plain("TRUSTED_PROXIES", "", &c.TrustedProxies, listed(addProxy)),
		plain("CLIENT_IP_HEADER", "", &c.ClientHeader, parseHeader),
		plain("LOG_LEVEL", "info", &c.LogLevel, parseLogLevel),
		plain("LOG_FORMAT", "text", &c.LogFormat, oneOf(LogText, LogJSON)),
	)
	list = append(list, rate("CLIENT", "100", "400", &c.Rates.Client)...)
	list = append(list, rate("KEY", "100", "400", &c.Rates.Key)...)
	return append(list, rate("COSTLY", "0.5", "20", &c.Rates.Costly)...)
}

// rate returns the two settings of a rate.
func rate(name, perSecond, burst string, target *Rate) []setting {
	return []setting{
		plain("RATE_"+name, perSecond, &target.PerSecond, parsePerSecond),
		plain("RATE_"+name+"_BURST", burst, &target.Burst, whole[int](1, maxBurst)),
	}
}

// retired are names of earlier builds that are constants now. They are ignored, so that an upgrade starts.
var retired = regexp.MustCompile(
	`^FLORIN_(RPC_PRICE|(BEP20|POLYGON|BASE|SOL)_(COIN_PRICE|WALLET_RPC|MAX_GAS_PRICE|RPC_RATE)|SOL_(CHAIN_ID|CLUSTER|MAX_PRIORITY_FEE)|RATE_(FENCE_PERCENT|PEG_PERCENT|EVERY|OPEN|OPEN_BURST)|SWEEP_(AT_ONCE|AGE)|KEEP_(DELIVERIES|ATTEMPTS|SESSIONS|IDEMPOTENCY)|GRAPHQL_MAX_[A-Z_]+)$`)
