package web

import (
	"strings"
	"testing"
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
