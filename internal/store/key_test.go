package store

import (
	"errors"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
)

// replace gives a key another hash.
func (w *world) replace(keyID int64, old, next identity.Hash) {
	w.t.Helper()
	_, err := w.RotateKey(w.t.Context(), merchant.Replacement{KeyID: keyID, Old: old, Next: next, Now: start})
	w.must(err)
}

// The request that replaced a key finds its answer by the old key, and nobody
// else learns anything by it.
func TestStore_RetiredAnswer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		ctx, k := t.Context(), w.key(5, 0)
		body := idempotency.Hash(hashOf("revoke"))
		replace := func(old, next identity.Hash, name string, answer error) error {
			_, _, err := w.IdempotencyBegin(ctx, idempotency.Try{
				KeyID: k.ID, Key: name, Request: body, Subject: "S", Now: start, LockedUntil: start.Add(time.Minute),
			})
			w.must(err)
			_, err = w.RotateKey(ctx, merchant.Replacement{
				KeyID: k.ID, Old: old, Next: next, Now: start, Request: name,
				Entries: []ledger.Entry{
					ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "rotate "+name, start),
				},
				Answer: func(left ledger.Balance) (idempotency.Answer, error) {
					return idempotency.Answer{Status: 200, Body: []byte{byte('0' + left.Credits)}}, answer
				},
			})
			return err
		}
		ask := func(what string, old identity.Hash, name string, request idempotency.Hash, now time.Time, want string) {
			t.Helper()
			keyID, a, err := w.RetiredAnswer(ctx, old, name, request, now)
			if want == "" {
				wants(t, what, err, merchant.ErrBadKey)
				return
			}
			if err != nil || keyID != k.ID || a.Status != 200 || string(a.Body) != want {
				t.Errorf("%s: key %d answered %d %q, %v", what, keyID, a.Status, a.Body, err)
			}
		}
		first, second, third := k.Hash, hashOf("second"), hashOf("third")
		broken := errors.New("the answer cannot be written")
		wants(t, "an answer that cannot be kept", replace(first, second, "broken", broken), broken)
		if _, err := w.KeyByHash(ctx, first); err != nil {
			t.Errorf("the key was replaced without its answer: %v", err)
		}
		ask("before", first, "one", body, start, "")
		w.must(replace(first, second, "one", nil))
		ask("the request again", first, "one", body, start.Add(time.Hour), "4")
		ask("the new key", second, "one", body, start, "")
		ask("another body", first, "one", idempotency.Hash(hashOf("else")), start, "")
		ask("another name", first, "two", body, start, "")
		ask("a name nobody can store", first, "\x00", body, start, "")
		ask("an unknown key", hashOf("nobody's"), "one", body, start, "")
		ask("a day later", first, "one", body, start.Add(idempotency.KeepFor), "")

		w.must(replace(second, third, "two", nil))
		ask("two back", first, "one", body, start, "4")
		ask("one back", second, "two", body, start, "3")
		if _, err := w.DisableKey(ctx, k.ID, start); err != nil {
			t.Fatal(err)
		}
		ask("a key that was disabled since", second, "two", body, start, "")
	})
}

func TestStore_KeysOfTheirOwner(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, k, other := t.Context(), w.key(1, 0), w.key(1, 0)
		wants(t, "renaming another's", w.SetKeyLabel(ctx, other.UserID, k.ID, "mine now"), merchant.ErrUnknownKey)
		wants(t, "revoking another's", w.RevokeKey(ctx, other.UserID, k.ID, start), merchant.ErrUnknownKey)
		w.must(w.SetKeyLabel(ctx, k.UserID, k.ID, "Till 2"))
		w.must(w.TouchKeys(ctx, map[int64]time.Time{k.ID: start.Add(time.Hour)}))
		w.must(w.TouchKeys(ctx, map[int64]time.Time{k.ID: start, other.ID: start}))
		got, err := w.KeyByHash(ctx, k.Hash)
		w.must(err)
		if got.Label != "Till 2" || !got.LastUsedAt.Equal(start.Add(time.Hour)) {
			t.Errorf("the key is %q, last used %s", got.Label, got.LastUsedAt)
		}
		w.must(w.RevokeKey(ctx, k.UserID, k.ID, start))
		_, err = w.KeyByHash(ctx, k.Hash)
		wants(t, "a revoked key", err, merchant.ErrBadKey)
		keys, err := w.EveryKeyOfUser(ctx, k.UserID)
		w.must(err)
		if len(keys) != 1 || keys[0].RevokedAt.IsZero() {
			t.Errorf("all keys are %v", keys)
		}
	})
}
