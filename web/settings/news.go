package settings

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const newsPath = settingsPath + "/news"

// newsTexts say what each kind of news is.
var newsTexts = map[mail.Wish]string{
	mail.WishPaid:      "Each payment that is completed",
	mail.WishSummary:   "A summary of each day with sales, in the morning (UTC)",
	mail.WishCredits:   "Credits that run low or are used up",
	mail.WishAttention: "Payments that need somebody: too little, too much, late, in another token, taken back",
}

func newsBoxes(on []mail.Wish) (boxes []settings.NewsBox) {
	for _, w := range mail.Wishes() {
		boxes = append(boxes, settings.NewsBox{Name: string(w), Label: newsTexts[w], On: slices.Contains(on, w)})
	}
	return boxes
}

// newsOf returns the news that a form has ticked.
func newsOf(f *shell.Form) (list []mail.Wish) {
	for _, text := range f.Values["news"] {
		list = append(list, mail.Wish(text))
	}
	return list
}

func (s *Surface) getNews(c echo.Context, who session.Principal) error {
	return s.newsPage(c, who, http.StatusOK, shell.EmptyForm(c))
}

func (s *Surface) newsPage(c echo.Context, who session.Principal, status int, f *shell.Form) error {
	own, chat, err := s.Merchants.News(c.Request().Context(), who.Membership)
	if err != nil {
		return err
	}
	wanted := chat.Wishes()
	if chat.URL.Empty() {
		wanted = mail.Wishes()
	}
	p := settings.NewsProps{
		Frame: s.Frame(c, who, "News", newsPath), Mails: s.Mails, Own: newsBoxes(own), Chat: newsBoxes(wanted),
		HasChat: !chat.URL.Empty(), Problem: f.Problem,
	}
	p.URL = panel.Field{
		Name: "url", Label: "Address of an incoming webhook", Type: "url", Mono: true, Max: "2048",
		Placeholder: "https://chat.example/hooks/…",
		Hint:        "Your chat system gives it to you. Whoever knows it can write there, so Florin does not show it again.",
	}
	if p.HasChat {
		p.URL.Hint = "An address is stored. Enter one only to replace it."
	}
	p.URL = f.Field(p.URL)
	if p.Password, err = s.GateFieldIfAsked(c, who, f); err != nil {
		return err
	}
	return s.Show(c, status, p.Frame, settings.News(p))
}

// postNews stores what the user wants to be mailed about.
func (s *Surface) postNews(c echo.Context, who session.Principal, f *shell.Form) error {
	if err := s.Merchants.SetNews(c.Request().Context(), who.Membership, newsOf(f), s.Act(c, who)); err != nil {
		return err
	}
	return s.Cookies.Redirect(c, newsPath, "Saved.")
}

// postChat stores where news are posted. What is posted names orders and sums, so it passes the gate.
func (s *Surface) postChat(c echo.Context, who session.Principal, f *shell.Form) error {
	ctx := c.Request().Context()
	chat, err := s.chatOf(ctx, who, f)
	if err != nil {
		return err
	}
	url := shell.Subject{Service: "url", Input: "url", Label: "The address"}
	switch err = s.Gate(c, who, f, session.Recently); {
	case err == nil:
		if err = s.Merchants.SetChat(ctx, who.Membership, chat, s.Act(c, who)); err == nil {
			return s.Cookies.Redirect(c, newsPath, "Saved.")
		}
		if !f.Refused(err, url) {
			return err
		}
	case session.ReauthRefused(f, err):
		f.Refused(s.Merchants.CheckChat(chat), url)
	default:
		return err
	}
	return s.newsPage(c, who, session.ReauthStatus(err), f)
}

// chatOf is what is stored of the chat, changed as the form says.
func (s *Surface) chatOf(ctx context.Context, who session.Principal, f *shell.Form) (merchant.Chat, error) {
	_, chat, err := s.Merchants.News(ctx, who.Membership)
	if err != nil {
		return merchant.Chat{}, err
	}
	if text := strings.TrimSpace(f.Values.Get("url")); text != "" {
		chat.URL = secret.New(text)
	}
	chat.News = merchant.NewsOf(newsOf(f))
	if f.Values.Get("stop") == "yes" {
		chat = merchant.Chat{}
	}
	return chat, nil
}
