package web

import (
	"regexp"
	"strings"
	"testing"
)

// engineers are words of engineers, which a shop owner need not know.
var engineers = regexp.MustCompile(`(?i)custodian|txnid|sweep|metered|by themselves|under way|told by|taken back|` +
	`\bAPI key\b|environment variable|\bcurl\b|\bflorin [a-z]+ --|go run|docker`)

// A shop owner who has never heard of an API key meets no word of engineers outside of
// Developers: on the first day, and with a shop that sells.
func TestDashboard_PlainWords(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	fresh, busy := b.surfer(), b.surfer()
	fresh.post("/signup", "email", "ida@shop.example", "password", testPassword).leads(t, "/dashboard")
	m := b.shop(b.member(ownerEmail))
	paid := b.busy(m)
	given, link := b.fundraiser(m)
	busy.signIn(ownerEmail)
	pages := []string{
		"/dashboard", "/dashboard/attention", "/dashboard/payments", createPath, linksPath, campaignsPath,
		"/dashboard/credits", brandingPath, settlePath,
	}
	for _, path := range pages {
		says(t, fresh, path)
	}
	for _, path := range append(pages, "/dashboard/payments/"+string(paid.ID), createPath+"/"+string(paid.ID),
		linksPath+"/"+link.Slug,
		campaignsPath+"/"+given.Slug, campaignsPath+"/"+given.Slug+"/edit") {
		says(t, busy, path)
	}
}

// says fails if the page has a word of engineers.
func says(t *testing.T, s *surfer, path string) {
	t.Helper()
	r := s.get(path)
	r.wants(t, 200)
	words := strings.ReplaceAll(plainText(r.body), "/pay?txnid=", "/pay?")
	for _, at := range engineers.FindAllStringIndex(words, -1) {
		t.Errorf("%s says “%s”", path, strings.TrimSpace(words[max(0, at[0]-60):min(len(words), at[1]+40)]))
	}
}
