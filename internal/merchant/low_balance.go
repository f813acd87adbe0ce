package merchant

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
)

const (
	// RefusedEvery is how often at most the owners of a key are mailed about refused sales.
	RefusedEvery = 24 * time.Hour
	// refusedPause is how long an instance ignores further refused sales of a key, so that a flood of them costs a
	// write every now and then.
	refusedPause = 10 * time.Minute
	// maxRefused bounds how many keys with refused sales an instance remembers.
	maxRefused = 10_000
)

// refusals remembers about which keys mails were stored, and when.
type refusals struct {
	mu sync.Mutex
	at map[saleMail]time.Time
}

// saleMail is what owners are mailed about sales of a key.
type saleMail struct {
	kind  mail.Kind
	keyID int64
}

// take reports whether the mail is to be stored now.
func (r *refusals) take(m saleMail, now time.Time) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	if last, ok := r.at[m]; ok && now.Sub(last) < refusedPause {
		return false
	}
	if r.at == nil || len(r.at) >= maxRefused {
		r.at = make(map[saleMail]time.Time) // the store bounds the mails, too
	}
	r.at[m] = now
	return true
}

func (r *refusals) forget(m saleMail) {
	r.mu.Lock()
	defer r.mu.Unlock()
	delete(r.at, m)
}

// SaleRefused stores a mail to the owners of the key, a sale of which was refused for credits: at most one in
// RefusedEvery, however many sales are refused.
func (s *Service) SaleRefused(ctx context.Context, keyID int64) error {
	return s.mailSales(ctx, saleMail{mail.Refused, keyID})
}

// Crowded stores, as SaleRefused does, a mail about strangers who start more payments of the key than it has room for.
func (s *Service) Crowded(ctx context.Context, keyID int64) error {
	return s.mailSales(ctx, saleMail{mail.Crowded, keyID})
}

func (s *Service) mailSales(ctx context.Context, m saleMail) error {
	now := s.now().UTC()
	if !s.opts.Mail.Enabled() || !s.refused.take(m, now) {
		return nil
	}
	err := s.store.RecordSales(ctx, m.kind, m.keyID, now)
	if err != nil {
		s.refused.forget(m)
	}
	return err
}

// CreditMail makes a mail about the sales of a key into one to its owners, with what is left now. ok is false where
// none is needed: credits were bought meanwhile, or the key was revoked.
func (s *Service) CreditMail(ctx context.Context, m mail.Mail) (to mail.Mail, ok bool, err error) {
	key, err := s.store.Key(ctx, m.Key)
	if err != nil {
		return mail.Mail{}, false, err
	}
	to = mail.Mail{
		ID: m.ID + ".to", Kind: mail.Plain, Owners: key.UserID, Thread: m.Thread, Wish: wishOf[m.Kind], At: m.At,
	}
	if m.Kind == mail.Completed || m.Kind == mail.Paid || m.Kind == mail.Attention {
		key, page := mail.T("API key: {{.Key}}", "Key", key.Name()), s.opts.BaseURL+"/dashboard"
		to.Letter = m.Letter
		if m.Thread == "" {
			return to.And(key.Then(page)), true, nil
		}
		return to.And(key.Next(), mail.T("Open the payment:").Then(page+"/payments/"+m.Thread)), true, nil
	}
	left, err := s.store.Balance(ctx, m.Key)
	if err != nil || !key.RevokedAt.IsZero() || m.Kind == mail.Low && !ledger.IsLow(left.Credits) {
		return mail.Mail{}, false, err
	}
	return to.Of(lowBalanceMail(key, m, left.Credits, s.opts.BaseURL)), true, nil
}

// wishOf are the wishes that the kinds of news are subject to. That somebody completed a payment by hand is no news but
// a warning, which owners cannot turn off.
var wishOf = map[mail.Kind]mail.Wish{
	mail.Low: mail.WishCredits, mail.Refused: mail.WishCredits, mail.Crowded: mail.WishAttention,
	mail.Paid: mail.WishPaid, mail.Attention: mail.WishAttention,
}

// lowBalanceMail returns the mail about the credits of a key.
func lowBalanceMail(key Key, m mail.Mail, left int64, baseURL string) mail.Letter {
	name, page := cmp.Or(key.Label, key.PublicID), baseURL+"/dashboard/credits?key="+key.PublicID
	if m.Kind == mail.Refused {
		return refusedMail(m.At, left, name, page)
	}
	if m.Kind == mail.Crowded {
		return crowdedMail(name, baseURL)
	}
	if left <= 0 {
		return mail.Letter{Subject: mail.T("No credits left: your customers cannot pay"), Text: []mail.Words{
			mail.T("The API key “{{.Key}}” has no credits left. Each payment that a customer starts costs one, so no customer "+
				"can start a payment now.", "Key", name),
			mail.T("Payments that were started already go on, and their money reaches you."),
			mail.T("Buy credits here:").Then(page),
		}}
	}
	return mail.Letter{
		Subject: mail.N("Your credits run low: {{.N}} credits left", "Your credits run low: 1 credit left", int(left)),
		Text: []mail.Words{
			mail.N("The API key “{{.Key}}” has {{.N}} credits left. Each payment that a customer starts costs one, so {{.N}} "+
				"more payments can be started.", "The API key “{{.Key}}” has 1 credit left. Each payment that a customer "+
				"starts costs one, so one more payment can be started.", int(left), "Key", name),
			mail.T("Buy more before they are used up:").Then(page),
			mail.T("You get this mail once. You will get another when you have bought credits and they run low again."),
		},
	}
}

// crowdedMail returns the mail about strangers who fill the places of payments.
func crowdedMail(name, baseURL string) mail.Letter {
	return mail.Letter{
		Subject: mail.T("Many unpaid payments are opened on your links or donation pages"),
		Text: []mail.Words{
			mail.T("Somebody starts more payments with the links and donation pages of the API key “{{.Key}}” than it has room "+
				"for, and pays none of them.", "Key", name),
			mail.T("Your customers can still pay: the oldest unpaid payments give way to new ones, and unpaid payments cost you " +
				"nothing. If it goes on, pause the link or campaign that is abused and make another one:").
				Then(baseURL + "/dashboard"),
			mail.T("You get this mail at most once a day."),
		},
	}
}

// refusedMail returns the mail about a refused sale. Payments that strangers open
// are refused before the credits are used up (ledger.Reserve).
func refusedMail(at time.Time, left int64, name, page string) mail.Letter {
	rest := mail.T("It has none left, so no customer can start a payment now. Payments that were started already go on.")
	if left > 0 {
		rest = mail.T("It has {{.Left}} left now. Donations and payment links cannot use the last ones: these are kept for the "+
			"payments you create yourself.", "Left", left)
	}
	return mail.Letter{Subject: mail.T("A customer could not pay: no credits"), Text: []mail.Words{
		mail.T("On {{.At}} a customer could not start a payment, because the API key “{{.Key}}” had no credit for it.",
			"At", at, "Key", name),
		rest,
		mail.T("Buy credits here:").Then(page),
		mail.T("You get this mail at most once a day, however many customers could not pay."),
	}}
}
