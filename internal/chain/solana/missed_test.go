package solana_test

import (
	"errors"
	"testing"
	"time"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/chain/chaintest"
)

// TestScan_PassedOn: the wallet of a customer passes on what it got between two readings, and names the address of the
// sweeps later. It is unread until slots are scanned from the one on that is named.
func TestScan_PassedOn(t *testing.T) {
	t.Parallel()
	s, reader, _, clock, _, sweeps := named(t)
	owner, to := customer(t)
	asset := s.assets[0]
	mint, payer := s.mints[asset.Contract], s.rich.PublicKey()
	account, back := ata(owner.PublicKey(), mint), ata(payer, mint)
	pay := func(units uint64) {
		s.Pay(chaintest.Payment{To: to, Asset: asset, Units: units})
		s.Mine(1)
	}
	read := uint64(0)
	scan := func(from uint64) ([]chain.Transfer, *chain.UnreadError) {
		t.Helper()
		clock.advance(15 * time.Second)
		heads := mustHeads(t, reader)
		got, _, err := reader.Scan(t.Context(), from, heads.Final, watching(to))
		unread, some := errors.AsType[*chain.UnreadError](err)
		if err != nil && !some {
			t.Fatal(err)
		}
		read = heads.Final.Number
		return got, unread
	}
	pay(10)
	s.Seal(40)
	scan(1)
	pay(5)
	s.mustSend([]solanago.Instruction{transfer(account, back, owner.PublicKey(), 5)}, owner)
	s.Seal(40)
	scan(read + 1)
	sweepsKey := solanago.MustPublicKeyFromBase58(string(sweeps))
	s.mustSend(append(s.pays(chaintest.Payment{To: to, Asset: asset, Units: 1}), transferSOL(payer, sweepsKey, 1)))
	s.Seal(40)
	from := read + 1
	for range 3 {
		if _, unread := scan(from); unread == nil || unread.From == 0 || unread.From >= from {
			t.Fatalf("from slot %d: %+v", from, unread)
		}
	}
	_, unread := scan(from)
	got, unread := scan(unread.From)
	wantUnits(t, got, 5, 1)
	s.Seal(1)
	if _, again := scan(read + 1); unread != nil || again != nil {
		t.Errorf("when it was read: %+v, %+v", unread, again)
	}
}
