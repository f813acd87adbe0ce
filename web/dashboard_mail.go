package web

import (
	"context"
	"log/slog"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/web/shell"
)

// mailWithin bounds how long sending a mail may take.
const mailWithin = 30 * time.Second

// letters are the mails about a merchant account. They are sent in the
// background: how long one takes would tell who has an account.
type letters struct {
	members Members
	send    func(ctx context.Context, to, subject, text string) error // nil: no mail is sent
	home    string                                                    // address of the dashboard
	log     *slog.Logger
}

func newLetters(d Deps, o Options) letters {
	l := letters{home: o.BaseURL + shell.HomePath, log: d.Log}
	if d.Dashboard != nil {
		l.members, l.send = d.Dashboard.Members, d.Dashboard.Mail
	}
	return l
}

// post sends a plain text. It outlives ctx, for no answer waits for the mail.
func (l letters) post(ctx context.Context, to, subject, text string) {
	if l.send == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailWithin)
	go func() {
		defer cancel()
		if err := l.send(ctx, to, subject, text); err != nil {
			l.log.WarnContext(ctx, "a mail could not be sent", "subject", subject, "error", err)
		}
	}()
}

// tellOwners mails every owner of a merchant account, whoever acted.
func (l letters) tellOwners(ctx context.Context, merchantID int64, subject, text string) {
	if l.send == nil {
		return
	}
	members, err := l.members.Members(ctx, identity.User{ID: merchantID})
	if err != nil {
		l.log.ErrorContext(ctx, "the owners are not told", "subject", subject, "error", err)
	}
	for _, m := range members {
		if m.Role == merchant.RoleOwner {
			l.post(ctx, m.User.Email, subject, text+"\n\nIf this was not meant, sign in at once and correct it:\n"+l.home)
		}
	}
}

// guessed tells the user whose sign-in was refused for too many failures, if it
// was for theirs. It works in the background: how long it takes would tell who
// has an account.
func (l letters) guessed(ctx context.Context, c identity.Credentials) {
	if l.send == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), mailWithin)
	go func() {
		defer cancel()
		user, tell, err := l.members.Guessed(ctx, c)
		if err != nil {
			l.log.ErrorContext(ctx, "a user is not told of guesses", "error", err)
		}
		if tell {
			l.post(ctx, user.Email, "Somebody is guessing at your sign-in", "Signing in to Florin as you failed too often within a short time, "+
				"so further tries are slowed. The browsers you signed in from before go on as ever.\n\n"+
				"If it was you, wait a little and try again. If it was not you, nothing was opened so far; a password you use nowhere else, a second factor "+
				"or a passkey keeps it so:\n"+l.home+"/security\n\nThis mail is sent at most once in 24 hours.")
		}
	}()
}

func (d *desk) mail(c echo.Context, to, subject, text string) {
	d.letters.post(c.Request().Context(), to, subject, text)
}

func (d *desk) mailOwners(c echo.Context, v visitor, subject, text string) {
	d.letters.tellOwners(c.Request().Context(), v.seat.Merchant.ID, subject, text)
}
