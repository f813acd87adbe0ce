package rotation

import (
	"context"
	"crypto/ecdh"
	"crypto/rand"
	"encoding/base64"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

const (
	// FollowEvery is how often a program is to look whether the key is changed.
	FollowEvery = time.Second
	// beatEvery is how often a program that runs says so.
	beatEvery = 10 * time.Second
	// aliveFor is for how long it counts as running without saying so.
	aliveFor = 3 * beatEvery
	// forgetAfter is when the row of a program that ended without a word is deleted.
	forgetAfter = 24 * time.Hour
)

// Follower keeps the sealer of one running program with the database: it takes the new key when the secret key is
// changed, and seals with it from the moment on when every program has it.
type Follower struct {
	db      db.Engine
	sealer  *secret.Sealer
	holder  string
	now     func() time.Time
	log     *slog.Logger
	private *ecdh.PrivateKey
	said    sealerRow // as it was last stored
}

// NewFollower returns the follower of a program. holder identifies the program among all that run.
func NewFollower(
	e db.Engine, s *secret.Sealer, holder string, now func() time.Time, log *slog.Logger,
) (*Follower, error) {
	private, err := ecdh.X25519().GenerateKey(rand.Reader)
	if err != nil {
		return nil, fmt.Errorf("make a key pair: %w", err)
	}
	return &Follower{db: e, sealer: s, holder: holder, now: now, log: log, private: private}, nil
}

// Join makes the program one that a change of the key waits for. It is called before the program seals anything.
func (f *Follower) Join(ctx context.Context) error {
	err := f.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		s, err := lockState(ctx, t) // the key is not switched meanwhile
		if err != nil {
			return err
		}
		if err := s.apply(f.sealer); err != nil {
			return err
		}
		_, err = t.NewRaw("DELETE FROM sealers WHERE seen_at < ?", f.now().Add(-forgetAfter)).Exec(ctx)
		if err != nil {
			return err
		}
		return f.say(ctx, t)
	})
	return db.Wrap(err, "FLORIN_SECRET_KEY of the database")
}

// Leave ends what Join began.
func (f *Follower) Leave(ctx context.Context) {
	_, _ = db.WriteOne(ctx, f.db, "DELETE FROM sealers WHERE holder = ?", f.holder) // else it is forgotten later
}

// RunOnce takes part in a change of the key, if there is one. It fails with secret.ErrSealed if the program lacks a key
// without which it cannot read what others store: then it must not go on.
func (f *Follower) RunOnce(ctx context.Context) error {
	var s state
	if err := f.db.Reader().NewRaw(selectState).Scan(ctx, &s); err != nil {
		return err
	}
	if next := s.next(); next != "" && !f.sealer.Knows(next) {
		if err := f.accept(ctx); err != nil {
			return err
		}
	}
	if err := s.apply(f.sealer); err != nil {
		return err
	}
	same := f.said.Knows == f.knows() && f.said.Seals == f.sealer.KeyID()
	if same && f.now().Sub(f.said.SeenAt).Abs() < beatEvery {
		return nil
	}
	if f.said.Seals != "" && f.said.Seals != f.sealer.KeyID() {
		f.log.InfoContext(ctx, "secrets are sealed with the new FLORIN_SECRET_KEY from now on", "key", f.sealer.KeyID())
	}
	return f.db.Write(ctx, f.say)
}

// sealerRow is a running program as it is stored.
type sealerRow struct {
	Holder string
	Hello  string
	Offer  string
	Knows  string
	Seals  string
	SeenAt time.Time
}

// knowsKey reports whether the program has the key of that id.
func (r sealerRow) knowsKey(id string) bool { return slices.Contains(strings.Fields(r.Knows), id) }

func (f *Follower) knows() string { return strings.Join(f.sealer.KeyIDs(), " ") }

// say stores that the program runs, and with which keys.
func (f *Follower) say(ctx context.Context, t db.Tx) error {
	public := base64.StdEncoding.EncodeToString(f.private.PublicKey().Bytes())
	r := sealerRow{
		Holder: f.holder, Hello: f.sealer.Seal(helloPlace(f.holder), secret.New(public)), Knows: f.knows(),
		Seals: f.sealer.KeyID(), SeenAt: f.now(),
	}
	_, err := t.NewRaw("INSERT INTO sealers (holder, hello, offer, knows, seals, seen_at) VALUES (?, ?, '', ?, ?, ?) "+
		"ON CONFLICT (holder) DO UPDATE SET hello = excluded.hello, knows = excluded.knows, seals = excluded.seals, "+
		"seen_at = excluded.seen_at", r.Holder, r.Hello, r.Knows, r.Seals, r.SeenAt).Exec(ctx)
	if err == nil {
		f.said = r
	}
	return err
}

// accept takes the new key, if it was offered.
func (f *Follower) accept(ctx context.Context) error {
	var offers []string
	err := f.db.Reader().NewRaw("SELECT offer FROM sealers WHERE holder = ? AND offer <> ''", f.holder).Scan(ctx, &offers)
	if err != nil || len(offers) == 0 {
		return err
	}
	raw, err := openOffer(f.sealer, f.private, f.holder, offers[0])
	if err != nil {
		//nolint:errorlint // an offer that means nothing must not end the program, as a missing key does
		return fmt.Errorf("the new FLORIN_SECRET_KEY that was offered: %v", err)
	}
	return f.sealer.Add(raw)
}
