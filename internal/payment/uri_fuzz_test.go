package payment_test

import (
	"bytes"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// asked is what a wallet reads in a link.
type asked struct {
	to, contract, chain, amount string
}

// eip681 is the grammar of EIP-681 as far as it names a call of a contract.
var eip681 = regexp.MustCompile(`^ethereum:(?:pay-)?(0x[0-9a-fA-F]{40})@([0-9]+)/([A-Za-z_][A-Za-z0-9_]*)\?(.*)$`)

// readEIP681 reads a link as a wallet does; ok is false for what it refuses.
func readEIP681(link string) (a asked, ok bool) {
	m := eip681.FindStringSubmatch(link)
	if m == nil || m[3] != "transfer" {
		return asked{}, false
	}
	a.contract, a.chain = m[1], m[2]
	for field := range strings.SplitSeq(m[4], "&") {
		key, value, _ := strings.Cut(field, "=")
		switch {
		case key == "address" && a.to == "":
			a.to = value
		case key == "uint256" && a.amount == "":
			a.amount = value
		default:
			return asked{}, false
		}
	}
	return a, a.to != "" && a.amount != ""
}

// readSolanaPay reads a transfer request as a wallet does, by the rules for
// URLs; ok is false for what it refuses.
func readSolanaPay(link string) (a asked, ok bool) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "solana" || u.Opaque == "" || u.Fragment != "" {
		return asked{}, false
	}
	q, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return asked{}, false
	}
	for name, values := range q {
		if len(values) != 1 || !slices.Contains([]string{"amount", "spl-token", "reference", "message"}, name) {
			return asked{}, false
		}
	}
	if key, err := base58.Decode(q.Get("reference")); err != nil || len(key) != 32 {
		return asked{}, false
	}
	return asked{to: u.Opaque, contract: q.Get("spl-token"), amount: q.Get("amount")}, true
}

// FuzzURI: a wallet that follows the link pays the address of the payment, in
// its token, on its chain, what is due, and nobody else, whatever anybody has
// written into the payment.
func FuzzURI(f *testing.F) {
	for _, text := range []string{
		"", "order 7", "?address=0x0000000000000000000000000000000000000bad", "&address=0xbad&uint256=1", "#", "%23&amount=1", "/transfer?address=", "@1",
	} {
		f.Add(int64(49_900_000), int64(0), bytes.Repeat([]byte{0xab}, 32), text)
		f.Add(int64(1), int64(0), bytes.Repeat([]byte{0}, 32), text)
		f.Add(int64(1_000_000_000_000), int64(999_999_999_999), bytes.Repeat([]byte{0xff, 3}, 16), text)
	}
	f.Fuzz(func(t *testing.T, amount, received int64, raw []byte, text string) {
		if amount < 1 || received < 0 || received >= amount || len(raw) < 32 || raw[0] == 0 {
			return
		}
		for _, profile := range chain.Profiles() {
			size := 20
			if profile.Network == chain.Solana {
				size = 32
			}
			to := chain.AddressOf(profile.Network, raw[:size])
			for _, token := range []money.Token{money.USDT, money.USDC} {
				asset, ok := profile.Asset(token)
				if !ok {
					continue
				}
				p := payment.Payment{
					ID: payment.ID(text), Amount: money.Micros(amount), Status: payment.Started,
					Choice: payment.Choice{Network: profile.Network, Token: token},
					Routes: []payment.Route{
						{
							Network: profile.Network, Address: to, Settlement: chain.Address(text),
							Tokens: []money.Token{token},
						},
					},
					Details: payment.Details{
						Reference: text, Description: text, SuccessURL: text, CustomerEmail: text, DonorName: text,
						DonorMessage: text,
					},
				}
				if received > 0 {
					p.Deposits = []payment.Deposit{{
						Transfer: chain.Transfer{
							Key: chain.Key{
								Network: profile.Network, Tx: chain.TxHash(text),
							}, Asset: asset, From: chain.Address(text), To: to.Address,
							Units: money.Micros(received).Units(asset.Decimals),
						},
						State: payment.DepositFinal,
					}}
				}
				wantAsked(t, payment.URI(p, profile), profile, asset, to, money.Micros(amount-received))
			}
		}
	})
}

func wantAsked(
	t *testing.T, link string, profile chain.Profile, asset chain.Asset, to chain.Watched, due money.Micros,
) {
	t.Helper()
	read := readEIP681
	if profile.Network == chain.Solana {
		read = readSolanaPay
	}
	got, ok := read(link)
	if !ok {
		t.Fatalf("no wallet reads %q", link)
	}
	recipient, err := chain.ParseAddress(profile.Network, got.to)
	if err != nil || !bytes.Equal(recipient.Raw, to.Raw) {
		t.Fatalf("%q pays %s, not %s: %v", link, got.to, to.Address, err)
	}
	if got.contract != string(asset.Contract) {
		t.Fatalf("%q pays in %s", link, got.contract)
	}
	if profile.Network == chain.Solana {
		if m, err := money.ParseMicros("amount", got.amount); err != nil || m != due {
			t.Fatalf("%q asks for %s, not %s: %v", link, got.amount, due, err)
		}
		return
	}
	units, err := money.ParseUnits(got.amount)
	if err != nil || units.Cmp(due.Units(asset.Decimals)) != 0 || got.chain != strconv.FormatUint(profile.ChainID, 10) {
		t.Fatalf("%q asks for %s on chain %s, not for %s: %v", link, got.amount, got.chain, due, err)
	}
}
