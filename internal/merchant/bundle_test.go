package merchant

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/testkit"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const email = "ada@example.com"

type bundle struct {
	*Service
	store *memory
	clock *testkit.Clock
}

func newBundle() bundle {
	b, c := newMemory(), testkit.NewClock(noon)
	return bundle{New(b, identity.New(nil, c.Now, identity.Options{}), c.Now, Options{}), b, c}
}

// mustCreateKey makes a key of a user that was never stored: no password is hashed.
func (b bundle) mustCreateKey(t *testing.T, in NewKey) (Key, string) {
	t.Helper()
	k, text, err := b.CreateKey(
		t.Context(),
		identity.User{ID: 7, PublicID: "01JD0000000000000000000007", Email: email, FirstName: "Ada", LastName: "L."},
		in,
		audit.Act{},
	)
	if err != nil {
		t.Fatalf("CreateKey: %v", err)
	}
	return k, text.Reveal()
}

func (b bundle) mustCreateCustodian(t *testing.T, in CustodianInput) (Key, Custodian) {
	t.Helper()
	k, _ := b.mustCreateKey(t, NewKey{Credits: 20})
	c, _, err := b.CreateCustodian(t.Context(), k, in, audit.Act{})
	if err != nil {
		t.Fatalf("CreateCustodian: %v", err)
	}
	return k, c
}

func (b bundle) credits(t *testing.T, k Key) int64 {
	t.Helper()
	balance, err := b.Balance(t.Context(), k.ID)
	if err != nil {
		t.Fatalf("Balance: %v", err)
	}
	return balance.Credits
}

// wantInvalid fails unless err is fault.Invalid and names the field.
func wantInvalid(t *testing.T, what string, err error, field string) {
	t.Helper()
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), field) {
		t.Errorf("%s: the error is %v, want fault.Invalid naming %s", what, err, field)
	}
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: the error is %v, want %v", what, err, want)
	}
}
