package main

import (
	"slices"
	"sync"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/views/sandbox"
)

// mailboxKeeps is how many mails the mailbox keeps: it is for looking on, not for storage.
const mailboxKeeps = 50

// mailbox shows the mails of the sandbox, to whomever they go: none of them leaves this machine.
type mailbox struct {
	mu    sync.Mutex
	mails []sandbox.Mail // newest first
}

// receive keeps a mail.
func (b *mailbox) receive(m mail.Mail) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.mails = slices.Insert(b.mails, 0, sandbox.Mail{At: m.At, To: m.To, Subject: m.Subject, Text: m.Text.Reveal()})
	b.mails = b.mails[:min(len(b.mails), mailboxKeeps)]
}

// list returns the mails, newest first.
func (b *mailbox) list() []sandbox.Mail {
	b.mu.Lock()
	defer b.mu.Unlock()
	return slices.Clone(b.mails)
}
