package sandbox

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

// The demo merchant signs in with these.
const (
	DemoEmail    = "merchant@example.com"
	DemoPassword = "sandbox-merchant"
)

// demoWallet is where the demo merchant's money settles: the second account of
// the well-known test mnemonic "abandon … about", so nobody mistakes it for
// a wallet of worth.
const demoWallet = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"

// DemoWalletKey is the private key of demoWallet. It is no secret: everybody
// can derive it from the mnemonic.
const DemoWalletKey = "0x9a983cb3d832fbde5ab49d692b7a8bf5b5d232479c99333d0fc8e1d21f1b55b6" //nolint:gosec // of a published test mnemonic

// Demo is the demo merchant, kept between runs so that what was printed once
// still works.
type Demo struct {
	Key     string `json:"key"`
	KeyID   int64  `json:"keyId"`
	Signing string `json:"signingSecret"`
}

// demoCredits are more than anybody clicks away.
const (
	demoCredits = 1_000
	demoQueries = 100
)

// loadDemo returns the demo merchant of the directory, making it if the
// directory has none.
func loadDemo(ctx context.Context, path, inboxURL string, users *identity.Service, merchants *merchant.Service) (Demo, error) {
	raw, err := os.ReadFile(filepath.Clean(path))
	if err == nil {
		var d Demo
		if err := json.Unmarshal(raw, &d); err != nil {
			return Demo{}, fmt.Errorf("%s is damaged; delete the sandbox's directory to start anew: %w", path, err)
		}
		return d, addWallets(ctx, d, merchants)
	}
	if !errors.Is(err, fs.ErrNotExist) {
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

// addWallets gives the demo merchant the settlement wallets it lacks: a
// directory may be from before a network was there. Those it has stay, for
// whoever uses the sandbox may have changed them.
func addWallets(ctx context.Context, d Demo, merchants *merchant.Service) error {
	c, err := merchants.Custodian(ctx, d.KeyID)
	if err != nil {
		return fmt.Errorf("read the demo merchant: %w", err)
	}
	lacks := make(map[chain.Network]string)
	for n, wallet := range demoWallets() {
		if c.Wallets[n] == "" {
			lacks[n] = wallet
		}
	}
	if len(lacks) == 0 {
		return nil
	}
	_, _, err = merchants.ArrangeCustodian(ctx, merchant.Key{ID: d.KeyID}, merchant.CustodianInput{Wallets: lacks})
	if err != nil {
		return fmt.Errorf("add wallets to the demo merchant: %w", err)
	}
	return nil
}

func demoWallets() map[chain.Network]string {
	return map[chain.Network]string{chain.BEP20: demoWallet, chain.Polygon: demoWallet, chain.Base: demoWallet, chain.Solana: solanaDemoWallet}
}

func makeDemo(ctx context.Context, inboxURL string, users *identity.Service, merchants *merchant.Service) (Demo, error) {
	user, err := users.CreateUser(ctx, identity.NewUser{
		Email: DemoEmail, Password: secret.New(DemoPassword), FirstName: "Demo", LastName: "Merchant", Operator: true,
	})
	if errors.Is(err, identity.ErrEmailTaken) { // made by a run that ended too soon
		user, err = users.UserByEmail(ctx, DemoEmail)
	}
	if err != nil {
		return Demo{}, err
	}
	key, text, err := merchants.CreateKey(ctx, user, merchant.NewKey{
		Label: "Sandbox", Wallet: demoWallet, Credits: demoCredits, Queries: demoQueries,
	})
	if err != nil {
		return Demo{}, err
	}
	_, signing, err := merchants.CreateCustodian(ctx, key, demoCustodian(inboxURL))
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
