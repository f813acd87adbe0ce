package rpc

import (
	"context"
	"encoding/base64"
	"encoding/binary"

	solanago "github.com/gagliardetto/solana-go"
)

// AccountsPerCall is the limit of getMultipleAccounts.
const AccountsPerCall = 100

// Sizes and offsets of the token program's accounts.
const (
	TokenAccountSize = 165
	mintSize         = 82
	offsetOwner      = 32
	offsetAmount     = 64
	offsetState      = 108
	offsetCloser     = 129 // 0 if the owner closes the account
	offsetDecimals   = 44
	offsetMintReady  = 45
	// kindMint and kindAccount are the byte after TokenAccountSize bytes in an account of Token-2022 that has
	// extensions.
	kindMint, kindAccount = 1, 2
)

// Account is an account as a node returns it.
type Account struct {
	Lamports   uint64    `json:"lamports"`
	Owner      string    `json:"owner"`
	Executable bool      `json:"executable"`
	Data       [2]string `json:"data"` // content, "base64"
}

// Accounts reads accounts as of the slot or later, in order; an account that does not exist is nil. It also
// returns the slot of the answer, the oldest one where the node takes fewer accounts at once.
func (w *Client) Accounts(
	ctx context.Context, keys []solanago.PublicKey, slot uint64,
) (all []*Account, at uint64, err error) {
	restore := w.known(&w.limits.accounts)
	for len(all) < len(keys) || len(keys) == 0 {
		part := keys[len(all):]
		part = part[:w.size(&w.limits.accounts, len(part))]
		got, read, err := w.accountsAtOnce(ctx, part, slot)
		if err != nil && w.refuse(&w.limits.accounts, len(part), err) {
			continue
		}
		if err != nil {
			if len(all) == 0 {
				restore() // fewer do not help
			}
			return nil, 0, err
		}
		w.accept(&w.limits.accounts, len(part))
		if len(all) == 0 || read < at {
			at = read
		}
		if all = append(all, got...); len(keys) == 0 {
			break
		}
	}
	return all, at, nil
}

// accountsAtOnce is Accounts in one call.
func (w *Client) accountsAtOnce(
	ctx context.Context, keys []solanago.PublicKey, slot uint64,
) ([]*Account, uint64, error) {
	var answer struct {
		Context struct {
			Slot uint64 `json:"slot"`
		} `json:"context"`
		Value []*Account `json:"value"`
	}
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.String()
	}
	err := w.Ask(
		ctx, &answer, "getMultipleAccounts", texts,
		Options{"encoding": "base64", "commitment": Confirmed, "minContextSlot": slot},
	)
	if err != nil {
		return nil, 0, err
	}
	if answer.Context.Slot < slot {
		return nil, 0, Lagging("accounts are of slot %d, not %d", answer.Context.Slot, slot)
	}
	if len(answer.Value) != len(keys) {
		return nil, 0, Malformed("%d accounts instead of %d", len(answer.Value), len(keys))
	}
	return answer.Value, answer.Context.Slot, nil
}

// Holding is the content of a token account.
type Holding struct {
	Exists bool
	Valid  bool // an initialized account of a token program
	Mint   solanago.PublicKey
	Owner  solanago.PublicKey
	Amount uint64
	Frozen bool
	// Closable: its owner may close it, and nobody else was given that right.
	Closable bool
}

// Holding decodes an account of either token program. Any other account holds nothing.
func (r *Account) Holding() (Holding, error) {
	if r != nil && r.Owner == solanago.Token2022ProgramID.String() {
		return r.HoldingOf(solanago.Token2022ProgramID)
	}
	return r.HoldingOf(solanago.TokenProgramID)
}

// HoldingOf is Holding for accounts of one token program.
func (r *Account) HoldingOf(program solanago.PublicKey) (Holding, error) {
	if r == nil {
		return Holding{}, nil
	}
	data, err := base64.StdEncoding.DecodeString(r.Data[0])
	if err != nil {
		return Holding{}, Malformed("data of an account")
	}
	long := program == solanago.Token2022ProgramID && len(data) > TokenAccountSize &&
		data[TokenAccountSize] == kindAccount
	if r.Owner != program.String() || len(data) != TokenAccountSize && !long || data[offsetState] == 0 {
		return Holding{Exists: true}, nil
	}
	return Holding{
		Exists: true, Valid: true,
		Mint: solanago.PublicKey(data[:offsetOwner]), Owner: solanago.PublicKey(data[offsetOwner:offsetAmount]),
		Amount: binary.LittleEndian.Uint64(data[offsetAmount:]), Frozen: data[offsetState] == stateFrozen,
		Closable: binary.LittleEndian.Uint32(data[offsetCloser:]) == 0,
	}, nil
}

// stateFrozen is the state of a token account that its issuer has frozen.
const stateFrozen = 2

// Decimals returns the decimals of a mint of the token program; ok is false if the account is none.
func (r *Account) Decimals() (int, bool) {
	if r == nil || r.Owner != solanago.TokenProgramID.String() {
		return 0, false
	}
	data, err := base64.StdEncoding.DecodeString(r.Data[0])
	if err != nil || len(data) != mintSize || data[offsetMintReady] != 1 {
		return 0, false
	}
	return int(data[offsetDecimals]), true
}

// Holdings reads any number of token accounts as of the slot or later.
func (w *Client) Holdings(ctx context.Context, keys []solanago.PublicKey, slot uint64) ([]Holding, error) {
	all := make([]Holding, len(keys))
	err := Each(ctx, keys, AccountsPerCall, func(ctx context.Context, part []solanago.PublicKey, at int) error {
		got, _, err := w.Accounts(ctx, part, slot)
		if err != nil {
			return err
		}
		for i, r := range got {
			if all[at+i], err = r.Holding(); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// Owned is a token account with its address.
type Owned struct {
	Key solanago.PublicKey
	Holding
}

// TokenAccountsOf lists the accounts of one of the token programs that an owner has, at most maxOwned: anyone can make
// some.
func (w *Client) TokenAccountsOf(ctx context.Context, owner, program solanago.PublicKey) ([]Owned, error) {
	var answer struct {
		Value []struct {
			Key     string  `json:"pubkey"`
			Account Account `json:"account"`
		} `json:"value"`
	}
	if err := w.Ask(ctx, &answer, "getTokenAccountsByOwner", owner.String(), Options{"programId": program.String()},
		Options{"encoding": "base64", "commitment": Confirmed}); err != nil {
		return nil, err
	}
	var list []Owned
	for _, x := range answer.Value[:min(len(answer.Value), maxOwned)] {
		key, err := solanago.PublicKeyFromBase58(x.Key)
		if err != nil {
			return nil, Malformed("account %s of %s", x.Key, owner)
		}
		held, err := x.Account.HoldingOf(program)
		if err != nil {
			return nil, err
		}
		if held.Valid && held.Owner == owner {
			list = append(list, Owned{key, held})
		}
	}
	return list, nil
}

// maxOwned is how many accounts of one owner are looked at: each costs who makes it its rent.
const maxOwned = 1_000

// Token reports whether the account belongs to a token program.
func (r *Account) Token() bool {
	return r != nil && (r.Owner == solanago.TokenProgramID.String() || r.Owner == solanago.Token2022ProgramID.String())
}

// Mint is a mint as it is on the chain; its Program is zero where there is none.
type Mint struct {
	Program  solanago.PublicKey
	Decimals byte
}

// Mint reads a mint of either token program.
func (w *Client) Mint(ctx context.Context, key solanago.PublicKey) (Mint, error) {
	list, err := w.Mints(ctx, []solanago.PublicKey{key})
	if err != nil {
		return Mint{}, err
	}
	return list[0], nil
}

// Mints reads some mints of either token program.
func (w *Client) Mints(ctx context.Context, keys []solanago.PublicKey) ([]Mint, error) {
	list := make([]Mint, len(keys))
	err := Each(ctx, keys, AccountsPerCall, func(ctx context.Context, part []solanago.PublicKey, at int) error {
		got, _, err := w.Accounts(ctx, part, 0)
		if err != nil {
			return err
		}
		for i, r := range got {
			if list[at+i], err = r.mint(part[i]); err != nil {
				return err
			}
		}
		return nil
	})
	return list, err
}

func (r *Account) mint(key solanago.PublicKey) (Mint, error) {
	if !r.Token() {
		return Mint{}, nil
	}
	program, err := solanago.PublicKeyFromBase58(r.Owner)
	if err != nil {
		return Mint{}, Malformed("owner of %s", key)
	}
	data, err := base64.StdEncoding.DecodeString(r.Data[0])
	if err != nil {
		return Mint{}, Malformed("data of %s", key)
	}
	// A mint of Token-2022 with extensions has the length of an account, and then a byte for its kind.
	long := len(data) > TokenAccountSize && data[TokenAccountSize] == kindMint
	if len(data) != mintSize && !long || data[offsetMintReady] != 1 {
		return Mint{}, nil
	}
	return Mint{Program: program, Decimals: data[offsetDecimals]}, nil
}
