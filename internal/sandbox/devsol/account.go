package devsol

import (
	"bytes"
	"encoding/binary"

	solana "github.com/gagliardetto/solana-go"
)

// Account is the content of an address.
type Account struct {
	Lamports   uint64
	Owner      solana.PublicKey // the program that may change it
	Data       []byte
	Executable bool
}

// missing is the account of an unused address.
func missing() Account { return Account{Owner: solana.SystemProgramID} }

func (a Account) exists() bool { return a.Lamports > 0 }

func (a Account) clone() Account {
	a.Data = bytes.Clone(a.Data)
	return a
}

func (a Account) equal(b Account) bool {
	return a.Lamports == b.Lamports && a.Owner == b.Owner && a.Executable == b.Executable && bytes.Equal(a.Data, b.Data)
}

// storageOverhead is what an account occupies beside its data, in bytes.
const storageOverhead = 128

// rentExempt is the minimum balance of an account of the size, in lamports.
func (c Config) rentExempt(size int) uint64 {
	return (uint64(size) + storageOverhead) * c.LamportsPerByte
}

// Layouts of the token program's accounts.
const (
	mintSize  = 82
	tokenSize = 165

	stateInitialized = 1
	stateFrozen      = 2
)

// mintAccount is a mint of the token program.
type mintAccount struct {
	authority *solana.PublicKey
	supply    uint64
	decimals  uint8
	freezer   *solana.PublicKey
}

func readMint(a Account) (mintAccount, bool) {
	if a.Owner != solana.TokenProgramID || len(a.Data) != mintSize || a.Data[45] != 1 {
		return mintAccount{}, false
	}
	return mintAccount{
		authority: optionalKey(a.Data[0:36]), supply: binary.LittleEndian.Uint64(a.Data[36:]),
		decimals: a.Data[44], freezer: optionalKey(a.Data[46:82]),
	}, true
}

func (m mintAccount) write() []byte {
	data := make([]byte, mintSize)
	putOptionalKey(data[0:36], m.authority)
	binary.LittleEndian.PutUint64(data[36:], m.supply)
	data[44], data[45] = m.decimals, 1
	putOptionalKey(data[46:82], m.freezer)
	return data
}

// tokenAccount is an account of the token program that holds tokens.
type tokenAccount struct {
	mint, owner solana.PublicKey
	amount      uint64
	state       byte
	closer      *solana.PublicKey // who may close it beside the owner
}

func readToken(a Account) (tokenAccount, bool) {
	if a.Owner != solana.TokenProgramID || len(a.Data) != tokenSize || a.Data[108] == 0 {
		return tokenAccount{}, false
	}
	return tokenAccount{
		mint: solana.PublicKey(a.Data[0:32]), owner: solana.PublicKey(a.Data[32:64]),
		amount: binary.LittleEndian.Uint64(a.Data[64:]), state: a.Data[108], closer: optionalKey(a.Data[129:165]),
	}, true
}

func (t tokenAccount) write() []byte {
	data := make([]byte, tokenSize)
	copy(data[0:], t.mint[:])
	copy(data[32:], t.owner[:])
	binary.LittleEndian.PutUint64(data[64:], t.amount)
	data[108] = t.state
	putOptionalKey(data[129:165], t.closer)
	return data
}

// optionalKey reads a COption<Pubkey>: a tag of four bytes, then the key.
func optionalKey(b []byte) *solana.PublicKey {
	if binary.LittleEndian.Uint32(b) == 0 {
		return nil
	}
	k := solana.PublicKey(b[4:36])
	return &k
}

func putOptionalKey(b []byte, k *solana.PublicKey) {
	if k != nil {
		binary.LittleEndian.PutUint32(b, 1)
		copy(b[4:], k[:])
	}
}
