// Package smtp passes mails to a mail server (RFC 5321).
//
// Its one invariant: no user input becomes a header, and mails and the password of the server are sent over TLS only,
// except to a server on this machine or where the operator switched TLS off.
package smtp

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net"
	netmail "net/mail"
	"net/netip"
	"net/url"
	"strconv"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// within bounds the delivery of one mail to the server; it is webhook.AttemptTimeout.
const within = 15 * time.Second

// Server is a mail server.
type Server struct {
	host     string
	port     int
	implicit bool // TLS from the first byte (RFC 8314)
	plain    bool // no TLS, because the operator says so
	user     string
	password secret.Text
	from     netmail.Address
	// HTML writes a mail for readers that show it, beside its text; nil: none is.
	HTML    func(mail.Mail) (string, error)
	within  time.Duration
	connect func(ctx context.Context, network, address string) (net.Conn, error)
}

// CheckURL refuses the address of a server that New could not use.
func CheckURL(text string) error {
	_, err := New(secret.New(text), "florin@example.com")
	return err
}

var (
	errForm       = errors.New("must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for implicit TLS")
	errCharacters = errors.New("has a character in the user or the password that stands for something else in an " +
		"address: write @ as %40, : as %3A, / as %2F, ? as %3F, # as %23 and % as %25 there")
	errParameter = errors.New("may have one parameter, smtp://…?tls=off, for a server that is reached without TLS")
	errImplicit  = errors.New("is smtp:// with port 465, where servers speak TLS from the first byte: write smtps://")
)

// New returns the server of smtp://USER:PASSWORD@HOST:PORT, which requires STARTTLS unless it is on this machine, or
// of smtps:// for implicit TLS. smtp://…?tls=off uses no TLS. from is the sender, as an address with or without a name.
func New(server secret.Text, from string) (*Server, error) {
	u, err := url.Parse(server.Reveal())
	more := err == nil && strings.Trim(u.Path, "/")+u.Fragment != ""
	if strings.Contains(server.Reveal(), "@") && (err != nil || more || u.User == nil) {
		return nil, errCharacters
	}
	if err != nil || more || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errForm
	}
	if u.RawQuery != "" && (u.Scheme != "smtp" || u.RawQuery != "tls=off") {
		return nil, errParameter
	}
	s := &Server{
		host: u.Hostname(), implicit: u.Scheme == "smtps", plain: u.RawQuery != "", user: u.User.Username(),
		within: within, connect: (&net.Dialer{}).DialContext,
	}
	password, _ := u.User.Password()
	s.password = secret.New(password)
	s.port = map[bool]int{true: 465, false: 587}[s.implicit]
	if text := u.Port(); text != "" {
		if s.port, err = strconv.Atoi(text); err != nil {
			return nil, errForm
		}
	}
	if s.port == 465 && !s.implicit {
		return nil, errImplicit
	}
	sender, err := netmail.ParseAddress(from)
	if err != nil {
		return nil, errors.New("FLORIN_MAIL_FROM must be an e-mail address such as Florin <florin@example.com>")
	}
	if s.from = *sender; s.from.Name == "" {
		s.from.Name = "Florin"
	}
	return s, nil
}

// domain is that of the sender: what the server is greeted with, and the end of every Message-ID.
func (s *Server) domain() string { return s.from.Address[strings.LastIndex(s.from.Address, "@")+1:] }

// errHeader: a line break in a header would begin another one.
var errHeader = errors.New("mail: an address or subject holds a line break")

// Send passes one mail to the server. A mail that the server accepted may still not arrive.
func (s *Server) Send(ctx context.Context, m mail.Mail) error {
	letter := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	letter.FromMailAddress(&s.from)
	if strings.ContainsAny(m.To+m.Subject+m.ReplyTo, "\r\n") {
		return errHeader
	}
	letter.ToMailAddress(&netmail.Address{Address: m.To})
	letter.Subject(m.Subject)
	letter.SetDateWithValue(m.At)
	letter.SetMessageIDWithValue(m.ID + "@" + s.domain())
	letter.SetGenHeader("Auto-Submitted", "auto-generated")
	if m.ReplyTo != "" {
		letter.ReplyToMailAddress(&netmail.Address{Address: m.ReplyTo})
	}
	if m.Lang != "" {
		letter.SetGenHeader("Content-Language", m.Lang)
	}
	letter.SetBodyString(gomail.TypeTextPlain, m.Text.Reveal())
	if s.HTML != nil {
		html, err := s.HTML(m)
		if err != nil {
			return err
		}
		letter.AddAlternativeString(gomail.TypeTextHTML, html)
	}
	return s.with(ctx, func(c *gomail.Client, session *smtp.Client) error {
		return c.SendWithSMTPClient(session, letter)
	})
}

// Check signs in to the server and sends nothing.
func (s *Server) Check(ctx context.Context) error {
	return s.with(ctx, func(*gomail.Client, *smtp.Client) error { return nil })
}

// with calls do with a session on the server. Once it returns nil the mail is accepted, so what the server says at the
// end does not count.
func (s *Server) with(ctx context.Context, do func(*gomail.Client, *smtp.Client) error) error {
	ctx, cancel := context.WithTimeout(ctx, s.within)
	defer cancel()
	auth := &signIn{Server: s}
	err := s.session(ctx, auth, do)
	if err != nil {
		address := net.JoinHostPort(s.host, strconv.Itoa(s.port))
		err = fmt.Errorf("mail server %s: %w", address, s.explain(ctx, auth, err))
	}
	return err
}

func (s *Server) session(ctx context.Context, auth *signIn, do func(*gomail.Client, *smtp.Client) error) error {
	policy := gomail.TLSOpportunistic // whether it was used is checked before anything is sent
	if s.plain || s.implicit {
		policy = gomail.NoTLS
	}
	options := []gomail.Option{ // the timeout is that of ctx, which ends first
		gomail.WithPort(s.port), gomail.WithTLSPolicy(policy), gomail.WithTLSConfig(s.tls()),
		gomail.WithHELO(s.domain()), gomail.WithTimeout(2 * s.within), gomail.WithoutNoop(), gomail.WithoutRset(),
		gomail.WithDialContextFunc(func(_ context.Context, network, address string) (net.Conn, error) {
			return s.dial(ctx, network, address)
		}),
	}
	if s.user != "" {
		options = append(options, gomail.WithSMTPAuthCustom(auth))
	}
	c, err := gomail.NewClient(s.host, options...)
	if err != nil {
		return err
	}
	session, err := c.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return err
	}
	if _, err = session.GetTLSConnectionState(); err != nil && s.needsTLS() {
		return errors.Join(errNoTLS, session.Close())
	}
	if err := do(c, session); err != nil {
		return errors.Join(err, session.Close())
	}
	_ = c.CloseWithSMTPClient(session)
	return nil
}

func (s *Server) tls() *tls.Config {
	return &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
}

// needsTLS: only a server on this machine may lack it, unless the operator says so.
func (s *Server) needsTLS() bool { return !s.plain && !onThisMachine(s.host) }

// dial connects. The connection ends with ctx, however slowly the server talks.
func (s *Server) dial(ctx context.Context, network, address string) (net.Conn, error) {
	conn, err := s.connect(ctx, network, address)
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	if !s.implicit {
		return conn, nil
	}
	secured := tls.Client(conn, s.tls())
	if err := secured.HandshakeContext(ctx); err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	return secured, nil
}

func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}
