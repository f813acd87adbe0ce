package smtp

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"mime/quotedprintable"
	"net"
	netmail "net/mail"
	"strings"
	"testing"
	"time"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/testkit"
)

func clock() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

// inbox is a mail server on loopback that accepts one mail, and refuses the given recipients.
type inbox struct {
	address string
	got     chan string // everything between DATA and the final dot
	lines   chan string // every command
}

func newInbox(t *testing.T, refuse string, offers ...string) inbox {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	testkit.Must(t, err)
	t.Cleanup(func() { _ = l.Close() })
	in := inbox{l.Addr().String(), make(chan string, 1), make(chan string, 50)}
	go func() {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		in.talk(conn, refuse, offers)
	}()
	return in
}

func (in inbox) talk(conn net.Conn, refuse string, offers []string) {
	say := func(text string) { fmt.Fprint(conn, text+"\r\n") }
	lines := bufio.NewReader(conn)
	say("220 inbox ready")
	for {
		line, err := lines.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimSpace(line)
		in.lines <- line
		switch verb, _, _ := strings.Cut(strings.ToUpper(line), " "); {
		case verb == "EHLO":
			say("250-inbox")
			for _, x := range offers {
				say("250-" + x)
			}
			say("250 AUTH PLAIN")
		case verb == "RCPT" && refuse != "" && strings.Contains(line, refuse):
			say("550 nobody here")
		case verb == "DATA":
			say("354 go on")
			var text strings.Builder
			for {
				part, err := lines.ReadString('\n')
				if err != nil {
					return
				}
				if part == ".\r\n" {
					break
				}
				text.WriteString(strings.TrimPrefix(part, "."))
			}
			in.got <- text.String()
			say("250 taken")
		case verb == "STARTTLS":
			say("454 TLS not available")
		case verb == "AUTH":
			say("235 welcome")
		case verb == "QUIT":
			say("221 bye")
			return
		default:
			say("250 fine")
		}
	}
}

func mustNew(t *testing.T, server string) *Server {
	t.Helper()
	s, err := New(secret.New(server), "florin@pay.example")
	testkit.Must(t, err)
	return s
}

func letter(to, subject, text string) mail.Mail {
	return mail.Mail{ID: "01M7Z95F5DE7BD6RTSPKBNS62H", To: to, Subject: subject, Text: secret.New(text), At: clock()}
}

func TestServer_Send(t *testing.T) {
	t.Parallel()
	in := newInbox(t, "")
	s := mustNew(t, "smtp://ada:pass@"+in.address)
	text := "Grüße.\n.\n" + strings.Repeat("long ", 300) + "\nhttps://pay.example/reset?token=flr_x"
	testkit.Must(t, s.Send(t.Context(), letter("ada@shop.example", "Neues Paßwort", text)))
	m, err := netmail.ReadMessage(strings.NewReader(<-in.got))
	testkit.Must(t, err)
	body, err := io.ReadAll(quotedprintable.NewReader(m.Body))
	testkit.Must(t, err)
	if got := strings.TrimSuffix(strings.ReplaceAll(string(body), "\r\n", "\n"), "\n"); got != text {
		t.Errorf("the text arrived as %q", got)
	}
	if to, err := m.Header.AddressList("To"); err != nil || to[0].Address != "ada@shop.example" {
		t.Errorf("it is for %v, %v", to, err)
	}
	if at, err := m.Header.Date(); err != nil || !at.Equal(clock()) {
		t.Errorf("it is dated %v, %v", at, err)
	}
}

func TestServer_Refused(t *testing.T) {
	t.Parallel()
	in := newInbox(t, "nobody@")
	if err := mustNew(t, "smtp://"+in.address).Send(t.Context(), letter("nobody@shop.example", "x", "y")); err == nil {
		t.Error("a refused mail counts as sent")
	}
	if err := mustNew(t, "smtp://127.0.0.1:"+testkit.MustPort(t)).Send(t.Context(), letter("a@b.example", "x", "y")); err == nil {
		t.Error("a mail without a server counts as sent")
	}
}

// A line break in a header would begin another one.
func TestServer_HeaderInjection(t *testing.T) {
	t.Parallel()
	s := mustNew(t, "smtp://127.0.0.1:1")
	for _, bad := range [][2]string{
		{"a@b.example\r\nBcc: all@b.example", "x"}, {"a@b.example", "x\nBcc: all@b.example"}, {"a@b.example\r", "x"},
	} {
		if err := s.Send(t.Context(), letter(bad[0], bad[1], "y")); !errors.Is(err, errHeader) {
			t.Errorf("%q: %v", bad, err)
		}
	}
}

func TestNew_Refused(t *testing.T) {
	t.Parallel()
	for _, server := range []string{"", "http://mail.example", "smtp://", "smtp://:25", "%zz"} {
		if _, err := New(secret.New(server), "florin@pay.example"); err == nil {
			t.Errorf("%q was taken", server)
		}
	}
}
