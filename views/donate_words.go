package views

import (
	"net/url"
	"strings"
)

// head of a campaign's page, with what a share of it shows (Open Graph protocol).
func (p DonateProps) head() head {
	scripts, refresh := []string{"page.js"}, 0
	if p.LivePath != "" {
		scripts = []string{"live.js", "page.js"}
	}
	if p.Paying != nil {
		scripts = []string{"live.js", "checkout.js"}
		if p.Paying.needsRefresh() {
			refresh = RefreshSeconds
		}
	}
	return head{
		Page:        p.Page,
		Title:       p.Title + " · " + p.Merchant.Name,
		Description: p.summary(),
		Theme:       dataTheme(p.Merchant),
		Inline:      "donate.css",
		Extra:       brandCSS(p.Merchant),
		Scripts:     scripts,
		Refresh:     refresh,
		Share:       &share{Title: p.Title, URL: p.URL, Image: p.CardURL},
	}
}

func (p DonateProps) widgetHead() head {
	return head{
		Page: p.Page, Title: p.Title, Description: p.summary(), Theme: dataTheme(p.Merchant), Inline: "donate.css",
		Extra: brandCSS(p.Merchant), BodyClass: "widget",
	}
}

func (p DonateProps) languageHref(lang string) string {
	if p.Paying != nil {
		return GiftPath(p.CampaignID, p.Paying.TxnID, lang, p.Paying.View)
	}
	return DonatePath(p.CampaignID, lang)
}

// What stands below how far a campaign is.
const (
	formNone   = "none" // a donation is being paid, whatever the campaign does meanwhile
	formOpen   = "open"
	formPaused = "paused"
	formEnded  = "ended"
)

func (p DonateProps) shownForm() string {
	switch {
	case p.Paying != nil:
		return formNone
	case p.Status == CampaignPaused:
		return formPaused
	case p.Status == CampaignEnded:
		return formEnded
	}
	return formOpen
}

func (p DonateProps) payPath() string {
	return withLang("/donate/"+url.PathEscape(p.CampaignID)+"/pay", p.Lang)
}

// maxSummary is how much of a description search engines and shares show, in characters.
const maxSummary = 200

// summary is the beginning of the description on one line.
func (p DonateProps) summary() string {
	words := strings.Join(strings.Fields(p.Description), " ")
	if words == "" {
		return p.T("donate.summary", "Merchant", p.Merchant.Name)
	}
	if r := []rune(words); len(r) > maxSummary {
		return strings.TrimSpace(string(r[:maxSummary])) + "…"
	}
	return words
}

// paragraphs are the parts of the description between empty lines.
func (p DonateProps) paragraphs() []string {
	var all []string
	for part := range strings.SplitSeq(strings.ReplaceAll(p.Description, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// RaisedText says how far it is, in one line.
func (p DonateProps) RaisedText() string {
	if p.Goal == "" {
		return p.T("donate.raised", "Raised", p.locale().Money(p.Raised, "USD"))
	}
	return p.T("donate.raised_of", "Raised", p.locale().Money(p.Raised, "USD"), "Goal", p.locale().Money(p.Goal, "USD"))
}

// otherAmount is the value of the field suggested that makes the field amount count.
const otherAmount = "other"

// suggestion is the amount that is chosen when the page opens: as typed, or the middle one.
func (p DonateProps) suggestion() string {
	if typed := p.Typed.Get("suggested"); typed != "" {
		return typed
	}
	if len(p.Suggested) == 0 || p.Typed != nil {
		return otherAmount
	}
	return p.Suggested[len(p.Suggested)/2]
}

// way is the network and token that are chosen when the page opens: as typed, or the first that can be.
func (p DonateProps) way() string {
	if typed := p.Typed.Get("way"); typed != "" {
		return typed
	}
	for _, c := range p.Choices {
		if c.Reason != ReasonNone {
			continue
		}
		for _, t := range c.Tokens {
			if t.Reason == ReasonNone {
				return Way(c.Network, t.Token)
			}
		}
	}
	return ""
}

// payable reports whether there is any way to pay.
func (p DonateProps) payable() bool { return p.way() != "" }

// messageHint says when others read what is written.
func (p DonateProps) messageHint() string {
	if p.ShownAtOnce {
		return p.T("donate.message_now")
	}
	return p.T("donate.message_hint", "Merchant", p.Merchant.Name)
}

// donor is the name on the wall.
func (p DonateProps) donor(d Donation) string {
	if d.Name == "" {
		return p.T("donate.anonymous")
	}
	return d.Name
}

// inputError says what is wrong with a field; empty for nothing.
func (p Page) inputError(e InputError, least, most string) string {
	l := p.locale()
	switch e {
	case "":
		return ""
	case InputTooSmall:
		return p.T("error.too_small", "Amount", l.Money(least, "USD"))
	case InputTooLarge:
		return p.T("error.too_large", "Amount", l.Money(most, "USD"))
	case InputWay:
		return p.T("error.way")
	case InputTooLong:
		return p.T("error.too_long")
	case InputText:
		return p.T("error.text")
	}
	return p.T("error.amount", "Example", l.Amount("12.50"))
}

func (p LinkProps) head() head {
	title := p.T("title.link", "Merchant", p.Merchant.Name)
	if p.Amount != "" {
		title = p.T("title.pay", "Amount", p.locale().Money(p.Amount, "USD"), "Merchant", p.Merchant.Name)
	}
	return head{
		Page: p.Page, Title: title, Description: p.T("title.description", "Merchant", p.Merchant.Name), Theme: dataTheme(p.Merchant),
		Inline: "donate.css", Extra: brandCSS(p.Merchant), Scripts: []string{"page.js"},
	}
}

func (p LinkProps) languageHref(lang string) string { return LinkPath(p.Slug, lang) }

// described names what explains a field: its hint, and its problem where it has one.
func described(field string, problem InputError) string {
	if problem == "" {
		return field + "-hint"
	}
	return field + "-hint " + field + "-problem"
}

// invalid is the value of aria-invalid.
func invalid(problem InputError) string {
	if problem == "" {
		return "false"
	}
	return "true"
}
