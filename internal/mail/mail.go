// Package mail sends plain texts to users: links to set a new password, and notices about changes of their settlement
// wallets.
//
// Its one invariant: no user input becomes a header, and mails and the password of the mail server are sent over TLS
// only, except to a server on this machine or where the operator switched TLS off.
package mail

import (
	"context"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"errors"
	"fmt"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/netip"
	"net/smtp"
	"net/url"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/secret"
)

// sendWithin bounds the delivery of one mail to the server.
const sendWithin = 30 * time.Second

// Sender sends mails through one SMTP server (RFC 5321).
type Sender struct {
	host, port string
	implicit   bool // TLS from the first byte (RFC 8314)
	plain      bool // no TLS, because the operator says so
	connect    func(ctx context.Context, network, address string) (net.Conn, error)
	user       string
	password   secret.Text
	from       string
	now        func() time.Time
}

// New returns a sender for smtp://USER:PASSWORD@HOST:PORT, which requires STARTTLS unless the server is on this
// machine, or smtps:// for implicit TLS. smtp://…?tls=off uses no TLS. from is the address of the sender.
func New(server secret.Text, from string, now func() time.Time) (*Sender, error) {
	u, err := url.Parse(server.Reveal())
	if err != nil || u.Hostname() == "" || u.Scheme != "smtp" && u.Scheme != "smtps" {
		return nil, errors.New("FLORIN_SMTP_URL must be smtp://USER:PASSWORD@HOST:PORT, or smtps:// for implicit TLS")
	}
	s := &Sender{
		host: u.Hostname(), port: u.Port(), implicit: u.Scheme == "smtps", user: u.User.Username(), from: from,
		now: now, plain: u.Scheme == "smtp" && u.Query().Get("tls") == "off", connect: (&net.Dialer{}).DialContext,
	}
	password, _ := u.User.Password()
	s.password = secret.New(password)
	if s.port == "" {
		s.port = map[bool]string{true: "465", false: "587"}[s.implicit]
	}
	return s, nil
}

// errHeader: a line break in a header would begin another one.
var errHeader = errors.New("mail: an address or subject holds a line break")

// Send passes one plain text to the server. A mail that the server accepted may still not arrive.
func (s *Sender) Send(ctx context.Context, to, subject, text string) error {
	if strings.ContainsAny(to+subject+s.from, "\r\n") {
		return errHeader
	}
	ctx, cancel := context.WithTimeout(ctx, sendWithin)
	defer cancel()
	c, err := s.dial(ctx)
	if err != nil {
		return fmt.Errorf("mail server %s: %w", s.host, err)
	}
	defer func() { _ = c.Close() }() // the mail was accepted, or the error is returned already
	if err := s.deliver(c, to, s.message(to, subject, text)); err != nil {
		return fmt.Errorf("mail server %s: %w", s.host, err)
	}
	return nil
}

// errNoTLS: somebody on the way can remove the offer of STARTTLS from the server's answer, and read every link then.
var errNoTLS = errors.New("it offers no STARTTLS, so nothing was sent to it; " +
	"use smtps://, or add ?tls=off to FLORIN_SMTP_URL if the network between is your own")

// encrypt starts TLS, which only a server on this machine may lack.
func (s *Sender) encrypt(c *smtp.Client, config *tls.Config) error {
	if s.implicit || s.plain {
		return nil
	}
	if ok, _ := c.Extension("STARTTLS"); ok {
		return c.StartTLS(config)
	}
	if onThisMachine(s.host) {
		return nil
	}
	return errNoTLS
}

func onThisMachine(host string) bool {
	ip, err := netip.ParseAddr(host)
	return err == nil && ip.Unmap().IsLoopback() || strings.EqualFold(host, "localhost")
}

// dial connects, with TLS.
func (s *Sender) dial(ctx context.Context) (*smtp.Client, error) {
	config := &tls.Config{ServerName: s.host, MinVersion: tls.VersionTLS12}
	conn, err := s.connect(ctx, "tcp", net.JoinHostPort(s.host, s.port))
	if err != nil {
		return nil, err
	}
	if deadline, ok := ctx.Deadline(); ok {
		_ = conn.SetDeadline(deadline) // a connection without deadlines fails by itself
	}
	if s.implicit {
		conn = tls.Client(conn, config)
	}
	c, err := smtp.NewClient(conn, s.host)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	err = s.encrypt(c, config)
	if err == nil && s.user != "" {
		// PlainAuth sends a password over a plain connection to this host only.
		err = c.Auth(smtp.PlainAuth("", s.user, s.password.Reveal(), s.host))
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Check signs in to the server and sends nothing.
func (s *Sender) Check(ctx context.Context) error {
	c, err := s.dial(ctx)
	if err != nil {
		return err
	}
	return c.Quit()
}

func (s *Sender) deliver(c *smtp.Client, to string, message []byte) error {
	if err := c.Mail(s.from); err != nil {
		return err
	}
	if err := c.Rcpt(to); err != nil {
		return err
	}
	w, err := c.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(message); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	return c.Quit()
}

// message returns the mail in the format of RFC 5322.
func (s *Sender) message(to, subject, text string) []byte {
	var id [16]byte
	_, _ = rand.Read(id[:]) // crypto/rand never fails; it ends the program instead
	domain := s.from[strings.LastIndex(s.from, "@")+1:]
	var b strings.Builder
	fmt.Fprintf(&b, "From: Florin <%s>\r\nTo: <%s>\r\nSubject: %s\r\nDate: %s\r\nMessage-ID: <%s@%s>\r\n", s.from, to,
		mime.QEncoding.Encode("utf-8", subject), s.now().UTC().Format(time.RFC1123Z), hex.EncodeToString(id[:]), domain)
	b.WriteString("MIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\nAuto-Submitted: auto-generated\r\n\r\n")
	w := quotedprintable.NewWriter(&b)
	_, _ = w.Write([]byte(strings.ReplaceAll(text, "\n", "\r\n"))) // a strings.Builder never fails
	_ = w.Close()
	return []byte(b.String())
}
