package solana_test

import (
	"encoding/binary"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/solana"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/money"
)

// TestToken2022_TransferFee: a mint of Token-2022 with a transfer fee is neither accepted as an asset nor
// credited.
func TestToken2022_TransferFee(t *testing.T) {
	t.Parallel()
	h := newSurfpool(t)
	to := h.Address()
	mint := h.feeMint(t, solanago.PublicKey(to.Raw), 1_000)
	wantUnits(t, h.scanned(t, to))

	p := h.profile()
	p.Assets = append(
		p.Assets[:1:1],
		chain.Asset{
			Network: chain.Solana, Contract: chain.Address(mint.String()), Symbol: "USDC", Decimals: 6, Token: "USDC",
		},
	)
	reader, err := solana.New(solana.Config{Profile: p, Endpoints: []string{h.URL()}, Rate: unhurried})
	if err != nil {
		t.Fatal(err)
	}
	if err := reader.Check(t.Context()); !fault.Is(err, fault.Unprocessable) {
		t.Errorf("a mint with a transfer fee is configured: %v, want Unprocessable", err)
	}
	wantUnits(t, scanWith(t, reader, to))
}

// feeMint makes a mint with a fee of one per cent, and pays an owner units of it.
func (h *harness) feeMint(t *testing.T, owner solanago.PublicKey, units uint64) solanago.PublicKey {
	t.Helper()
	payer, mint := h.rich.PublicKey(), newKey(t)
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
	account, _, err := solanago.FindAssociatedTokenAddressWithProgram(
		owner, mint.PublicKey(), solanago.Token2022ProgramID,
	)
	if err != nil {
		t.Fatal(err)
	}
	tx := h.mustSend([]solanago.Instruction{
		createNewer(payer, from, payer, mint.PublicKey()), createNewer(payer, account, owner, mint.PublicKey()),
		newer(
			binary.LittleEndian.AppendUint64([]byte{7}, units), solanago.Meta(mint.PublicKey()).WRITE(),
			solanago.Meta(from).WRITE(), solanago.Meta(payer).SIGNER(),
		),
		newer(append(binary.LittleEndian.AppendUint64([]byte{12}, units), 6),
			solanago.Meta(from).WRITE(), solanago.Meta(mint.PublicKey()), solanago.Meta(account).WRITE(),
			solanago.Meta(payer).SIGNER()),
	})
	h.Mine(1)
	h.included(t, tx)
	return mint.PublicKey()
}

func newer(data []byte, accounts ...*solanago.AccountMeta) solanago.Instruction {
	return solanago.NewInstruction(solanago.Token2022ProgramID, accounts, data)
}

func createNewer(payer, account, owner, mint solanago.PublicKey) solanago.Instruction {
	return solanago.NewInstruction(solanago.SPLAssociatedTokenAccountProgramID, solanago.AccountMetaSlice{
		solanago.Meta(payer).WRITE().SIGNER(), solanago.Meta(account).WRITE(), solanago.Meta(owner),
		solanago.Meta(mint),
		solanago.Meta(solanago.SystemProgramID), solanago.Meta(solanago.Token2022ProgramID),
	}, []byte{1})
}

// TestToken2022_Recorded: of a mint of Token-2022 with a transfer fee is recorded what arrived, as a token that is none
// of the network's.
func TestToken2022_Recorded(t *testing.T) {
	t.Parallel()
	h := newSurfpool(t)
	to := h.Address()
	mint := h.feeMint(t, solanago.PublicKey(to.Raw), 1_000)
	account, _, err := solanago.FindAssociatedTokenAddressWithProgram(
		solanago.PublicKey(to.Raw), mint, solanago.Token2022ProgramID)
	if err != nil {
		t.Fatal(err)
	}
	wantAccounts(t, h.listed(t, to, chain.ListDerived), nil)
	list := h.listed(t, to, chain.ListOwned)
	wantAccounts(t, list, map[solanago.PublicKey]uint64{account: 990})
	found := h.scannedOn(t, to, account)
	wantUnits(t, found, 990)
	for _, asset := range []chain.Asset{list[0].Asset, found[0].Asset} {
		if asset.Listed() || asset.Token != "" || asset.Decimals != 6 || string(asset.Contract) != mint.String() {
			t.Errorf("it is %+v", asset)
		}
	}
}

// TestToken2022_Rescue: money in a mint with a transfer fee is no payment, but the operator can rescue it,
// less the fee.
func TestToken2022_Rescue(t *testing.T) {
	t.Parallel()
	s := newTill(t, newSurfpool(t))
	s.fill(gasFunds)
	item := s.deposit(t, s.assets[3], 1) // for its address
	mint := s.feeMint(t, solanago.PublicKey(item.Address.Raw), 1_000)
	item.Asset, item.Rescue, item.Expected = chain.Asset{
		Network: chain.Solana, Contract: chain.Address(mint.String()),
	}, true, money.Units{}
	asset, held, err := s.reader.Token(t.Context(), item.Asset.Contract, item.Address.Address)
	if err != nil || asset.Decimals != 6 || held.Cmp(money.UnitsFromUint64(990)) != 0 {
		t.Fatalf("there is %s of %+v, %v", held, asset, err)
	}
	items := []chain.SweepItem{item}
	wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 990)
	_, got, err := s.reader.Token(t.Context(), item.Asset.Contract, chain.Address(s.settlement.String()))
	if err != nil || got.Cmp(money.UnitsFromUint64(980)) != 0 {
		t.Errorf("the settlement wallet holds %s, %v; want 990 less a hundredth", got, err)
	}
}
