package smtp

import (
	"context"
	"net"
	"strings"
	"testing"
)

// dialTo connects to the server of a test, whatever the address.
func dialTo(address string) func(context.Context, string, string) (net.Conn, error) {
	return func(ctx context.Context, network, _ string) (net.Conn, error) {
		return (&net.Dialer{}).DialContext(ctx, network, address)
	}
}

// wantNothing fails if the server was given a password, a recipient or a mail.
func (in inbox) wantNothing(t *testing.T) {
	t.Helper()
	for len(in.lines) > 0 {
		line := <-in.lines
		for _, verb := range []string{"AUTH", "MAIL", "RCPT", "DATA"} {
			if strings.HasPrefix(strings.ToUpper(line), verb) {
				t.Errorf("the server was sent %q", line)
			}
		}
	}
}

// Mails hold links that set a password. None is sent over a connection that is not encrypted, unless the server is on
// this machine or the operator says that its network needs no TLS.
func TestServer_WithoutTLS(t *testing.T) {
	t.Parallel()
	for _, row := range []struct {
		name, server string
		offers       []string
		sent         bool
	}{
		{"Refused", "smtp://ada:pass@mail.example", []string{"STARTTLS"}, false},
		{"RefusedOnLoopback", "smtp://127.0.0.1", []string{"STARTTLS"}, false},
		{"NotOffered", "smtp://mail.example", nil, false},
		{"NotOfferedByAnAddress", "smtp://203.0.113.7:25", nil, false},
		{"NotOfferedByANameLikeLoopback", "smtp://localhost.example", nil, false},
		{"NotOfferedOnLoopback", "smtp://127.0.0.1", nil, true},
		{"NotOfferedOnLocalhost", "smtp://localhost", nil, true},
		{"SwitchedOff", "smtp://relay:25?tls=off", nil, true},
		{"SwitchedOffThoughOffered", "smtp://relay:25?tls=off", []string{"STARTTLS"}, true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			in := newInbox(t, "", row.offers...)
			s := mustNew(t, row.server)
			s.connect = dialTo(in.address)
			err := s.Send(t.Context(), letter("ada@shop.example", "Set a new password", "https://pay.example/reset?token=flr_x"))
			if sent := err == nil; sent != row.sent {
				t.Errorf("sent: %t, %v", sent, err)
			}
			if !row.sent {
				in.wantNothing(t)
			}
		})
	}
}
