package solana_test

import (
	"encoding/binary"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
)

// TestToken2022_TransferFee: a mint of the newer token program, which keeps a
// part of every transfer, is neither accepted as an asset nor credited.
func TestToken2022_TransferFee(t *testing.T) {
	t.Parallel()
	h := newSurfpool(t)
	to, payer, mint := h.Address(), h.rich.PublicKey(), newKey(t)
	const size = 278 // a mint with TransferFeeConfig
	fee := append([]byte{26, 0, 0, 0}, binary.LittleEndian.AppendUint16(nil, 100)...)
	initialize := append([]byte{20, 6}, payer[:]...)
	h.mustSend([]solanago.Instruction{
		createAccount(payer, mint.PublicKey(), h.rent(size), size, solanago.Token2022ProgramID),
		newer(binary.LittleEndian.AppendUint64(fee, 1_000_000), solanago.Meta(mint.PublicKey()).WRITE()),
		newer(append(initialize, 0), solanago.Meta(mint.PublicKey()).WRITE()),
	}, mint)
	from, _, err := solanago.FindAssociatedTokenAddressWithProgram(payer, mint.PublicKey(), solanago.Token2022ProgramID)
	if err != nil {
		t.Fatal(err)
	}
	account, _, err := solanago.FindAssociatedTokenAddressWithProgram(solanago.PublicKey(to.Raw), mint.PublicKey(), solanago.Token2022ProgramID)
	if err != nil {
		t.Fatal(err)
	}
	tx := h.mustSend([]solanago.Instruction{
		createNewer(payer, from, payer, mint.PublicKey()), createNewer(payer, account, solanago.PublicKey(to.Raw), mint.PublicKey()),
		newer(binary.LittleEndian.AppendUint64([]byte{7}, 1_000), solanago.Meta(mint.PublicKey()).WRITE(), solanago.Meta(from).WRITE(), solanago.Meta(payer).SIGNER()),
		newer(append(binary.LittleEndian.AppendUint64([]byte{12}, 1_000), 6),
			solanago.Meta(from).WRITE(), solanago.Meta(mint.PublicKey()), solanago.Meta(account).WRITE(), solanago.Meta(payer).SIGNER()),
	})
	h.Mine(1)
	h.landed(t, tx)
	wantUnits(t, h.scanned(t, to))

	p := h.profile()
	p.Assets = append(p.Assets[:1:1], chain.Asset{Network: chain.Solana, Contract: chain.Address(mint.PublicKey().String()), Symbol: "USDC", Decimals: 6, Token: "USDC"})
	reader, err := solana.New(solana.Config{Profile: p, Endpoints: []string{h.URL()}, Rate: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Check(t.Context()); !fault.Is(err, fault.Unprocessable) {
		t.Errorf("a mint with a transfer fee is configured: %v, want Unprocessable", err)
	}
	wantUnits(t, scanWith(t, reader, to))
}

func newer(data []byte, accounts ...*solanago.AccountMeta) solanago.Instruction {
	return solanago.NewInstruction(solanago.Token2022ProgramID, accounts, data)
}

func createNewer(payer, account, owner, mint solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(account).WRITE(), solanago.Meta(owner), solanago.Meta(mint),
		solanago.Meta(solanago.SystemProgramID), solanago.Meta(solanago.Token2022ProgramID),
	}, []byte{1})
}
