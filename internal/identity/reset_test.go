package identity

import (
	"context"
	"errors"
	"testing"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/testkit"
)

// onlyRecord is a store that takes mails and answers no question: whose account it is asked for is nobody's.
type onlyRecord struct {
	Store
	mails []mail.Mail
}

func (s *onlyRecord) UpdateUser(_ context.Context, by By, decide func(Account) (Change, error)) (Account, error) {
	if by != (By{}) {
		return Account{}, errors.New("the store is asked whose account it is")
	}
	c, err := decide(Account{})
	s.mails = append(s.mails, c.Mails...)
	return c.Account, err
}

// TestService_BeginReset: a request for a new password asks nothing of the store, so its time says nothing of who has
// an account.
func TestService_BeginReset(t *testing.T) {
	t.Parallel()
	store := &onlyRecord{}
	s := New(store, testkit.NewClock(noon).Now, Options{Mail: &mail.Writer{NewID: func() string { return "id" }}})
	testkit.Must(t, s.BeginReset(t.Context(), " Ada@Example.com ", "203.0.113.0/24"))
	if len(store.mails) != 1 || store.mails[0].To != email || store.mails[0].Near != "203.0.113.0/24" ||
		store.mails[0].Kind != mail.Reset || !store.mails[0].Text.Empty() {
		t.Errorf("ordered %+v", store.mails)
	}
}
