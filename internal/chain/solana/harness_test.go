package solana_test

import (
	"crypto/ed25519"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
	"github.com/florinpay/florin/internal/money"
)

// unhurried is a rate at which no block is held back.
const unhurried = 1e9

// cluster is a ledger under the test's control: the development ledger or the real runtime.
type cluster interface {
	// URL is the address of its JSON-RPC server.
	URL() string
	// Blockhash is valid for a transaction now.
	Blockhash() solanago.Hash
	// Send queues a transaction for the next slot; none is refused.
	Send(raw []byte)
	// Seal makes n slots, the first with everything that was sent.
	Seal(n int)
	// Finalize makes slots until all earlier ones are final.
	Finalize()
}

// bank makes tokens and payments on a cluster, with an account that has SOL.
type bank struct {
	cluster
	t      *testing.T
	rich   solanago.PrivateKey
	rent   func(size int) uint64
	mints  map[chain.Address]solanago.PublicKey
	sent   int
	assets []chain.Asset // USDT, USDC, another one, a counterfeit
}

func newKey(t *testing.T) solanago.PrivateKey {
	t.Helper()
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	return solanago.PrivateKey(key)
}

// newBank makes four mints on the cluster.
func newBank(t *testing.T, c cluster, rich solanago.PrivateKey, rent func(size int) uint64) *bank {
	t.Helper()
	b := &bank{cluster: c, t: t, rich: rich, rent: rent, mints: make(map[chain.Address]solanago.PublicKey)}
	for _, a := range []struct {
		symbol string
		token  money.Token
	}{{"USDT", money.USDT}, {"USDC", money.USDC}, {"EURC", ""}, {"USDT", ""}} {
		mint := b.newMint(6)
		address := chain.Address(mint.String())
		b.mints[address] = mint
		b.assets = append(
			b.assets,
			chain.Asset{Network: chain.Solana, Contract: address, Symbol: a.symbol, Decimals: 6, Token: a.token},
		)
	}
	return b
}

// profile is Solana with the bank's tokens.
func (b *bank) profile() chain.Profile {
	for _, p := range chain.Profiles() {
		if p.Network == chain.Solana {
			p.Assets = b.assets[:3]
			return p
		}
	}
	b.t.Fatal("there is no profile of Solana")
	return chain.Profile{}
}

// mustSend signs and sends a transaction, paid by the bank, and returns its
// signature.
func (b *bank) mustSend(list []solanago.Instruction, signers ...solanago.PrivateKey) solanago.Signature {
	b.t.Helper()
	tx, raw := b.sign(list, signers...)
	b.Send(raw)
	return tx.Signatures[0]
}

// sign makes a unique transaction.
func (b *bank) sign(list []solanago.Instruction, signers ...solanago.PrivateKey) (*solanago.Transaction, []byte) {
	b.t.Helper()
	b.sent++
	list = append(list, solanago.NewInstruction(solanago.MemoProgramID, nil, fmt.Appendf(nil, "%d", b.sent)))
	tx, err := solanago.NewTransaction(list, b.Blockhash(), solanago.TransactionPayer(b.rich.PublicKey()))
	if err != nil {
		b.t.Fatal(err)
	}
	signers = append(signers, b.rich)
	if _, err := tx.Sign(func(k solanago.PublicKey) *solanago.PrivateKey {
		for _, s := range signers {
			if s.PublicKey() == k {
				return &s
			}
		}
		return nil
	}); err != nil {
		b.t.Fatal(err)
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		b.t.Fatal(err)
	}
	return tx, raw
}

func (b *bank) newMint(decimals byte) solanago.PublicKey {
	b.t.Helper()
	mint := newKey(b.t)
	b.mustSend([]solanago.Instruction{
		createAccount(b.rich.PublicKey(), mint.PublicKey(), b.rent(82), 82, solanago.TokenProgramID),
		initializeMint(mint.PublicKey(), b.rich.PublicKey(), decimals),
	}, mint)
	return mint.PublicKey()
}

// pays returns the instructions of a payment; they create the account if there is none.
func (b *bank) pays(p chaintest.Payment) []solanago.Instruction {
	mint, payer := b.mints[p.Asset.Contract], b.rich.PublicKey()
	from, to := ata(payer, mint), ata(solanago.PublicKey(p.To.Raw), mint)
	return []solanago.Instruction{
		createATA(payer, payer, mint), createATA(payer, solanago.PublicKey(p.To.Raw), mint),
		mintTo(mint, from, payer, p.Units), transferChecked(from, mint, to, payer, p.Units, 6),
	}
}

// watched is an owner as Florin watches it.
func watched(k solanago.PublicKey) chain.Watched { return chain.AddressOf(chain.Solana, k.Bytes()) }

func ata(owner, mint solanago.PublicKey) solanago.PublicKey {
	k, _, err := solanago.FindAssociatedTokenAddress(owner, mint)
	if err != nil {
		panic(err) // of our own making
	}
	return k
}

// Instructions in the layouts of the programs.

func system(kind uint32, accounts []*solanago.AccountMeta, rest ...byte) solanago.Instruction {
	return solanago.NewInstruction(
		solanago.SystemProgramID, accounts, append(binary.LittleEndian.AppendUint32(nil, kind), rest...),
	)
}

func createAccount(
	payer, account solanago.PublicKey, lamports, size uint64, owner solanago.PublicKey,
) solanago.Instruction {
	data := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(nil, lamports), size)
	return system(
		0, []*solanago.AccountMeta{solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(account).WRITE().SIGNER()},
		append(data, owner[:]...)...,
	)
}

func transferSOL(from, to solanago.PublicKey, lamports uint64) solanago.Instruction {
	return system(
		2, []*solanago.AccountMeta{solanago.Meta(from).WRITE().SIGNER(), solanago.Meta(to).WRITE()},
		binary.LittleEndian.AppendUint64(nil, lamports)...,
	)
}

func tokens(data []byte, accounts ...*solanago.AccountMeta) solanago.Instruction {
	return solanago.NewInstruction(solanago.TokenProgramID, accounts, data)
}

func initializeMint(mint, authority solanago.PublicKey, decimals byte) solanago.Instruction {
	data := append([]byte{20, decimals}, authority[:]...)
	data = append(append(data, 1), authority[:]...)
	return tokens(data, solanago.Meta(mint).WRITE())
}

func initializeAccount(account, mint, owner solanago.PublicKey) solanago.Instruction {
	return tokens(append([]byte{18}, owner[:]...), solanago.Meta(account).WRITE(), solanago.Meta(mint))
}

func mintTo(mint, account, authority solanago.PublicKey, units uint64) solanago.Instruction {
	return tokens(binary.LittleEndian.AppendUint64([]byte{7}, units),
		solanago.Meta(mint).WRITE(), solanago.Meta(account).WRITE(), solanago.Meta(authority).SIGNER())
}

func transfer(from, to, owner solanago.PublicKey, units uint64) solanago.Instruction {
	return tokens(binary.LittleEndian.AppendUint64([]byte{3}, units),
		solanago.Meta(from).WRITE(), solanago.Meta(to).WRITE(), solanago.Meta(owner).SIGNER())
}

func transferChecked(from, mint, to, owner solanago.PublicKey, units uint64, decimals byte) solanago.Instruction {
	return tokens(append(binary.LittleEndian.AppendUint64([]byte{12}, units), decimals),
		solanago.Meta(from).WRITE(), solanago.Meta(mint), solanago.Meta(to).WRITE(), solanago.Meta(owner).SIGNER())
}

func closeAccount(account, to, owner solanago.PublicKey) solanago.Instruction {
	return tokens([]byte{9}, solanago.Meta(account).WRITE(), solanago.Meta(to).WRITE(), solanago.Meta(owner).SIGNER())
}

func setOwner(account, owner, next solanago.PublicKey) solanago.Instruction {
	return tokens(append([]byte{6, 2, 1}, next[:]...), solanago.Meta(account).WRITE(), solanago.Meta(owner).SIGNER())
}

func freeze(account, mint, authority solanago.PublicKey) solanago.Instruction {
	return tokens([]byte{10}, solanago.Meta(account).WRITE(), solanago.Meta(mint), solanago.Meta(authority).SIGNER())
}

func createATA(payer, owner, mint solanago.PublicKey) solanago.Instruction {
	return associatedWith([]byte{1}, payer, owner, mint)
}

func associatedWith(data []byte, payer, owner, mint solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(ata(owner, mint)).WRITE(), solanago.Meta(owner),
		solanago.Meta(mint),
		solanago.Meta(solanago.SystemProgramID), solanago.Meta(solanago.TokenProgramID),
	}, data)
}
