// Package mail is what Florin has to say to people and to the operator's webhook.
//
// Its one invariant: a mail is written in the transaction of what it is about, with the id that every attempt to send
// it has. A crash loses none, and a receiver that knows the id takes it once.
package mail

import (
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// Kind says what is left to do before a mail is sent. Its text is stored.
type Kind string

// The kinds.
const (
	Plain Kind = "PLAIN" // nothing
	// Asked is one that a stranger can have sent, such as a sign-up: few an hour with its subject reach one address.
	Asked Kind = "ASKED"
	// Reset is a link to a new password for To, if that is a user's; it is made when it is sent. Beside the few an
	// hour, each neighbourhood that asks has one.
	Reset Kind = "RESET"
	// Guessed is about guesses at a password of To. It is sent if that is a user's, once a day.
	Guessed Kind = "GUESSED"
	// Low and Refused are about the credits of Key: they become mails to its owners, with what is left then.
	Low     Kind = "LOW"
	Refused Kind = "REFUSED"
	// Crowded is, in the same way, about strangers who open more payments of Key than it has room for.
	Crowded Kind = "CROWDED"
	// Completed goes to the owners of Key: a payment was completed by hand.
	Completed Kind = "COMPLETED"
	// Customer is about the payment of Thread, to who pays it: written when it is sent, in their language. Its subject
	// is the type of the event, and its text what the event says.
	Customer Kind = "CUSTOMER"
	// Paid and Attention go to the people of the merchant of Key who want such news, and to the merchant's chat.
	Paid      Kind = "PAID"
	Attention Kind = "ATTENTION"
	// Chat is for the webhook of a merchant's chat: its address and, in the next line, what is posted.
	Chat Kind = "CHAT"
	// Hook is the body of the operator's webhook.
	Hook Kind = "HOOK"
)

// Wish is a kind of news that each person of a merchant can turn on and off.
type Wish string

// The wishes.
const (
	WishPaid      Wish = "paid"
	WishSummary   Wish = "summary"
	WishCredits   Wish = "credits"
	WishAttention Wish = "attention"
)

// Wishes lists them all.
func Wishes() []Wish { return []Wish{WishPaid, WishSummary, WishCredits, WishAttention} }

// Wished are those of who never chose: an owner has everything but a mail for each payment, which would fill the
// mailbox of a shop that does well; others have none.
func Wished(owner bool) []Wish {
	if owner {
		return Wishes()[1:]
	}
	return nil
}

// AskedAnHour is how many mails of one kind and subject that strangers asked for reach one address in an hour.
const AskedAnHour = 3

// Allowed reports whether a mail that a stranger asked for may be sent, after those of its kind and subject to its
// address in the hour before. One neighbourhood cannot keep a link to a new password from another.
func (m Mail) Allowed(before []Mail) bool {
	near := false
	for _, b := range before {
		near = near || b.Near == m.Near
	}
	return len(before) < AskedAnHour || m.Kind == Reset && m.Near != "" && !near
}

// Mail is one text on its way.
type Mail struct {
	ID      string // made before what it is about is stored; part of the Message-ID
	Kind    Kind
	To      string // an address; empty for hooks, and where Owners or Key says who
	Owners  int64  // the merchant account whose owners each get one
	Member  int64  // a user: the owners of every account that they belong to get one each, they themselves none
	Near    string // for Asked and Reset: the neighbourhood of who asked for it; empty: not known
	Except  string // the address of an owner who gets none
	Key     int64  // for Low, Refused, Crowded, Completed, Paid and Attention
	Wish    Wish   // with Owners: not the owners, but those of the account who want such news
	Thread  string // what belongs together arrives in order; empty: nothing before it matters
	Subject string
	// Lang is the language that the mail is written in, if not English, and ReplyTo who reads the answer of a customer;
	// both are found when it is sent.
	Lang, ReplyTo string
	Text          secret.Text // it may have a link that opens an account
	// Letter is what Subject and Text are in English, for the language of who gets it; nil: they are sent as they are.
	Letter *Letter
	At     time.Time
}

// Writer makes mails about accounts. A nil Writer makes none: no mail is sent.
type Writer struct {
	BaseURL string // the public address
	NewID   func() string
}

// Enabled reports whether mails are sent.
func (w *Writer) Enabled() bool { return w != nil }

// To returns a mail to an address.
func (w *Writer) To(at time.Time, address string, subject Words, text ...Words) []Mail {
	return w.of(Mail{Kind: Plain, To: address, At: at}, subject, text)
}

// Asked returns a mail that a stranger can have sent to the address.
func (w *Writer) Asked(at time.Time, address string, subject Words, text ...Words) []Mail {
	return w.of(Mail{Kind: Asked, To: address, At: at}, subject, text)
}

// Reset returns the order of a link to a new password.
func (w *Writer) Reset(at time.Time, address, near string) []Mail {
	return w.of(Mail{Kind: Reset, To: address, Near: near, At: at}, T("Set a new password"), nil)
}

// Guessed returns a mail to the user with the address, if there is one, about guesses at their password.
func (w *Writer) Guessed(at time.Time, address string, subject Words, text ...Words) []Mail {
	return w.of(Mail{Kind: Guessed, To: address, At: at}, subject, text)
}

// Owners returns a mail to every owner of a merchant account.
func (w *Writer) Owners(at time.Time, merchant int64, subject Words, text ...Words) []Mail {
	return w.of(Mail{Kind: Plain, Owners: merchant, At: at}, subject,
		append(text, T("If this was not meant, sign in at once and correct it:").Then(w.Home())))
}

// About returns a mail to the owners of every account that the user belongs to, but not to the user.
func (w *Writer) About(at time.Time, user int64, subject Words, text ...Words) []Mail {
	return w.of(Mail{Kind: Plain, Member: user, At: at}, subject, append(text, Words{Near: true}.Then(w.Home())))
}

// Link returns the address of a path.
func (w *Writer) Link(path string) string {
	if w == nil {
		return ""
	}
	return w.BaseURL + path
}

// Home is the address of the dashboard.
func (w *Writer) Home() string { return w.Link("/dashboard") }

func (w *Writer) of(m Mail, subject Words, text []Words) []Mail {
	if w == nil {
		return nil
	}
	m.ID = w.NewID()
	return []Mail{m.Of(Letter{Subject: subject, Text: text})}
}
