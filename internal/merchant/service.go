package merchant

import (
	"context"
	"crypto/rand"
	"io"
	"time"

	"github.com/oklog/ulid/v2"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
)

// Options are the dependencies of the service. The zero value works.
type Options struct {
	// CheckCallback refuses a callback URL that webhooks could not be sent to,
	// with a fault that names callbackUrl. If it is nil, a callback must be an
	// https URL.
	CheckCallback func(string) error
	// CheckWallet refuses a settlement wallet that cannot receive money on its
	// network, with a fault about the wallet. It may read from the network. If it
	// is nil, every address counts as a wallet.
	CheckWallet func(context.Context, chain.Network, chain.Address) error
	// WalletCode returns the hash of the code at an address of an EVM network, empty
	// for a plain account; known is false where the network cannot be asked. If it is
	// nil, wallets are not compared across networks.
	WalletCode func(ctx context.Context, n chain.Network, at chain.Address) (code string, known bool)
	// Profiles are the configured networks: a settlement wallet must not be
	// one of their token contracts. If empty, the compiled-in networks apply.
	Profiles []chain.Profile
	// Meter says whether operations cost credits; zero: they do.
	Meter ledger.Meter
	// Mail makes mails to owners; nil: none is sent, and no account can be locked.
	Mail *mail.Writer
	// BaseURL is the public address, for what is posted to chats; empty: that of Mail.
	BaseURL string
	// Random is the source of keys, tokens and ids; nil means crypto/rand.
	Random io.Reader
}

// Service manages keys, custodians, teams and the audit log. It is safe for
// concurrent use.
type Service struct {
	store     Store
	users     *identity.Service
	now       func() time.Time
	opts      Options
	usage     *usage
	refused   refusals
	contracts map[chain.Address]string // names of token contracts
	complete  Completion
}

// New returns the service. now returns the current time.
func New(store Store, users *identity.Service, now func() time.Time, opts Options) *Service {
	if opts.Random == nil {
		opts.Random = rand.Reader
	}
	if opts.CheckCallback == nil {
		opts.CheckCallback = func(text string) error {
			_, err := input.URL("callbackUrl", text)
			return err
		}
	}
	if opts.BaseURL == "" {
		opts.BaseURL = opts.Mail.Link("")
	}
	if opts.Profiles == nil {
		opts.Profiles = chain.Profiles()
	}
	return &Service{
		store: store, users: users, now: now, opts: opts,
		usage:     newUsage(),
		contracts: contractsOf(opts.Profiles),
	}
}

func contractsOf(profiles []chain.Profile) map[chain.Address]string {
	m := make(map[chain.Address]string)
	for _, p := range profiles {
		for _, a := range p.Assets {
			m[a.Contract] = a.Symbol + " on " + p.Name
		}
	}
	return m
}

// newID returns a fresh ULID.
func (s *Service) newID(now time.Time) string {
	return ulid.MustNew(ulid.Timestamp(now), s.opts.Random).String()
}

// Meter says whether operations cost credits and queries.
func (s *Service) Meter() ledger.Meter { return s.opts.Meter }
