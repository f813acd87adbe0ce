package web

import (
	"net/url"
	"strconv"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/money"
)

// typedForms are the forms of the dashboard with an amount, the page that shows it afterwards, and its input there.
func typedForms(m seller, campaign string) [][3]string {
	edit := campaignsPath + "/" + campaign + "/edit"
	return [][3]string{
		{payoutsPath, payoutsPath + "/options", "BEP20.min"},
		{settlePath, settlePath, "atOnce"},
		{edit, edit, "goal"},
		{edit, edit, "suggested"},
		{createPath, createPath, "amount"},
		{linksPath, linksPath, "amount"},
		{campaignsPath, campaignsPath, "goal"},
	}
}

// Amounts are read as people type them in their language, in every form alike; what could be read in two ways is
// asked, and nothing is made.
func TestForms_AmountsByLanguage(t *testing.T) {
	t.Parallel()
	b := newDashboard(t)
	m := b.shop(b.member(ownerEmail))
	given, _ := b.fundraiser(m)
	s := b.surfer()
	s.signIn(ownerEmail)
	made := 0
	for _, form := range typedForms(m, given.Slug) {
		page, action, input := form[0], form[1], form[2]
		send := func(language, typed string) reply {
			f := s.asShown(page, action)
			f.Set(input, typed)
			f.Set("password", testPassword)
			made++
			for name, value := range map[string]string{
				"title": "A roof", "description": "For it", "slug": "roof-" + strconv.Itoa(made),
			} {
				if f.Has(name) {
					f.Set(name, value)
				}
			}
			return s.do("POST", action, f, "Accept-Language", language)
		}
		for _, x := range [][3]string{
			{"fr", "1312,50", "1312.5"},
			{"en", "1312,50", "1312.5"},
			{"de", "1.500", "1500"},
			{"en", "1,500", "1500"},
			{"de", "1.500,25", "1500.25"},
			{"pl", "$1501", "1501"},
			{"ar", "١٥٠٢", "1502"},
		} {
			r := send(x[0], x[1])
			r.wants(t, 303)
			if got := s.shownAmount(page, action, input, r); !strings.Contains(got, x[2]) {
				t.Errorf("%s of %s: %q in %q is shown as %q, want %s", input, action, x[1], x[0], got, x[2])
			}
		}
		send("en", "1.500").wants(t, 400, "can be read in two ways: enter 1.500 or 1500")
		send("de", "1,500").wants(t, 400, "lässt sich auf zwei Arten lesen: Geben Sie 1.500 oder 1500 ein")
	}
}

// Whole numbers are read as amounts are.
func TestForms_NumbersByLanguage(t *testing.T) {
	t.Parallel()
	b, s, _ := newShop(t)
	for language, typed := range map[string]string{
		"de": "1.000", "en": "1,000", "zh": "１０００", "ar": "١٠٠٠", "fr": "1\u202f000",
	} {
		f := s.asShown("/dashboard/credits", "/dashboard/credits")
		f.Set("credits", typed)
		r := s.do("POST", "/dashboard/credits", f, "Accept-Language", language)
		r.wants(t, 303)
		p, err := b.payments.Get(t.Context(), strings.TrimPrefix(r.header.Get("Location"), "/pay?txnid="))
		must(t, err)
		if p.Amount != 50*money.USD {
			t.Errorf("%q credits in %q cost %s", typed, language, p.Amount.Display())
		}
	}
	f := s.asShown(payoutsPath, payoutsPath+"/options")
	f.Set("late", "１８")
	f.Set("password", testPassword)
	s.do("POST", payoutsPath+"/options", f).wants(t, 303)
	if got := s.asShown(payoutsPath, payoutsPath+"/options").Get("late"); got != "18" {
		t.Errorf("18 hours are stored as %s", got)
	}
}

// shownAmount is what the page of a form holds after it was sent, or the page that it leads to.
func (s *surfer) shownAmount(page, action, input string, r reply) string {
	if shown := s.asShown(page, action); shown.Get(input) != "" {
		return shown.Get(input)
	}
	to, err := url.Parse(r.header.Get("Location"))
	must(s.b.t, err)
	return strings.ReplaceAll(plainText(s.get(to.Path).body), ",", "")
}
