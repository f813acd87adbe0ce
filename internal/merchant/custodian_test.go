package merchant

import (
	"encoding/base64"
	"errors"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

const (
	evmWallet    = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"
	solanaWallet = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
)

func everything() CustodianInput {
	return CustodianInput{
		Name: new(" Shop "),
		Wallets: map[chain.Network]string{
			chain.BEP20: strings.ToLower(evmWallet), chain.Polygon: evmWallet, chain.Base: " " + evmWallet,
			chain.Solana: solanaWallet,
		},
		CallbackURL: new("https://shop.example/webhook"),
		Secret:      new(secret.New(" its secret ")),
		Networks: []NetworkInput{
			{Network: chain.BEP20, Enabled: new(false)},
			{
				Network: chain.Base, Tokens: new([]money.Token{money.USDC}), MinAmount: new(money.USD),
				MaxAmount: new(100 * money.USD), Finality: new("12s"), SweepMin: new(5 * money.USD),
			},
		},
		Branding: &BrandingInput{
			Tagline: new("Best in town"), LogoURL: new("https://shop.example/logo.svg"), PrimaryColor: new("#09F"), BackgroundColor: new("#FfFfFe"),
			Theme: new(ThemeDark), SupportEmail: new("Help@Shop.example"), Website: new("https://shop.example"),
			LegalName: new("Shop Ltd"), LegalAddress: new("1 Hill Road, London"), TaxID: new(" GB123 "),
		},
		ShortBasis: new(int64(50)), LateFor: new(2 * time.Hour),
	}
}

func TestService_CreateCustodian(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 2})
	c, signing, err := b.CreateCustodian(t.Context(), k, everything(), audit.Act{})
	testkit.Must(t, err)
	want := Custodian{
		ID: 1, PublicID: c.PublicID, KeyID: k.ID, Name: "Shop", CallbackURL: "https://shop.example/webhook", Secret: secret.New(" its secret "),
		Wallets: map[chain.Network]chain.Address{
			chain.BEP20: evmWallet, chain.Polygon: evmWallet, chain.Base: evmWallet, chain.Solana: solanaWallet,
		},
		SigningSecrets: []secret.Text{signing},
		Networks: map[chain.Network]NetworkOptions{
			chain.BEP20: {},
			chain.Base: {
				Enabled: true, Tokens: []money.Token{money.USDC}, MinAmount: money.USD, MaxAmount: 100 * money.USD,
				Finality: chain.Finality{Depth: 12 * time.Second}, SweepMin: 5 * money.USD,
			},
		},
		Branding: Branding{
			"Best in town", "https://shop.example/logo.svg", "#0099ff", "#fffffe", ThemeDark, "help@shop.example",
			"https://shop.example", "Shop Ltd", "1 Hill Road, London", "GB123",
		},
		ShortBasis: 50, LateFor: 2 * time.Hour, CreatedAt: noon, UpdatedAt: noon,
	}
	if !reflect.DeepEqual(c, want) || len(c.PublicID) != 26 {
		t.Errorf("the custodian is\n%+v, want\n%+v", c, want)
	}
	raw, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(signing.Reveal(), "whsec_"))
	if err != nil || len(raw) != 32 || !strings.HasPrefix(signing.Reveal(), "whsec_") {
		t.Errorf("the signing secret is not whsec_ and the base64 of 32 bytes: %v", err)
	}
	if got := b.credits(t, k); got != 1 {
		t.Errorf("%d credits left, want 1", got)
	}
	_, _, err = b.CreateCustodian(t.Context(), k, everything(), audit.Act{})
	wantErr(t, "a second one", err, ErrHasCustodian)
	if got := b.credits(t, k); got != 1 {
		t.Errorf("the refusal cost %d", 1-got)
	}
}

func TestService_CreateCustodian_Empty(t *testing.T) {
	t.Parallel()
	b := newBundle()
	_, c := b.mustCreateCustodian(t, CustodianInput{})
	if len(c.Wallets) != 0 || len(c.Networks) != 0 || c.Branding.Theme != ThemeAuto ||
		c.Offers(chain.BEP20, money.USDT) {
		t.Errorf("the custodian is %+v", c)
	}
}

func TestService_CreateCustodian_NoCredits(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{})
	_, signing, err := b.CreateCustodian(t.Context(), k, CustodianInput{}, audit.Act{})
	wantErr(t, "without credits", err, ledger.ErrNoCredits)
	_, err = b.Custodian(t.Context(), k.ID)
	wantErr(t, "afterwards", err, ErrNoCustodian)
	if !signing.Empty() {
		t.Error("a secret came with the refusal")
	}
}

func TestService_UpdateCustodian_KeepsOtherFields(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, before := b.mustCreateCustodian(t, everything())
	b.clock.Pass(time.Hour)
	same, err := b.UpdateCustodian(t.Context(), k, CustodianInput{}, audit.Act{})
	testkit.Must(t, err)
	want := before
	want.UpdatedAt = noon.Add(time.Hour)
	if !reflect.DeepEqual(same, want) {
		t.Errorf("an empty update gave\n%+v, want\n%+v", same, want)
	}
	changed, err := b.UpdateCustodian(t.Context(), k, CustodianInput{
		Wallets:  map[chain.Network]string{chain.Base: ""},
		Networks: []NetworkInput{{Network: chain.Base, MaxAmount: new(money.Micros(0))}},
		Branding: &BrandingInput{Tagline: new("New")},
	}, audit.Act{})
	testkit.Must(t, err)
	want.Wallets = map[chain.Network]chain.Address{
		chain.BEP20: evmWallet, chain.Polygon: evmWallet, chain.Solana: solanaWallet,
	}
	base := before.Networks[chain.Base]
	base.MaxAmount = 0
	want.Networks = map[chain.Network]NetworkOptions{chain.BEP20: {}, chain.Base: base}
	want.Branding.Tagline = "New"
	if !reflect.DeepEqual(changed, want) {
		t.Errorf("the update gave\n%+v, want\n%+v", changed, want)
	}
	if got := b.credits(t, k); got != 20-3 {
		t.Errorf("%d credits left after a create and two updates, want 17", got)
	}
	if before.Wallets[chain.Base] != evmWallet || before.Networks[chain.Base].MaxAmount == 0 {
		t.Error("the update changed the value it was given")
	}
}

func TestService_UpdateCustodian_Clears(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, before := b.mustCreateCustodian(t, everything())
	c, err := b.UpdateCustodian(t.Context(), k, CustodianInput{
		Name: new(""), CallbackURL: new(" "), Secret: new(secret.New("")),
		Wallets: map[chain.Network]string{chain.BEP20: "", chain.Polygon: "", chain.Base: "", chain.Solana: " "},
		Networks: []NetworkInput{
			{
				Network: chain.Base, Tokens: new([]money.Token{}), MinAmount: new(money.Micros(0)),
				MaxAmount: new(money.Micros(0)), Finality: new(""), SweepMin: new(money.Micros(0)),
			},
		},
		Branding: &BrandingInput{
			Tagline: new(""), LogoURL: new(""), PrimaryColor: new(""), BackgroundColor: new(""), Theme: new(Theme("")),
			SupportEmail: new(""), Website: new(""), LegalName: new(""), LegalAddress: new(""), TaxID: new(""),
		},
	}, audit.Act{})
	testkit.Must(t, err)
	if c.Name != "" || c.CallbackURL != "" || !c.Secret.Empty() || len(c.Wallets) != 0 ||
		c.Branding != (Branding{Theme: ThemeAuto}) {
		t.Errorf("not all is cleared: %+v", c)
	}
	if got := c.Networks[chain.Base]; !got.Enabled || len(got.Tokens) != 0 || got.MinAmount != 0 ||
		got.MaxAmount != 0 || got.Finality != (chain.Finality{}) || got.SweepMin != 0 {
		t.Errorf("not all of the network is cleared: %+v", got)
	}
	if !reflect.DeepEqual(c.SigningSecrets, before.SigningSecrets) {
		t.Error("the signing secret changed")
	}
}

// TestService_UpdateCustodian_BesideStored: a value may be invalid only together
// with a stored one.
func TestService_UpdateCustodian_BesideStored(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateCustodian(t, everything()) // BASE takes 1 to 100
	_, err := b.UpdateCustodian(
		t.Context(), k,
		CustodianInput{Networks: []NetworkInput{{Network: chain.Base, MinAmount: new(101 * money.USD)}}}, audit.Act{},
	)
	wantInvalid(t, "a minimum over the stored maximum", err, "minAmount")
	if got := b.credits(t, k); got != 19 {
		t.Errorf("%d credits left, want 19: a refusal is free", got)
	}
}

func TestService_UpdateCustodian_None(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 1})
	_, err := b.UpdateCustodian(t.Context(), k, CustodianInput{}, audit.Act{})
	wantErr(t, "without a custodian", err, ErrNoCustodian)
	if got := b.credits(t, k); got != 1 {
		t.Errorf("%d credits left, want 1", got)
	}
}

func TestService_UpdateCustodian_NoCredits(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 1})
	if _, _, err := b.CreateCustodian(t.Context(), k, everything(), audit.Act{}); err != nil {
		t.Fatal(err)
	}
	_, err := b.UpdateCustodian(t.Context(), k, CustodianInput{Name: new("Other")}, audit.Act{})
	wantErr(t, "without credits", err, ledger.ErrNoCredits)
	if c, _ := b.Custodian(t.Context(), k.ID); c.Name != "Shop" {
		t.Errorf("the name is %q: it changed without payment", c.Name)
	}
}

// TestService_UpdateCustodian_AtOnce: of concurrent updates no more succeed than
// there are credits, and each costs one.
func TestService_UpdateCustodian_AtOnce(t *testing.T) {
	t.Parallel()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 6})
	if _, _, err := b.CreateCustodian(t.Context(), k, CustodianInput{}, audit.Act{}); err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	done, refused := 0, 0
	for range 12 {
		wg.Go(func() {
			_, err := b.UpdateCustodian(t.Context(), k, CustodianInput{Name: new("x")}, audit.Act{})
			mu.Lock()
			defer mu.Unlock()
			switch {
			case err == nil:
				done++
			case errors.Is(err, ledger.ErrNoCredits):
				refused++
			default:
				t.Errorf("UpdateCustodian: %v", err)
			}
		})
	}
	wg.Wait()
	if done != 5 || refused != 7 || b.credits(t, k) != 0 {
		t.Errorf("%d done, %d refused, %d credits left; want 5, 7, 0", done, refused, b.credits(t, k))
	}
}

// TestService_CheckCallback: Options.CheckCallback decides.
func TestService_CheckCallback(t *testing.T) {
	t.Parallel()
	b := newBundle()
	s := New(b.store, nil, b.clock.Now, Options{CheckCallback: func(text string) error {
		if text != "http://127.0.0.1:9/hook" {
			return errors.New("callbackUrl is " + text)
		}
		return nil
	}})
	k, _ := b.mustCreateKey(t, NewKey{Credits: 5})
	if c, _, err := s.CreateCustodian(t.Context(), k, CustodianInput{CallbackURL: new(" http://127.0.0.1:9/hook ")}, audit.Act{}); err != nil || c.CallbackURL != "http://127.0.0.1:9/hook" {
		t.Errorf("CreateCustodian = %+v, %v", c, err)
	}
	if c, err := s.UpdateCustodian(t.Context(), k, CustodianInput{CallbackURL: new("https://shop.example/")}, audit.Act{}); err == nil {
		t.Errorf("what the check refuses is stored: %+v", c)
	}
}

func TestParseLimit(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Micros{"0": 0, "0.00": 0, "12.5": 12_500_000, "1e2": 100 * money.USD} {
		if got, err := ParseLimit("minAmount", text); err != nil || got != want {
			t.Errorf("ParseLimit(%s) = %s, %v; want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"", "-1", "x", "0.0000001", "1e99"} {
		_, err := ParseLimit("minAmount", text)
		wantInvalid(t, text, err, "minAmount")
	}
}
