package config

import (
	"errors"
	"log/slog"
	"slices"
	"strconv"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/wallet"
)

// variable is one name of the environment.
type variable struct {
	name     string
	fallback string // what counts when it is not set
	required string // what to do when it must be set and is not; empty: it need not
	// secret values may stand in a file and are shown masked.
	secret bool
	masked func(text string) string // how a secret is shown; nil: as ***
	set    func(d *draft, text string) error
	// effective is what counts when neither it nor a fallback is there, for
	// what is compiled in or follows from something else.
	effective func(c *Config) string
}

// variables lists every name, in the order they are shown.
func variables() []variable {
	list := []variable{
		text("FLORIN_LISTEN", "127.0.0.1:8080", func(d *draft) *string { return &d.Listen }, hostPort),
		text("FLORIN_BASE_URL", "http://localhost:8080", func(d *draft) *string { return &d.BaseURL }, parsePublicURL),
		checkoutURL(),
		hidden("FLORIN_DATABASE_URL", "sqlite://florin.db", maskDatabaseURL,
			func(d *draft) *secret.Text { return &d.DatabaseURL }, parseDatabaseURL),
		secretKey(),
	}
	for _, n := range chain.Networks() {
		list = append(list, networkVariables(n)...)
	}
	return slices.Concat(list, keyVariables(), policyVariables(), limitVariables())
}

func checkoutURL() variable {
	v := text("FLORIN_CHECKOUT_URL", "", func(d *draft) *string { return &d.CheckoutURL }, parsePublicURL)
	v.effective = func(c *Config) string { return c.CheckoutURL }
	return v
}

func secretKey() variable {
	v := hidden("FLORIN_SECRET_KEY", "", nil, func(d *draft) *secret.Text { return &d.SecretKey }, parseSecretKey)
	v.required = "is required: 32 bytes in base64; make one with `florin keygen`"
	return v
}

func keyVariables() []variable {
	return []variable{
		hidden("FLORIN_EVM_GAS_KEY", "", nil, func(d *draft) **wallet.EVM {
			return &d.EVMGas
		}, fromSecret(wallet.ParseEVM)),
		hidden("FLORIN_SOL_GAS_KEY", "", nil, func(d *draft) **wallet.Solana {
			return &d.SolGas
		}, fromSecret(wallet.ParseSolana)),
		hidden("FLORIN_SOL_SEED", "", nil, func(d *draft) **wallet.Seed {
			return &d.SolSeed
		}, fromSecret(wallet.ParseSeed)),
	}
}

func policyVariables() []variable {
	free := func(text string) (int64, error) { return parseWhole(text, 0, MaxFree) }
	return []variable{
		text("FLORIN_PAYMENT_TTL", "60m", func(d *draft) *duration { return &d.PaymentTTL }, parseTTL),
		text("FLORIN_START_TTL", "30m", func(d *draft) *duration { return &d.StartTTL }, parseTTL),
		text("FLORIN_MIN_AMOUNT", "0.01", func(d *draft) *money.Micros { return &d.MinAmount }, parseAmount),
		text("FLORIN_MAX_AMOUNT", "1000000", func(d *draft) *money.Micros { return &d.MaxAmount }, parseAmount),
		text("FLORIN_SWEEP_MIN", "1", func(d *draft) *money.Micros { return &d.SweepMin }, parseAmount),
		text("FLORIN_SWEEP_DUST", "0.05", func(d *draft) *money.Micros { return &d.SweepDust }, parseAmount),
		text("FLORIN_SWEEP_WAIT", "1m", func(d *draft) *duration { return &d.SweepWait }, within(0, MaxSweepWait)),
		text("FLORIN_SWEEP_AGE", "24h", func(d *draft) *duration { return &d.SweepAge }, within(0, MaxSweepAge)),
		text("FLORIN_SIGNUP", "open", func(d *draft) *Signup {
			return &d.Signup
		}, oneOf(SignupOpen, SignupInvite, SignupClosed)),
		text("FLORIN_SIGNUP_CREDITS", "20", func(d *draft) *int64 { return &d.SignupCredits }, free),
		text("FLORIN_SIGNUP_QUERIES", "5", func(d *draft) *int64 { return &d.SignupQueries }, free),
		text("FLORIN_ALLOW_PRIVATE_CALLBACKS", "false", func(d *draft) *bool {
			return &d.AllowPrivateCallbacks
		}, parseBool),
		text("FLORIN_INTROSPECTION", "false", func(d *draft) *bool { return &d.Introspection }, parseBool),
		hidden("FLORIN_SMTP_URL", "", maskURL, func(d *draft) *secret.Text { return &d.SMTPURL }, parseSMTPURL),
		text("FLORIN_MAIL_FROM", "", func(d *draft) *string { return &d.MailFrom }, parseMailFrom),
		text("FLORIN_METRICS_LISTEN", "", func(d *draft) *string { return &d.MetricsListen }, hostPort),
		text("FLORIN_TRUSTED_PROXIES", "", func(d *draft) *prefixes { return &d.TrustedProxies }, parseProxies),
		text("FLORIN_LOG_LEVEL", "info", func(d *draft) *slog.Level { return &d.LogLevel }, parseLogLevel),
		text("FLORIN_LOG_FORMAT", "text", func(d *draft) *LogFormat { return &d.LogFormat }, oneOf(LogText, LogJSON)),
	}
}

// networkVariables lists the names of one network.
func networkVariables(n chain.Network) []variable {
	name := func(rest string) string { return prefix + string(n) + "_" + rest }
	compiled := func(v variable, show func(Network) string) variable {
		v.effective = func(c *Config) string {
			if x, on := c.Network(n); on {
				return show(x)
			}
			return ""
		}
		return v
	}
	list := []variable{
		hidden(name("RPC"), "", maskEndpoints, func(d *draft) *endpoints { return &d.networks[n].rpc }, parseEndpoints),
		compiled(text(name("CHAIN_ID"), "", func(d *draft) *uint64 { return &d.networks[n].chainID }, chainID(n)),
			func(x Network) string { return chainIDText(x.Profile.ChainID) }),
	}
	for _, t := range money.Tokens() {
		list = append(list,
			compiled(contract(name(string(t)), n, t), func(x Network) string {
				a, _ := x.Profile.Asset(t)
				return string(a.Contract)
			}),
			compiled(decimals(name(string(t)+"_DECIMALS"), n, t), func(x Network) string {
				if a, ok := x.Profile.Asset(t); ok {
					return strconv.Itoa(a.Decimals)
				}
				return ""
			}))
	}
	if n.EVM() {
		list = append(list, text(name("MAX_GAS_PRICE"), "", func(d *draft) *money.Units {
			return &d.networks[n].gasPrice
		}, parseGwei))
		list = append(list, compiled(text(name("WALLET_RPC"), "", func(d *draft) *string {
			return &d.networks[n].walletRPC
		}, parsePublicURL),
			func(x Network) string { return x.Profile.WalletRPC }))
	} else {
		list = append(list, compiled(text(name("CLUSTER"), "", func(d *draft) *string { return &d.networks[n].cluster }, oneOf("mainnet", "devnet", "testnet", "localnet")),
			func(x Network) string { return x.Profile.Cluster }))
		list = append(list, text(name("MAX_PRIORITY_FEE"), "2000000", func(d *draft) *uint64 {
			return &d.networks[n].priorityFee
		}, parsePriorityFee))
	}
	return append(list,
		compiled(text(name("FINALITY"), "", func(d *draft) *chain.Finality {
			return &d.networks[n].finality
		}, chain.ParseFinality),
			func(x Network) string { return x.Profile.Finality.String() }),
		compiled(text(name("EXPLORER"), "", func(d *draft) *string { return &d.networks[n].explorer }, parsePublicURL),
			func(x Network) string { return x.Profile.Explorer }),
		text(name("TREASURY"), "", func(d *draft) *chain.Address { return &d.networks[n].treasury }, address(n)))
}

func contract(name string, n chain.Network, t money.Token) variable {
	return variable{name: name, set: func(d *draft, text string) error {
		a, err := address(n)(text)
		if err == nil {
			d.networks[n].contracts[t] = a
		}
		return err
	}}
}

func decimals(name string, n chain.Network, t money.Token) variable {
	return variable{name: name, set: func(d *draft, text string) error {
		v, err := parseWhole(text, money.MinDecimals, money.MaxDecimals)
		if err == nil {
			d.networks[n].decimals[t] = int(v)
		}
		return err
	}}
}

func address(n chain.Network) func(string) (chain.Address, error) {
	return func(text string) (chain.Address, error) {
		w, err := chain.ParseAddress(n, text)
		return w.Address, err
	}
}

func chainID(n chain.Network) func(string) (uint64, error) {
	return func(text string) (uint64, error) {
		v, err := strconv.ParseUint(text, 10, 63)
		if !n.EVM() && v != 0 {
			return 0, errors.New("must be left out: Solana has no chain id")
		}
		if err != nil || n.EVM() && v == 0 {
			return 0, errors.New("must be the chain's number (EIP-155), such as 56")
		}
		return v, nil
	}
}

func chainIDText(id uint64) string {
	if id == 0 {
		return ""
	}
	return strconv.FormatUint(id, 10)
}
