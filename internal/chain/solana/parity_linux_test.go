package solana_test

import (
	"encoding/base64"
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
	call(
		t, w.URL(), &tx, "getTransaction", signature,
		map[string]any{"encoding": "json", "commitment": "confirmed", "maxSupportedTransactionVersion": 1},
	)
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
