package devsol

import (
	"encoding/binary"
	"math/big"
	"slices"
	"testing"

	solana "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/testkit"
)

// cast is the accounts of a fuzzed transaction. Only the thief signs.
type cast struct {
	keys   []solana.PublicKey
	thief  solana.PublicKey
	victim solana.PublicKey
}

// stage is a ledger on which thief and victim hold SOL and tokens.
func stage(tb testing.TB) (*Ledger, cast) {
	tb.Helper()
	l, err := Start(Config{})
	testkit.Must(tb, err)
	tb.Cleanup(func() { _ = l.Close() })
	thief, victim := solana.PublicKey{1, 2, 3}, solana.PublicKey{4, 5, 6}
	mint := l.Tokens().USDT
	for _, k := range []solana.PublicKey{thief, victim} {
		if _, err := l.FundSOL(k, solana.LAMPORTS_PER_SOL); err != nil {
			tb.Fatal(err)
		}
		if _, err := l.Mint(mint, k, 1_000_000); err != nil {
			tb.Fatal(err)
		}
	}
	testkit.Must(tb, l.Seal(1))
	account := func(of, mint solana.PublicKey) solana.PublicKey {
		at, _, err := solana.FindAssociatedTokenAddress(of, mint)
		testkit.Must(tb, err)
		return at
	}
	other := l.Tokens().USDC
	return l, cast{thief: thief, victim: victim, keys: []solana.PublicKey{
		thief, victim, account(thief, mint), account(victim, mint), account(thief, other), account(victim, other), mint,
		other,
		solana.SystemProgramID, solana.TokenProgramID, solana.SPLAssociatedTokenAccountProgramID, solana.ComputeBudget,
		solana.MemoProgramID,
		l.Faucet().PublicKey(),
		{7, 8, 9},
	}}
}

// script reads bytes as a transaction that the thief alone has signed: for each
// instruction the program, how many accounts and which, how many bytes of data
// and the data.
func (c cast) script(b []byte) *solana.Transaction {
	take := func() byte {
		if len(b) == 0 {
			return 0
		}
		x := b[0]
		b = b[1:]
		return x
	}
	m := solana.Message{AccountKeys: c.keys, Header: solana.MessageHeader{NumRequiredSignatures: 1}}
	for len(b) > 0 && len(m.Instructions) < 8 {
		ix := solana.CompiledInstruction{ProgramIDIndex: uint16(8 + take()%5)}
		for range take() % 8 {
			ix.Accounts = append(ix.Accounts, uint16(int(take())%len(c.keys)))
		}
		n := min(int(take()), len(b))
		ix.Data, b = append(ix.Data, b[:n]...), b[n:]
		m.Instructions = append(m.Instructions, ix)
	}
	return &solana.Transaction{Message: m, Signatures: []solana.Signature{{1}}}
}

// sum adds up all SOL, and all of the mint that accounts hold, after a change.
func sum(
	l *Ledger, changed map[solana.PublicKey]Account, keys []solana.PublicKey, mint solana.PublicKey,
) (lamports, units uint64) {
	for _, k := range keys {
		a, ok := changed[k]
		if !ok {
			a = l.account(k)
		}
		lamports += a.Lamports
		if t, ok := readToken(a); ok && t.mint == mint {
			units += t.amount
		}
	}
	return lamports, units
}

// executeSeeds adds transfers, closes, mints, a change of owner and expensive or empty transactions.
func executeSeeds(f *testing.F, c cast) {
	f.Helper()
	transfer := func(from, to byte, units uint64) []byte {
		data := binary.LittleEndian.AppendUint64([]byte{tokenTransfer}, units)
		return append([]byte{1, 3, from, to, 0, byte(len(data))}, data...)
	}
	lamports := binary.LittleEndian.AppendUint64(nil, 5)
	price := binary.LittleEndian.AppendUint64([]byte{3, 0, 9, 3}, 1<<63)
	for _, seed := range [][]byte{
		{},
		transfer(2, 3, 7),
		transfer(3, 2, 7),
		transfer(2, 2, 1<<63),
		append(transfer(2, 3, 1_000_000), 1, 3, 2, 0, 0, 1, tokenClose),
		append([]byte{0, 2, 0, 1, 12, 2, 0, 0, 0}, lamports...),
		append([]byte{0, 2, 1, 0, 12, 2, 0, 0, 0}, lamports...),
		{2, 6, 0, 4, 0, 7, 8, 9, 1, 1},
		{1, 3, 6, 2, 0, 9, tokenMintTo, 255, 255, 255, 255, 255, 255, 255, 255},
		append(price, 3, 0, 5, 2, 255, 255, 255, 255),
		append([]byte{1, 2, 2, 0, 35, tokenSetAuthority, authorityOwner, 1}, c.victim[:]...),
		{4, 1, 1, 3, 'a', 'b', 'c'},
	} {
		f.Add(seed)
	}
}

// FuzzExecute: whatever the thief signs, no money is created, and no other account loses money or a right.
func FuzzExecute(f *testing.F) {
	l, c := stage(f)
	executeSeeds(f, c)
	mint := l.Tokens().USDT
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx := c.script(raw)
		r, changed, failed := l.config.execute(tx, l.account)
		if failed != nil {
			return // not included, not charged
		}
		touched := append([]solana.PublicKey(nil), c.keys...)
		before, held := sum(l, nil, touched, mint)
		after, holds := sum(l, changed, touched, mint)
		if before != after+r.fee || r.fee < lamportsPerSignature {
			t.Fatalf("%d lamports became %d and a fee of %d", before, after, r.fee)
		}
		price, limit, _ := computeBudget(&tx.Message)
		if want := exactFee(price, limit); !want.IsUint64() || want.Uint64() != r.fee {
			t.Fatalf("%d micro-lamports a unit for %d units cost %d lamports, not %s", price, limit, r.fee, want)
		}
		if held != holds {
			t.Fatalf("%d units became %d", held, holds)
		}
		for k := range changed {
			if !slices.Contains(touched, k) {
				t.Fatalf("%s was changed, which the transaction does not name", k)
			}
		}
		for _, k := range []solana.PublicKey{c.victim, c.keys[3], c.keys[13], mint} {
			was, is := l.account(k), l.account(k)
			if a, ok := changed[k]; ok {
				is = a
			}
			old, token := readToken(was)
			now, still := readToken(is)
			if is.Lamports < was.Lamports || is.Owner != was.Owner || token != still || token &&
				(now.amount < old.amount || now.owner != old.owner || now.state != old.state) {
				t.Fatalf("%s was %+v and is %+v", k, was, is)
			}
			if r.failed != nil && !is.equal(was) {
				t.Fatalf("a failed transaction changed %s", k)
			}
		}
	})
}

// exactFee is what one signature and so much compute cost, in lamports.
func exactFee(price, limit uint64) *big.Int {
	micros := new(big.Int).Mul(new(big.Int).SetUint64(price), new(big.Int).SetUint64(limit))
	micros.Add(micros, big.NewInt(microLamports-1))
	return micros.Div(micros, big.NewInt(microLamports)).Add(micros, big.NewInt(lamportsPerSignature))
}

// FuzzDecode: any bytes are refused, or are a transaction that can be executed and encodes to the same bytes again.
func FuzzDecode(f *testing.F) {
	l, c := stage(f)
	for _, script := range [][]byte{nil, {1, 3, 2, 3, 0, 9, tokenTransfer, 7, 0, 0, 0, 0, 0, 0, 0}, {4, 1, 0, 1, 'x'}} {
		tx := c.script(script)
		raw, err := tx.MarshalBinary()
		testkit.Must(f, err)
		f.Add(raw)
		f.Add(raw[:len(raw)-1])
		f.Add(append(raw, 0))
	}
	c.keys[14] = c.victim
	twice, err := c.script([]byte{4, 1, 0, 1, 'x'}).MarshalBinary()
	testkit.Must(f, err)
	f.Add(twice)
	f.Add([]byte{})
	f.Add([]byte{0})
	f.Add([]byte{255, 255, 255, 255, 255})
	f.Add([]byte{0x80, 0x80, 0x80, 0x80, 0x80})
	f.Fuzz(func(t *testing.T, raw []byte) {
		tx, err := decode(raw)
		if err != nil {
			return
		}
		if len(tx.Message.AccountKeys) == 0 || len(tx.Signatures) == 0 {
			t.Fatalf("%x is a transaction without signatures", raw)
		}
		seen := make(map[solana.PublicKey]bool)
		for _, k := range tx.Message.AccountKeys {
			if seen[k] {
				t.Fatalf("%x names %s twice", raw, k)
			}
			seen[k] = true
		}
		_, _, _ = l.config.execute(tx, l.account)
	})
}
