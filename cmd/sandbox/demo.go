package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

// Credentials of the demo merchant.
const (
	DemoEmail    = "merchant@example.com"
	DemoPassword = "sandbox-merchant"
)

// demoWallet is the demo merchant's settlement wallet: the second account of the well-known test mnemonic
// "abandon … about", recognizable as a test wallet.
const demoWallet = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"

// DemoWalletKey is the private key of demoWallet. It is public, like the mnemonic.
const DemoWalletKey = "0x9a983cb3d832fbde5ab49d692b7a8bf5b5d232479c99333d0fc8e1d21f1b55b6" //nolint:gosec // of a published test mnemonic

// Demo is the demo merchant. It is kept between runs, so that the keys printed once keep working.
type Demo struct {
	// Key is empty once the user of the sandbox has replaced it: Florin does not know the text of a key.
	Key     string `json:"key"`
	KeyID   int64  `json:"keyId"`
	Signing string `json:"signingSecret"`
}

// What the demo merchant starts with: more than anyone uses up by hand.
const (
	demoCredits = 1_000
	demoQueries = 100
)

// loadDemo returns the demo merchant stored in the directory, or creates one.
func loadDemo(
	ctx context.Context, path, inboxURL string, users *identity.Service, merchants *merchant.Service,
) (Demo, error) {
	raw, err := os.ReadFile(filepath.Clean(path))
	if err == nil {
		var d Demo
		if err := json.Unmarshal(raw, &d); err != nil {
			return Demo{}, fmt.Errorf("%s is damaged; delete the sandbox's directory to start again: %w", path, err)
		}
		kept, err := keptDemo(ctx, &d, users, merchants)
		if err != nil {
			return Demo{}, fmt.Errorf("read the demo merchant: %w", err)
		}
		if kept {
			return d, renewDemo(ctx, d, inboxURL, merchants)
		}
	} else if !errors.Is(err, fs.ErrNotExist) {
		return Demo{}, err
	}
	d, err := makeDemo(ctx, inboxURL, users, merchants)
	if err != nil {
		return Demo{}, fmt.Errorf("make the demo merchant: %w", err)
	}
	raw, err = json.MarshalIndent(d, "", "  ")
	if err != nil {
		return Demo{}, err
	}
	return d, os.WriteFile(path, raw, 0o600)
}

// keptDemo reports whether the key of the demo merchant is still in use, and empties its text if it was replaced. A key
// that its user revoked is not in use: the merchant needs another one.
func keptDemo(ctx context.Context, d *Demo, users *identity.Service, merchants *merchant.Service) (bool, error) {
	_, err := merchants.Authenticate(ctx, d.Key)
	if !errors.Is(err, merchant.ErrBadKey) {
		return err == nil, err
	}
	user, err := users.UserByEmail(ctx, DemoEmail)
	if err != nil {
		return false, err
	}
	keys, err := merchants.Keys(ctx, user.ID)
	d.Key = ""
	return slices.ContainsFunc(keys, func(k merchant.Key) bool { return k.ID == d.KeyID }), err
}

// renewDemo adds the settlement wallets that the demo merchant lacks, because the directory may be older than a
// network, and makes its callback follow the address of the sandbox. Anything else stays: the user of the sandbox may
// have changed it.
func renewDemo(ctx context.Context, d Demo, inboxURL string, merchants *merchant.Service) error {
	c, err := merchants.Custodian(ctx, d.KeyID)
	if err != nil {
		return fmt.Errorf("read the demo merchant: %w", err)
	}
	change := merchant.CustodianInput{Wallets: make(map[chain.Network]string)}
	for n, wallet := range demoWallets() {
		if c.Wallets[n] == "" {
			change.Wallets[n] = wallet
		}
	}
	if c.CallbackURL != inboxURL && isInbox(c.CallbackURL) {
		change.CallbackURL = &inboxURL
	}
	if len(change.Wallets) == 0 && change.CallbackURL == nil {
		return nil
	}
	if _, _, err = merchants.ArrangeCustodian(ctx, merchant.Key{ID: d.KeyID}, change, audit.Act{}); err != nil {
		return fmt.Errorf("renew the demo merchant: %w", err)
	}
	return nil
}

// isInbox reports whether the address is that of a sandbox's inbox.
func isInbox(callback string) bool {
	u, err := url.Parse(callback)
	return err == nil && u.Scheme == "http" && u.Path == inboxPath
}

func demoWallets() map[chain.Network]string {
	return map[chain.Network]string{
		chain.BEP20: demoWallet, chain.Polygon: demoWallet, chain.Base: demoWallet, chain.Solana: solanaDemoWallet,
	}
}

func makeDemo(
	ctx context.Context, inboxURL string, users *identity.Service, merchants *merchant.Service,
) (Demo, error) {
	user, err := users.CreateUser(ctx, identity.NewUser{
		Email: DemoEmail, Password: secret.New(DemoPassword), FirstName: "Demo", LastName: "Merchant",
		Operator: true, Verified: true,
	}, audit.Act{})
	if errors.Is(err, identity.ErrEmailTaken) { // made by a run that ended too soon
		user, err = users.UserByEmail(ctx, DemoEmail)
	}
	if err != nil {
		return Demo{}, err
	}
	key, text, err := merchants.CreateKey(ctx, user, merchant.NewKey{
		Label: "Sandbox", Wallet: demoWallet, Credits: demoCredits, Queries: demoQueries,
	}, audit.Act{})
	if err != nil {
		return Demo{}, err
	}
	_, signing, err := merchants.CreateCustodian(ctx, key, demoCustodian(inboxURL), audit.Act{})
	if err != nil {
		return Demo{}, err
	}
	return Demo{Key: text.Reveal(), KeyID: key.ID, Signing: signing.Reveal()}, nil
}

func demoCustodian(inboxURL string) merchant.CustodianInput {
	name, callback, secretText := "Corner Coffee", inboxURL, secret.New("sandbox-callback-secret")
	tagline, colour, mail := "Beans, roasted on Tuesdays", "#7a4b2a", "hello@example.com"
	return merchant.CustodianInput{
		Name: &name, CallbackURL: &callback, Secret: &secretText,
		Wallets:  demoWallets(),
		Branding: &merchant.BrandingInput{Tagline: &tagline, PrimaryColor: &colour, SupportEmail: &mail},
	}
}
