package merchant_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store"
	"github.com/florinpay/florin/internal/store/storetest"
)

func TestStore_Custodian(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(2, 0)
		_, err := w.Custodian(t.Context(), k.ID)
		storetest.WantError(t, "before there is one", err, merchant.ErrNoCustodian)
		c := w.NewCustodian(k, "https://shop.example/hook")
		read, err := w.Custodian(t.Context(), k.ID)
		w.Must(err)
		storetest.Same(t, "custodian", read, c)
		if c.Secret.Reveal() != "merchant secret" || len(c.SigningSecrets) != 2 ||
			c.SigningSecrets[1].Reveal() != "whsec_old" {
			t.Errorf("secrets: %d signing", len(c.SigningSecrets))
		}
		if !c.Offers(chain.Polygon, money.USDC) || c.Offers(chain.Polygon, money.USDT) ||
			c.Offers(chain.Base, money.USDC) {
			t.Errorf("offers: %+v", c.Networks)
		}
		pay := []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, "again", storetest.Start)}
		twin := c
		twin.PublicID = string(storetest.NewID())
		_, err = w.CreateCustodian(t.Context(), twin, pay, audit.Record{})
		storetest.WantError(t, "a second one", err, merchant.ErrHasCustodian)
		w.WantBalance(k.ID, ledger.Balance{Credits: 2})
		if n := w.Count("SELECT count(*) FROM custodians WHERE secret LIKE '%merchant%' OR signing_secrets LIKE '%whsec%'"); n != 0 {
			t.Error("a secret is stored in the clear")
		}
	})
}

func TestStore_UpdateCustodian(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(1, 0)
		c := w.NewCustodian(k, "https://shop.example/hook")
		pay := func(ref string) []ledger.Entry {
			return []ledger.Entry{ledger.Spend(k.ID, ledger.Credit, ledger.ReasonOperation, ref, storetest.Start)}
		}
		change := func(c merchant.Custodian) (merchant.CustodianChange, error) {
			c.Name, c.UpdatedAt, c.LateFor = "Näw", storetest.Start.Add(time.Hour), 0
			c.Wallets = map[chain.Network]chain.Address{chain.Solana: "9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin"}
			c.Networks = nil
			c.Secret = secret.New("")
			c.SigningSecrets = []secret.Text{secret.New("whsec_newest"), c.SigningSecrets[0]}
			return merchant.CustodianChange{Custodian: c}, nil
		}
		after, err := w.UpdateCustodian(t.Context(), k.ID, pay("update 1"), change)
		w.Must(err)
		changed, _ := change(c)
		want := changed.Custodian
		want.Networks = map[chain.Network]merchant.NetworkOptions{}
		storetest.Same(t, "updated", after, want)
		read, err := w.Custodian(t.Context(), k.ID)
		w.Must(err)
		storetest.Same(t, "read", read, want)

		_, err = w.UpdateCustodian(t.Context(), k.ID, pay("update 2"),
			func(c merchant.Custodian) (merchant.CustodianChange, error) {
				c.Name = "unpaid"
				return merchant.CustodianChange{Custodian: c}, nil
			})
		storetest.WantError(t, "without credits", err, ledger.ErrNoCredits)
		sad := errors.New("no")
		_, err = w.UpdateCustodian(t.Context(), k.ID, nil,
			func(c merchant.Custodian) (merchant.CustodianChange, error) {
				return merchant.CustodianChange{Custodian: c}, sad
			})
		storetest.WantError(t, "the change's own error", err, sad)
		_, err = w.UpdateCustodian(t.Context(), 1<<40, nil, change)
		storetest.WantError(t, "of an unknown key", err, merchant.ErrNoCustodian)
		_, err = w.UpdateCustodian(t.Context(), k.ID, nil,
			func(c merchant.Custodian) (merchant.CustodianChange, error) {
				c.Name = "\x00"
				return merchant.CustodianChange{Custodian: c}, nil
			})
		storetest.WantInvalid(t, "NUL", err)
		read, err = w.Custodian(t.Context(), k.ID)
		w.Must(err)
		storetest.Same(t, "after refusals", read, want)
	})
}

// No update is lost when many come at once.
func TestStore_UpdateCustodian_AtOnce(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k := w.NewKey(0, 0)
		first := w.NewCustodian(k, "")
		for _, err := range storetest.AtOnce(20, func(int) error {
			_, err := w.UpdateCustodian(t.Context(), k.ID, nil,
				func(c merchant.Custodian) (merchant.CustodianChange, error) {
					c.ShortBasis++
					wallet, option := c.Wallets[chain.Polygon], c.Networks[chain.Polygon]
					c.Wallets[chain.Polygon] = wallet + "+"
					option.MinAmount++
					c.Networks[chain.Polygon] = option
					return merchant.CustodianChange{Custodian: c}, nil
				})
			return err
		}) {
			w.Must(err)
		}
		c, err := w.Custodian(t.Context(), k.ID)
		w.Must(err)
		if c.ShortBasis != 70 {
			t.Errorf("%d, want 70", c.ShortBasis)
		}
		if n := strings.Count(string(c.Wallets[chain.Polygon]), "+"); n != 20 {
			t.Errorf("the wallet reports %d changes, want 20", n)
		}
		if n := c.Networks[chain.Polygon].MinAmount - first.Networks[chain.Polygon].MinAmount; n != 20 {
			t.Errorf("the option reports %d changes, want 20", n)
		}
	})
}

// A sealed secret opens with the operator's key, and in its own row only.
func TestStore_Custodian_Sealed(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, w *world) {
		k, other := w.NewKey(0, 0), w.NewKey(0, 0)
		c, thief := w.NewCustodian(k, ""), w.NewCustodian(other, "")
		_, err := w.SQL().Exec(`UPDATE custodians SET secret = (SELECT secret FROM custodians WHERE public_id = '` + c.PublicID + `')
			WHERE public_id = '` + thief.PublicID + `'`)
		w.Must(err)
		_, err = w.Custodian(t.Context(), other.ID)
		storetest.WantError(t, "another's secret", err, secret.ErrSealed)
		w.MustDo(w.Custodian(t.Context(), k.ID))

		s, err := store.Open(t.Context(), w.URL, storetest.Sealer(2), store.Options{})
		w.Must(err)
		defer s.Close()
		storetest.WantError(t, "start with another key", s.Migrate(t.Context()), secret.ErrSealed)
		_, err = s.Merchant().Custodian(t.Context(), k.ID)
		storetest.WantError(t, "read with another key", err, secret.ErrSealed)
	})
}
