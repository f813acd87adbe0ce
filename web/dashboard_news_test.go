package web

import (
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/notification"
	"github.com/florinpay/florin/internal/webhook"
	"github.com/florinpay/florin/views"
)

// TestDashboard_News: each person turns their own news on and off; only who passes the gate says where the chat is,
// whose address is never shown.
func TestDashboard_News(t *testing.T) {
	t.Parallel()
	b, s, _ := newShop(t)
	const page, chat = "/dashboard/settings/news", "/dashboard/settings/news/chat"
	on := func(name string) bool {
		t.Helper()
		body, _, _ := strings.Cut(s.get(page).body, `data-testid="chat"`)
		return strings.Contains(body, `value="`+name+`" checked`)
	}
	if on("paid") || !on("summary") || !on("credits") || !on("attention") {
		t.Error("an owner begins with other news")
	}
	s.post(page, "news", "paid").leads(t, page)
	if !on("paid") || on("summary") || on("credits") || on("attention") {
		t.Error("what was chosen is not stored")
	}
	s.post(page).leads(t, page)
	if on("paid") || on("summary") {
		t.Error("what was turned off is on")
	}
	const hook = "https://chat.example/hooks/canary"
	s.post(chat, "url", hook, "news", "paid").wants(t, 403, "password")
	s.post(chat, "url", "ftp://x", "news", "paid", "password", testPassword).wants(t, 403, "problem-url")
	s.post(chat, "url", hook, "news", "paid", "password", testPassword).leads(t, page)
	if r := s.get(page); strings.Contains(r.body, "canary") || !strings.Contains(r.body, "An address is stored") {
		t.Error("the address is shown, or not stored")
	}
	s.post(chat, "url", "", "news", "summary").leads(t, page) // only what is posted
	s.post(chat, "stop", "yes").leads(t, page)
	if r := s.get(page); strings.Contains(r.body, "An address is stored") {
		t.Error("the address is kept")
	}
	if n := b.mailsTo(ownerEmail, "Where your news are posted was changed"); n != 3 {
		t.Errorf("%d mails about the address, want 3", n)
	}
}

// wishes is an owner who chooses what to be notified of.
func (d *diary) wishes(s *surfer) {
	d.b.t.Helper()
	const page = "/dashboard/settings/news"
	d.leaves(page, s.post(page, "news", "summary"), ownerEmail+" chose what to be mailed about: |summary")
	d.leaves(page+"/chat", s.post(page+"/chat", "url", "https://chat.example/x"), ownerEmail+" changed where news are posted: |on")
}

// A stolen API key can redirect the money, so such a change is mailed to the owners;
// other changes send no mail.
func TestMoneyMovedOverTheAPI(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	update := func(fields string) {
		t.Helper()
		r := b.graphQL(`mutation { updateCustodianDetails(input: {apiKey: "`+m.text+`", `+fields+`}) { code message } }`, "")
		if r.text(t, "data.updateCustodianDetails.code") != "200" {
			t.Fatal(r.body)
		}
	}
	update(`name: "Nordlicht & Söhne", wallets: {base: "` + merchantWallet + `"}`)
	const other = "0x52908400098527886E0F7030069857D2E4169EE7"
	update(`wallets: {base: "` + other + `"}`)
	b.mailed(1)
	update(`callbackUrl: "https://evil.example/hook"`)
	b.mailed(2)
	update(`networks: [{network: BASE, finality: "1s"}]`)
	b.mailed(3)
	update(`networks: [{network: BASE, finality: "1s"}]`)
	update(`secret: "known to a thief"`)
	update(`secret: "known to a thief"`)
	texts := strings.Join(b.mailed(5), "\n")
	for _, want := range []string{ownerEmail, "Shop of " + ownerEmail, "Base", merchantWallet, other, "https://evil.example/hook", "final after on Base: the network's own rule → 1s", "shared secret: it was "} {
		if !strings.Contains(texts, want) {
			t.Errorf("the mails lack %q: %s", want, texts)
		}
	}
	if n := len(b.mail.all()); n != 5 || strings.Contains(texts, "known to a thief") {
		t.Errorf("%d mails were sent, want 5 without the secret: %s", n, texts)
	}
}

// TestMailLanguage: what is chosen before signing up is the user's language, of the mails that they get, too. A mail of
// which a language lacks a text is English whole.
// It runs alone: one language lacks everything but a name meanwhile.
func TestMailLanguage(t *testing.T) { //nolint:paralleltest // see above
	t.Cleanup(views.Replace("tr", []byte(`{"An API key was revoked": "Bir API anahtarı iptal edildi"}`)))
	b := verifying(t)
	s := b.surfer()
	s.get("/signup?lang=de").wants(t, 200, `lang="de"`, `href="/signup?lang=tr"`)
	s.post("/signup", "email", ownerEmail, "password", testPassword).wants(t, 200, `lang="de"`)
	_, token := b.linkTo(t, ownerEmail, verifyLink)
	b.newestMail(t, "Registrierung abschließen", "Öffnen Sie diesen Link", "/verify?token=")
	s.post("/verify", "token", token, "password", testPassword).leads(t, "/dashboard")
	user, err := b.accounts.users.UserByEmail(t.Context(), ownerEmail)
	must(t, err)
	if user.Language != "de" {
		t.Fatalf("the user's language is %q", user.Language)
	}
	keys, err := b.accounts.merchants.EveryKey(t.Context(), user.ID)
	must(t, err)
	act := audit.Act{Who: "florin key revoke", At: b.clock.Now()}
	revoke := func(key merchant.Key) { must(t, b.accounts.merchants.RevokeKey(t.Context(), key, true, act)) }
	revoke(keys[0])
	b.newestMail(t, "Ein API-Schlüssel wurde widerrufen", "Der Betreiber dieser Installation", "korrigieren Sie es:")

	path := securityPath + "/language"
	s.get(securityPath).wants(t, 200, `action="`+path+`"`)
	s.post(path, "language", "xx").wants(t, 400)
	s.post(path, "language", "tr").leads(t, securityPath)
	revoke(b.shop(user).key)
	b.newestMail(t, "An API key was revoked", "The operator of this installation", "sign in at once")
}

// TestMailLanguage_Paid: amounts in news are written as the language does.
func TestMailLanguage_Paid(t *testing.T) {
	t.Parallel()
	b, s, m := newShop(t)
	s.post("/dashboard/settings/news", "news", "paid").leads(t, "/dashboard/settings/news")
	s.post(securityPath+"/language", "language", "de").leads(t, securityPath)
	p := b.start(b.newPayment(m), "POLYGON")
	b.deposit(p, p.Amount, true)
	b.newestMail(t, "Bezahlt: 49,90\u00a0$ · NL-1042", "Betrag: 49,90\u00a0$\nAngekommen: 49,90\u00a0USDC auf Polygon\nReferenz: NL-1042\n",
		"API-Schlüssel: ", "\n\nZahlung öffnen:\n"+testBaseURL+"/dashboard/payments/"+string(p.ID))
	s.post(securityPath+"/language", "language", "en").leads(t, securityPath)
	p = b.start(b.newPaymentOf(m, "1249.90"), "BEP20")
	b.deposit(p, p.Amount, true)
	b.newestMail(t, "Paid: $1,249.90 · NL-1043", "Amount: $1,249.90\nReceived: 1,249.90\u00a0USDC on BNB Smart Chain (BEP20)\n")
}

// newest fails unless the newest mail to the owner with the subject holds the texts.
func (b dashboardBundle) newestMail(t *testing.T, subject string, texts ...string) {
	t.Helper()
	all := b.mail.all()
	slices.Reverse(all)
	for _, mail := range all {
		if !strings.HasPrefix(mail, ownerEmail+"\n"+subject+"\n") {
			continue
		}
		for _, text := range texts {
			if !strings.Contains(mail, text) {
				t.Errorf("the mail lacks %q:\n%s", text, mail)
			}
		}
		return
	}
	t.Errorf("no mail is called %q: %q", subject, all)
}

// mailbox is a mail server that keeps what it takes, and the outbox whose mails it is given.
type mailbox struct {
	t      *testing.T
	outbox *webhook.Deliverer

	mu    sync.Mutex
	texts []string
	down  bool // it takes nothing
}

func newWriter(baseURL string) *mail.Writer { return &mail.Writer{BaseURL: baseURL, NewID: rand.Text} }

// newMailbox returns a mail server of the bundle. Its outbox sends what is due whenever the mailbox is read.
func (b *bundle) newMailbox() *mailbox {
	m := &mailbox{t: b.t}
	m.outbox = b.newOutbox(m)
	return m
}

// newOutbox returns the outbox of one more instance.
func (b *bundle) newOutbox(m *mailbox) *webhook.Deliverer {
	log := slog.New(slog.DiscardHandler)
	outbox := b.store.Mails()
	return webhook.NewDeliverer(webhook.Config{
		Store: outbox, Holder: rand.Text(), Now: b.clock.Now, Jitter: func() float64 { return 0 }, Log: log,
		Send: (&notification.Sender{
			Store: notification.Store{Mail: outbox.Mail, Allowed: outbox.Allowed, Add: outbox.Add},
			Users: b.accounts.users, Merchants: b.accounts.merchants, Server: m.take, Write: Written,
			Now: b.clock.Now, Log: log,
		}).Send,
	})
}

func (m *mailbox) take(_ context.Context, x mail.Mail) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.down {
		return errors.New("the mail server is down")
	}
	m.texts = append(m.texts, x.To+"\n"+x.Subject+"\n"+x.Text.Reveal())
	return nil
}

func (m *mailbox) stop(down bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down = down
}

// all sends what is due and returns what was taken up to now.
func (m *mailbox) all() []string {
	m.t.Helper()
	sendDue(m.t, m.outbox)
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.texts)
}

// sendDue sends what is due, and what becomes due by that.
func sendDue(t *testing.T, outbox *webhook.Deliverer) {
	t.Helper()
	for n := 1; n > 0; {
		var err error
		n, err = outbox.RunOnce(t.Context())
		must(t, err)
	}
}
