package merchant

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/secret"
)

// News is what a person of a merchant, or its chat, wants to be notified of, separated by commas. Empty: whatever the
// role has (mail.Wished); noNews: nothing.
type News string

const noNews News = "-"

// NewsOf returns what was chosen of mail.Wishes.
func NewsOf(wishes []mail.Wish) News {
	var names []string
	for _, w := range mail.Wishes() {
		if slices.Contains(wishes, w) {
			names = append(names, string(w))
		}
	}
	return cmp.Or(News(strings.Join(names, ",")), noNews)
}

// Wishes lists what the member wants to be notified of.
func (m Member) Wishes() []mail.Wish {
	if m.News == "" {
		return mail.Wished(m.Role == RoleOwner)
	}
	return m.News.wishes()
}

func (n News) wishes() (list []mail.Wish) {
	for _, w := range mail.Wishes() {
		if slices.Contains(strings.Split(string(n), ","), string(w)) {
			list = append(list, w)
		}
	}
	return list
}

// Chat is where news of a merchant are posted for a chat system; without a URL nowhere.
type Chat struct {
	URL  secret.Text // whoever knows it can write there
	News News
}

// Wishes lists what is posted to the chat.
func (c Chat) Wishes() []mail.Wish { return c.News.wishes() }

// SetNews gives a member other news, or fails with ErrUnknownMember.
func (a Account) SetNews(user int64, n News, r audit.Record) (Change, error) {
	a.Members = slices.Clone(a.Members)
	for i := range a.Members {
		if m := &a.Members[i]; m.ID == user {
			m.News = n
			return Change{Account: a, Record: r}, nil
		}
	}
	return Change{}, ErrUnknownMember
}

// News returns what the user wants to be notified of, and the chat of the merchant.
func (s *Service) News(ctx context.Context, m Membership) ([]mail.Wish, Chat, error) {
	a, err := s.store.Account(ctx, By{ID: m.Merchant.ID})
	for _, member := range a.Members {
		if member.ID == m.User.ID {
			return member.Wishes(), a.Chat, err
		}
	}
	return nil, a.Chat, err
}

// SetNews stores what the user wants to be notified of.
func (s *Service) SetNews(ctx context.Context, m Membership, wishes []mail.Wish, act audit.Act) error {
	n := NewsOf(wishes)
	r := act.Record(m.Merchant.ID, audit.ActionNews, "", string(n))
	return s.update(ctx, m.Merchant.ID, func(a Account) (Change, error) { return a.SetNews(m.User.ID, n, r) })
}

// SetChat stores where news are posted; an empty URL ends it. It fails with fault.Invalid about url for an address that
// nothing could be posted to. Owners are mailed that it changed.
func (s *Service) SetChat(ctx context.Context, m Membership, c Chat, act audit.Act) error {
	if err := s.CheckChat(c); err != nil {
		return err
	}
	what := mail.T("on")
	said := mail.T("{{.Who}} changed the address that Florin posts news of your payments to.", "Who", act.Who)
	if c.URL.Empty() {
		what = mail.T("off")
		said = mail.T("{{.Who}} removed the address that Florin posts news of your payments to.", "Who", act.Who)
	}
	r := act.Record(m.Merchant.ID, audit.ActionChat, "", what.Kept(), s.opts.Mail.Owners(act.At, m.Merchant.ID,
		mail.T("Where your news are posted was changed"), said)...)
	return s.update(ctx, m.Merchant.ID, func(a Account) (Change, error) {
		a.Chat = c
		return Change{Account: a, Record: r}, nil
	})
}

// CheckChat refuses an address that nothing can be posted to, at the field url.
func (s *Service) CheckChat(c Chat) error {
	if c.URL.Empty() {
		return nil
	}
	if err := s.opts.CheckCallback(c.URL.Reveal()); err != nil {
		return fault.Of(err).At("url")
	}
	return nil
}

// Daily is what a merchant sold in a day.
type Daily struct {
	MerchantID int64
	Payments   int64
	Volume     money.Micros
	Waiting    int64 // payments that need their merchant
}

// Summary is the mail about the day that ended at the time given, to who wants it.
func (d Daily) Summary(end time.Time, baseURL string) mail.Mail {
	day := end.Add(-time.Second).UTC()
	subject := mail.N("Your day: {{.N}} payments, ${{.Volume}}", "Your day: 1 payment, ${{.Volume}}", int(d.Payments),
		"Volume", d.Volume)
	text := []mail.Words{mail.N("On {{.Day}} (UTC) {{.N}} payments of ${{.Volume}} in all were completed.",
		"On {{.Day}} (UTC) 1 payment of ${{.Volume}} was completed.", int(d.Payments),
		"Day", mail.Day(day), "Volume", d.Volume)}
	if d.Waiting > 0 {
		text = append(text, mail.T("Payments that need you: {{.Waiting}}", "Waiting", d.Waiting).
			Then(baseURL+"/dashboard/attention"))
	}
	return mail.Mail{
		ID: fmt.Sprintf("summary.%d.%s", d.MerchantID, day.Format(time.DateOnly)), Kind: mail.Plain,
		Owners: d.MerchantID, Wish: mail.WishSummary, At: end,
	}.Of(mail.Letter{Subject: subject, Text: append(text, mail.Words{}.Then(baseURL+"/dashboard"))})
}
