package config

import (
	"encoding/base64"
	"log/slog"
	"net/netip"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/retention"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
	"github.com/florinpay/florin/internal/wallet"
)

const (
	canaryDB    = "canaryDatabasePassword"
	canaryRPC   = "canaryEndpointKey"
	canarySMTP  = "canaryMailPassword"
	canarySeed  = "legal winner thank year wave sausage worth useful legal winner thank yellow"
	canaryEVM   = "ac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80"
	canaryBytes = "canary canary canary canary 32by"
	token       = "0x5FbDB2315678afecb367f032d93F642f64180aa3"
	otherToken  = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512"
	wallet1     = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	solWallet   = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
)

func key() string { return base64.StdEncoding.EncodeToString([]byte(canaryBytes)) }

// sealedSeed is canarySeed, sealed with the key.
func sealedSeed() string {
	sealer, err := secret.NewSealer([]byte(canaryBytes))
	if err != nil {
		panic(err)
	}
	seed, err := wallet.ParseSeed(secret.New(canarySeed))
	if err != nil {
		panic(err)
	}
	return seed.Seal(sealer)
}

// environ returns an environment with a secret key and the settings.
func environ(settings ...string) []string {
	return append([]string{"PATH=/bin", "HOME=/", "FLORIN_SECRET_KEY=" + key()}, settings...)
}

func load(t *testing.T, settings ...string) Config {
	t.Helper()
	c, err := Load(environ(settings...), "")
	if err != nil {
		t.Fatalf("Load: %v", err)
	}
	return c
}

func file(t *testing.T, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	testkit.Must(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestLoad_Defaults(t *testing.T) {
	t.Parallel()
	c := load(t)
	c.printed = nil
	if got := c.DatabaseURL.Reveal(); got != "sqlite://florin.db" {
		t.Errorf("database %q", got)
	}
	if got := c.SecretKey.Reveal(); got != canaryBytes {
		t.Errorf("the secret key has %d bytes, want the 32 given", len(got))
	}
	want := Config{
		Listen: "127.0.0.1:8080", BaseURL: "http://localhost:8080", CheckoutURL: "http://localhost:8080",
		DatabaseURL: c.DatabaseURL, SecretKey: c.SecretKey, DrainWait: 5 * time.Second, IdleTimeout: 2 * time.Minute,
		PaymentTTL: time.Hour, StartTTL: 30 * time.Minute, MinAmount: 10_000, MaxAmount: 1_000_000 * money.USD,
		RateFence: "ecb", RateEvery: time.Minute,
		Credits: ledger.Metered, Signup: SignupOpen, SignupCredits: 20, SignupQueries: 5,
		LogLevel: slog.LevelInfo, LogFormat: LogText,
		SweepMin: money.USD, SweepDust: money.USD / 20, SweepWait: 24 * time.Hour,
		Keep: retention.Policy{
			Events: 365 * day, Deliveries: 90 * day, Attempts: 30 * day, Audit: 730 * day,
			Sessions: 30 * day, Idempotency: day,
		},
		Rates: Rates{
			Client: Rate{
				PerSecond: 100, Burst: 400,
			}, Key: Rate{PerSecond: 100, Burst: 400}, Costly: Rate{PerSecond: 0.5, Burst: 20},
		},
	}
	if !reflect.DeepEqual(c, want) {
		t.Errorf("Load() = %+v\nwant     %+v", c, want)
	}
}

func TestLoad_Everything(t *testing.T) {
	t.Parallel()
	c := load(t, "FLORIN_LISTEN=*:9000", "FLORIN_BASE_URL=https://pay.example.com/", "FLORIN_CHECKOUT_URL=https://checkout.example.com/",
		"FLORIN_DATABASE_URL=postgres://u:p@db/florin?sslmode=disable", "FLORIN_PAYMENT_TTL=2s", "FLORIN_START_TTL=1h",
		"FLORIN_KEEP_EVENTS=forever", "FLORIN_KEEP_AUDIT=100d", "FLORIN_KEEP_SESSIONS=36h", // no setting any more
		"FLORIN_SOL_CLUSTER=x", "FLORIN_SWEEP_AGE=x",
		"FLORIN_RATE_OPEN_BURST=x",
		"FLORIN_MIN_AMOUNT=1", "FLORIN_MAX_AMOUNT=2.5", "FLORIN_SIGNUP=Closed", "FLORIN_CREDITS=free",
		"FLORIN_SIGNUP_CREDITS=0", "FLORIN_SIGNUP_QUERIES=9",
		"FLORIN_ALLOW_PRIVATE_CALLBACKS=true", "FLORIN_INTROSPECTION=1", "FLORIN_SMTP_URL=smtps://u:p@mail.example.com:465",
		"FLORIN_MAIL_FROM=Florin <florin@example.com>", "FLORIN_METRICS_LISTEN=127.0.0.1:9100", "FLORIN_TRUSTED_PROXIES=10.1.2.3/8; ::1",
		"FLORIN_RATE_CLIENT=0.001", "FLORIN_RATE_CLIENT_BURST=1",
		"FLORIN_RATE_KEY=100000", "FLORIN_RATE_KEY_BURST=1000000",
		"FLORIN_RATE_COSTLY=3/60", "FLORIN_RATE_COSTLY_BURST=7",
		"FLORIN_LOG_LEVEL=debug", "FLORIN_CALLBACK_HOSTS=Shop.example.; *.nordlicht.example", "FLORIN_LOG_FORMAT=json",
		"FLORIN_EVM_GAS_KEY=0x"+canaryEVM, "FLORIN_SOL_SEED="+sealedSeed())
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	checks := map[string]bool{
		"listen":   c.Listen == ":9000",
		"urls":     c.BaseURL == "https://pay.example.com" && c.CheckoutURL == "https://checkout.example.com",
		"ttl":      c.PaymentTTL == 2*time.Second && c.StartTTL == time.Hour,
		"keep":     c.Keep.Events == 0 && c.Keep.Audit == 100*day && c.Keep.Sessions == 30*day,
		"amounts":  c.MinAmount == money.USD && c.MaxAmount == 2_500_000,
		"signup":   c.Signup == SignupClosed && c.SignupCredits == 0 && c.SignupQueries == 9,
		"credits":  c.Credits == ledger.Free,
		"switches": c.AllowPrivateCallbacks && c.Introspection,
		"hosts":    slices.Equal(c.CallbackHosts, []string{"shop.example", "*.nordlicht.example"}),
		"mail": c.SMTPURL.Reveal() == "smtps://u:p@mail.example.com:465" &&
			c.MailFrom == "Florin <florin@example.com>",
		"metrics":  c.MetricsListen == "127.0.0.1:9100",
		"proxies":  slices.Equal(c.TrustedProxies, proxies),
		"log":      c.LogLevel == slog.LevelDebug && c.LogFormat == LogJSON,
		"gas":      c.EVMGas != nil && c.EVMGas.Wallet() == "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266",
		"seed":     c.SolSeed != nil && c.SolGas == nil,
		"networks": len(c.Networks) == 0,
		"rates":    c.Rates == Rates{Client: Rate{0.001, 1}, Key: Rate{100_000, 1_000_000}, Costly: Rate{0.05, 7}},
	}
	for name, ok := range checks {
		if !ok {
			t.Errorf("%s: not as set: %+v", name, c)
		}
	}
}
