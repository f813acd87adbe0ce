package merchant_test

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/store/storetest"
)

// The request that replaced a key finds its answer by the old key, and nobody
// else learns anything by it.
func TestStore_RetiredAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.NewKey(5, 0)
		body := idempotency.Hash(storetest.HashOf("revoke"))
		replace := func(old, next identity.Hash, name string, answer error) error {
			claim := idempotency.Claim{KeyID: k.ID, Key: name, Holder: "S"}
			_, _, err := w.IdempotencyBegin(ctx, idempotency.Try{
				Claim: claim, Request: body, Subject: "S",
				Now: storetest.Start, LockedUntil: storetest.Start.Add(time.Minute),
			})
			w.Must(err)
			_, err = w.RotateKey(ctx, merchant.Replacement{
				Most:  merchant.AllPermissions(),
				KeyID: k.ID, Old: old, Next: next,
				Entries: []ledger.Entry{
					ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "rotate "+name, storetest.Start),
				},
				Keep: func(d merchant.Done) (*idempotency.Kept, error) {
					kept := idempotency.Answer{Status: 200, Body: []byte{byte('0' + d.Left.Credits)}}
					return &idempotency.Kept{Claim: claim, Answer: kept, At: storetest.Start}, answer
				},
			})
			return err
		}
		ask := func(what string, old identity.Hash, name string, request idempotency.Hash, now time.Time, want string) {
			t.Helper()
			keyID, a, err := w.RetiredAnswer(ctx, old, name, request, now)
			w.Must(err)
			if found := want != ""; (keyID == k.ID) != found || (a.Status == 200) != found || string(a.Body) != want {
				t.Errorf("%s: key %d answered %d %q, %v", what, keyID, a.Status, a.Body, err)
			}
		}
		first, second, third := k.Hash, storetest.HashOf("second"), storetest.HashOf("third")
		broken := errors.New("the answer cannot be written")
		storetest.WantError(t, "an answer that cannot be kept", replace(first, second, "broken", broken), broken)
		if _, err := w.KeyByHash(ctx, first); err != nil {
			t.Errorf("the key was replaced without its answer: %v", err)
		}
		ask("before", first, "one", body, storetest.Start, "")
		w.Must(replace(first, second, "one", nil))
		ask("the request again", first, "one", body, storetest.Start.Add(time.Hour), "4")
		ask("the new key", second, "one", body, storetest.Start, "")
		ask("another body", first, "one", idempotency.Hash(storetest.HashOf("else")), storetest.Start, "")
		ask("another name", first, "two", body, storetest.Start, "")
		ask("a name nobody can store", first, "\x00", body, storetest.Start, "")
		ask("an unknown key", storetest.HashOf("nobody's"), "one", body, storetest.Start, "")
		ask("a day later", first, "one", body, storetest.Start.Add(idempotency.KeepFor), "")

		w.Must(replace(second, third, "two", nil))
		ask("two back", first, "one", body, storetest.Start, "4")
		ask("one back", second, "two", body, storetest.Start, "3")
		if _, err := w.DisableKey(ctx, k.ID, storetest.Start, audit.Record{}); err != nil {
			t.Fatal(err)
		}
		ask("a key that was disabled since", second, "two", body, storetest.Start, "")
	})
}

func TestStore_KeysOfTheirOwner(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, k, other := t.Context(), w.NewKey(1, 0), w.NewKey(1, 0)
		err := w.ChangeKey(ctx, other.UserID, k.ID, audit.Record{}, func(k *merchant.Key) { k.Label = "mine now" })
		storetest.WantError(t, "renaming another's", err, merchant.ErrUnknownKey)
		storetest.WantError(
			t, "revoking another's", w.RevokeKey(ctx, other.UserID, k.ID, storetest.Start,
				audit.Record{}), merchant.ErrUnknownKey,
		)
		w.Must(w.ChangeKey(ctx, k.UserID, k.ID, audit.Record{}, func(k *merchant.Key) { k.Label = "Till 2" }))
		w.Must(w.TouchKeys(ctx, map[int64]time.Time{k.ID: storetest.Start.Add(time.Hour)}))
		w.Must(w.TouchKeys(ctx, map[int64]time.Time{k.ID: storetest.Start, other.ID: storetest.Start}))
		got, err := w.KeyByHash(ctx, k.Hash)
		w.Must(err)
		if got.Label != "Till 2" || !got.LastUsedAt.Equal(storetest.Start.Add(time.Hour)) {
			t.Errorf("the key is %q, last used %s", got.Label, got.LastUsedAt)
		}
		w.Must(w.RevokeKey(ctx, k.UserID, k.ID, storetest.Start, audit.Record{}))
		w.NoKey("a revoked key", k.Hash)
		keys, err := w.Keys(ctx, k.UserID)
		w.Must(err)
		if len(keys) != 1 || keys[0].RevokedAt.IsZero() {
			t.Errorf("all keys are %v", keys)
		}
	})
}

// A new key and the answer of its request are stored together: after a crash there are both or neither.
func TestStore_CreateKeyKeepsAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, owner := t.Context(), w.NewKey(5, 0)
		claim := idempotency.Claim{Key: "member:A:B:c", Holder: "S"}
		try := idempotency.Try{
			Claim: claim, Request: idempotency.Hash(storetest.HashOf("create")), Subject: "01JD0000000000000000000009",
			Scope: "member:A:B", Most: 20, Now: storetest.Start, LockedUntil: storetest.Start.Add(time.Minute),
		}
		_, _, err := w.IdempotencyBegin(ctx, try)
		w.Must(err)
		create := func(c idempotency.Claim, failed error) error {
			_, err := w.CreateKeyWithin(ctx, merchant.Key{
				PublicID: try.Subject, UserID: owner.UserID, Hash: storetest.HashOf("new"), CreatedAt: storetest.Start,
				Permissions: merchant.AllPermissions(),
			}, func(_, _ int64) []ledger.Entry { return nil }, func(k merchant.Key) (*idempotency.Kept, error) {
				kept := idempotency.Answer{Status: 200, Body: []byte(k.PublicID)}
				return &idempotency.Kept{Claim: c, Answer: kept, At: storetest.Start}, failed
			}, audit.Record{})
			return err
		}
		broken := errors.New("the answer cannot be written")
		storetest.WantError(t, "an answer that cannot be kept", create(claim, broken), broken)
		taken := claim
		taken.Holder = "another try"
		storetest.WantError(t, "a request that another try took over", create(taken, nil), idempotency.ErrRunning)
		if n := w.Count("SELECT count(*) FROM api_keys WHERE public_id = '" + try.Subject + "'"); n != 0 {
			t.Errorf("%d keys were made without their answer", n)
		}
		w.Must(create(claim, nil))
		_, a, err := w.IdempotencyBegin(ctx, try)
		if err != nil || a.Status != 200 || string(a.Body) != try.Subject {
			t.Errorf("the same request is answered %d %q, %v", a.Status, a.Body, err)
		}
	})
}
