package identity_test

import (
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_Challenge(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx := t.Context()
		c := identity.Challenge{
			Holder: storetest.HashOf("here"), Purpose: identity.PurposeConfirm, State: "old",
			ExpiresAt: storetest.Start.Add(identity.ChallengeTTL),
		}
		w.Must(w.AddChallenge(ctx, c, storetest.Start))
		c.State = "new"
		w.Must(w.AddChallenge(ctx, c, storetest.Start))
		for _, other := range []identity.Challenge{
			{Holder: storetest.HashOf("there"), Purpose: c.Purpose},
			{Holder: c.Holder, Purpose: identity.PurposeRegister},
		} {
			got, err := w.TakeChallenge(ctx, other.Holder, other.Purpose)
			w.Must(err)
			storetest.Same(t, "a challenge for "+string(other.Purpose), got, identity.Challenge{})
		}

		var taken atomic.Int64
		for _, err := range storetest.AtOnce(8, func(int) error {
			got, err := w.TakeChallenge(ctx, c.Holder, c.Purpose)
			if err == nil && got.State == "new" {
				taken.Add(1)
			}
			return err
		}) {
			w.Must(err)
		}
		if taken.Load() != 1 {
			t.Errorf("one challenge was taken %d times", taken.Load())
		}

		w.Must(w.AddChallenge(ctx, c, storetest.Start))
		other := identity.Challenge{
			Holder: storetest.HashOf("there"), Purpose: identity.PurposeSignIn, State: "x",
			ExpiresAt: c.ExpiresAt.Add(time.Hour),
		}
		w.Must(w.AddChallenge(ctx, other, c.ExpiresAt))
		if n := w.Count("SELECT count(*) FROM passkey_challenges"); n != 1 {
			t.Errorf("%d challenges are kept, one of them is over", n)
		}
	})
}

func TestStore_Passkeys(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.NewUser(), w.NewUser()
		p := storetest.NewPasskey(u.ID, "first")
		w.Must(w.AddPasskey(ctx, p, identity.Hash{}, audit.Record{}))
		storetest.WantError(t, "the same credential", w.AddPasskey(ctx, storetest.NewPasskey(other.ID, "first"), identity.Hash{}, audit.Record{}), identity.ErrHasPasskey)
		for i, err := range storetest.AtOnce(identity.MaxPasskeys+3, func(i int) error {
			more := storetest.NewPasskey(u.ID, "more"+strconv.Itoa(i))
			more.CreatedAt = storetest.Start.Add(time.Minute)
			return w.AddPasskey(ctx, more, identity.Hash{}, audit.Record{})
		}) {
			if err != nil {
				storetest.WantError(t, "passkey "+strconv.Itoa(i), err, identity.ErrTooManyPasskeys)
			}
		}
		list, err := w.PasskeysOf(ctx, u.ID)
		w.Must(err)
		if len(list) != identity.MaxPasskeys || list[0].ID != p.ID || list[0].Record.Reveal() != "record of first" ||
			!list[0].UsedAt.IsZero() {
			t.Fatalf("passkeys are %+v", list)
		}
		if got, err := w.UserByPublicID(ctx, u.PublicID); err != nil || got.ID != u.ID {
			t.Errorf("the user is %d, %v", got.ID, err)
		}
		for _, id := range []string{"", "nobody", "a\x00b", "\xff"} {
			_, err := w.UserByPublicID(ctx, id)
			storetest.WantError(t, "user "+strconv.Quote(id), err, identity.ErrUnknownUser)
		}
		// What is stored does not tell the public key, and cannot be put in another's place.
		db := w.SQL()
		var stored string
		w.Must(db.QueryRow("SELECT record FROM passkeys WHERE name = 'Laptop' ORDER BY public_id").Scan(&stored))
		if strings.Contains(stored, "record") {
			t.Errorf("a record is stored as %q", stored)
		}
	})
}

func TestStore_UsePasskey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		before := storetest.NewPasskey(u.ID, "c")
		w.Must(w.AddPasskey(ctx, before, identity.Hash{}, audit.Record{}))
		var used atomic.Int64
		for _, err := range storetest.AtOnce(8, func(i int) error {
			after := before
			after.Record, after.UsedAt = secret.New("counter "+strconv.Itoa(i)), storetest.Start.Add(time.Minute)
			ok, err := w.UsePasskey(ctx, before, after)
			if ok {
				used.Add(1)
			}
			return err
		}) {
			w.Must(err)
		}
		if used.Load() != 1 {
			t.Errorf("one counter was used %d times", used.Load())
		}
		list, err := w.PasskeysOf(ctx, u.ID)
		w.Must(err)
		if !list[0].UsedAt.Equal(storetest.Start.Add(time.Minute)) ||
			!strings.HasPrefix(list[0].Record.Reveal(), "counter") {
			t.Errorf("the passkey is %+v", list[0])
		}
	})
}

func TestStore_RenamePasskey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.NewUser(), w.NewUser()
		p := storetest.NewPasskey(u.ID, "c")
		w.Must(w.AddPasskey(ctx, p, identity.Hash{}, audit.Record{}))
		storetest.WantError(t, "another's", w.RenamePasskey(ctx, other.ID, p.ID, "Mine", audit.Record{}),
			identity.ErrUnknownPasskey)
		storetest.WantError(t, "none", w.RenamePasskey(ctx, u.ID, "a\x00b", "Mine", audit.Record{}),
			identity.ErrUnknownPasskey)
		w.Must(w.RenamePasskey(ctx, u.ID, p.ID, "Phone", audit.Record{}))
		list, err := w.PasskeysOf(ctx, u.ID)
		w.Must(err)
		if list[0].Name != "Phone" {
			t.Errorf("it is called %q", list[0].Name)
		}
	})
}

func TestStore_NoteGuesses(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		if notify, err := w.NoteGuesses(ctx, "nobody@shop.example", storetest.Start, storetest.Start); notify ||
			err != nil {
			t.Errorf("an unknown user is notified: %t, %v", notify, err)
		}
		var notified atomic.Int64
		note := func(now time.Time) {
			for _, err := range storetest.AtOnce(8, func(n int) error {
				at := now.Add(time.Duration(n) * time.Microsecond) // each a mail of its own
				notify, err := w.NoteGuesses(ctx, u.Email, at, at.Add(-identity.GuessMailEvery))
				if notify {
					if again, err := w.NoteGuesses(ctx, u.Email, at,
						at.Add(-identity.GuessMailEvery)); !again || err != nil {
						t.Errorf("another attempt to send the same mail: %t, %v", again, err)
					}
				}
				if notify {
					notified.Add(1)
				}
				return err
			}) {
				w.Must(err)
			}
		}
		note(storetest.Start)
		note(storetest.Start.Add(identity.GuessMailEvery - time.Second))
		if notified.Load() != 1 {
			t.Errorf("notified %d times within a day", notified.Load())
		}
		note(storetest.Start.Add(identity.GuessMailEvery))
		if notified.Load() != 2 {
			t.Errorf("notified %d times after a day", notified.Load())
		}
	})
}

func TestStore_RemovePasskey(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u, other := t.Context(), w.NewUser(), w.NewUser()
		p := storetest.NewPasskey(u.ID, "c")
		w.Must(w.AddPasskey(ctx, p, identity.Hash{}, audit.Record{}))
		w.sessions(u.ID, "here", "elsewhere")
		w.sessions(other.ID, "theirs")
		storetest.WantError(t, "another's", w.RemovePasskey(ctx, other.ID, p.ID, storetest.HashOf("theirs"), storetest.Start, audit.Record{}), identity.ErrUnknownPasskey)
		w.Must(w.RemovePasskey(ctx, u.ID, p.ID, storetest.HashOf("here"), storetest.Start, audit.Record{}))
		storetest.WantError(t, "a second time", w.RemovePasskey(ctx, u.ID, p.ID, storetest.HashOf("here"), storetest.Start, audit.Record{}), identity.ErrUnknownPasskey)
		w.onlySession(u.ID, "here")
		w.onlySession(other.ID, "theirs")
	})
}

// Taking the second factor away ends what was open elsewhere.
func TestStore_RemoveSecondFactor_Sessions(t *testing.T) {
	onEach(t, func(t *testing.T, w *world) {
		ctx, u := t.Context(), w.NewUser()
		w.sessions(u.ID, "here", "elsewhere")
		w.Must(w.RemoveSecondFactor(ctx, u.ID, storetest.HashOf("here"), storetest.Start, audit.Record{}))
		w.onlySession(u.ID, "here")
	})
}

func (w *world) sessions(userID int64, tokens ...string) {
	w.T.Helper()
	for _, token := range tokens {
		w.Must(w.CreateSession(w.T.Context(), identity.Session{
			Token: storetest.HashOf(token), UserID: userID, CreatedAt: storetest.Start,
			ExpiresAt: storetest.Start.Add(time.Hour),
		}, audit.Record{}))
	}
}

func (w *world) onlySession(userID int64, token string) {
	w.T.Helper()
	logins, err := w.Logins(w.T.Context(), userID, storetest.Start)
	w.Must(err)
	if len(logins) != 1 || logins[0].Token != storetest.HashOf(token) {
		w.T.Errorf("sessions of user %d are %v", userID, logins)
	}
}
