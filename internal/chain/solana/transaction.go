package solana

import (
	"context"
	"encoding/json"
	"math/big"
	"slices"
	"strconv"

	solanago "github.com/gagliardetto/solana-go"
	"github.com/mr-tron/base58"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana/rpc"
	"github.com/florinpay/florin/internal/money"
)

// maxVersion is the newest transaction version that is requested. Nodes refuse to return a block or a
// transaction of a newer version than the requested one.
const maxVersion = 1

// status is what a node knows of a signature.
type status struct {
	Slot         uint64          `json:"slot"`
	Err          json.RawMessage `json:"err"`
	Confirmation string          `json:"confirmationStatus"`
}

func (s *status) failed() bool { return s != nil && len(s.Err) > 0 && string(s.Err) != "null" }

func (s *status) final() bool { return s != nil && s.Confirmation == finalized }

// included reports whether the transaction is in a block that the cluster confirmed.
func (s *status) included() bool {
	return s != nil && (s.Confirmation == finalized || s.Confirmation == confirmed)
}

// statuses returns the status of each signature, however old; that of an unknown one is nil. Finality is
// always taken from here: nothing verifies the commitment at which a node claims to have read other answers.
func (e *endpoint) statuses(ctx context.Context, signatures []string) (map[string]*status, error) {
	bySignature, _, err := e.statusesAt(ctx, signatures)
	return bySignature, err
}

// statusesAt is statuses with the node's slot at the time of the answer: the oldest one, where that took
// several calls.
func (e *endpoint) statusesAt(
	ctx context.Context, signatures []string,
) (bySignature map[string]*status, slot uint64, err error) {
	all := make([]*status, len(signatures))
	slots := make([]uint64, (len(signatures)+statusesPerCall-1)/statusesPerCall)
	err = each(ctx, signatures, statusesPerCall, func(ctx context.Context, part []string, at int) error {
		var answer struct {
			Context struct {
				Slot uint64 `json:"slot"`
			} `json:"context"`
			Value []*status `json:"value"`
		}
		if err := e.ask(
			ctx, &answer, "getSignatureStatuses", part, options{"searchTransactionHistory": true},
		); err != nil {
			return err
		}
		if len(answer.Value) != len(part) {
			return rpc.Malformed("%d statuses instead of %d", len(answer.Value), len(part))
		}
		copy(all[at:], answer.Value)
		slots[at/statusesPerCall] = answer.Context.Slot
		return nil
	})
	if err != nil || len(slots) == 0 {
		return nil, 0, err
	}
	bySignature = make(map[string]*status, len(signatures))
	for i, s := range signatures {
		bySignature[s] = all[i]
	}
	return bySignature, slices.Min(slots), nil
}

// tokenBalance is what a token account held before or after a transaction.
type tokenBalance struct {
	AccountIndex int    `json:"accountIndex"`
	Mint         string `json:"mint"`
	Owner        string `json:"owner"`
	ProgramID    string `json:"programId"`
	Amount       struct {
		Amount string `json:"amount"`
	} `json:"uiTokenAmount"`
}

func (b tokenBalance) units() (uint64, bool) {
	v, err := strconv.ParseUint(b.Amount.Amount, 10, 64)
	return v, err == nil
}

// transaction is a transaction and its effects, as a node reports them.
type transaction struct {
	Slot      uint64 `json:"slot"`
	BlockTime *int64 `json:"blockTime"`
	Meta      *struct {
		Err             json.RawMessage `json:"err"`
		Fee             uint64          `json:"fee"`
		PreBalances     []int64         `json:"preBalances"`
		PostBalances    []int64         `json:"postBalances"`
		PreTokens       []tokenBalance  `json:"preTokenBalances"`
		PostTokens      []tokenBalance  `json:"postTokenBalances"`
		LoadedAddresses struct {
			Writable []string `json:"writable"`
			Readonly []string `json:"readonly"`
		} `json:"loadedAddresses"`
	} `json:"meta"`
	Transaction struct {
		Signatures []string `json:"signatures"`
		Message    struct {
			AccountKeys []string `json:"accountKeys"`
		} `json:"message"`
	} `json:"transaction"`

	keys []string // all accounts: the static ones, then those from lookup tables
}

// transaction reads a transaction; it is nil where the node has none.
func (e *endpoint) transaction(ctx context.Context, signature string) (*transaction, error) {
	var t *transaction
	err := e.ask(ctx, &t, "getTransaction", signature, options{
		"encoding": "json", "commitment": confirmed, "maxSupportedTransactionVersion": maxVersion,
	})
	if err != nil || t == nil {
		return nil, err
	}
	if !t.valid(signature) {
		return nil, rpc.Malformed("transaction %s", signature)
	}
	return t, nil
}

// valid fills in the accounts and reports whether the node's answer is about this transaction, complete and
// free of contradictions: it has the balances of every account before and after, and at most one token
// balance an account. A failed transaction moved nothing, so its balances may be missing: a node that leaves
// them out must not keep an account from being read.
func (t *transaction) valid(signature string) bool {
	if t.Meta == nil || len(t.Transaction.Signatures) == 0 || t.Transaction.Signatures[0] != signature {
		return false
	}
	t.keys = slices.Concat(
		t.Transaction.Message.AccountKeys, t.Meta.LoadedAddresses.Writable, t.Meta.LoadedAddresses.Readonly,
	)
	whole := len(t.Meta.PreBalances) == len(t.keys) && len(t.Meta.PostBalances) == len(t.keys)
	return (whole || t.failed()) && distinct(t.keys) &&
		validBalances(t.Meta.PreTokens, len(t.keys)) && validBalances(t.Meta.PostTokens, len(t.keys))
}

func distinct(keys []string) bool {
	seen := make(map[string]bool, len(keys))
	for _, k := range keys {
		seen[k] = true
	}
	return len(seen) == len(keys)
}

// validBalances reports whether every balance has an amount and belongs to one of the accounts, and no
// account has two.
func validBalances(balances []tokenBalance, accounts int) bool {
	seen := make(map[int]bool, len(balances))
	for _, b := range balances {
		if _, ok := b.units(); !ok || b.AccountIndex < 0 || b.AccountIndex >= accounts || seen[b.AccountIndex] {
			return false
		}
		seen[b.AccountIndex] = true
	}
	return true
}

func (t *transaction) failed() bool { return len(t.Meta.Err) > 0 && string(t.Meta.Err) != "null" }

// change is what a transaction did to one token account.
type change struct {
	index         int // of the account in the transaction
	account       string
	mint          string
	owner         string // after the transaction; before it, if the account was closed
	program       string
	before, after uint64
	// steady: the account had the same mint and owner throughout, as far as it existed, and exists
	// afterwards.
	steady bool
}

// gained returns by how much the account's balance grew.
func (c change) gained() (uint64, bool) { return c.after - c.before, c.after > c.before }

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

// changes lists what a transaction did to token accounts, by index.
func (t *transaction) changes() []change {
	before := existing(t.Meta.PreTokens, t.Meta.PreBalances)
	after := existing(t.Meta.PostTokens, t.Meta.PostBalances)
	var list []change
	for i, key := range t.keys {
		b, was := before[i]
		a, is := after[i]
		if !was && !is {
			continue
		}
		c := change{index: i, account: key, mint: a.Mint, owner: a.Owner, program: a.ProgramID, steady: is}
		if was {
			c.before, _ = b.units()
		}
		if is {
			c.after, _ = a.units()
		} else {
			c.mint, c.owner, c.program = b.Mint, b.Owner, b.ProgramID
		}
		if was && is && (a.Mint != b.Mint || a.Owner != b.Owner || a.ProgramID != b.ProgramID) {
			c.steady = false
		}
		list = append(list, c)
	}
	return list
}

// payer returns the owner of the only account whose balance of the mint fell; it is empty if there are
// several.
func payer(list []change, mint string) chain.Address {
	var from chain.Address
	for _, c := range list {
		if c.mint != mint || c.after >= c.before {
			continue
		}
		if from != "" && from != chain.Address(c.owner) {
			return "" // several paid, and the chain does not record who paid whom
		}
		from = chain.Address(c.owner)
	}
	return from
}

// credit returns what the transaction brought to the associated account of an owner: only money that is still
// there afterwards, in an account that belonged to the owner throughout.
func (t *transaction) credit(account, owner, mint solanago.PublicKey) (change, bool) {
	c, reported := t.change(account)
	if !reported || t.failed() {
		return change{}, false
	}
	_, gained := c.gained()
	return c, gained && c.steady && c.owner == owner.String() && c.mint == mint.String() &&
		c.program == solanago.TokenProgramID.String()
}

func (c change) units() money.Units {
	gained, _ := c.gained()
	return money.UnitsFromUint64(gained)
}

// coins lists what system accounts gained in lamports: SOL that was sent in place of a token. Token accounts
// gain their rent and are left out.
func (t *transaction) coins() map[int]money.Units {
	gains := make(map[int]money.Units)
	tokens := make(map[int]bool)
	for _, c := range t.changes() {
		tokens[c.index] = true
	}
	for i := range min(len(t.Meta.PreBalances), len(t.Meta.PostBalances), len(t.keys)) {
		if gain := t.Meta.PostBalances[i] - t.Meta.PreBalances[i]; gain > 0 && !tokens[i] {
			gains[i] = money.NewUnits(big.NewInt(gain))
		}
	}
	return gains
}

// parseSignature checks the base58 text of a signature.
func parseSignature(tx chain.TxHash) (string, bool) {
	const size = 64
	if len(tx) > 88 {
		return "", false
	}
	b, err := base58.Decode(string(tx))
	return string(tx), err == nil && len(b) == size
}
