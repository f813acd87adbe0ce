package devsol

import (
	"encoding/binary"
	"maps"
	"math"
	"math/bits"
	"slices"

	solana "github.com/gagliardetto/solana-go"
)

// Fees and limits of the cluster.
const (
	lamportsPerSignature = 5_000
	// maxTransactionSize is the size of a packet in bytes.
	maxTransactionSize = 1_232
	// blockhashAge is the number of blocks for which a blockhash is valid.
	blockhashAge = 150
	// unitsPerInstruction is the default compute budget of an instruction.
	unitsPerInstruction = 200_000
	maxUnits            = 1_400_000
	microLamports       = 1_000_000
)

// result is the outcome of an executed transaction.
type result struct {
	signature solana.Signature
	raw       []byte
	tx        *solana.Transaction
	slot      uint64
	failed    *failure
	fee       uint64
	units     uint64
	logs      []string
	pre, post map[solana.PublicKey]Account // all of its accounts
}

// view is the state that a transaction works on: the ledger's, with the transaction's changes.
type view struct {
	base    func(solana.PublicKey) Account
	changed map[solana.PublicKey]Account
}

func (v *view) get(k solana.PublicKey) Account {
	if a, ok := v.changed[k]; ok {
		return a
	}
	return v.base(k)
}

func (v *view) set(k solana.PublicKey, a Account) {
	if !a.exists() {
		a = missing()
	}
	v.changed[k] = a
}

// call is an instruction in execution.
type call struct {
	*view
	config  Config
	program solana.PublicKey
	keys    []meta
	data    []byte
}

// meta is an account of an instruction with its privileges.
type meta struct {
	solana.PublicKey
	signer, writable bool
}

// key returns the n-th account.
func (c *call) key(n int) meta { return c.keys[n] }

// account returns a copy of the n-th account.
func (c *call) account(n int) Account { return c.get(c.keys[n].PublicKey).clone() }

// put replaces the n-th account, which must be writable.
func (c *call) put(n int, a Account) any {
	if !c.keys[n].writable {
		return errReadonlyChanged
	}
	c.set(c.keys[n].PublicKey, a)
	return nil
}

// program executes an instruction; it returns nil or the content of an InstructionError.
type program func(c *call) any

// programs are the programs that the ledger simulates.
var programs = map[solana.PublicKey]program{
	solana.SystemProgramID:                    system,
	solana.TokenProgramID:                     token,
	solana.SPLAssociatedTokenAccountProgramID: associated,
	solana.ComputeBudget:                      budget,
	solana.MemoProgramID:                      memo,
}

// privileges lists the accounts of a message with their privileges.
func privileges(m *solana.Message) []meta {
	signed := int(m.Header.NumRequiredSignatures)
	all := make([]meta, len(m.AccountKeys))
	for i, k := range m.AccountKeys {
		all[i] = meta{PublicKey: k, signer: i < signed}
		if i < signed {
			all[i].writable = i < signed-int(m.Header.NumReadonlySignedAccounts)
		} else {
			all[i].writable = i < len(m.AccountKeys)-int(m.Header.NumReadonlyUnsignedAccounts)
		}
	}
	return all
}

// execute runs a transaction on the state. A failure that costs no fee is returned as such; one that does is
// in the result.
func (c Config) execute(
	tx *solana.Transaction, base func(solana.PublicKey) Account,
) (result, map[solana.PublicKey]Account, *failure) {
	all := privileges(&tx.Message)
	price, limit, failed := computeBudget(&tx.Message)
	if failed != nil {
		return result{}, nil, failed
	}
	r := result{signature: tx.Signatures[0], tx: tx, units: limit, pre: make(map[solana.PublicKey]Account)}
	r.fee = fee(len(tx.Signatures), price, limit)
	for _, m := range all {
		r.pre[m.PublicKey] = base(m.PublicKey)
	}
	for _, ix := range tx.Message.Instructions {
		if programs[all[ix.ProgramIDIndex].PublicKey] == nil {
			return result{}, nil, failProgram
		}
	}
	payer := r.pre[all[0].PublicKey]
	switch {
	case !payer.exists():
		return result{}, nil, failNoAccount
	case payer.Owner != solana.SystemProgramID || len(payer.Data) > 0:
		return result{}, nil, failFeePayer
	case payer.Lamports < r.fee:
		return result{}, nil, failFee
	case payer.Lamports-r.fee > 0 && payer.Lamports-r.fee < c.rentExempt(0):
		return result{}, nil, failRent(0)
	}
	paid := payer
	paid.Lamports -= r.fee
	v := &view{base: base, changed: map[solana.PublicKey]Account{all[0].PublicKey: paid}}
	charged := maps.Clone(v.changed)
	r.failed = c.run(tx, all, v, &r)
	if r.failed != nil {
		v.changed = charged
	}
	r.post = make(map[solana.PublicKey]Account)
	for _, m := range all {
		r.post[m.PublicKey] = v.get(m.PublicKey)
	}
	return r, v.changed, nil
}

// fee is the cost of a transaction in lamports. On overflow it is the highest number, which no account holds.
func fee(signatures int, price, limit uint64) uint64 {
	high, low := bits.Mul64(price, limit)
	low, carry := bits.Add64(low, microLamports-1, 0)
	if high += carry; high >= microLamports {
		return math.MaxUint64
	}
	units, _ := bits.Div64(high, low, microLamports)
	sum, carry := bits.Add64(units, uint64(signatures)*lamportsPerSignature, 0)
	if carry > 0 {
		return math.MaxUint64
	}
	return sum
}

// run executes the instructions one after the other, all or none.
func (c Config) run(tx *solana.Transaction, all []meta, v *view, r *result) *failure {
	for i, ix := range tx.Message.Instructions {
		id := all[ix.ProgramIDIndex].PublicKey
		one := &call{view: v, config: c, program: id, data: ix.Data}
		for _, at := range ix.Accounts {
			one.keys = append(one.keys, all[at])
		}
		r.logs = append(r.logs, "Program "+id.String()+" invoke [1]")
		if why := programs[id](one); why != nil {
			r.logs = append(r.logs, "Program "+id.String()+" failed")
			return atInstruction(i, why)
		}
		r.logs = append(r.logs, "Program "+id.String()+" success")
	}
	for i, m := range all {
		a := v.get(m.PublicKey)
		if before := r.pre[m.PublicKey]; a.exists() && a.Lamports < c.rentExempt(len(a.Data)) && !a.equal(before) {
			return failRent(i)
		}
	}
	return nil
}

// computeBudget returns the compute price in micro-lamports a unit, and the compute limit.
func computeBudget(m *solana.Message) (price, limit uint64, failed *failure) {
	others := uint64(0)
	seen := make(map[byte]bool)
	for i, ix := range m.Instructions {
		if m.AccountKeys[ix.ProgramIDIndex] != solana.ComputeBudget {
			others++
			continue
		}
		if len(ix.Data) == 0 {
			return 0, 0, atInstruction(i, errInvalidData)
		}
		kind := ix.Data[0]
		if seen[kind] {
			return 0, 0, &failure{map[string]int{"DuplicateInstruction": i}}
		}
		seen[kind] = true
		switch {
		case kind == 2 && len(ix.Data) >= 5:
			limit = min(uint64(binary.LittleEndian.Uint32(ix.Data[1:])), maxUnits)
		case kind == 3 && len(ix.Data) >= 9:
			price = binary.LittleEndian.Uint64(ix.Data[1:])
		case kind == 1 || kind == 4:
		default:
			return 0, 0, atInstruction(i, errInvalidData)
		}
	}
	if !seen[2] {
		limit = min(others*unitsPerInstruction, maxUnits)
	}
	return price, limit, nil
}

// budget does nothing: computeBudget has read the instruction before.
func budget(*call) any { return nil }

// memo accepts any text; accounts it names must have signed.
func memo(c *call) any {
	if slices.ContainsFunc(c.keys, func(m meta) bool { return !m.signer }) {
		return errMissingSigner
	}
	return nil
}
