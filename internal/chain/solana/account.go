package solana

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/binary"
	"sync"

	solanago "github.com/gagliardetto/solana-go"
	"golang.org/x/sync/errgroup"
)

// Limits of questions about many things.
const (
	// accountsPerCall is what getMultipleAccounts takes at most.
	accountsPerCall = 100
	// statusesPerCall is what getSignatureStatuses takes at most.
	statusesPerCall = 256
	// signaturesPerPage is what getSignaturesForAddress gives at most.
	signaturesPerPage = 1_000
	// parallelCalls is how many calls are made to an endpoint in parallel.
	parallelCalls = 8
)

// Sizes and offsets of the token program's accounts.
const (
	tokenAccountSize = 165
	mintSize         = 82
	offsetOwner      = 32
	offsetAmount     = 64
	offsetState      = 108
	offsetDecimals   = 44
	offsetMintReady  = 45
	// kindMint and kindAccount stand after tokenAccountSize bytes where an
	// account of the newer token program has extensions.
	kindMint, kindAccount = 1, 2
)

// raw is an account as a node tells it.
type rawAccount struct {
	Lamports uint64    `json:"lamports"`
	Owner    string    `json:"owner"`
	Data     [2]string `json:"data"` // content, "base64"
}

// accounts reads accounts as of the slot or later, in order; an account that
// does not exist is nil. It returns the slot they were read at: the oldest one
// where it took several calls.
func (e *endpoint) accounts(ctx context.Context, keys []solanago.PublicKey, slot uint64) ([]*rawAccount, uint64, error) {
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
	err := e.ask(ctx, &answer, "getMultipleAccounts", texts, options{"encoding": "base64", "commitment": confirmed, "minContextSlot": slot})
	if err != nil {
		return nil, 0, err
	}
	if answer.Context.Slot < slot {
		return nil, 0, lagging("accounts are of slot %d, not %d", answer.Context.Slot, slot)
	}
	if len(answer.Value) != len(keys) {
		return nil, 0, malformed("%d accounts instead of %d", len(answer.Value), len(keys))
	}
	return answer.Value, answer.Context.Slot, nil
}

// holding is a token account: what it holds, and whose it is.
type holding struct {
	exists bool
	valid  bool // of the mint, of the token program, initialized
	mint   solanago.PublicKey
	owner  solanago.PublicKey
	amount uint64
	frozen bool
}

// holding reads a token account. What is not one, or of another program, holds
// nothing.
func (r *rawAccount) holding() (holding, error) { return r.holdingOf(solanago.TokenProgramID) }

// holdingOf is holding for accounts of either token program.
func (r *rawAccount) holdingOf(program solanago.PublicKey) (holding, error) {
	if r == nil {
		return holding{}, nil
	}
	data, err := base64.StdEncoding.DecodeString(r.Data[0])
	if err != nil {
		return holding{}, malformed("data of an account")
	}
	long := program == solanago.Token2022ProgramID && len(data) > tokenAccountSize && data[tokenAccountSize] == kindAccount
	if r.Owner != program.String() || len(data) != tokenAccountSize && !long || data[offsetState] == 0 {
		return holding{exists: true}, nil
	}
	return holding{
		exists: true, valid: true,
		mint: solanago.PublicKey(data[:offsetOwner]), owner: solanago.PublicKey(data[offsetOwner:offsetAmount]),
		amount: binary.LittleEndian.Uint64(data[offsetAmount:]), frozen: data[offsetState] == stateFrozen,
	}, nil
}

// stateFrozen is a token account that its issuer has frozen.
const stateFrozen = 2

// same reports whether nothing happened to an account between two looks.
func (r *rawAccount) same(o *rawAccount) bool {
	if r == nil || o == nil {
		return r == o
	}
	return *r == *o
}

// decimals reads a mint of the token program.
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

// associated returns the associated token account of an owner, who may be off
// the curve, for a mint of the token program.
func associated(owner, mint solanago.PublicKey) solanago.PublicKey {
	return associatedOf(owner, mint, solanago.TokenProgramID)
}

// associatedOf is associated for a mint of either token program.
func associatedOf(owner, mint, program solanago.PublicKey) solanago.PublicKey {
	ata, _, err := solanago.FindAssociatedTokenAddressWithProgram(owner, mint, program)
	if err != nil {
		return solanago.PublicKey{} // no bump of 255 is off the curve: never happens, and nobody can pay it
	}
	return ata
}

// each calls f for every part of the list, some at once.
func each[T any](ctx context.Context, list []T, size int, f func(ctx context.Context, part []T, at int) error) error {
	g, ctx := errgroup.WithContext(ctx)
	g.SetLimit(parallelCalls)
	for i := 0; i < len(list); i += size {
		g.Go(func() error { return f(ctx, list[i:min(i+size, len(list))], i) })
	}
	return g.Wait()
}

// holdings reads token accounts, any number of them, as of the slot or later.
func (e *endpoint) holdings(ctx context.Context, keys []solanago.PublicKey, slot uint64) ([]holding, error) {
	all := make([]holding, len(keys))
	err := each(ctx, keys, accountsPerCall, func(ctx context.Context, part []solanago.PublicKey, at int) error {
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

// addressCache remembers associated accounts, which take a while to derive.
type addressCache struct {
	mu    sync.Mutex
	known map[[2]solanago.PublicKey]solanago.PublicKey
}

// knownAddresses bounds the book; it is begun anew when it is full.
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
