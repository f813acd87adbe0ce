package web

import (
	"math/big"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/ethereum/go-ethereum/common"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/evm"
	"github.com/florinpay/florin/internal/chain/evm/sender"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/recharge"
	"github.com/florinpay/florin/internal/sandbox/devchain"
	"github.com/florinpay/florin/internal/store/storetest"
)

// mining makes blocks until stop is called, which may be called twice.
func mining(c *devchain.Chain) (stop func()) {
	end, done := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(done)
		for {
			select {
			case <-end:
				return
			case <-time.After(50 * time.Millisecond):
				c.Commit()
			}
		}
	}()
	return sync.OnceFunc(func() { close(end); <-done })
}

// sellQueries puts a real chain behind rechargeApiKey, on which the wallet of
// devKey holds coins and that much USDT.
func (b *bundle) sellQueries(usdt money.Micros) *devchain.Chain {
	b.t.Helper()
	ctx := b.t.Context()
	c, err := devchain.Start(devchain.Config{ChainID: 56, Decimals: 18})
	must(b.t, err)
	b.t.Cleanup(func() { must(b.t, c.Close()) })
	must(b.t, c.Setup(ctx))
	token := c.Tokens().USDT
	asset := chain.Asset{
		Network: chain.BEP20, Contract: chain.AddressOf(chain.BEP20, token.Address[:]).Address, Symbol: "USDT",
		Decimals: 18, Token: money.USDT,
	}
	p := profileOf(chain.BEP20)
	p.Assets = []chain.Asset{asset}
	a, err := evm.New(evm.Config{Profile: p, Endpoints: []string{c.URL()}})
	must(b.t, err)
	_, err = c.FundNative(ctx, common.HexToAddress(devWallet), big.NewInt(1e18))
	must(b.t, err)
	_, err = c.Mint(ctx, token.Address, common.HexToAddress(devWallet), usdt.Units(18).Big())
	must(b.t, err)
	c.Mine(devchain.DefaultFinalDepth + 1)
	b.recharges.Service = recharge.New(b.store.Settlement(), &recharge.Network{
		Chain: sender.NewTransfers(a, money.UnitsFromUint64(100e9)), Asset: asset, Treasury: merchantWallet,
		Ready: func() error { return nil },
	}, b.clock.Now, b.logger)
	return c
}

const rechargeQuery = `mutation($k: String!, $p: String!, $u: Int!) { rechargeApiKey(apiKey: $k, privateKey: $p, unit: $u) {
	code message newBalance hash apiKey { key queriesLeft wallet } } }`

func (b *bundle) recharge(key, privateKey, unit string, header ...string) reply {
	b.t.Helper()
	return b.graphQL(rechargeQuery, `{"k":"`+key+`","p":"`+privateKey+`","u":`+unit+`}`, header...)
}

func TestRechargeAPIKey(t *testing.T) {
	t.Parallel()
	b := newBundle(t)
	m := b.newKey(1, 5)
	user, err := (storetest.People{Store: b.store.Identity()}).UserByEmail(t.Context(), m.key.Email)
	must(t, err)
	mine, text, err := b.accounts.CreateKey(t.Context(), user,
		merchant.NewKey{Wallet: devWallet, Queries: 5}, audit.Act{})
	must(t, err)
	_, bare, err := b.accounts.CreateKey(t.Context(), user, merchant.NewKey{}, audit.Act{})
	must(t, err)
	key, code := text.Reveal(), "data.rechargeApiKey.code"
	if r := b.recharge(key, devKey, "1"); r.text(t, code) != "422" {
		t.Errorf("not offered here: %s", r.body)
	}
	c := b.sellQueries(money.USD)
	for name, row := range map[string][4]string{
		"no such key": {"flk_x", devKey, "1", "401"}, "no wallet": {bare.Reveal(), devKey, "1", "409"},
		"not hexadecimal": {key, strings.Repeat("z", 64), "1", "400"}, "too short": {key, devKey[:60], "1", "400"},
		"empty":                   {key, "", "1", "400"},
		"another wallet's":        {key, strings.Replace(devKey, "ac09", "ac08", 1), "1", "403"},
		"other wallet on the key": {m.text, devKey, "1", "403"},
		"zero":                    {key, devKey, "0", "400"}, "negative": {key, devKey, "-1", "400"},
		"too many":           {key, devKey, "1000001", "400"},
		"more than there is": {key, devKey, "21", "402"},
	} {
		if r := b.recharge(row[0], row[1], row[2]); r.text(t, code) != row[3] ||
			r.field(t, "data.rechargeApiKey.hash") != nil {
			t.Errorf("%s: %s", name, r.body)
		}
	}
	stop := mining(c)
	defer stop()
	paid := b.recharge(key, strings.TrimPrefix(devKey, "0x"), "3", "Idempotency-Key", "r1")
	stop()
	t.Run("Balance", func(t *testing.T) {
		for path, want := range map[string]string{
			"code": "200", "newBalance": "8", "apiKey.key": key,
			"apiKey.queriesLeft": "8", "apiKey.wallet": devWallet,
		} {
			if got := paid.text(t, "data.rechargeApiKey."+path); got != want {
				t.Errorf("%s is %s: %s", path, got, paid.body)
			}
		}
	})
	again := b.recharge(key, strings.TrimPrefix(devKey, "0x"), "3", "Idempotency-Key", "r1")
	if again.body != paid.body || again.header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("repeated: %s", again.body)
	}
	lines, err := b.store.Merchant().AuditLog(t.Context(), mine.UserID, mine.UserID, 0, 10)
	must(t, err)
	if len(lines) != 1 || lines[0].Action != audit.ActionRecharge || lines[0].Actor != "API key" ||
		lines[0].Subject != mine.PublicID || inEnglish(lines[0].Detail) !=
		"3 units, "+paid.text(t, "data.rechargeApiKey.hash") {
		t.Errorf("audit log: %+v", lines)
	}
	for name, secret := range map[string]string{"private key": devKey[2:], "API key": key} {
		if strings.Contains(b.log.String(), secret) {
			t.Errorf("the %s is in the log", name)
		}
	}
}
