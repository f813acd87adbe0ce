package merchant_test

import (
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/db"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_Key(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(20, 5)
		read, err := w.KeyByHash(t.Context(), k.Hash)
		w.Must(err)
		storetest.Same(t, "key", read, k)
		if k.Email == "" || k.FirstName != "Ada" || k.UserPublic == "" || !k.CreatedAt.Equal(storetest.Start) {
			t.Errorf("key without its owner: %+v", k)
		}
		w.WantBalance(k.ID, ledger.Balance{Credits: 20, Queries: 5})
		w.NoKey("unknown key", storetest.HashOf("another"))
		_, err = w.Balance(t.Context(), 1<<40)
		storetest.WantError(t, "unknown balance", err, merchant.ErrUnknownKey)
		w.CheckLedger()

		_, err = w.CreateKey(t.Context(), merchant.Key{
			Permissions: merchant.AllPermissions(),
			PublicID:    string(storetest.NewID()), UserID: k.UserID, Hash: k.Hash,
			CreatedAt: storetest.Start,
		},
			func(int64) []ledger.Entry { return nil }, audit.Record{})
		if !db.IsDuplicate(err) {
			t.Errorf("the same key twice: %v", err)
		}
		sad := merchant.Key{
			Permissions: merchant.AllPermissions(),
			PublicID:    string(storetest.NewID()), UserID: k.UserID, Hash: storetest.HashOf("sad"),
			CreatedAt: storetest.Start,
		}
		_, err = w.CreateKey(t.Context(), sad, func(id int64) []ledger.Entry {
			return []ledger.Entry{ledger.Spend(id, ledger.Credit, ledger.ReasonStart, "x", storetest.Start)}
		}, audit.Record{})
		storetest.WantError(t, "a key that begins with a debt", err, ledger.ErrNoCredits)
		w.NoKey("the key that was refused", sad.Hash)
	})
}

func TestStore_RotateKey(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(2, 0)
		rotate := func(old, next identity.Hash, ref string) error {
			_, err := w.RotateKey(t.Context(), merchant.Replacement{
				Most:  merchant.AllPermissions(),
				KeyID: k.ID, Old: old, Next: next,
				Entries: []ledger.Entry{
					ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, storetest.Start),
				},
			})
			return err
		}
		next := storetest.HashOf("next")
		w.Must(rotate(k.Hash, next, "rotate 1"))
		w.NoKey("the old key", k.Hash)
		read, err := w.KeyByHash(t.Context(), next)
		w.Must(err)
		if read.ID != k.ID || read.PublicID != k.PublicID {
			t.Errorf("another key: %+v", read)
		}
		storetest.WantError(
			t, "rotating the old key", rotate(k.Hash, storetest.HashOf("third"), "rotate 2"), merchant.ErrBadKey,
		)

		// Of many rotations of one key at once one succeeds, and one is paid.
		won := 0
		for _, err := range storetest.AtOnce(10, func(i int) error {
			return rotate(next, storetest.HashOf("race"+string(rune('a'+i))), "race"+string(rune('a'+i)))
		}) {
			if err == nil {
				won++
			} else {
				storetest.WantError(t, "rotating at once", err, merchant.ErrBadKey)
			}
		}
		b, err := w.Balance(t.Context(), k.ID)
		w.Must(err)
		if won != 1 || b.Credits != 0 {
			t.Errorf("%d rotations, balance %+v", won, b)
		}
		w.CheckLedger()
	})
}

func TestStore_RotateKey_NoCredits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		_, err := w.RotateKey(t.Context(), merchant.Replacement{
			Most:  merchant.AllPermissions(),
			KeyID: k.ID, Old: k.Hash, Next: storetest.HashOf("next"),
			Entries: []ledger.Entry{
				ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "rotate", storetest.Start),
			},
		})
		storetest.WantError(t, "rotate", err, ledger.ErrNoCredits)
		w.MustDo(w.KeyByHash(t.Context(), k.Hash))
	})
}
