package lookup

import (
	"context"
	"testing"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
)

// owner is a deposit owner of Solana, and usdcOf its associated account, which `under` lists.
const (
	owner   chain.Address = "HAgk14JpMQLgt6rVgv7cBQFJWFto5Dqxi472uT3DKpqk"
	usdcOf  chain.Address = "6pXYguUixhfdydHDMgsvSy3sAWjStL2eEYh4KeYJAUDk"
	another chain.Address = "Hh8QwFUA6MtVu1qAoq12ucvFHNwCcVTV7hpWjeY1Hztb"
	mint    chain.Address = "So11111111111111111111111111111111111111112"
)

// under is a reader that knows the owner's accounts.
type under struct{ chain.Reader }

func (under) Under(of chain.Address) []chain.Address {
	if of == owner {
		return []chain.Address{usdcOf}
	}
	return nil
}

func (under) TokenAccounts(context.Context, []chain.Address, chain.Listing) ([]chain.TokenAccount, error) {
	return nil, nil
}

// TestJudgeFound_Accounts: what came to a token account under the owner's key paid the owner's address, whichever
// account that is; what came to another's did not.
func TestJudgeFound_Accounts(t *testing.T) {
	t.Parallel()
	p := payment.Payment{
		ID: started().ID, Amount: 10 * money.USD, Status: payment.Started,
		Choice: payment.Choice{Network: chain.Solana, Token: money.USDC},
		Routes: []payment.Route{{
			Network: chain.Solana, Address: chain.Watched{Address: owner}, Tokens: []money.Token{money.USDC},
		}},
	}
	paid := func(a chain.Asset, to, account, holder chain.Address) chain.Transfer {
		return chain.Transfer{
			Key: chain.Key{Network: chain.Solana, Tx: hash}, Asset: a, To: to, Account: account, Holder: holder,
			Units: money.UnitsFromUint64(10_000_000), Block: inBlock,
		}
	}
	usdc, other := asset(chain.Solana, "USDC"), chain.Asset{Network: chain.Solana, Contract: mint}
	for name, row := range map[string]struct {
		transfer chain.Transfer
		want     Verdict
		account  chain.Address // that is read again while the transaction is not final
	}{
		"Associated":     {paid(usdc, owner, usdcOf, owner), NotFinal, ""},
		"Second":         {paid(usdc, another, another, owner), NotFinal, another},
		"Nested":         {paid(usdc, usdcOf, another, usdcOf), NotFinal, another},
		"OtherToken":     {paid(other, owner, another, owner), OtherToken, another},
		"NestedOther":    {paid(other, another, another, usdcOf), OtherToken, another},
		"OfAnother":      {paid(usdc, another, mint, another), OtherAddress, ""},
		"AccountOfOther": {paid(usdc, mint, mint, another), OtherAddress, ""},
	} {
		found := one(claimed(p, profile(chain.Solana), under{}, []chain.Transfer{row.transfer})...)
		r := judgeFound(p, profile(chain.Solana), found, 0)
		if r.Verdict != row.want || row.want == OtherToken && r.Token != string(mint) {
			t.Errorf("%s: %+v, want %s", name, r, row.want)
		}
		accounts := accountsOf(missed(p, profile(chain.Solana), found))
		if (row.account == "") != (len(accounts) == 0) || len(accounts) == 1 && accounts[0] != row.account {
			t.Errorf("%s: %v are read again, want %q", name, accounts, row.account)
		}
	}
}
