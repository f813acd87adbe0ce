package merchant

import (
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// refusal is an input that breaks a rule, and the field that the refusal names.
type refusal struct {
	in    CustodianInput
	field string
}

// TestService_Custodian_Refuses: a refused input costs nothing and changes nothing.
func TestService_Custodian_Refuses(t *testing.T) {
	t.Parallel()
	for group, refusals := range map[string]map[string]refusal{
		"Texts": refusedTexts(), "Wallets": refusedWallets(), "Networks": refusedNetworks(),
		"Branding": refusedBranding(), "Acceptance": refusedAcceptance(),
	} {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			for name, c := range refusals {
				wantRefused(t, name, c)
			}
		})
	}
}

func wantRefused(t *testing.T, name string, c refusal) {
	t.Helper()
	b := newBundle()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 5})
	_, signing, err := b.CreateCustodian(t.Context(), k, c.in, audit.Act{})
	wantInvalid(t, name+" (create)", err, c.field)
	if !signing.Empty() {
		t.Errorf("%s: a secret came with the refusal", name)
	}
	if _, _, err := b.CreateCustodian(t.Context(), k, everything(), audit.Act{}); err != nil {
		t.Fatal(err)
	}
	_, err = b.UpdateCustodian(t.Context(), k, c.in, audit.Act{})
	wantInvalid(t, name+" (update)", err, c.field)
	if after, _ := b.Custodian(t.Context(), k.ID); after.Name != "Shop" || b.credits(t, k) != 4 {
		t.Errorf("%s: the refusals cost %d or changed %+v", name, 4-b.credits(t, k), after)
	}
}

func refusedTexts() map[string]refusal {
	return map[string]refusal{
		"long name":              {CustodianInput{Name: new(strings.Repeat("ü", 101))}, "name"},
		"NUL in name":            {CustodianInput{Name: new("a\x00b")}, "name"},
		"name not UTF-8":         {CustodianInput{Name: new("\xc3\x28")}, "name"},
		"http callback":          {CustodianInput{CallbackURL: new("http://shop.example/")}, "callbackUrl"},
		"callback with password": {CustodianInput{CallbackURL: new("https://u:p@shop.example/")}, "callbackUrl"},
		"callback with newline":  {CustodianInput{CallbackURL: new("https://shop.example/\nx")}, "callbackUrl"},
		"long callback":          {CustodianInput{CallbackURL: new("https://shop.example/" + strings.Repeat("a", 2048))}, "callbackUrl"},
		"long secret":            {CustodianInput{Secret: new(secret.New(strings.Repeat("a", 257)))}, "secret"},
		"NUL in secret":          {CustodianInput{Secret: new(secret.New("a\x00"))}, "secret"},
	}
}

func refusedWallets() map[string]refusal {
	wallet := func(n chain.Network, text string) CustodianInput {
		return CustodianInput{Wallets: map[chain.Network]string{n: text}}
	}
	return map[string]refusal{
		"zero address":    {wallet(chain.BEP20, "0x0000000000000000000000000000000000000000"), "wallets.bep20"},
		"wrong checksum":  {wallet(chain.Polygon, strings.Replace(evmWallet, "C", "c", 1)), "wallets.polygon"},
		"Solana on Base":  {wallet(chain.Base, solanaWallet), "wallets.base"},
		"EVM on Solana":   {wallet(chain.Solana, evmWallet), "wallets.solana"},
		"token contract":  {wallet(chain.BEP20, "0x55d398326f99059ff775485246999027b3197955"), "wallets.bep20"},
		"twin's contract": {wallet(chain.Polygon, "0x2791Bca1f2de4661ED88A30C99A7a9449Aa84174"), "wallets.polygon"},
		"mint":            {wallet(chain.Solana, "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"), "wallets.solana"},
		"unknown network": {wallet("TRON", evmWallet), "network"},
	}
}

func refusedNetworks() map[string]refusal {
	network := func(n NetworkInput) CustodianInput {
		if n.Network == "" {
			n.Network = chain.Base
		}
		return CustodianInput{Networks: []NetworkInput{n}}
	}
	return map[string]refusal{
		"network of no name":   {CustodianInput{Networks: []NetworkInput{{}}}, "networks[0]"},
		"network twice":        {CustodianInput{Networks: []NetworkInput{{Network: chain.Base}, {Network: chain.Base}}}, "networks[1]"},
		"unknown token":        {network(NetworkInput{Tokens: new([]money.Token{"DAI"})}), "tokens"},
		"token twice":          {network(NetworkInput{Tokens: new([]money.Token{money.USDT, money.USDT})}), "tokens"},
		"negative minimum":     {network(NetworkInput{MinAmount: new(money.Micros(-1))}), "minAmount"},
		"negative sweep":       {network(NetworkInput{SweepMin: new(money.Micros(-1))}), "sweepMinAmount"},
		"minimum over maximum": {network(NetworkInput{MinAmount: new(2 * money.USD), MaxAmount: new(money.USD)}), "maxAmount"},
		"finality in blocks":   {network(NetworkInput{Finality: new("12")}), "finality"},
	}
}

func refusedBranding() map[string]refusal {
	branding := func(x BrandingInput) CustodianInput { return CustodianInput{Branding: &x} }
	return map[string]refusal{
		"long tagline":      {branding(BrandingInput{Tagline: new(strings.Repeat("a", 161))}), "branding: tagline"},
		"script as logo":    {branding(BrandingInput{LogoURL: new("javascript:alert(1)")}), "branding: logoUrl"},
		"http logo":         {branding(BrandingInput{LogoURL: new("http://shop.example/logo.png")}), "branding: logoUrl"},
		"data logo":         {branding(BrandingInput{LogoURL: new("data:image/svg+xml,<svg/>")}), "branding: logoUrl"},
		"colour by name":    {branding(BrandingInput{PrimaryColor: new("red")}), "branding: primaryColor"},
		"colour of four":    {branding(BrandingInput{PrimaryColor: new("#1234")}), "branding: primaryColor"},
		"colour with style": {branding(BrandingInput{BackgroundColor: new("#fff;x:url(")}), "branding: backgroundColor"},
		"theme":             {branding(BrandingInput{Theme: new(Theme("dark"))}), "branding: theme"},
		"support address":   {branding(BrandingInput{SupportEmail: new("help@")}), "branding: supportEmail"},
		"website":           {branding(BrandingInput{Website: new("shop.example")}), "branding: website"},
	}
}

func refusedAcceptance() map[string]refusal {
	return map[string]refusal{
		"short by half":         {CustodianInput{ShortBasis: new(int64(5_000))}, "shortBasis"},
		"short by less than 0":  {CustodianInput{ShortBasis: new(int64(-1))}, "shortBasis"},
		"late for ever":         {CustodianInput{LateFor: new(MaxLateFor + time.Second)}, "lateFor"},
		"late by half a second": {CustodianInput{LateFor: new(500 * time.Millisecond)}, "lateFor"},
	}
}
