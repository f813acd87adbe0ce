package webhook

import (
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"net/http"
	"net/url"
	"syscall"
	"time"

	"code.dny.dev/ssrf"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
)

// maxReason bounds the text of an error that has no text of its own here.
const maxReason = 300

// redirected explains why a redirect is a failure.
const redirected = "redirects are not followed; set the callback URL to where it leads"

// plain are failures that are one error value.
var plain = []struct {
	err  error
	text string
}{
	{ssrf.ErrProhibitedIP, "the callback URL leads to an address that is not public"},
	{ssrf.ErrProhibitedNetwork, "the callback URL leads to an address that is not public"},
	{ssrf.ErrProhibitedPort, "the callback URL must use port 443 or one from 1024"},
	{ErrSigningSecret, "the request could not be signed: the signing secret is damaged; make a new one"},
	{ErrEventID, "the request could not be built: the event has no valid id"},
	{ErrBody, "the request could not be built: the event's data is damaged"},
	{http.ErrSchemeMismatch, "the receiver answered without TLS; the callback URL must lead to an https server"},
	{syscall.ECONNREFUSED, "the receiver refused the connection"},
	{syscall.ECONNRESET, "the receiver reset the connection"},
	{syscall.EPIPE, "the receiver closed the connection"},
	{syscall.EHOSTUNREACH, "there is no route to the receiver"},
	{syscall.ENETUNREACH, "there is no route to the receiver"},
	{io.EOF, "the receiver closed the connection without an answer"},
	{io.ErrUnexpectedEOF, "the receiver closed the connection without an answer"},
	{context.Canceled, "the attempt was aborted"},
}

// reason says, for the merchant, why there was no answer, as a text that is stored (mail.Said). It names no address:
// what a name resolves to inside the operator's network must not leak. now tells what has expired.
func reason(err error, now time.Time) string {
	if f := fault.Of(err); f != nil {
		return f.Message
	}
	for _, p := range plain {
		if errors.Is(err, p.err) {
			return p.text
		}
	}
	var dns *net.DNSError
	var certificate *tls.CertificateVerificationError
	var record tls.RecordHeaderError
	var alert tls.AlertError
	switch {
	case errors.As(err, &dns) && dns.IsNotFound:
		return "the host name of the callback URL does not exist"
	case errors.As(err, &dns):
		return "the host name of the callback URL could not be resolved"
	case isTimeout(err):
		return tooLate(err)
	case errors.As(err, &certificate):
		return mail.T("the receiver's TLS certificate is not accepted: {{.Why}}",
			"Why", certificateReason(certificate, now)).Kept()
	case errors.As(err, &record):
		return "the receiver answered without TLS; the callback URL must lead to an https server"
	case errors.As(err, &alert):
		return mail.T("the receiver refused the TLS handshake: “{{.Error}}”", "Error", alert.Error()).Kept()
	}
	return mail.T("the request failed: “{{.Error}}”", "Error", printed(innermost(err).Error())).Kept()
}

// refused reports whether the receiver took no connection, or closed it without an answer.
func refused(err error) bool {
	for _, each := range []error{
		syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF,
	} {
		if errors.Is(err, each) {
			return true
		}
	}
	return false
}

func isTimeout(err error) bool {
	var t net.Error
	return errors.Is(err, context.DeadlineExceeded) || errors.As(err, &t) && t.Timeout()
}

func tooLate(err error) string {
	var op *net.OpError
	if errors.As(err, &op) && op.Op == "dial" {
		return mail.T("no connection within {{.N}} seconds", "N", connectTimeout.Seconds()).Kept()
	}
	return mail.T("no answer within {{.N}} seconds", "N", AttemptTimeout.Seconds()).Kept()
}

// innermost leaves out the layers that repeat the URL and the addresses.
func innermost(err error) error {
	if u, ok := errors.AsType[*url.Error](err); ok {
		err = u.Err
	}
	if op, ok := errors.AsType[*net.OpError](err); ok {
		err = op.Err
	}
	return err
}
