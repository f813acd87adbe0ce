package merchant

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
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
		page := s.opts.BaseURL + "/dashboard"
		if m.Thread != "" {
			page += "/payments/" + m.Thread
		}
		to.Subject, to.Text = m.Subject, secret.New(m.Text.Reveal()+"\n\nAPI key: "+key.Name()+"\n"+page)
		return to, true, nil
	}
	left, err := s.store.Balance(ctx, m.Key)
	if err != nil || !key.RevokedAt.IsZero() || m.Kind == mail.Low && !ledger.IsLow(left.Credits) {
		return mail.Mail{}, false, err
	}
	subject, text := lowBalanceMail(key, m, left.Credits, s.opts.BaseURL)
	to.Subject, to.Text = subject, secret.New(text)
	return to, true, nil
}

// wishOf are the wishes that the kinds of news are subject to. That somebody completed a payment by hand is no news but
// a warning, which owners cannot turn off.
var wishOf = map[mail.Kind]mail.Wish{
	mail.Low: mail.WishCredits, mail.Refused: mail.WishCredits, mail.Crowded: mail.WishAttention,
	mail.Paid: mail.WishPaid, mail.Attention: mail.WishAttention,
}

// lowBalanceMail returns the subject and text of the mail.
func lowBalanceMail(key Key, m mail.Mail, left int64, baseURL string) (subject, text string) {
	name, page := cmp.Or(key.Label, key.PublicID), baseURL+"/dashboard/credits?key="+key.PublicID
	if m.Kind == mail.Refused {
		return refusedMail(m.At, left, name, page)
	}
	if m.Kind == mail.Crowded {
		return crowdedMail(name, baseURL)
	}
	if left <= 0 {
		return "No credits left: your customers cannot pay",
			fmt.Sprintf("The API key “%s” has no credits left. Each payment that a customer starts costs one, so no customer can start a payment now.\n\n"+
				"Payments that were started already go on, and their money reaches you.\n\nBuy credits here:\n%s", name, page)
	}
	credits, payments := fmt.Sprintf("%d credits", left), fmt.Sprintf("%d more payments", left)
	if left == 1 {
		credits, payments = "1 credit", "one more payment"
	}
	return "Your credits run low: " + credits + " left",
		fmt.Sprintf("The API key “%s” has %s left. Each payment that a customer starts costs one, so %s can be started.\n\n"+
			"Buy more before they are used up:\n%s\n\nYou get this mail once. You will get another when you have bought credits and they run low again.", name, credits, payments, page)
}

// crowdedMail returns the mail about strangers who fill the places of payments.
func crowdedMail(name, baseURL string) (subject, text string) {
	return "Many unpaid payments are opened on your links or donation pages",
		fmt.Sprintf("Somebody starts more payments with the links and donation pages of the API key “%s” than it has room "+
			"for, and pays none of them.\n\nYour customers can still pay: the oldest unpaid payments give way to new ones, "+
			"and unpaid payments cost you nothing. If it goes on, pause the link or campaign that is abused and make "+
			"another one:\n%s/dashboard\n\nYou get this mail at most once a day.", name, baseURL)
}

// refusedMail returns the mail about a refused sale. Payments that strangers open
// are refused before the credits are used up (ledger.Reserve).
func refusedMail(at time.Time, left int64, name, page string) (subject, text string) {
	const when = "2 January 2006, 15:04 UTC"
	subject = "A customer could not pay: no credits"
	text = fmt.Sprintf("On %s a customer could not start a payment, because the API key “%s” had no credit for it.\n\n",
		at.UTC().Format(when), name)
	if left > 0 {
		text += fmt.Sprintf("It has %d left now. Donations and payment links cannot use the last ones: "+
			"these are kept for the payments you create yourself.\n\n", left)
	} else {
		text += "It has none left, so no customer can start a payment now. Payments that were started already go on.\n\n"
	}
	return subject, text + "Buy credits here:\n" + page +
		"\n\nYou get this mail at most once a day, however many customers could not pay."
}
