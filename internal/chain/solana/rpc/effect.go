package rpc

import (
	"encoding/json"
	"math/big"
	"slices"
	"strconv"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// tokenBalance is what a token account held before or after a transaction.
type tokenBalance struct {
	AccountIndex int    `json:"accountIndex"`
	Mint         string `json:"mint"`
	Owner        string `json:"owner"`
	ProgramID    string `json:"programId"`
	Amount       struct {
		Amount   string `json:"amount"`
		Decimals int    `json:"decimals"`
	} `json:"uiTokenAmount"`
}

func (b tokenBalance) units() (uint64, bool) {
	v, err := strconv.ParseUint(b.Amount.Amount, 10, 64)
	return v, err == nil
}

// Transaction is a transaction and its effects, as a node reports them: what it did to token accounts and to lamports,
// by the node's own balances before and after it. Instructions only say of which transfers such a gain consists, where
// they add up to it: most transfers are made by other programs.
type Transaction struct {
	Slot      uint64 `json:"slot"`
	BlockTime *int64 `json:"blockTime"`
	Meta      *struct {
		Err             json.RawMessage `json:"err"`
		Fee             uint64          `json:"fee"`
		PreBalances     []int64         `json:"preBalances"`
		PostBalances    []int64         `json:"postBalances"`
		PreTokens       []tokenBalance  `json:"preTokenBalances"`
		PostTokens      []tokenBalance  `json:"postTokenBalances"`
		Inner           json.RawMessage `json:"innerInstructions"`
		LoadedAddresses struct {
			Writable []string `json:"writable"`
			Readonly []string `json:"readonly"`
		} `json:"loadedAddresses"`
	} `json:"meta"`
	Transaction struct {
		Signatures []string `json:"signatures"`
		Message    struct {
			AccountKeys  []string        `json:"accountKeys"`
			Instructions json.RawMessage `json:"instructions"`
		} `json:"message"`
	} `json:"transaction"`

	Keys []string `json:"-"` // all accounts: the static ones, then those from lookup tables
}

// Valid fills in the accounts and reports whether the node's answer is about this transaction, complete and
// free of contradictions: it has the balances of every account before and after, and at most one token
// balance an account. A failed transaction moved nothing, so its balances may be missing: a node that leaves
// them out must not keep an account from being read. One that shows other token balances after it did not fail.
func (t *Transaction) Valid(signature string) bool {
	if t.Meta == nil || t.Slot > maxHeight || len(t.Transaction.Signatures) == 0 ||
		t.Transaction.Signatures[0] != signature {
		return false
	}
	t.Keys = slices.Concat(
		t.Transaction.Message.AccountKeys, t.Meta.LoadedAddresses.Writable, t.Meta.LoadedAddresses.Readonly,
	)
	whole := len(t.Meta.PreBalances) == len(t.Keys) && len(t.Meta.PostBalances) == len(t.Keys)
	return (whole || t.Failed()) && distinct(t.Keys) &&
		validBalances(t.Meta.PreTokens, len(t.Keys)) && validBalances(t.Meta.PostTokens, len(t.Keys)) &&
		!(t.Failed() && slices.ContainsFunc(t.Changes(), func(c Change) bool { return c.Before != c.After }))
}

func distinct(keys []string) bool {
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		seen[k] = true
	}
	return len(seen) == len(keys)
}

// validBalances reports whether every balance says how much of what it is and whose, and belongs to one of the
// accounts, and no account has two.
func validBalances(balances []tokenBalance, accounts int) bool {
	seen := make(map[int]bool, len(balances))
	for _, b := range balances {
		if _, ok := b.units(); !ok || b.AccountIndex < 0 || b.AccountIndex >= accounts || seen[b.AccountIndex] ||
			b.Mint == "" || b.Owner == "" || b.ProgramID == "" {
			return false
		}
		seen[b.AccountIndex] = true
	}
	return true
}

// Failed reports whether the transaction was included and had no effect but its fee.
func (t *Transaction) Failed() bool { return len(t.Meta.Err) > 0 && string(t.Meta.Err) != "null" }

// Change is what a transaction did to one token account.
type Change struct {
	Index         int // of the account in the transaction
	Account       string
	Mint          string
	Owner         string // after the transaction; before it, if the account was closed
	Program       string
	Decimals      int // of the mint
	Before, After uint64
	// Steady: the account had the same mint and owner throughout, as far as it existed, and exists
	// afterwards.
	Steady bool
	// From is who gave the account to another owner, with what was on it; empty: nobody did.
	From string
}

// given returns the change as a gain of all that is on the account, if somebody gave it away.
func (c Change) given() Change {
	if c.From != "" {
		c.Before, c.Steady = 0, true
	}
	return c
}

// Gained returns by how much the account's balance grew.
func (c Change) Gained() (uint64, bool) { return c.After - c.Before, c.After > c.Before }

// Associated reports whether the account is its owner's associated one for a mint of the token program.
func (c Change) Associated() bool {
	owner, err1 := solanago.PublicKeyFromBase58(c.Owner)
	mint, err2 := solanago.PublicKeyFromBase58(c.Mint)
	return err1 == nil && err2 == nil && c.Program == solanago.TokenProgramID.String() &&
		AccountOf(owner, mint).String() == c.Account
}

// existing indexes token balances by account. A balance of an account without lamports is left out: no such
// account exists.
func existing(balances []tokenBalance, lamports []int64) map[int]tokenBalance {
	byIndex := make(map[int]tokenBalance, len(balances))
	for _, b := range balances {
		if b.AccountIndex < len(lamports) && lamports[b.AccountIndex] > 0 {
			byIndex[b.AccountIndex] = b
		}
	}
	return byIndex
}

// Changes lists what a transaction did to token accounts, by index.
func (t *Transaction) Changes() []Change {
	before := existing(t.Meta.PreTokens, t.Meta.PreBalances)
	after := existing(t.Meta.PostTokens, t.Meta.PostBalances)
	var list []Change
	for i, key := range t.Keys {
		b, was := before[i]
		a, is := after[i]
		if !was && !is {
			continue
		}
		c := Change{
			Index: i, Account: key, Mint: a.Mint, Owner: a.Owner, Program: a.ProgramID, Decimals: a.Amount.Decimals,
			Steady: is,
		}
		if was {
			c.Before, _ = b.units()
		}
		if is {
			c.After, _ = a.units()
		} else {
			c.Mint, c.Owner, c.Program, c.Decimals = b.Mint, b.Owner, b.ProgramID, b.Amount.Decimals
		}
		if was && is && (a.Mint != b.Mint || a.Owner != b.Owner || a.ProgramID != b.ProgramID) {
			c.Steady = false
			if a.Mint == b.Mint && a.ProgramID == b.ProgramID {
				c.From = b.Owner
			}
		}
		list = append(list, c)
	}
	return list
}

// Payer returns the owner of the only account whose balance of the mint fell; it is empty if there are
// several.
func Payer(list []Change, mint string) chain.Address {
	var from chain.Address
	for _, c := range list {
		if c.Mint != mint || c.After >= c.Before {
			continue
		}
		if from != "" && from != chain.Address(c.Owner) {
			return "" // several paid, and the chain does not record who paid whom
		}
		from = chain.Address(c.Owner)
	}
	return from
}

// Credit returns what the transaction brought to the associated account of an owner: only money that is still
// there afterwards, in an account that belonged to the owner throughout.
func (t *Transaction) Credit(account, owner, mint solanago.PublicKey) (Change, bool) {
	c, credited := t.CreditUnder(account, func(holder string) bool { return holder == owner.String() })
	return c, credited && c.From == "" && c.Mint == mint.String() && c.Program == solanago.TokenProgramID.String()
}

// CreditUnder returns what the transaction brought to an account of any mint whose owner is under a key, and what did
// not come from another account under it. Who gives the account itself to such an owner pays all that is on it.
func (t *Transaction) CreditUnder(account solanago.PublicKey, under func(owner string) bool) (Change, bool) {
	c, reported := t.Change(account)
	if !reported || t.Failed() || under(c.From) {
		return Change{}, false
	}
	c = c.given()
	_, gained := c.Gained()
	return c, gained && c.Steady && under(c.Owner) && !slices.ContainsFunc(t.Changes(), func(o Change) bool {
		return o.Mint == c.Mint && o.After < o.Before && under(o.Owner)
	})
}

// Lacks reports whether the answer may lack the balance of a token account: validators report those of a transaction
// that names a token program. It proves nothing: a stranger can send lamports to an address before the account is made.
func (t *Transaction) Lacks(key solanago.PublicKey) bool {
	if _, reported := t.Change(key); reported || t.Failed() ||
		!slices.Contains(t.Keys, solanago.TokenProgramID.String()) &&
			!slices.Contains(t.Keys, solanago.Token2022ProgramID.String()) {
		return false
	}
	return t.CoinsOf(key).After > 0
}

// Units returns how much the account gained, in units of its mint; zero if it gained nothing.
func (c Change) Units() money.Units {
	gained, _ := c.Gained()
	return money.UnitsFromUint64(gained)
}

// Coins lists what system accounts gained in lamports: SOL that was sent in place of a token. Token accounts
// gain their rent and are left out.
func (t *Transaction) Coins() map[int]money.Units {
	gains := make(map[int]money.Units)
	tokens := make(map[int]bool)
	for _, c := range t.Changes() {
		tokens[c.Index] = true
	}
	for i := range min(len(t.Meta.PreBalances), len(t.Meta.PostBalances), len(t.Keys)) {
		if gain := t.Meta.PostBalances[i] - t.Meta.PreBalances[i]; gain > 0 && !tokens[i] {
			gains[i] = money.NewUnits(big.NewInt(gain))
		}
	}
	return gains
}

// Change returns what the transaction did to an account; ok is false if it does not say. Validators report no token
// balances for a transaction that names no token program, and such a transaction cannot change any.
func (t *Transaction) Change(key solanago.PublicKey) (c Change, ok bool) {
	for _, c := range t.Changes() {
		if c.Account == key.String() {
			return c, true
		}
	}
	return Change{}, false
}

// Paid returns what the transaction cost its payer: the fee, and the rent of accounts it created. Rent of
// accounts it closed is not subtracted: others paid that, and a sweep cannot count on it.
func (t *Transaction) Paid() money.Units {
	cost := t.Meta.Fee
	for i := range min(len(t.Meta.PreBalances), len(t.Meta.PostBalances)) {
		if i > 0 && t.Meta.PreBalances[i] == 0 && t.Meta.PostBalances[i] > 0 && t.isToken(i) {
			cost += uint64(t.Meta.PostBalances[i])
		}
	}
	return money.UnitsFromUint64(cost)
}

// isToken reports whether the account is a token account after the transaction.
func (t *Transaction) isToken(index int) bool {
	return slices.ContainsFunc(t.Meta.PostTokens, func(b tokenBalance) bool { return b.AccountIndex == index })
}

// CoinsOf returns what the transaction did to the lamports of an account.
func (t *Transaction) CoinsOf(key solanago.PublicKey) Change {
	for i, k := range t.Keys {
		if k == key.String() && i < len(t.Meta.PreBalances) && i < len(t.Meta.PostBalances) {
			return Change{
				Index: i, Account: k, Before: uint64(t.Meta.PreBalances[i]), After: uint64(t.Meta.PostBalances[i]),
			}
		}
	}
	return Change{}
}
