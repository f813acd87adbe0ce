package solana_test

import (
	"errors"
	"net/http"
	"slices"
	"testing"

	solanago "github.com/gagliardetto/solana-go"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/money"
)

// second makes another account of the owner for the mint, and pays units to it.
func (b *bank) second(
	owner, mint solanago.PublicKey, units uint64,
) (solanago.PublicKey, []solanago.Instruction, solanago.PrivateKey) {
	b.t.Helper()
	account, payer := newKey(b.t), b.rich.PublicKey()
	return account.PublicKey(), []solanago.Instruction{
		createAccount(payer, account.PublicKey(), b.rent(165), 165, solanago.TokenProgramID),
		initializeAccount(account.PublicKey(), mint, owner),
		createATA(payer, payer, mint), mintTo(mint, ata(payer, mint), payer, units),
		transferChecked(ata(payer, mint), mint, account.PublicKey(), payer, units, 6),
	}, account
}

// nested pays units to the associated account of a token account, as a wallet does that takes it for a wallet.
func (b *bank) nested(parent, mint solanago.PublicKey, units uint64) (solanago.PublicKey, []solanago.Instruction) {
	payer := b.rich.PublicKey()
	return ata(parent, mint), []solanago.Instruction{
		createATA(payer, payer, mint), createATA(payer, parent, mint), mintTo(mint, ata(payer, mint), payer, units),
		transferChecked(ata(payer, mint), mint, ata(parent, mint), payer, units, 6),
	}
}

// listed lists what lies under the owner's key beside what Balances counts.
func (h *harness) listed(t *testing.T, owner chain.Watched, l chain.Listing) []chain.TokenAccount {
	t.Helper()
	list, err := h.reader.TokenAccounts(t.Context(), []chain.Address{owner.Address}, l)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// scannedOn scans all final slots for the owner with more accounts of its own, and has each transfer judged.
func (h *harness) scannedOn(t *testing.T, owner chain.Watched, accounts ...solanago.PublicKey) []chain.Transfer {
	t.Helper()
	h.Finalize()
	heads := mustHeads(t, h.reader)
	set := chain.NewWatchSet(1)
	set.Add(owner)
	for _, a := range accounts {
		set.AddAccount(owner, watched(a))
	}
	found, _, err := h.reader.Scan(t.Context(), 0, heads.Final, set)
	if err != nil {
		t.Fatal(err)
	}
	for _, transfer := range found {
		verdict, err := chain.JudgeAll(t.Context(), h.reader, []chain.Transfer{transfer}, heads.Final)
		if err != nil || verdict != chain.Stands {
			t.Errorf("%+v is judged %d, %v", transfer, verdict, err)
		}
		more := transfer
		more.Units = more.Units.Add(money.UnitsFromUint64(1))
		verdict, err = chain.JudgeAll(t.Context(), h.reader, []chain.Transfer{more}, heads.Final)
		if err == nil && verdict == chain.Stands {
			t.Errorf("more than %+v stands", transfer)
		}
	}
	return found
}

// TestTokenAccounts_Owned: money on another account of the owner, and on the accounts of its accounts, is listed with
// where it lies, and found in the transactions that brought it.
func TestTokenAccounts_Owned(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		to, usdt, usdc := h.Address(), h.mints[h.assets[0].Contract], h.mints[h.assets[1].Contract]
		owner := solanago.PublicKey(to.Raw)
		other, pay, key := h.second(owner, usdt, 5)
		h.mustSend(pay, key)
		same, paySame := h.nested(ata(owner, usdc), usdc, 7)
		cross, payCross := h.nested(ata(owner, usdt), usdc, 9) // the parents do not exist
		h.mustSend(paySame)
		h.mustSend(payCross)
		unlisted, payFake, fakeKey := h.second(owner, h.mints[h.assets[3].Contract], 11)
		h.mustSend(payFake, fakeKey)
		h.Mine(1)
		wantUnits(t, h.scanned(t, to))

		wantAccounts(t, h.listed(t, to, chain.ListDerived), map[solanago.PublicKey]uint64{same: 7, cross: 9})
		all := map[solanago.PublicKey]uint64{same: 7, cross: 9, other: 5, unlisted: 11}
		wantAccounts(t, h.listed(t, to, chain.ListOwned), all)
		wantAccounts(t, h.listed(t, to, chain.ListAll), all)

		found := h.scannedOn(t, to, same, cross, other, unlisted)
		wantUnits(t, found, 5, 7, 9, 11)
		for _, f := range found {
			if f.To != to.Address || f.Account == "" {
				t.Errorf("found %+v", f)
			}
			if counts := f.Units.Big().Uint64() != 11; f.Asset.Listed() != counts || (f.Asset.Token != "") != counts {
				t.Errorf("%s units are of %+v", f.Units, f.Asset)
			}
		}
	})
}

// wantAccounts fails unless the list has exactly these accounts, with these units.
func wantAccounts(t *testing.T, list []chain.TokenAccount, want map[solanago.PublicKey]uint64) {
	t.Helper()
	got := make(map[string]uint64)
	for _, a := range list {
		got[string(a.Account)] = a.Units.Big().Uint64()
	}
	if len(got) != len(want) || len(list) != len(want) {
		t.Errorf("%d accounts are listed, want %d: %+v", len(list), len(want), list)
	}
	for k, units := range want {
		if got[k.String()] != units {
			t.Errorf("%d units on %s are listed, want %d", got[k.String()], k, units)
		}
	}
}

// TestTokenAccounts_OneTransaction: what one transaction brings to several accounts of an owner are transfers of their
// own, the same ones at every reading; what moves between its accounts is none.
func TestTokenAccounts_OneTransaction(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		ownerKey, to := customer(t)
		owner, mint := ownerKey.PublicKey(), h.mints[h.assets[1].Contract]
		first, pay, firstKey := h.second(owner, mint, 5)
		second, payAgain, secondKey := h.second(owner, mint, 6)
		h.mustSend(slices.Concat(pay, payAgain), firstKey, secondKey)
		h.Mine(1)
		found := h.scannedOn(t, to, first, second)
		wantUnits(t, found, 5, 6)
		if len(found) == 2 && (found[0].Tx != found[1].Tx || found[0].Ordinal == found[1].Ordinal) {
			t.Errorf("found %+v", found)
		}
		h.mustSend([]solanago.Instruction{
			createATA(h.rich.PublicKey(), owner, mint), transfer(first, ata(owner, mint), owner, 5),
			transfer(second, first, owner, 2),
		}, ownerKey)
		h.Mine(1)
		again := h.scannedOn(t, to, second, first)
		wantUnits(t, again, 5, 6)
		for i := range again {
			if again[i].ID() != found[i].ID() {
				t.Errorf("%+v was %+v", again[i].ID(), found[i].ID())
			}
		}
	})
}

// TestTokenAccounts_Given: who gives an account to the deposit owner, with what is on it, has paid that. It stays open
// if somebody else has the right to close it, and keeps no other account from being closed.
func TestTokenAccounts_Given(t *testing.T) {
	t.Parallel()
	onRuntimes(t, func(t *testing.T, h *harness) {
		s := newTill(t, h)
		s.fill(gasFunds)
		item, owner := s.payable(t, s.assets[1])
		mint, payer := s.mints[s.assets[1].Contract], newKey(t)
		given, pay, key := s.second(payer.PublicKey(), mint, 30)
		s.mustSend(pay, key)
		other, payOther, otherKey := s.second(owner, mint, 4)
		s.mustSend(payOther, otherKey)
		s.Mine(1)
		closer := tokens(append([]byte{6, 3, 1}, payer.PublicKey().Bytes()...),
			solanago.Meta(given).WRITE(), solanago.Meta(payer.PublicKey()).SIGNER())
		tx := s.mustSend([]solanago.Instruction{closer, setOwner(given, payer.PublicKey(), owner)}, payer)
		s.Mine(1)
		found := s.scannedOn(t, item.Address, given, other)
		wantUnits(t, found, 1, 4, 30)
		for _, f := range found {
			if f.Units.Big().Uint64() == 30 && f.Tx != chain.TxHash(tx.String()) {
				t.Errorf("30 came by %s, want %s", f.Tx, tx)
			}
		}
		looked, err := s.reader.Find(t.Context(), chain.TxHash(tx.String()))
		if err != nil || len(looked.Transfers) != 1 || string(looked.Transfers[0].Holder) != owner.String() {
			t.Errorf("found as %+v, %v", looked, err)
		}
		items := []chain.SweepItem{expects(item, 34, given, other)}
		wantMoved(t, s.carryOut(t, items, s.mustSign(t, items)), items, 34)
		for left := items; len(left) > 0; s.Finalize() {
			left = s.closed(t, left)
		}
		if !s.exists(t, given) || s.exists(t, other) {
			t.Error("of the emptied accounts the owner's own is to be closed")
		}
	})
}

// TestTokenAccounts_OneUnread: an owner for which nodes fail is the only one whose accounts are not known where no
// quorum lists them, no node rests for it, and what the others hold is not disputed.
func TestTokenAccounts_OneUnread(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct{ nodes, bad int }{
		"One": {1, 1}, "OneOfTwo": {2, 1}, "OneOfThree": {3, 1}, "TwoOfThree": {3, 2},
	} {
		for what, l := range map[string]chain.Listing{"Derived": chain.ListDerived, "Owned": chain.ListOwned} {
			t.Run(name+what, func(t *testing.T) {
				t.Parallel()
				h := newLedger(t)
				usdc := h.mints[h.assets[1].Contract]
				var owners []chain.Address
				var bad string
				for i := range uint64(9) {
					to := h.Address()
					owners = append(owners, to.Address)
					parent := ata(solanago.MustPublicKeyFromBase58(string(to.Address)), usdc)
					account, pay := h.nested(parent, usdc, i+1)
					h.mustSend(pay)
					if i == 5 {
						bad = string(to.Address)
						if l == chain.ListDerived {
							bad = account.String()
						}
					}
				}
				h.Mine(1)
				h.Finalize()
				reader, list, _ := h.through(t, row.nodes)
				mustHeads(t, reader)
				for _, n := range list[:row.bad] {
					for _, method := range []string{"getMultipleAccounts", "getTokenAccountsByOwner"} {
						n.failFor(method, bad, http.StatusInternalServerError, "worker crashed")
					}
				}
				known := row.nodes-row.bad >= chain.Quorum(row.nodes)
				got, err := reader.TokenAccounts(t.Context(), owners, l)
				unread, _ := errors.AsType[*chain.UnreadError](err)
				if known != (err == nil) || !known && (unread == nil || !slices.Equal(unread.Addresses, owners[5:6])) {
					t.Fatalf("%v, %v", got, err)
				}
				want := map[chain.Address]uint64{}
				for i, a := range owners {
					if known || i != 5 {
						want[a] = uint64(i) + 1 //nolint:gosec // small
					}
				}
				for _, x := range got {
					if x.Disputed || x.Units.Big().Uint64() != want[x.Owner] {
						t.Errorf("listed %+v, want %d", x, want[x.Owner])
					}
					delete(want, x.Owner)
				}
				if len(want) > 0 {
					t.Errorf("not listed: %v", want)
				}
				for _, e := range reader.Endpoints() {
					if !e.CoolUntil.IsZero() {
						t.Errorf("%s rests: %s", e.Name, e.Reason)
					}
				}
			})
		}
	}
}

// TestTokenAccounts_Refused: a provider that refuses to list accounts for anybody answers all else, and does not rest.
func TestTokenAccounts_Refused(t *testing.T) {
	t.Parallel()
	for name, row := range map[string]struct {
		status int
		body   string
	}{
		"Unknown":   {http.StatusOK, rpcError(-32601, "Method not found")},
		"Disabled":  {http.StatusOK, rpcError(-32010, "excluded from account secondary indexes")},
		"Forbidden": {http.StatusForbidden, "this method is not part of your plan"},
		"Gone":      {http.StatusGone, "getTokenAccountsByOwner is no longer served"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			h := newLedger(t)
			reader, list, _ := h.through(t, 1)
			mustHeads(t, reader)
			list[0].failFor("getTokenAccountsByOwner", "programId", row.status, row.body)
			var owners []chain.Address
			for range 40 {
				owners = append(owners, h.Address().Address)
			}
			if got, err := reader.TokenAccounts(t.Context(), owners, chain.ListOwned); err == nil {
				t.Errorf("listed %v", got)
			}
			if got, err := reader.TokenAccounts(t.Context(), owners, chain.ListDerived); err != nil || len(got) > 0 {
				t.Errorf("derived %v, %v", got, err)
			}
			if e := reader.Endpoints()[0]; !e.CoolUntil.IsZero() {
				t.Errorf("%s rests: %s", e.Name, e.Reason)
			}
		})
	}
}
