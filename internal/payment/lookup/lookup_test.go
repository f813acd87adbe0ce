package lookup

import (
	"context"
	"errors"
	"math/big"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/payment/watch"
)

const (
	ours     chain.Address = "0x71C7656EC7ab88b098defB751B7401B5f6d8976F"
	stranger chain.Address = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"
	hash     chain.TxHash  = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"
)

var start = time.Date(2026, 11, 21, 9, 0, 0, 0, time.UTC)

func profile(n chain.Network) chain.Profile {
	for _, p := range chain.Profiles() {
		if p.Network == n {
			return p
		}
	}
	panic("no profile of " + n)
}

func asset(n chain.Network, symbol string) chain.Asset {
	for _, a := range profile(n).Assets {
		if a.Symbol == symbol {
			return a
		}
	}
	return chain.Asset{Network: n, Contract: stranger, Symbol: symbol}
}

func transfer(n chain.Network, symbol string, to chain.Address, tokens int64) chain.Transfer {
	a := asset(n, symbol)
	units := money.NewUnits(
		new(big.Int).Mul(big.NewInt(tokens), new(big.Int).Exp(big.NewInt(10), big.NewInt(int64(a.Decimals)), nil)),
	)
	return chain.Transfer{Key: chain.Key{Network: n, Tx: hash}, Asset: a, To: to, Units: units}
}

// started is a payment of 10 USDC that was started on Polygon.
func started() payment.Payment {
	return payment.Payment{
		ID: "01KJ4Z8Y3T6Q0M5V9B2N7R1XWA", Amount: 10 * money.USD, Status: payment.Started,
		Choice: payment.Choice{Network: chain.Polygon, Token: money.USDC},
		Routes: []payment.Route{{
			Network: chain.Polygon, Address: chain.Watched{Address: ours}, Tokens: []money.Token{money.USDC},
		}},
	}
}

func TestJudgeFound(t *testing.T) {
	t.Parallel()
	const takes = 5 * time.Second
	for name, row := range map[string]struct {
		network   chain.Network
		found     chain.Found
		want      Verdict
		wantFinal time.Duration
	}{
		"nothing there":      {chain.Polygon, chain.Found{}, NotFound, 0},
		"failed":             {chain.Polygon, chain.Found{Exists: true, Failed: true}, Failed, 0},
		"right":              {chain.Polygon, one(transfer(chain.Polygon, "USDC", ours, 10)), NotFinal, takes},
		"right and final":    {chain.Polygon, chain.Found{Exists: true, Block: inBlock, Final: true, Transfers: []chain.Transfer{transfer(chain.Polygon, "USDC", ours, 10)}}, NotFinal, time.Second},
		"bridged twin":       {chain.Polygon, one(transfer(chain.Polygon, "USDC.e", ours, 10)), OtherToken, 0},
		"token not asked":    {chain.Polygon, one(transfer(chain.Polygon, "USDT", ours, 10)), OtherToken, 0},
		"counterfeit":        {chain.Polygon, one(transfer(chain.Polygon, "FAKE", ours, 10)), Worthless, 0},
		"nothing sent":       {chain.Polygon, one(transfer(chain.Polygon, "USDC", ours, 0)), Worthless, 0},
		"other address":      {chain.Polygon, one(transfer(chain.Polygon, "USDC", stranger, 10)), OtherAddress, 0},
		"moved no token":     {chain.Polygon, chain.Found{Exists: true, Block: inBlock}, OtherAddress, 0},
		"waits for a block":  {chain.Polygon, chain.Found{Exists: true}, NotFound, 0},
		"to the contract":    {chain.Polygon, one(transfer(chain.Polygon, "USDC", asset(chain.Polygon, "USDC").Contract, 10)), TokenContract, 0},
		"other chain":        {chain.Base, one(transfer(chain.Base, "USDC", ours, 10)), OtherChain, 0},
		"best of two counts": {chain.Polygon, one(transfer(chain.Polygon, "USDC", stranger, 10), transfer(chain.Polygon, "USDC", ours, 10)), NotFinal, takes},
	} {
		f := judgeFound(started(), profile(row.network), row.found, takes)
		if f.Verdict != row.want || f.FinalIn != row.wantFinal {
			t.Errorf("%s: %s in %v, want %s in %v", name, f.Verdict, f.FinalIn, row.want, row.wantFinal)
		}
		if f.Advice() == "" {
			t.Errorf("%s: no advice", name)
		}
	}
}

// inBlock is the block of every transaction that is included.
var inBlock = chain.Head{Number: 7, Hash: "0x07"}

func one(transfers ...chain.Transfer) chain.Found {
	return chain.Found{Exists: true, Block: inBlock, Transfers: transfers}
}

func TestJudgeStored(t *testing.T) {
	t.Parallel()
	finalIn := func(chain.Network) time.Duration { return 12 * time.Second }
	deposit := func(symbol string, tokens int64, state payment.DepositState) payment.Deposit {
		return payment.Deposit{Transfer: transfer(chain.Polygon, symbol, ours, tokens), State: state, SeenAt: start}
	}
	for name, row := range map[string]struct {
		deposit payment.Deposit
		want    Verdict
		missing money.Micros
		final   time.Duration
	}{
		"seen":      {deposit("USDC", 10, payment.DepositSeen), NotFinal, 0, 7 * time.Second},
		"final":     {deposit("USDC", 10, payment.DepositFinal), Credited, 0, 0},
		"short":     {deposit("USDC", 4, payment.DepositFinal), Short, 6 * money.USD, 0},
		"twin":      {deposit("USDC.e", 10, payment.DepositFinal), OtherToken, 0, 0},
		"elsewhere": {payment.Deposit{Transfer: transfer(chain.Base, "USDC", ours, 10), State: payment.DepositFinal, SeenAt: start}, OtherChain, 0, 0},
		"vanished":  {deposit("USDC", 10, payment.DepositVanished), "", 0, 0},
	} {
		p := started()
		p.Deposits = []payment.Deposit{row.deposit}
		f, ok := judgeStored(p, hash, finalIn, start.Add(5*time.Second))
		if f.Verdict != row.want || ok != (row.want != "") || f.Missing != row.missing || f.FinalIn != row.final {
			t.Errorf("%s: %+v, %v", name, f, ok)
		}
	}
}

func TestParseHash(t *testing.T) {
	t.Parallel()
	const signature = "5VERv8NMvzbJMEkV8xnrLkEaWRtSz9CosKDYjCJjBRnbJLgp8uirBgmQpjKhoR4tjF3ZpRzrFmBV6UjKdiSZkQUW"
	for text, want := range map[string]chain.TxHash{
		string(hash): hash,
		" " + strings.ToUpper(string(hash[2:])) + "\n":     hash,
		"https://polygonscan.com/tx/" + string(hash):       hash,
		"https://polygonscan.com/tx/" + string(hash) + "/": hash,
		signature: signature,
		"https://solscan.io/tx/" + signature + "?cluster=x":                     signature,
		"Transaction Hash: " + string(hash):                                     hash,
		"TxHash:" + string(hash[2:]) + ".":                                      hash,
		"\"" + string(hash) + "\",":                                             hash,
		"“" + signature + "”":                                                   signature,
		string(hash[:30]) + "\n" + string(hash[30:]) + "\nBlock: 12":            hash,
		"Signature\n" + signature[:44] + "\r\n" + signature[44:]:                signature,
		"\ufeff" + string(hash) + "\u200b":                                      hash,
		"Transaction Hash:" + string(hash) + "Block:61234567":                   hash,
		"https://polygonscan.com/tx/" + string(hash) + "#eventlog":              hash,
		"https://solscan.io/tx/" + signature + "?cluster=mainnet-beta#balances": signature,
		"<https://solscan.io/tx/" + signature + ">, ✅":                          signature,
		"From: " + string(ours) + " https://polygonscan.com/tx/" + string(hash): hash,
	} {
		if got, networks, err := ParseHash(text); err != nil || got != want || len(networks) == 0 {
			t.Errorf("ParseHash(%q) = %q, %v, %v", text, got, networks, err)
		}
	}
	for _, text := range []string{"", "0x", "0x12", string(ours), "hello", string(hash) + "00", strings.Repeat("a", 1000), "https://polygonscan.com"} {
		if _, _, err := ParseHash(text); !fault.Is(err, fault.Invalid) {
			t.Errorf("ParseHash(%q): %v", text, err)
		}
	}
}

// onePayment is a store that holds a single payment.
type onePayment struct {
	payment.Store
	p payment.Payment
}

func (s onePayment) Payment(_ context.Context, id payment.ID) (payment.Payment, error) {
	if id != s.p.ID {
		return payment.Payment{}, payment.ErrUnknown
	}
	return s.p, nil
}

// evmNetworks are all networks but BEP20, of which nothing is known.
type evmNetworks struct{}

func (evmNetworks) Network(n chain.Network) (payment.OfferedNetwork, bool) {
	return payment.OfferedNetwork{Profile: profile(n)}, n != chain.BEP20
}
func (evmNetworks) Health(chain.Network) payment.Health { return payment.Health{} }

func newFinder(p payment.Payment, readers map[chain.Network]chain.Reader) *Finder {
	now := func() time.Time { return start }
	payments := payment.NewService(onePayment{p: p}, nil, evmNetworks{}, payment.Options{}, now, nil)
	return New(payments, readers, new(cursors), now)
}

// cursors are networks that were read up to a block, and what is to be read again of them.
type cursors struct {
	watch.Store

	scanned uint64
	asked   []watch.SetAside
}

func (c *cursors) Cursor(context.Context, chain.Network) (watch.Cursor, bool, error) {
	return watch.Cursor{Scanned: chain.Head{Number: c.scanned}}, true, nil
}

func (c *cursors) SetAsides(context.Context, chain.Network) ([]watch.SetAside, error) {
	return c.asked, nil
}

func (c *cursors) SaveSetAside(_ context.Context, a watch.SetAside) error {
	c.asked = append(c.asked, a)
	return nil
}

// oneTransaction is a chain that holds one transaction and some balances.
type oneTransaction struct {
	chain.Reader
	found chain.Found
	err   error
	holds map[string]int64 // whole tokens at our address, by symbol
}

func (s oneTransaction) Find(context.Context, chain.TxHash) (chain.Found, error) {
	return s.found, s.err
}

func (s oneTransaction) Balances(
	_ context.Context, a chain.Asset, addresses []chain.Address, _ chain.Head,
) ([]money.Units, error) {
	out := make([]money.Units, len(addresses))
	for i, at := range addresses {
		if whole := s.holds[a.Symbol]; at == ours && whole > 0 {
			out[i] = transfer(a.Network, a.Symbol, at, whole).Units
		}
	}
	return out, s.err
}

// TestFinder_FindByAddress: a payer without a hash names the address they sent
// from, or the one they sent to.
func TestFinder_FindByAddress(t *testing.T) {
	t.Parallel()
	const other chain.Address = "0x6Fac4D18c912343BF86fa7049364Dd4E424Ab9C0"
	seen := started()
	paid := transfer(chain.Polygon, "USDC", ours, 4)
	paid.From = stranger
	seen.Deposits = []payment.Deposit{{Transfer: paid, State: payment.DepositFinal, SeenAt: start}}
	empty, down := oneTransaction{}, oneTransaction{err: errors.New("no answer")}
	with := func(symbol string) oneTransaction { return oneTransaction{holds: map[string]int64{symbol: 4}} }
	for name, row := range map[string]struct {
		p       payment.Payment
		address chain.Address
		polygon oneTransaction
		base    oneTransaction
		want    Verdict
		amount  string
	}{
		"sender of a deposit":        {seen, stranger, down, down, Short, "4"},
		"our address, deposit known": {seen, ours, empty, empty, Short, "4"},
		"somebody else":              {seen, other, with("USDC"), empty, NotFound, ""},
		"not taken in yet":           {started(), stranger, with("USDC"), empty, NotFinal, "4"},
		"other chain":                {started(), stranger, empty, with("USDC"), OtherChain, "4"},
		"other token":                {started(), ours, with("USDC.e"), empty, OtherToken, "4"},
		"nothing":                    {started(), stranger, empty, empty, NotFound, ""},
		"cannot be asked":            {started(), stranger, empty, down, Unavailable, ""},
		"Solana address":             {started(), "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk", with("USDC"), empty, NotFound, ""},
	} {
		s := newFinder(row.p, map[chain.Network]chain.Reader{chain.Polygon: row.polygon, chain.Base: row.base})
		f, err := s.Find(t.Context(), string(row.p.ID), " "+string(row.address))
		if err != nil || f.Verdict != row.want || f.Amount != row.amount {
			t.Errorf("%s: %+v, %v, want %s of %q", name, f, err, row.want, row.amount)
		}
		if f.Advice() == "" || strings.Contains(f.Advice(), "knows this transaction") {
			t.Errorf("%s: asked by an address, the advice is %q", name, f.Advice())
		}
	}
}

func TestFinder_Find(t *testing.T) {
	t.Parallel()
	p := started()
	right, nothing := oneTransaction{found: one(transfer(chain.Polygon, "USDC", ours, 10))}, oneTransaction{}
	down := oneTransaction{err: errors.New("no answer")}
	for name, row := range map[string]struct {
		readers map[chain.Network]chain.Reader
		want    Verdict
	}{
		"found on one": {
			map[chain.Network]chain.Reader{chain.Polygon: right, chain.Base: nothing}, NotFinal,
		},
		"found beside a failed": {
			map[chain.Network]chain.Reader{chain.Polygon: right, chain.Base: down}, NotFinal,
		},
		"nowhere": {
			map[chain.Network]chain.Reader{chain.Polygon: nothing, chain.Base: nothing}, NotFound,
		},
		"one cannot be asked": {
			map[chain.Network]chain.Reader{chain.Polygon: nothing, chain.Base: down}, Unavailable,
		},
		"not configured": {map[chain.Network]chain.Reader{chain.BEP20: right}, NotFound},
	} {
		f, err := newFinder(p, row.readers).Find(t.Context(), string(p.ID), string(hash))
		if err != nil || f.Verdict != row.want || f.Hash != hash {
			t.Errorf("%s: %+v, %v", name, f, err)
		}
	}
	s := newFinder(p, nil)
	if _, err := s.Find(t.Context(), "01KJ4Z8Y3T6Q0M5V9B2N7R1XWB", string(hash)); !errors.Is(err, payment.ErrUnknown) {
		t.Errorf("unknown payment: %v", err)
	}
	if _, err := s.Find(t.Context(), string(p.ID), "no hash"); !fault.Is(err, fault.Invalid) {
		t.Errorf("no hash: %v", err)
	}
}

// TestFinder_Missed: a final transaction that pays the payment and is not recorded has its block read, once, whether
// the network was read up to it or not, unless the chain will never have that block.
func TestFinder_Missed(t *testing.T) {
	t.Parallel()
	final := one(transfer(chain.Polygon, "USDC", ours, 10))
	final.Final, final.Block.Number = true, 70
	for i := range final.Transfers {
		final.Transfers[i].Block = final.Block
	}
	waits := final
	waits.Final = false
	ended := started()
	ended.Status = payment.Expired
	never := final
	never.Block.Number = 1 << 40
	never.Transfers = slices.Clone(final.Transfers)
	for i := range never.Transfers {
		never.Transfers[i].Block = never.Block
	}
	for name, row := range map[string]struct {
		p       payment.Payment
		found   chain.Found
		scanned uint64
		asked   int
		advice  string
	}{
		"missed":        {started(), final, 80, 1, adviceReread},
		"not read yet":  {started(), final, 69, 1, adviceReread},
		"not final":     {started(), waits, 80, 0, advice[NotFinal]},
		"never there":   {started(), never, 80, 0, advice[NotFinal]},
		"after the end": {ended, final, 80, 1, adviceLate},
	} {
		f := newFinder(row.p, map[chain.Network]chain.Reader{chain.Polygon: oneTransaction{found: row.found}})
		c := &cursors{scanned: row.scanned}
		f.repairs = c
		for range 2 {
			r, err := f.Find(t.Context(), string(row.p.ID), string(final.Transfers[0].Tx))
			if err != nil || r.Verdict != NotFinal || r.Advice() != row.advice {
				t.Errorf("%s: %+v, %v", name, r, err)
			}
		}
		if len(c.asked) != row.asked || row.asked > 0 && c.asked[0].From != 70 {
			t.Errorf("%s: asked to read again %+v", name, c.asked)
		}
	}
}
