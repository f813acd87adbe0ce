package main

import (
	"net/http"
	"slices"
	"sync"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/views/sandbox"
	"github.com/florinpay/florin/web"
)

// mailboxKeeps is how many mails the mailbox keeps: it is for looking on, not for storage.
const mailboxKeeps = 50

// mailbox shows the mails of the sandbox, to whomever they go: none of them leaves this machine.
type mailbox struct {
	mu    sync.Mutex
	mails []mail.Mail // newest first
}

// receive keeps a mail.
func (b *mailbox) receive(m mail.Mail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = slices.Insert(b.mails, 0, m)
	b.mails = b.mails[:min(len(b.mails), mailboxKeeps)]
}

// list returns the mails, newest first.
func (b *mailbox) list() (all []sandbox.Mail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, m := range b.mails {
		all = append(all, sandbox.Mail{ID: m.ID, At: m.At, To: m.To, Subject: m.Subject, Text: m.Text.Reveal()})
	}
	return all
}

// ServeHTTP shows one mail as HTML, as it would be sent.
func (b *mailbox) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	b.mu.Lock()
	i := slices.IndexFunc(b.mails, func(m mail.Mail) bool { return m.ID == r.PathValue("id") })
	var m mail.Mail
	if i >= 0 {
		m = b.mails[i]
	}
	b.mu.Unlock()
	html, err := web.LetterHTML(m)
	if i < 0 || err != nil {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.Header().Set("Content-Security-Policy", "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'")
	_, _ = w.Write([]byte(html))
}
