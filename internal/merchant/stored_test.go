package merchant_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/storetest"
	"github.com/florinpay/florin/internal/testkit"
)

// TestService_Stored follows a merchant on a real database: the service finds
// again what it returned.
func TestService_Stored(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	st, clock := storetest.Open(t, storetest.SQLite(t)), func() time.Time { return now }
	users := identity.New(st.Identity(), clock, identity.Options{})
	s := merchant.New(st.Merchant(), users, clock, merchant.Options{})
	user, err := users.CreateUser(
		t.Context(), identity.NewUser{Email: "ada@example.com", Password: secret.New("correct horse battery")},
		audit.Act{},
	)
	testkit.Must(t, err)
	signedIn, err := users.SignIn(
		t.Context(), identity.Credentials{Email: "ada@example.com", Password: secret.New("correct horse battery")},
	)
	testkit.Must(t, err)
	if found, err := s.MembershipBySession(t.Context(), signedIn.Token.Reveal()); err != nil || found.User != user {
		t.Errorf("MembershipBySession = %+v, %v; want %+v", found, err, user)
	}
	made, text, err := s.CreateKey(t.Context(), user, merchant.NewKey{Label: "shop", Credits: 2, Queries: 5},
		audit.Act{})
	testkit.Must(t, err)
	key, err := s.Authenticate(t.Context(), text.Reveal())
	if err != nil || key != made {
		t.Errorf("Authenticate = %+v, %v; want %+v", key, err, made)
	}
	t.Run("Custodian", func(t *testing.T) { storedCustodian(t, s, key) })
	testkit.Must(t, users.SignOut(t.Context(), signedIn.Token.Reveal(), audit.Record{}))
	if _, err := s.MembershipBySession(t.Context(), signedIn.Token.Reveal()); !errors.Is(err, identity.ErrBadSession) {
		t.Errorf("after signing out: %v", err)
	}
}

// storedCustodian creates a custodian, changes it, and is refused once the
// credits of the key are spent.
func storedCustodian(t *testing.T, s *merchant.Service, key merchant.Key) {
	t.Helper()
	created, signing, err := s.CreateCustodian(t.Context(), key, merchant.CustodianInput{
		Wallets: map[chain.Network]string{chain.Base: "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"},
		Secret:  new(secret.New("its secret")),
		Networks: []merchant.NetworkInput{{
			Network: chain.Base, Tokens: new([]money.Token{money.USDC}),
			MaxAmount: new(100 * money.USD), Finality: new("12s"),
		}},
		Branding: &merchant.BrandingInput{
			PrimaryColor: new("#09f"),
		}, ShortBasis: new(int64(50)), LateFor: new(time.Hour),
	}, audit.Act{})
	testkit.Must(t, err)
	if found, err := s.Custodian(t.Context(), key.ID); err != nil || !reflect.DeepEqual(found, created) {
		t.Errorf("the custodian is stored as\n%+v (%v), want\n%+v", found, err, created)
	}
	updated, err := s.UpdateCustodian(t.Context(), key, merchant.CustodianInput{Name: new("Shop")}, audit.Act{})
	created.Name = "Shop"
	if err != nil || !reflect.DeepEqual(updated, created) || !updated.SigningSecrets[0].Equal(signing) {
		t.Errorf("the update gave\n%+v (%v), want\n%+v", updated, err, created)
	}
	if _, err := s.UpdateCustodian(
		t.Context(), key, merchant.CustodianInput{Name: new("Other")}, audit.Act{},
	); !errors.Is(err, ledger.ErrNoCredits) {
		t.Errorf("without credits: %v", err)
	}
	if found, _ := s.Custodian(t.Context(), key.ID); found.Name != "Shop" {
		t.Errorf("the name is %q: it changed without payment", found.Name)
	}
	if left, err := s.Balance(t.Context(), key.ID); err != nil || left != (ledger.Balance{Queries: 5}) {
		t.Errorf("Balance = %+v, %v; want 0 credits and 5 queries", left, err)
	}
}
