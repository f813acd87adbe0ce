package solana

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"sync"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain/solana/rpc"
)

// accountsPerCall is the limit of getMultipleAccounts.
const accountsPerCall = 100

// Sizes and offsets of the token program's accounts.
const (
	tokenAccountSize = 165
	mintSize         = 82
	offsetOwner      = 32
	offsetAmount     = 64
	offsetState      = 108
	offsetDecimals   = 44
	offsetMintReady  = 45
	// kindMint and kindAccount are the byte after tokenAccountSize bytes in an account of Token-2022 that has
	// extensions.
	kindMint, kindAccount = 1, 2
)

// rawAccount is an account as a node returns it.
type rawAccount struct {
	Lamports   uint64    `json:"lamports"`
	Owner      string    `json:"owner"`
	Executable bool      `json:"executable"`
	Data       [2]string `json:"data"` // content, "base64"
}

// accounts reads accounts as of the slot or later, in order; an account that does not exist is nil. It also
// returns the slot of the answer.
func (e *endpoint) accounts(
	ctx context.Context, keys []solanago.PublicKey, slot uint64,
) ([]*rawAccount, uint64, error) {
	var answer struct {
		Context struct {
			Slot uint64 `json:"slot"`
		} `json:"context"`
		Value []*rawAccount `json:"value"`
	}
	texts := make([]string, len(keys))
	for i, k := range keys {
		texts[i] = k.String()
	}
	err := e.Ask(
		ctx, &answer, "getMultipleAccounts", texts,
		rpc.Options{"encoding": "base64", "commitment": rpc.Confirmed, "minContextSlot": slot},
	)
	if err != nil {
		return nil, 0, err
	}
	if answer.Context.Slot < slot {
		return nil, 0, rpc.Lagging("accounts are of slot %d, not %d", answer.Context.Slot, slot)
	}
	if len(answer.Value) != len(keys) {
		return nil, 0, rpc.Malformed("%d accounts instead of %d", len(answer.Value), len(keys))
	}
	return answer.Value, answer.Context.Slot, nil
}

// holding is the content of a token account.
type holding struct {
	exists bool
	valid  bool // an initialized account of the token program
	mint   solanago.PublicKey
	owner  solanago.PublicKey
	amount uint64
	frozen bool
}

// holding decodes a token account. Any other account, or one of another program, holds nothing.
func (r *rawAccount) holding() (holding, error) { return r.holdingOf(solanago.TokenProgramID) }

// holdingOf is holding for accounts of either token program.
func (r *rawAccount) holdingOf(program solanago.PublicKey) (holding, error) {
	if r == nil {
		return holding{}, nil
	}
	data, err := base64.StdEncoding.DecodeString(r.Data[0])
	if err != nil {
		return holding{}, rpc.Malformed("data of an account")
	}
	long := program == solanago.Token2022ProgramID && len(data) > tokenAccountSize &&
		data[tokenAccountSize] == kindAccount
	if r.Owner != program.String() || len(data) != tokenAccountSize && !long || data[offsetState] == 0 {
		return holding{exists: true}, nil
	}
	return holding{
		exists: true, valid: true,
		mint: solanago.PublicKey(data[:offsetOwner]), owner: solanago.PublicKey(data[offsetOwner:offsetAmount]),
		amount: binary.LittleEndian.Uint64(data[offsetAmount:]), frozen: data[offsetState] == stateFrozen,
	}, nil
}

// stateFrozen is the state of a token account that its issuer has frozen.
const stateFrozen = 2

// decimals returns the decimals of a mint of the token program; ok is false if the account is none.
func (r *rawAccount) decimals() (int, bool) {
	if r == nil || r.Owner != solanago.TokenProgramID.String() {
		return 0, false
	}
	data, err := base64.StdEncoding.DecodeString(r.Data[0])
	if err != nil || len(data) != mintSize || data[offsetMintReady] != 1 {
		return 0, false
	}
	return int(data[offsetDecimals]), true
}

// associated returns the associated token account of an owner, who may be off the curve, for a mint of the
// token program.
func associated(owner, mint solanago.PublicKey) solanago.PublicKey {
	return associatedOf(owner, mint, solanago.TokenProgramID)
}

// associatedOf is associated for a mint of either token program.
func associatedOf(owner, mint, program solanago.PublicKey) solanago.PublicKey {
	ata, _, err := solanago.FindAssociatedTokenAddressWithProgram(owner, mint, program)
	if err != nil {
		// no bump seed gives an address off the curve: practically impossible, and such an account cannot be paid
		return solanago.PublicKey{}
	}
	return ata
}

// holdings reads any number of token accounts as of the slot or later.
func (e *endpoint) holdings(ctx context.Context, keys []solanago.PublicKey, slot uint64) ([]holding, error) {
	all := make([]holding, len(keys))
	err := rpc.Each(ctx, keys, accountsPerCall, func(ctx context.Context, part []solanago.PublicKey, at int) error {
		got, _, err := e.accounts(ctx, part, slot)
		if err != nil {
			return err
		}
		for i, r := range got {
			if all[at+i], err = r.holding(); err != nil {
				return err
			}
		}
		return nil
	})
	return all, err
}

// addressCache caches associated accounts, because deriving one takes several hashes and curve checks.
type addressCache struct {
	mu    sync.Mutex
	known map[[2]solanago.PublicKey]solanago.PublicKey
}

// knownAddresses bounds the cache; a full one is emptied.
const knownAddresses = 1 << 18

func (b *addressCache) associated(owner, mint solanago.PublicKey) solanago.PublicKey {
	b.mu.Lock()
	defer b.mu.Unlock()
	at := [2]solanago.PublicKey{owner, mint}
	if ata, ok := b.known[at]; ok {
		return ata
	}
	if b.known == nil || len(b.known) >= knownAddresses {
		b.known = make(map[[2]solanago.PublicKey]solanago.PublicKey)
	}
	ata := associated(owner, mint)
	b.known[at] = ata
	return ata
}

// less orders keys.
func less(a, b solanago.PublicKey) int { return bytes.Compare(a[:], b[:]) }
