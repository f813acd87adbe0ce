package merchant

import (
	"context"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Replacement gives a key a new text.
type Replacement struct {
	KeyID     int64
	Old, Next identity.Hash
	// Most are the permissions the key keeps of those it has: none is ever added.
	Most    Permissions
	Entries []ledger.Entry
	Record  audit.Record
	// Keep makes the answer of the request.
	Keep func(Done) (*idempotency.Kept, error)
}

// Replaced is a key's new text, and what the key has left.
type Replaced struct {
	Text secret.Text
	Left ledger.Balance
}

// ReplaceKey gives the key a new text, posts the entries with it, and returns
// the text, which is shown only here, and the balance of the key. The old text
// fails from then on. The key keeps the permissions it has that are among most, and
// gets no other. The audit entry has the detail. The caller has checked who asks. It fails with
// ErrBadKey if the key was replaced in the meantime, or ErrNothingLeft.
func (s *Service) ReplaceKey(
	ctx context.Context, key Key, most Permissions, entries []ledger.Entry, detail string, act audit.Act,
) (secret.Text, ledger.Balance, error) {
	if key.Permissions.Within(most).Empty() {
		return secret.Text{}, ledger.Balance{}, ErrNothingLeft
	}
	text, hash := identity.APIKey.New(s.opts.Random)
	r := Replacement{
		KeyID: key.ID, Old: key.Hash, Next: hash, Most: most, Entries: entries,
		Record: act.Record(key.UserID, audit.ActionRotateKey, key.known(act), detail, s.opts.Mail.Owners(
			act.At, key.UserID, mail.T("An API key was replaced"),
			mail.T("The API key “{{.Key}}” of your Florin merchant account has a new text, by {{.Who}}. "+
				"The old one fails from now on.", "Key", key.known(act), "Who", act.Who))...),
		Keep: func(d Done) (*idempotency.Kept, error) { return act.Keep.Of(Replaced{text, d.Left}) },
	}
	done, err := s.store.UpdateAccount(ctx, key.UserID, key.ID, func(a Account) (Change, error) { return a.Replace(r) })
	if err != nil {
		return secret.Text{}, ledger.Balance{}, err
	}
	return text, done.Left, nil
}

// RetiredAnswer returns the stored answer of the request that replaced the key of
// this text, and the ID of the key. Any other request gets ErrBadKey, so that it
// tells nothing to whoever cannot repeat that one to the letter.
func (s *Service) RetiredAnswer(
	ctx context.Context, text, name string, request idempotency.Hash,
) (int64, idempotency.Answer, error) {
	old, ok := hashOfKey(text)
	if !ok {
		return 0, idempotency.Answer{}, ErrBadKey
	}
	keyID, answer, err := s.store.RetiredAnswer(ctx, old, name, request, s.now())
	if err == nil && keyID == 0 {
		err = ErrBadKey
	}
	return keyID, answer, err
}
