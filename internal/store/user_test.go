package store

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

func TestStore_User(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		u := w.user()
		if u.ID < 1 {
			t.Errorf("id is %d", u.ID)
		}
		read, err := w.UserByEmail(t.Context(), u.Email)
		w.must(err)
		same(t, "user", read, u)
		twin := u
		twin.PublicID = string(newID())
		_, err = w.CreateUser(t.Context(), twin)
		wants(t, "the same e-mail", err, identity.ErrEmailTaken)
		for _, email := range []string{"", "nobody@example.org", "' OR ''='", "\x00"} {
			_, err = w.UserByEmail(t.Context(), email)
			wants(t, "unknown e-mail", err, identity.ErrUnknownUser)
		}
		twin.Email, twin.FirstName = "other@example.org", "\x00"
		_, err = w.CreateUser(t.Context(), twin)
		wantsInvalid(t, "NUL", err)
	})
}

func TestStore_User_OneEmailAtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		made := 0
		for _, err := range together(20, func(int) error {
			_, err := w.CreateUser(t.Context(), identity.User{
				PublicID: string(newID()), Email: "one@example.org",
				CreatedAt: start,
			})
			return err
		}) {
			if err == nil {
				made++
			} else {
				wants(t, "the same e-mail", err, identity.ErrEmailTaken)
			}
		}
		if made != 1 {
			t.Errorf("%d users with one e-mail", made)
		}
	})
}

func TestStore_Session(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		u := w.user()
		n := identity.Session{
			Token: hashOf("token"), UserID: u.ID, CreatedAt: start, ExpiresAt: start.Add(time.Hour),
			UserAgent: "curl",
		}
		w.must(w.CreateSession(t.Context(), n))
		read, err := w.MembershipBySession(t.Context(), n.Token, start.Add(time.Hour-time.Microsecond))
		w.must(err)
		same(t, "seat", read, merchant.Membership{User: u, Merchant: u, Role: merchant.RoleOwner})
		_, err = w.MembershipBySession(t.Context(), n.Token, n.ExpiresAt)
		wants(t, "expired", err, identity.ErrBadSession)
		_, err = w.MembershipBySession(t.Context(), hashOf("another"), start)
		wants(t, "unknown", err, identity.ErrBadSession)
		w.must(w.RevokeSession(t.Context(), hashOf("another"), start))
		for range 2 {
			w.must(w.RevokeSession(t.Context(), n.Token, start))
		}
		_, err = w.MembershipBySession(t.Context(), n.Token, start)
		wants(t, "revoked", err, identity.ErrBadSession)
	})
}

func TestStore_Key(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(20, 5)
		read, err := w.KeyByHash(t.Context(), k.Hash)
		w.must(err)
		same(t, "key", read, k)
		if k.Email == "" || k.FirstName != "Ada" || k.UserPublic == "" || !k.CreatedAt.Equal(start) {
			t.Errorf("key without its owner: %+v", k)
		}
		b, err := w.Balance(t.Context(), k.ID)
		w.must(err)
		same(t, "balance", b, ledger.Balance{Credits: 20, Queries: 5})
		_, err = w.KeyByHash(t.Context(), hashOf("another"))
		wants(t, "unknown key", err, merchant.ErrBadKey)
		_, err = w.Balance(t.Context(), 1<<40)
		wants(t, "unknown balance", err, merchant.ErrUnknownKey)
		w.balanced()

		_, err = w.CreateKey(t.Context(), merchant.Key{
			PublicID: string(newID()), UserID: k.UserID, Hash: k.Hash,
			CreatedAt: start,
		},
			func(int64) []ledger.Entry { return nil })
		if !db.IsDuplicate(err) {
			t.Errorf("the same key twice: %v", err)
		}
		sad := merchant.Key{PublicID: string(newID()), UserID: k.UserID, Hash: hashOf("sad"), CreatedAt: start}
		_, err = w.CreateKey(t.Context(), sad, func(id int64) []ledger.Entry {
			return []ledger.Entry{ledger.Spend(id, ledger.Credit, ledger.ReasonStart, "x", start)}
		})
		wants(t, "a key that begins with a debt", err, ledger.ErrNoCredits)
		_, err = w.KeyByHash(t.Context(), sad.Hash)
		wants(t, "the key that was refused", err, merchant.ErrBadKey)
	})
}

func TestStore_RotateKey(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(2, 0)
		rotate := func(old, next identity.Hash, ref string) error {
			_, err := w.RotateKey(t.Context(), merchant.Replacement{
				KeyID: k.ID, Old: old, Next: next, Now: start,
				Entries: []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, start)},
			})
			return err
		}
		next := hashOf("next")
		w.must(rotate(k.Hash, next, "rotate 1"))
		_, err := w.KeyByHash(t.Context(), k.Hash)
		wants(t, "the old key", err, merchant.ErrBadKey)
		read, err := w.KeyByHash(t.Context(), next)
		w.must(err)
		if read.ID != k.ID || read.PublicID != k.PublicID {
			t.Errorf("another key: %+v", read)
		}
		wants(t, "rotating the old key", rotate(k.Hash, hashOf("third"), "rotate 2"), merchant.ErrBadKey)

		// Of many rotations of one key at once one succeeds, and one is paid.
		won := 0
		for _, err := range together(10, func(i int) error {
			return rotate(next, hashOf("race"+string(rune('a'+i))), "race"+string(rune('a'+i)))
		}) {
			if err == nil {
				won++
			} else {
				wants(t, "rotating at once", err, merchant.ErrBadKey)
			}
		}
		b, err := w.Balance(t.Context(), k.ID)
		w.must(err)
		if won != 1 || b.Credits != 0 {
			t.Errorf("%d rotations, balance %+v", won, b)
		}
		w.balanced()
	})
}

func TestStore_RotateKey_NoCredits(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		_, err := w.RotateKey(t.Context(), merchant.Replacement{
			KeyID: k.ID, Old: k.Hash, Next: hashOf("next"), Now: start,
			Entries: []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "rotate", start)},
		})
		wants(t, "rotate", err, ledger.ErrNoCredits)
		_, err = w.KeyByHash(t.Context(), k.Hash)
		w.must(err)
	})
}

func TestStore_Custodian(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(2, 0)
		_, err := w.Custodian(t.Context(), k.ID)
		wants(t, "before there is one", err, merchant.ErrNoCustodian)
		c := w.custodian(k, "https://shop.example/hook")
		read, err := w.Custodian(t.Context(), k.ID)
		w.must(err)
		same(t, "custodian", read, c)
		if c.Secret.Reveal() != "merchant secret" || len(c.SigningSecrets) != 2 ||
			c.SigningSecrets[1].Reveal() != "whsec_old" {
			t.Errorf("secrets: %d signing", len(c.SigningSecrets))
		}
		if !c.Offers(chain.Polygon, money.USDC) || c.Offers(chain.Polygon, money.USDT) ||
			c.Offers(chain.Base, money.USDC) {
			t.Errorf("offers: %+v", c.Networks)
		}
		pay := []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "again", start)}
		twin := c
		twin.PublicID = string(newID())
		_, err = w.CreateCustodian(t.Context(), twin, pay, nil)
		wants(t, "a second one", err, merchant.ErrHasCustodian)
		b, err := w.Balance(t.Context(), k.ID)
		w.must(err)
		same(t, "balance", b, ledger.Balance{Credits: 2})
		if n := w.count("SELECT count(*) FROM custodians WHERE secret LIKE '%merchant%' OR signing_secrets LIKE '%whsec%'"); n != 0 {
			t.Error("a secret is stored in the clear")
		}
	})
}

func TestStore_UpdateCustodian(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(1, 0)
		c := w.custodian(k, "https://shop.example/hook")
		pay := func(ref string) []ledger.Entry {
			return []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, start)}
		}
		change := func(c merchant.Custodian) (merchant.Custodian, error) {
			c.Name, c.UpdatedAt, c.LateFor = "Näw", start.Add(time.Hour), 0
			c.Wallets = map[chain.Network]chain.Address{chain.Solana: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"}
			c.Networks = nil
			c.Secret = secret.New("")
			c.SigningSecrets = []secret.Text{secret.New("whsec_newest"), c.SigningSecrets[0]}
			return c, nil
		}
		after, err := w.UpdateCustodian(t.Context(), k.ID, pay("update 1"), change, nil)
		w.must(err)
		want, _ := change(c)
		want.Networks = map[chain.Network]merchant.NetworkOptions{}
		same(t, "updated", after, want)
		read, err := w.Custodian(t.Context(), k.ID)
		w.must(err)
		same(t, "read", read, want)

		_, err = w.UpdateCustodian(t.Context(), k.ID, pay("update 2"),
			func(c merchant.Custodian) (merchant.Custodian, error) {
				c.Name = "unpaid"
				return c, nil
			}, nil)
		wants(t, "without credits", err, ledger.ErrNoCredits)
		sad := errors.New("no")
		_, err = w.UpdateCustodian(t.Context(), k.ID, nil,
			func(c merchant.Custodian) (merchant.Custodian, error) { return c, sad }, nil)
		wants(t, "the change's own error", err, sad)
		_, err = w.UpdateCustodian(t.Context(), 1<<40, nil, change, nil)
		wants(t, "of an unknown key", err, merchant.ErrNoCustodian)
		_, err = w.UpdateCustodian(t.Context(), k.ID, nil, func(c merchant.Custodian) (merchant.Custodian, error) {
			c.Name = "\x00"
			return c, nil
		}, nil)
		wantsInvalid(t, "NUL", err)
		read, err = w.Custodian(t.Context(), k.ID)
		w.must(err)
		same(t, "after refusals", read, want)
	})
}

// No update is lost when many come at once.
func TestStore_UpdateCustodian_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.key(0, 0)
		first := w.custodian(k, "")
		for _, err := range together(20, func(int) error {
			_, err := w.UpdateCustodian(t.Context(), k.ID, nil, func(c merchant.Custodian) (merchant.Custodian, error) {
				c.ShortBasis++
				wallet, option := c.Wallets[chain.Polygon], c.Networks[chain.Polygon]
				c.Wallets[chain.Polygon] = wallet + "+"
				option.MinAmount++
				c.Networks[chain.Polygon] = option
				return c, nil
			}, nil)
			return err
		}) {
			w.must(err)
		}
		c, err := w.Custodian(t.Context(), k.ID)
		w.must(err)
		if c.ShortBasis != 70 {
			t.Errorf("%d, want 70", c.ShortBasis)
		}
		if n := strings.Count(string(c.Wallets[chain.Polygon]), "+"); n != 20 {
			t.Errorf("the wallet tells of %d changes, want 20", n)
		}
		if n := c.Networks[chain.Polygon].MinAmount - first.Networks[chain.Polygon].MinAmount; n != 20 {
			t.Errorf("the option tells of %d changes, want 20", n)
		}
		terms, err := w.Terms(t.Context(), k.ID)
		w.must(err)
		same(t, "terms", terms, payment.Terms{ShortBasis: c.ShortBasis, LateFor: c.LateFor})
		_, err = w.Terms(t.Context(), 1<<40)
		wants(t, "terms of an unknown key", err, merchant.ErrNoCustodian)
	})
}

// A sealed secret opens with the operator's key, and in its own row only.
func TestStore_Custodian_Sealed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.key(0, 0), w.key(0, 0)
		c, thief := w.custodian(k, ""), w.custodian(other, "")
		_, err := w.raw().Exec("UPDATE custodians SET secret = (SELECT secret FROM custodians WHERE public_id = '" + c.PublicID + "') " +
			"WHERE public_id = '" + thief.PublicID + "'")
		w.must(err)
		_, err = w.Custodian(t.Context(), other.ID)
		wants(t, "another's secret", err, secret.ErrSealed)
		_, err = w.Custodian(t.Context(), k.ID)
		w.must(err)

		s, err := Open(t.Context(), w.url, mustSealer(2), Options{})
		w.must(err)
		defer s.Close()
		wants(t, "start with another key", s.Migrate(t.Context()), secret.ErrSealed)
		_, err = s.Custodian(t.Context(), k.ID)
		wants(t, "read with another key", err, secret.ErrSealed)
	})
}
