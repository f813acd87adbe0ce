package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/textproto"
	"slices"
	"strings"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// signIn signs in by the first way of its list that the server offers (RFC 4954).
type signIn struct {
	*Server
	smtp.Auth // the way that was chosen; nil: none yet
}

// Start chooses the way. A password is shown in the clear only over TLS, to this machine, or where the operator says
// so; the other ways show nothing of it to who listens.
func (a *signIn) Start(server *smtp.ServerInfo) (string, []byte, error) {
	if a.needsTLS() && !server.TLS {
		return "", nil, errNoTLS
	}
	user, password := a.user, a.password.Reveal()
	ways := []struct {
		name string
		auth smtp.Auth
	}{
		{"SCRAM-SHA-256", smtp.ScramSHA256Auth(user, password)},
		{"PLAIN", smtp.PlainAuth("", user, password, a.host, true)},
		{"LOGIN", smtp.LoginAuth(user, password, a.host, true)},
		{"CRAM-MD5", smtp.CRAMMD5Auth(user, password)},
	}
	if !server.TLS {
		slices.Reverse(ways[1:])
	}
	for _, way := range ways {
		if slices.Contains(server.Auth, way.name) {
			a.Auth = way.auth
			return way.auth.Start(server) //nolint:wrapcheck // explain wraps it
		}
	}
	if len(server.Auth) == 0 {
		return "", nil, errors.New("it offers no sign-in: take user and password out of FLORIN_SMTP_URL, or use the port " +
			"for sending, which is 587 or 465 as a rule")
	}
	return "", nil, fmt.Errorf("it offers to sign in by %s, and Florin by SCRAM-SHA-256, PLAIN, LOGIN or CRAM-MD5: use "+
		"another server", strings.Join(server.Auth, ", "))
}

// errNoTLS: somebody on the way can remove the offer of STARTTLS from the server's answer, and read every link then.
var errNoTLS = errors.New("it offers no STARTTLS, so nothing was sent to it; " +
	"use smtps://, or add ?tls=off to FLORIN_SMTP_URL if the network between is your own")

// explain says what the operator can change about a refusal. It names no recipient.
func (s *Server) explain(ctx context.Context, auth *signIn, err error) error {
	var sent *gomail.SendError
	var reply *textproto.Error
	var other textproto.ProtocolError
	var refused *net.OpError
	var header tls.RecordHeaderError
	var certificate *tls.CertificateVerificationError
	switch {
	case errors.As(err, &sent):
		why, _, _ := strings.Cut(sent.Error(), ", affected ")
		switch sent.Reason {
		case gomail.ErrSMTPMailFrom:
			return fmt.Errorf("it refuses the sender %s: %s; correct FLORIN_MAIL_FROM", s.from.Address, why)
		case gomail.ErrSMTPRcptTo:
			return fmt.Errorf("it refuses the recipient: %s; if it refuses all, let it send for %s", why, s.from.Address)
		}
		return errors.New(why)
	case errors.As(err, &certificate):
		return fmt.Errorf("%w; write the name in FLORIN_SMTP_URL that its certificate is for", err)
	case errors.As(err, &header):
		return fmt.Errorf("it does not speak TLS from the first byte; write smtp:// in FLORIN_SMTP_URL: %w", err)
	case ctx.Err() != nil:
		return fmt.Errorf("it did not answer within %s; if it speaks TLS from the first byte, write smtps:// in "+
			"FLORIN_SMTP_URL: %w", s.within, ctx.Err())
	case errors.As(err, &reply) && auth.Auth != nil:
		return fmt.Errorf("it refuses the user or the password: %w; correct them in FLORIN_SMTP_URL", err)
	case errors.As(err, &reply):
		return fmt.Errorf("it takes nothing from this machine: %w; ask its operator, or name another in FLORIN_SMTP_URL", err)
	case errors.As(err, &other):
		return fmt.Errorf("what answers there is no mail server: %w; correct host and port in FLORIN_SMTP_URL", err)
	case errors.As(err, &refused) && refused.Op == "dial":
		return fmt.Errorf("%w; correct host and port in FLORIN_SMTP_URL", err)
	case errors.Is(err, io.EOF):
		return fmt.Errorf("it hung up on EHLO %s; it may not take mail from this machine: %w", s.domain(), err)
	}
	return err
}
