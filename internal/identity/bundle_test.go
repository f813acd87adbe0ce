package identity

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

const (
	email    = "ada@example.com"
	password = "correct horse battery"
)

type bundle struct {
	*Service
	store *memory
	clock *testkit.Clock
}

func newBundle() bundle {
	b, c := newMemory(), testkit.NewClock(noon)
	return bundle{New(b, c.Now, Options{}), b, c}
}

func (b bundle) mustCreateUser(t *testing.T) User {
	t.Helper()
	u, err := b.CreateUser(
		t.Context(), NewUser{Email: email, Password: secret.New(password), FirstName: "Ada", LastName: "L."},
		audit.Act{},
	)
	if err != nil {
		t.Fatalf("CreateUser: %v", err)
	}
	return u
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
