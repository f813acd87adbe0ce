package donate

import (
	"net/url"
	"strings"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
)

// head of a campaign's page, with what a share of it shows (Open Graph protocol).
func (p Props) head() views.Head {
	scripts, refresh := []string{"page.js"}, 0
	if p.LivePath != "" {
		scripts = []string{"live.js", "page.js"}
	}
	if p.Paying != nil {
		scripts = []string{"live.js", "checkout.js"}
		if p.Paying.NeedsRefresh() {
			refresh = checkout.RefreshSeconds
		}
	}
	return views.Head{
		Page:        p.Page,
		Title:       p.Title + " · " + p.Merchant.Name,
		Description: p.Summary(),
		Theme:       views.DataTheme(p.Merchant),
		Inline:      "donate.css",
		Extra:       views.BrandCSS(p.Merchant),
		Scripts:     scripts,
		Refresh:     refresh,
		Share:       &views.Share{Title: p.Title, URL: p.URL, Image: p.CardURL},
	}
}

func (p Props) widgetHead() views.Head {
	return views.Head{
		Page: p.Page, Title: p.Title, Description: p.Summary(), Theme: views.DataTheme(p.Merchant),
		Inline: "donate.css", Extra: views.BrandCSS(p.Merchant), BodyClass: "widget",
	}
}

func (p Props) languageHref(lang string) string {
	if p.Paying != nil {
		return checkout.GiftPath(p.CampaignID, p.Paying.TxnID, lang, p.Paying.View)
	}
	return views.DonatePath(p.CampaignID, lang)
}

// What the page shows below the progress of a campaign.
const (
	formNone   = "none" // a donation is being paid
	formOpen   = "open"
	formPaused = "paused"
	formEnded  = "ended"
)

func (p Props) shownForm() string {
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

func (p Props) payPath() string {
	return views.WithLang("/donate/"+url.PathEscape(p.CampaignID)+"/pay", p.Lang)
}

// MaxSummary is how much of a description search engines and shares show, in characters.
const MaxSummary = 200

// Summary is the beginning of the description on one line.
func (p Props) Summary() string {
	words := strings.Join(strings.Fields(p.Description), " ")
	if words == "" {
		return p.T("donate.summary", "Merchant", p.Merchant.Name)
	}
	if r := []rune(words); len(r) > MaxSummary {
		return strings.TrimSpace(string(r[:MaxSummary])) + "…"
	}
	return words
}

// paragraphs are the parts of the description between empty lines.
func (p Props) paragraphs() []string {
	var all []string
	for part := range strings.SplitSeq(strings.ReplaceAll(p.Description, "\r\n", "\n"), "\n\n") {
		if part = strings.TrimSpace(part); part != "" {
			all = append(all, part)
		}
	}
	return all
}

// RaisedText writes the progress in one line.
func (p Props) RaisedText() string {
	raised := p.inDollars()
	if p.Currency != "" {
		raised = p.Locale().Price(p.Worth, p.Currency)
	}
	if p.Goal == "" {
		return p.T("donate.raised", "Raised", raised)
	}
	return p.T("donate.raised_of", "Raised", raised, "Goal", p.amount(p.Goal))
}

// inDollars is what is raised in US dollars.
func (p Props) inDollars() string { return p.Locale().Money(p.Raised, "USD") }

// amount writes a plain decimal in the currency of the campaign.
func (p Props) amount(plain string) string {
	if p.Currency != "" {
		return p.Locale().Price(plain, p.Currency)
	}
	return p.Locale().Money(plain, "USD")
}

// pick writes a suggested amount.
func (p Props) pick(plain string) string {
	if p.Currency != "" {
		return p.Locale().Price(plain, p.Currency)
	}
	return p.Locale().Amount(plain)
}

// otherAmount is the value of the field suggested that makes the field amount count.
const otherAmount = "other"

// suggestion is the amount that is chosen when the page opens: as typed, or the middle one.
func (p Props) suggestion() string {
	if typed := p.Typed.Get("suggested"); typed != "" {
		return typed
	}
	if len(p.Suggested) == 0 || p.Typed != nil {
		return otherAmount
	}
	return p.Suggested[len(p.Suggested)/2]
}

// ways are the ways to pay, opened with those that were chosen.
func (p Props) ways() checkout.Props {
	return checkout.Props{
		Page: p.Page, Merchant: p.Merchant, Choices: p.Choices,
		Token: p.Typed.Get("token"), Via: checkout.ParseVia(p.Typed.Get("via")),
		Problem: choiceProblem(p.Errors), FocusChoice: p.opensAt("way"),
		RetryURL: views.DonatePath(p.CampaignID, p.Lang),
	}
}

// choiceProblem is the problem of the ways to pay.
func choiceProblem(problems map[string]InputError) checkout.Problem {
	if problems["way"] != "" {
		return checkout.ProblemChoice
	}
	return checkout.ProblemNone
}

// opensAt reports whether the field is the first of the form that has a problem, where the page then opens: it begins
// with the story, which hides every problem on a phone.
func (p Props) opensAt(field string) bool {
	for _, f := range []string{"amount", "name", "message", "way"} {
		if p.Errors[f] != "" {
			return f == field
		}
	}
	return false
}

// aboutWays reports whether the problem of the form is the way to pay that was chosen.
func (p Props) aboutWays() bool { return p.Problem == checkout.ProblemUnavailable }

// messageHint says when the message is published.
func (p Props) messageHint() string {
	if p.ShownAtOnce {
		return p.T("donate.message_now")
	}
	return p.T("donate.message_hint", "Merchant", p.Merchant.Name)
}

// donor is the name on the wall.
func (p Props) donor(d Donation) string {
	if d.Name == "" {
		return p.T("donate.anonymous")
	}
	return d.Name
}

// inputError is the text of a field's problem; empty for none.
func inputError(p views.Page, e InputError, least, most string) string {
	l := p.Locale()
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

func (p LinkProps) head() views.Head {
	title := p.T("title.link", "Merchant", p.Merchant.Name)
	if p.Amount != "" {
		title = p.T("title.pay", "Amount", p.Locale().Money(p.Amount, "USD"), "Merchant", p.Merchant.Name)
	}
	return views.Head{
		Page: p.Page, Title: title, Description: p.T("title.description", "Merchant", p.Merchant.Name),
		Theme: views.DataTheme(p.Merchant), Inline: "donate.css", Extra: views.BrandCSS(p.Merchant),
		Scripts: []string{"page.js"},
	}
}

func (p LinkProps) languageHref(lang string) string { return views.LinkPath(p.Slug, lang) }

// amountIn is the name of the field of an amount, which is in US dollars without a currency.
func amountIn(p views.Page, currency string) string {
	if currency == "" {
		return p.T("field.amount")
	}
	return p.T("field.amount_in", "Currency", currency)
}

// described is the ids of a field's hint and, if it has one, problem (aria-describedby).
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

// ways are the ways to pay the fixed amount of a link.
func (p LinkProps) ways() checkout.Props {
	return checkout.Props{
		Page: p.Page, Merchant: p.Merchant, Amount: p.Amount, Choices: p.Choices,
		Token: p.Typed.Get("token"), Via: checkout.ParseVia(p.Typed.Get("via")),
		Problem: choiceProblem(p.Errors), FocusChoice: true,
		RetryURL: views.LinkPath(p.Slug, p.Lang),
	}
}
