package store

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
)

func passkeyOf(userID int64, credential string) identity.Passkey {
	return identity.Passkey{
		ID: string(newID()), UserID: userID, Name: "Laptop", Credential: []byte(credential),
		Record: secret.New("record of " + credential), CreatedAt: start,
	}
}

func TestStore_Challenge(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		c := identity.Challenge{
			Holder: hashOf("here"), Purpose: identity.PurposeConfirm, State: "old",
			ExpiresAt: start.Add(identity.ChallengeTTL),
		}
		w.must(w.AddChallenge(ctx, c, start))
		c.State = "new"
		w.must(w.AddChallenge(ctx, c, start))
		_, err := w.TakeChallenge(ctx, hashOf("there"), c.Purpose, start)
		wants(t, "another holder", err, identity.ErrBadPasskey)
		_, err = w.TakeChallenge(ctx, c.Holder, identity.PurposeRegister, start)
		wants(t, "another purpose", err, identity.ErrBadPasskey)

		var taken atomic.Int64
		for _, err := range together(8, func(int) error {
			got, err := w.TakeChallenge(ctx, c.Holder, c.Purpose, start)
			if err == nil && got.State == "new" {
				taken.Add(1)
			}
			return err
		}) {
			if err != nil {
				wants(t, "a challenge that was answered", err, identity.ErrBadPasskey)
			}
		}
		if taken.Load() != 1 {
			t.Errorf("one challenge was taken %d times", taken.Load())
		}

		w.must(w.AddChallenge(ctx, c, start))
		_, err = w.TakeChallenge(ctx, c.Holder, c.Purpose, c.ExpiresAt)
		wants(t, "a challenge that is over", err, identity.ErrBadPasskey)
		w.must(w.AddChallenge(ctx, c, start))
		other := identity.Challenge{
			Holder: hashOf("there"), Purpose: identity.PurposeSignIn, State: "x",
			ExpiresAt: c.ExpiresAt.Add(time.Hour),
		}
		w.must(w.AddChallenge(ctx, other, c.ExpiresAt))
		if n := w.count("SELECT count(*) FROM passkey_challenges"); n != 1 {
			t.Errorf("%d challenges are kept, one of them is over", n)
		}
	})
}

func TestStore_Passkeys(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.user(), w.user()
		p := passkeyOf(u.ID, "first")
		w.must(w.AddPasskey(ctx, p))
		wants(t, "the same credential", w.AddPasskey(ctx, passkeyOf(other.ID, "first")), identity.ErrHasPasskey)
		for i, err := range together(identity.MaxPasskeys+3, func(i int) error {
			more := passkeyOf(u.ID, "more"+strconv.Itoa(i))
			more.CreatedAt = start.Add(time.Minute)
			return w.AddPasskey(ctx, more)
		}) {
			if err != nil {
				wants(t, "passkey "+strconv.Itoa(i), err, identity.ErrTooManyPasskeys)
			}
		}
		list, err := w.PasskeysOf(ctx, u.ID)
		w.must(err)
		if len(list) != identity.MaxPasskeys || list[0].ID != p.ID || list[0].Record.Reveal() != "record of first" ||
			!list[0].UsedAt.IsZero() {
			t.Fatalf("passkeys are %+v", list)
		}
		if got, err := w.UserByPublicID(ctx, u.PublicID); err != nil || got.ID != u.ID {
			t.Errorf("the user is %d, %v", got.ID, err)
		}
		for _, id := range []string{"", "nobody", "a\x00b", "\xff"} {
			_, err := w.UserByPublicID(ctx, id)
			wants(t, "user "+strconv.Quote(id), err, identity.ErrUnknownUser)
		}
		// What is stored does not tell the public key, and cannot be put in another's place.
		db := w.raw()
		var stored string
		w.must(db.QueryRow("SELECT record FROM passkeys WHERE name = 'Laptop' ORDER BY public_id").Scan(&stored))
		if strings.Contains(stored, "record") {
			t.Errorf("a record is stored as %q", stored)
		}
	})
}

func TestStore_UsePasskey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.user()
		before := passkeyOf(u.ID, "c")
		w.must(w.AddPasskey(ctx, before))
		var used atomic.Int64
		for _, err := range together(8, func(i int) error {
			after := before
			after.Record, after.UsedAt = secret.New("counter "+strconv.Itoa(i)), start.Add(time.Minute)
			ok, err := w.UsePasskey(ctx, before, after)
			if ok {
				used.Add(1)
			}
			return err
		}) {
			w.must(err)
		}
		if used.Load() != 1 {
			t.Errorf("one counter was used %d times", used.Load())
		}
		list, err := w.PasskeysOf(ctx, u.ID)
		w.must(err)
		if !list[0].UsedAt.Equal(start.Add(time.Minute)) || !strings.HasPrefix(list[0].Record.Reveal(), "counter") {
			t.Errorf("the passkey is %+v", list[0])
		}
	})
}

func TestStore_RenamePasskey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.user(), w.user()
		p := passkeyOf(u.ID, "c")
		w.must(w.AddPasskey(ctx, p))
		wants(t, "another's", w.RenamePasskey(ctx, other.ID, p.ID, "Mine"), identity.ErrUnknownPasskey)
		wants(t, "none", w.RenamePasskey(ctx, u.ID, "a\x00b", "Mine"), identity.ErrUnknownPasskey)
		w.must(w.RenamePasskey(ctx, u.ID, p.ID, "Phone"))
		list, err := w.PasskeysOf(ctx, u.ID)
		w.must(err)
		if list[0].Name != "Phone" {
			t.Errorf("it is called %q", list[0].Name)
		}
	})
}

func TestStore_NoteGuesses(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.user()
		if _, tell, err := w.NoteGuesses(ctx, "nobody@shop.example", start, start); tell || err != nil {
			t.Errorf("nobody is told: %t, %v", tell, err)
		}
		var told atomic.Int64
		note := func(now time.Time) {
			for _, err := range together(8, func(int) error {
				got, tell, err := w.NoteGuesses(ctx, u.Email, now, now.Add(-identity.GuessNoticeEvery))
				if tell && got.ID == u.ID {
					told.Add(1)
				}
				return err
			}) {
				w.must(err)
			}
		}
		note(start)
		note(start.Add(identity.GuessNoticeEvery - time.Second))
		if told.Load() != 1 {
			t.Errorf("told %d times within a day", told.Load())
		}
		note(start.Add(identity.GuessNoticeEvery))
		if told.Load() != 2 {
			t.Errorf("told %d times after a day", told.Load())
		}
	})
}

func TestStore_RemovePasskey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.user(), w.user()
		p := passkeyOf(u.ID, "c")
		w.must(w.AddPasskey(ctx, p))
		w.sessions(u.ID, "here", "elsewhere")
		w.sessions(other.ID, "theirs")
		wants(t, "another's", w.RemovePasskey(ctx, other.ID, p.ID, hashOf("theirs"), start), identity.ErrUnknownPasskey)
		w.must(w.RemovePasskey(ctx, u.ID, p.ID, hashOf("here"), start))
		wants(t, "a second time", w.RemovePasskey(ctx, u.ID, p.ID, hashOf("here"), start), identity.ErrUnknownPasskey)
		w.onlySession(u.ID, "here")
		w.onlySession(other.ID, "theirs")
	})
}

// Taking the second factor away ends what was open elsewhere.
func TestStore_RemoveSecondFactor_Sessions(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.user()
		w.sessions(u.ID, "here", "elsewhere")
		w.must(w.RemoveSecondFactor(ctx, u.ID, hashOf("here"), start))
		w.onlySession(u.ID, "here")
	})
}

func (w *world) sessions(userID int64, tokens ...string) {
	w.t.Helper()
	for _, token := range tokens {
		w.must(w.CreateSession(w.t.Context(), identity.Session{
			Token: hashOf(token), UserID: userID, CreatedAt: start,
			ExpiresAt: start.Add(time.Hour),
		}))
	}
}

func (w *world) onlySession(userID int64, token string) {
	w.t.Helper()
	logins, err := w.Logins(w.t.Context(), userID, start)
	w.must(err)
	if len(logins) != 1 || logins[0].Token != hashOf(token) {
		w.t.Errorf("sessions of user %d are %v", userID, logins)
	}
}
