package solana_test

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"reflect"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/sandbox/devsol"
)

// world is an engine with accounts whose keys are the same on every runtime.
type world struct {
	*bank
	alice, bob    solanago.PrivateKey
	usd, eur      solanago.PublicKey
	spare         solanago.PrivateKey // nothing is there
	a, b, ae      solanago.PublicKey  // accounts of Alice and Bob in USD, of Alice in EUR
	payer         solanago.PublicKey
	usdKey, eurKy solanago.PrivateKey
}

// worlds are the development ledger and the real runtime in the same state: Alice has 1,000 units of each
// token, Bob has an empty account.
func worlds(t *testing.T) (simulated, runtime *world) {
	t.Helper()
	l := startLedger(t, devsol.Config{LamportsPerByte: surfpoolRent})
	s := startSurfpool(t)
	proto := world{alice: newKey(t), bob: newKey(t), spare: newKey(t), usdKey: newKey(t), eurKy: newKey(t)}
	payer := newKey(t)
	return newWorld(t, proto, payer, l, l.Faucet()), newWorld(t, proto, payer, s, s.rich)
}

func newWorld(t *testing.T, w world, payer solanago.PrivateKey, c cluster, rich solanago.PrivateKey) *world {
	t.Helper()
	rent := func(size int) uint64 { return uint64(size+128) * surfpoolRent }
	w.bank = &bank{cluster: c, t: t, rich: rich, rent: rent}
	w.mustSend([]solanago.Instruction{
		transferSOL(rich.PublicKey(), payer.PublicKey(), 2*solanago.LAMPORTS_PER_SOL),
		transferSOL(rich.PublicKey(), w.alice.PublicKey(), solanago.LAMPORTS_PER_SOL),
	})
	c.Seal(1)
	w.rich, w.payer = payer, payer.PublicKey()
	w.usd, w.eur = w.usdKey.PublicKey(), w.eurKy.PublicKey()
	w.a, w.b, w.ae = ata(w.alice.PublicKey(), w.usd), ata(w.bob.PublicKey(), w.usd), ata(w.alice.PublicKey(), w.eur)
	for _, mint := range []solanago.PrivateKey{w.usdKey, w.eurKy} {
		account := ata(w.alice.PublicKey(), mint.PublicKey())
		w.mustSend([]solanago.Instruction{
			createAccount(w.payer, mint.PublicKey(), rent(82), 82, solanago.TokenProgramID),
			initializeMint(mint.PublicKey(), w.payer, 6),
			createATA(w.payer, w.alice.PublicKey(), mint.PublicKey()),
			mintTo(mint.PublicKey(), account, w.payer, 1_000),
		}, mint)
		c.Seal(1)
	}
	w.mustSend([]solanago.Instruction{createATA(w.payer, w.bob.PublicKey(), w.usd)})
	c.Seal(1)
	return &w
}

// outcome is what a transaction did, without the details that engines may differ in.
type outcome struct {
	Refused   any // by the simulation before sending
	Err       any
	Fee       uint64
	Pre, Post map[string]int64
	Before    map[string]holding
	After     map[string]holding
}

type holding struct{ Mint, Owner, Program, Amount string }

// run sends the instructions and returns their outcome.
func (w *world) run(t *testing.T, list []solanago.Instruction, signers ...solanago.PrivateKey) outcome {
	t.Helper()
	tx, raw := w.sign(list, signers...)
	var o outcome
	o.Refused = w.simulate(t, raw)
	w.Send(raw)
	w.Seal(1)
	o.read(t, w, tx.Signatures[0].String())
	return o
}

// simulate returns why the engine would refuse signed bytes, or nil.
func (w *world) simulate(t *testing.T, raw []byte) any {
	t.Helper()
	var answer struct {
		Value struct {
			Err any `json:"err"`
		} `json:"value"`
	}
	call(t, w.URL(), &answer, "simulateTransaction", base64.StdEncoding.EncodeToString(raw),
		map[string]any{"encoding": "base64", "sigVerify": true, "commitment": "processed"})
	return answer.Value.Err
}

func (o *outcome) read(t *testing.T, w *world, signature string) {
	t.Helper()
	type balance struct {
		AccountIndex           int
		Mint, Owner, ProgramID string
		UITokenAmount          struct{ Amount string } `json:"uiTokenAmount"`
	}
	var tx *struct {
		Meta struct {
			Err                       any
			Fee                       uint64
			PreBalances, PostBalances []int64
			PreTokenBalances          []balance
			PostTokenBalances         []balance
		}
		Transaction struct {
			Message struct{ AccountKeys []string }
		}
	}
	call(t, w.URL(), &tx, "getTransaction", signature, map[string]any{"encoding": "json", "commitment": "confirmed", "maxSupportedTransactionVersion": 1})
	if tx == nil {
		return
	}
	o.Err, o.Fee = tx.Meta.Err, tx.Meta.Fee
	o.Pre, o.Post = make(map[string]int64), make(map[string]int64)
	keys := tx.Transaction.Message.AccountKeys
	for i, k := range keys {
		if w.ours(k) {
			o.Pre[k], o.Post[k] = tx.Meta.PreBalances[i], tx.Meta.PostBalances[i]
		}
	}
	list := func(from []balance, lamports []int64) map[string]holding {
		all := make(map[string]holding)
		for _, b := range from {
			if lamports[b.AccountIndex] > 0 { // the real runtime lists accounts it has just closed
				all[keys[b.AccountIndex]] = holding{b.Mint, b.Owner, b.ProgramID, b.UITokenAmount.Amount}
			}
		}
		return all
	}
	o.Before = list(tx.Meta.PreTokenBalances, tx.Meta.PreBalances)
	o.After = list(tx.Meta.PostTokenBalances, tx.Meta.PostBalances)
}

// ours reports whether the account is one of the test's: the accounts of programs differ between engines.
func (w *world) ours(key string) bool {
	for _, program := range []solanago.PublicKey{
		solanago.SystemProgramID, solanago.TokenProgramID, solanago.SPLAssociatedTokenAccountProgramID,
		solanago.ComputeBudget, solanago.MemoProgramID,
	} {
		if program.String() == key {
			return false
		}
	}
	return true
}

// TestParity compares the development ledger with the real runtime: the same instructions on the same
// accounts have the same effects, failures and costs.
func TestParity(t *testing.T) {
	t.Parallel()
	simulated, runtime := worlds(t)
	for _, c := range parityCases {
		t.Run(c.name, func(t *testing.T) {
			got := simulated.run(t, c.list(simulated), c.signers(simulated)...)
			want := runtime.run(t, c.list(runtime), c.signers(runtime)...)
			if !reflect.DeepEqual(got, want) {
				gotText, _ := json.MarshalIndent(got, "", " ")
				wantText, _ := json.MarshalIndent(want, "", " ")
				t.Errorf("the ledger does\n%s\nand the runtime\n%s", gotText, wantText)
			}
			if fails := want.Err != nil; fails != c.fails {
				t.Errorf("on the runtime it fails with %v", want.Err)
			}
		})
	}
}

// parityCase is one transaction; the cases build on each other.
type parityCase struct {
	name  string
	fails bool
	list  func(w *world) []solanago.Instruction
	by    func(w *world) []solanago.PrivateKey
}

func (c parityCase) signers(w *world) []solanago.PrivateKey {
	if c.by == nil {
		return []solanago.PrivateKey{w.alice}
	}
	return c.by(w)
}

func does(name string, list func(w *world) []solanago.Instruction) parityCase {
	return parityCase{name: name, list: list}
}

func fails(name string, list func(w *world) []solanago.Instruction) parityCase {
	return parityCase{name: name, list: list, fails: true}
}

func one(f func(w *world) solanago.Instruction) func(w *world) []solanago.Instruction {
	return func(w *world) []solanago.Instruction { return []solanago.Instruction{f(w)} }
}

func (w *world) pk() solanago.PublicKey { return w.alice.PublicKey() }

// unsigned removes the signature that an instruction asks for.
func unsigned(i solanago.Instruction) solanago.Instruction {
	data, _ := i.Data()
	var accounts []*solanago.AccountMeta
	for _, m := range i.Accounts() {
		accounts = append(accounts, &solanago.AccountMeta{PublicKey: m.PublicKey, IsWritable: m.IsWritable})
	}
	return solanago.NewInstruction(i.ProgramID(), accounts, data)
}

// readonly removes the right to write.
func readonly(i solanago.Instruction) solanago.Instruction {
	data, _ := i.Data()
	var accounts []*solanago.AccountMeta
	for _, m := range i.Accounts() {
		accounts = append(accounts, &solanago.AccountMeta{PublicKey: m.PublicKey, IsSigner: m.IsSigner})
	}
	return solanago.NewInstruction(i.ProgramID(), accounts, data)
}

func budgetOf(kind byte, data []byte) solanago.Instruction {
	return solanago.NewInstruction(solanago.ComputeBudget, nil, append([]byte{kind}, data...))
}

var parityCases = []parityCase{
	does("SystemTransfer", one(func(w *world) solanago.Instruction { return transferSOL(w.pk(), w.bob.PublicKey(), 5_000_000) })),
	does("SystemTransferNothing", one(func(w *world) solanago.Instruction { return transferSOL(w.pk(), w.bob.PublicKey(), 0) })),
	fails("SystemTransferTooMuch", one(func(w *world) solanago.Instruction {
		return transferSOL(w.pk(), w.bob.PublicKey(), 5*solanago.LAMPORTS_PER_SOL)
	})),
	fails("SystemTransferBelowRent", one(func(w *world) solanago.Instruction { return transferSOL(w.pk(), w.spare.PublicKey(), 1_000) })),
	fails("SystemTransferUnsigned", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			unsigned(transferSOL(w.bob.PublicKey(), w.payer, 1_000)), transferSOL(w.pk(), w.payer, 1),
		}
	}),
	fails("SystemTransferOfTokenAccount", one(func(w *world) solanago.Instruction { return transferSOL(w.usd, w.payer, 1) })).with(
		func(w *world) []solanago.PrivateKey { return []solanago.PrivateKey{w.usdKey} }),
	fails("CreateAccountThatExists", one(func(w *world) solanago.Instruction {
		return createAccount(w.payer, w.pk(), w.rent(165), 165, solanago.TokenProgramID)
	})),
	fails("SystemGarbled", one(func(w *world) solanago.Instruction {
		return system(
			2, []*solanago.AccountMeta{solanago.Meta(w.pk()).WRITE().SIGNER(), solanago.Meta(w.payer).WRITE()}, 1, 2,
		)
	})),

	does("Transfer", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 100) })),
	does("TransferNothing", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 0) })),
	does("TransferToItself", one(func(w *world) solanago.Instruction { return transfer(w.a, w.a, w.pk(), 10) })),
	fails("TransferTooMuch", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 5_000) })),
	fails("TransferOfAnother", one(func(w *world) solanago.Instruction { return transfer(w.b, w.a, w.pk(), 1) })),
	fails("TransferOtherMint", one(func(w *world) solanago.Instruction { return transfer(w.ae, w.b, w.pk(), 1) })),
	fails("TransferUnsigned", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			unsigned(transfer(w.b, w.a, w.bob.PublicKey(), 1)), transferSOL(w.pk(), w.payer, 1),
		}
	}),
	fails("TransferReadonly", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{readonly(transfer(w.a, w.b, w.pk(), 1))}
	}),
	fails("TransferToWallet", one(func(w *world) solanago.Instruction { return transfer(w.a, w.bob.PublicKey(), w.pk(), 1) })),
	fails("TransferToNothing", one(func(w *world) solanago.Instruction { return transfer(w.a, w.spare.PublicKey(), w.pk(), 1) })),
	fails("TransferGarbled", one(func(w *world) solanago.Instruction {
		return tokens(
			[]byte{3, 1}, solanago.Meta(w.a).WRITE(), solanago.Meta(w.b).WRITE(), solanago.Meta(w.pk()).SIGNER(),
		)
	})),
	does("TransferChecked", one(func(w *world) solanago.Instruction { return transferChecked(w.a, w.usd, w.b, w.pk(), 100, 6) })),
	fails("TransferCheckedDecimals", one(func(w *world) solanago.Instruction { return transferChecked(w.a, w.usd, w.b, w.pk(), 1, 9) })),
	fails("TransferCheckedMint", one(func(w *world) solanago.Instruction { return transferChecked(w.a, w.eur, w.b, w.pk(), 1, 6) })),
	fails("AllOrNothing", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{transfer(w.a, w.b, w.pk(), 1), transfer(w.a, w.b, w.pk(), 5_000)}
	}),

	does("CreateIdempotentThatExists", one(func(w *world) solanago.Instruction { return createATA(w.payer, w.bob.PublicKey(), w.usd) })),
	does("Create", one(func(w *world) solanago.Instruction {
		return associatedWith([]byte{0}, w.payer, w.bob.PublicKey(), w.eur)
	})),
	does("CreateWithoutData", one(func(w *world) solanago.Instruction { return associatedWith(nil, w.payer, w.payer, w.eur) })),
	fails("CreateThatExists", one(func(w *world) solanago.Instruction {
		return associatedWith([]byte{0}, w.payer, w.bob.PublicKey(), w.eur)
	})),
	does("CreateOffCurve", one(func(w *world) solanago.Instruction { return createATA(w.payer, ata(w.pk(), w.usd), w.eur) })),
	fails("CreateOfNoMint", one(func(w *world) solanago.Instruction { return createATA(w.payer, w.pk(), w.bob.PublicKey()) })),
	fails("CreateElsewhere", one(func(w *world) solanago.Instruction {
		i := createATA(w.payer, w.spare.PublicKey(), w.usd)
		i.Accounts()[1].PublicKey = ata(w.spare.PublicKey(), w.eur)
		return i
	})),
	does("CreateOnDust", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			transferSOL(w.payer, ata(w.spare.PublicKey(), w.usd), 1_000_000),
			createATA(w.payer, w.spare.PublicKey(), w.usd),
		}
	}),

	does("MintTo", one(func(w *world) solanago.Instruction { return mintTo(w.usd, w.b, w.payer, 50) })),
	fails("MintToByAnother", one(func(w *world) solanago.Instruction { return mintTo(w.usd, w.b, w.pk(), 50) })),
	fails("MintToOtherMint", one(func(w *world) solanago.Instruction { return mintTo(w.eur, w.b, w.payer, 50) })),

	fails("CloseWithBalance", one(func(w *world) solanago.Instruction { return closeAccount(w.a, w.payer, w.pk()) })),
	fails("CloseOfAnother", one(func(w *world) solanago.Instruction {
		return closeAccount(ata(w.bob.PublicKey(), w.eur), w.payer, w.pk())
	})),
	does("EmptyAndClose", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			transferChecked(w.ae, w.eur, ata(w.bob.PublicKey(), w.eur), w.pk(), 1_000, 6),
			closeAccount(w.ae, w.payer, w.pk()),
		}
	}),
	fails(
		"TransferFromClosed",
		one(func(w *world) solanago.Instruction { return transfer(w.ae, ata(w.bob.PublicKey(), w.eur), w.pk(), 1) }),
	),
	does("ReopenPayClose", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			createATA(w.payer, w.pk(), w.eur), mintTo(w.eur, w.ae, w.payer, 7),
			transfer(w.ae, ata(w.bob.PublicKey(), w.eur), w.pk(), 7), closeAccount(w.ae, w.pk(), w.pk()),
		}
	}),

	does("Freeze", one(func(w *world) solanago.Instruction { return freeze(w.b, w.usd, w.payer) })),
	fails("FreezeTwice", one(func(w *world) solanago.Instruction { return freeze(w.b, w.usd, w.payer) })),
	fails("TransferToFrozen", one(func(w *world) solanago.Instruction { return transfer(w.a, w.b, w.pk(), 1) })),
	does("Thaw", one(func(w *world) solanago.Instruction {
		return tokens([]byte{11}, solanago.Meta(w.b).WRITE(), solanago.Meta(w.usd), solanago.Meta(w.payer).SIGNER())
	})),
	does("SetOwner", one(func(w *world) solanago.Instruction { return setOwner(w.a, w.pk(), w.bob.PublicKey()) })),
	fails("SetOwnerByFormer", one(func(w *world) solanago.Instruction { return setOwner(w.a, w.pk(), w.pk()) })),

	does("Memo", one(func(w *world) solanago.Instruction {
		return solanago.NewInstruction(
			solanago.MemoProgramID, solanago.AccountMetaSlice{solanago.Meta(w.pk()).SIGNER()}, []byte("order 7"),
		)
	})),
	fails("MemoUnsigned", one(func(w *world) solanago.Instruction {
		return solanago.NewInstruction(
			solanago.MemoProgramID, solanago.AccountMetaSlice{solanago.Meta(w.bob.PublicKey())}, []byte("order 7"),
		)
	})),
	does("ComputeLimit", func(w *world) []solanago.Instruction {
		return []solanago.Instruction{
			budgetOf(2, binary.LittleEndian.AppendUint32(nil, 100_000)), transferSOL(w.pk(), w.payer, 1),
		}
	}),
	fails("TokenUnknownInstruction", one(func(w *world) solanago.Instruction {
		return tokens([]byte{200}, solanago.Meta(w.a).WRITE())
	})),
}

func (c parityCase) with(by func(w *world) []solanago.PrivateKey) parityCase {
	c.by = by
	return c
}

// TestParity_Refused: both engines refuse the same transactions before inclusion, for the same reason.
func TestParity_Refused(t *testing.T) {
	t.Parallel()
	simulated, runtime := worlds(t)
	poor := newKey(t)
	signed := func(w *world, payer solanago.PrivateKey, hash solanago.Hash, list ...solanago.Instruction) []byte {
		tx, err := solanago.NewTransaction(list, hash, solanago.TransactionPayer(payer.PublicKey()))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := tx.Sign(func(k solanago.PublicKey) *solanago.PrivateKey {
			for _, s := range []solanago.PrivateKey{payer, w.alice} {
				if s.PublicKey() == k {
					return &s
				}
			}
			return nil
		}); err != nil {
			t.Fatal(err)
		}
		raw, err := tx.MarshalBinary()
		if err != nil {
			t.Fatal(err)
		}
		return raw
	}
	cases := map[string]func(w *world) []byte{
		"NoFeePayer": func(w *world) []byte {
			return signed(w, poor, w.Blockhash(), transferSOL(w.pk(), w.payer, 1))
		},
		"UnknownBlockhash": func(w *world) []byte {
			return signed(w, w.rich, solanago.Hash{1, 2, 3}, transferSOL(w.pk(), w.payer, 1))
		},
		"UnknownProgram": func(w *world) []byte {
			return signed(w, w.rich, w.Blockhash(), solanago.NewInstruction(poor.PublicKey(), nil, nil))
		},
		"FeePayerIsToken": func(w *world) []byte {
			return signed(w, w.usdKey, w.Blockhash(), transferSOL(w.pk(), w.payer, 1))
		},
	}
	for name, build := range cases {
		t.Run(name, func(t *testing.T) {
			got, want := simulated.simulate(t, build(simulated)), runtime.simulate(t, build(runtime))
			if want == nil || !reflect.DeepEqual(got, want) {
				t.Errorf("the ledger refuses with %v, the runtime with %v", got, want)
			}
		})
	}
}
