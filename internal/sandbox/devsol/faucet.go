package devsol

import (
	"encoding/binary"
	"errors"
	"fmt"

	solana "github.com/gagliardetto/solana-go"
)

// Decimals of the ledger's tokens, as their namesakes have on mainnet.
const Decimals = 6

// Tokens are the ledger's mints.
type Tokens struct {
	USDT, USDC solana.PublicKey
	// Counterfeit has the displayed name USDT and is worthless.
	Counterfeit solana.PublicKey
}

// Tokens returns the ledger's mints.
func (l *Ledger) Tokens() Tokens {
	return Tokens{USDT: l.keys.usdt.PublicKey(), USDC: l.keys.usdc.PublicKey(), Counterfeit: l.keys.fake.PublicKey()}
}

// Faucet is the account that holds all SOL and may mint every token.
func (l *Ledger) Faucet() solana.PrivateKey { return l.keys.faucet }

// plenty is the total supply of SOL in lamports: 500 million SOL.
const plenty = 500_000_000 * solana.LAMPORTS_PER_SOL

// genesis creates the first accounts of a ledger.
func (l *Ledger) genesis() {
	l.head = firstSlot
	l.forks, l.skipped = nil, nil
	faucet := l.keys.faucet.PublicKey()
	l.state[faucet] = Account{Lamports: plenty, Owner: solana.SystemProgramID}
	for program := range programs {
		l.state[program] = Account{Lamports: 1, Owner: solana.BPFLoaderUpgradeableProgramID, Executable: true}
	}
	for _, mint := range []solana.PrivateKey{l.keys.usdt, l.keys.usdc, l.keys.fake} {
		l.state[mint.PublicKey()] = Account{
			Lamports: l.config.rentExempt(mintSize), Owner: solana.TokenProgramID,
			Data: mintAccount{authority: &faucet, decimals: Decimals, freezer: &faucet}.write(),
		}
	}
}

// Balance returns the lamports of an address.
func (l *Ledger) Balance(of solana.PublicKey) uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.working(of).Lamports
}

// FundSOL gives an address lamports and returns the signature.
func (l *Ledger) FundSOL(to solana.PublicKey, lamports uint64) (solana.Signature, error) {
	return l.fund(transferSOL(l.keys.faucet.PublicKey(), to, lamports))
}

// Mint gives the owner units of a mint on the associated account, which is created if needed, and returns the
// signature.
func (l *Ledger) Mint(mint, owner solana.PublicKey, units uint64) (solana.Signature, error) {
	faucet := l.keys.faucet.PublicKey()
	account, _, err := solana.FindAssociatedTokenAddress(owner, mint)
	if err != nil {
		return solana.Signature{}, err
	}
	return l.fund(createAssociated(faucet, account, owner, mint), mintTokens(mint, account, faucet, units))
}

// Pay gives the owner units of a mint as a customer does: by a transfer from an account of the faucet.
func (l *Ledger) Pay(mint, owner solana.PublicKey, units uint64) (solana.Signature, error) {
	faucet := l.keys.faucet.PublicKey()
	from, _, err := solana.FindAssociatedTokenAddress(faucet, mint)
	if err != nil {
		return solana.Signature{}, err
	}
	to, _, err := solana.FindAssociatedTokenAddress(owner, mint)
	if err != nil {
		return solana.Signature{}, err
	}
	return l.fund(
		createAssociated(faucet, from, faucet, mint), mintTokens(mint, from, faucet, units),
		createAssociated(faucet, to, owner, mint), transferTokens(from, mint, to, faucet, units),
	)
}

// fund sends a transaction of the faucet. A memo makes equal ones distinct.
func (l *Ledger) fund(list ...solana.Instruction) (solana.Signature, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return solana.Signature{}, errEnded
	}
	note := fmt.Sprintf("faucet %d", len(l.results))
	list = append(list, solana.NewInstruction(solana.MemoProgramID, nil, []byte(note)))
	tx, err := solana.NewTransaction(list, l.blockhash(l.head), solana.TransactionPayer(l.keys.faucet.PublicKey()))
	if err != nil {
		return solana.Signature{}, err
	}
	if _, err := tx.Sign(func(solana.PublicKey) *solana.PrivateKey { return &l.keys.faucet }); err != nil {
		return solana.Signature{}, err
	}
	raw, err := tx.MarshalBinary()
	if err != nil {
		return solana.Signature{}, err
	}
	r, failed := l.take(tx, raw, false)
	if failed != nil {
		return solana.Signature{}, failed
	}
	if r.failed != nil {
		return r.signature, r.failed
	}
	return r.signature, nil
}

func transferSOL(from, to solana.PublicKey, lamports uint64) solana.Instruction {
	data := binary.LittleEndian.AppendUint32(nil, 2)
	return solana.NewInstruction(solana.SystemProgramID, solana.AccountMetaSlice{
		solana.Meta(from).WRITE().SIGNER(), solana.Meta(to).WRITE(),
	}, binary.LittleEndian.AppendUint64(data, lamports))
}

func createAssociated(payer, account, owner, mint solana.PublicKey) solana.Instruction {
	return solana.NewInstruction(solana.SPLAssociatedTokenAccountProgramID, solana.AccountMetaSlice{
		solana.Meta(payer).WRITE().SIGNER(), solana.Meta(account).WRITE(), solana.Meta(owner), solana.Meta(mint),
		solana.Meta(solana.SystemProgramID), solana.Meta(solana.TokenProgramID),
	}, []byte{1})
}

func mintTokens(mint, account, authority solana.PublicKey, units uint64) solana.Instruction {
	return solana.NewInstruction(solana.TokenProgramID, solana.AccountMetaSlice{
		solana.Meta(mint).WRITE(), solana.Meta(account).WRITE(), solana.Meta(authority).SIGNER(),
	}, binary.LittleEndian.AppendUint64([]byte{tokenMintTo}, units))
}

func transferTokens(from, mint, to, owner solana.PublicKey, units uint64) solana.Instruction {
	data := binary.LittleEndian.AppendUint64([]byte{tokenTransferChecked}, units)
	return solana.NewInstruction(solana.TokenProgramID, solana.AccountMetaSlice{
		solana.Meta(from).WRITE(), solana.Meta(mint), solana.Meta(to).WRITE(), solana.Meta(owner).SIGNER(),
	}, append(data, Decimals))
}

// decode parses a transaction and checks that it can be executed.
func decode(raw []byte) (*solana.Transaction, error) {
	if len(raw) > maxTransactionSize {
		return nil, errors.New("base64 encoded solana_transaction::versioned::VersionedTransaction too large")
	}
	tx, err := solana.TransactionFromBytes(raw)
	if err != nil {
		return nil, err
	}
	m := &tx.Message
	switch {
	case m.NumLookups() > 0:
		return nil, errors.New("this development ledger has no address lookup tables")
	case len(tx.Signatures) == 0 || len(tx.Signatures) != int(m.Header.NumRequiredSignatures),
		len(m.AccountKeys) < len(tx.Signatures)+int(m.Header.NumReadonlyUnsignedAccounts),
		int(m.Header.NumReadonlySignedAccounts) >= len(tx.Signatures):
		return nil, failSanitize
	}
	named := make(map[solana.PublicKey]bool, len(m.AccountKeys))
	for _, k := range m.AccountKeys {
		if named[k] {
			return nil, failTwice
		}
		named[k] = true
	}
	for _, ix := range m.Instructions {
		if int(ix.ProgramIDIndex) >= len(m.AccountKeys) {
			return nil, failSanitize
		}
		for _, at := range ix.Accounts {
			if int(at) >= len(m.AccountKeys) {
				return nil, failSanitize
			}
		}
	}
	return tx, nil
}
