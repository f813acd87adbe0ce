package settings

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

func (s *Surface) getBranding(c echo.Context, who session.Principal) error {
	return s.brandingPage(c, who, http.StatusOK, c.QueryParam("key"), shell.EmptyForm(c))
}

func (s *Surface) brandingPage(c echo.Context, who session.Principal, status int, asked string, f *shell.Form) error {
	key, ok, choice, err := who.KeyChoice(checkoutPath, asked)
	if err != nil {
		return err
	}
	p := settings.BrandingProps{
		Frame: s.Frame(c, who, "Checkout", checkoutPath), Key: choice, HasKey: ok, Problem: f.Problem,
	}
	if ok {
		custodian, has, err := s.CustodianOf(c.Request().Context(), key)
		if err != nil {
			return err
		}
		p.Exists, p.Theme, p.Stored = has, string(custodian.Branding.Theme), storedTheme(custodian)
		if typed := f.Values.Get("theme"); typed != "" {
			p.Theme = typed
		}
		p.LogoProblem = f.Problems["logo"]
		if p.Fields = brandingFields(f, custodian); custodian.Branding.Uploaded() {
			p.Logo = custodian.Branding.LogoURL
		}
		p.Reauth = panel.Reauth{Posted: f.Posted, IfAsked: true}
		if p.Reauth.Field, err = s.GateFieldIfAsked(c, who, f); err != nil {
			return err
		}
		now := url.Values{"theme": {p.Theme}, "key": {key.PublicID}}
		for i, x := range p.Fields {
			now.Set(x.Name, x.Value)
			p.Fields[i].ReadOnly = !p.May.Branding
		}
		p.PreviewURL = checkoutPath + "/preview?" + now.Encode()
		p.Readable = p.Locale().Readability(brandOf(now))
	}
	shell.AllowOwnFrames(c)
	return s.Show(c, status, p.Frame, settings.Branding(p))
}

// brandOf is the look of the checkout by the values of the form.
func brandOf(q url.Values) views.Merchant {
	return views.Merchant{
		Name: q.Get("name"), Tagline: q.Get("tagline"), LogoURL: q.Get("logoUrl"), SupportEmail: q.Get("supportEmail"),
		Accent: q.Get("primaryColor"), Background: q.Get("backgroundColor"), Theme: q.Get("theme"),
	}
}

// getContrast says how well the colours of the query can be read, while the user
// chooses them.
func (s *Surface) getContrast(c echo.Context, _ session.Principal) error {
	page := shell.NewPage(c)
	words := page.Locale().Readability(brandOf(c.QueryParams()))
	return shell.Render(c, http.StatusOK, page, settings.Readable(words))
}

func storedTheme(c merchant.Custodian) panel.Field {
	return panel.Field{Name: "theme", Label: "Theme", Type: "select", Value: string(c.Branding.Theme)}
}

func brandingFields(f *shell.Form, c merchant.Custodian) []panel.Field {
	b := c.Branding
	logo := panel.Field{
		Name: "logoUrl", Label: "Web address of your logo (instead of an upload)", Type: "url", Value: b.LogoURL,
		Max:  "2048",
		Hint: "An https address of a square picture.",
	}
	if b.Uploaded() {
		logo.Value, logo.Hint = "", "If you enter one, your customers see it instead of the picture you uploaded."
	}
	all := []panel.Field{
		{Name: "name", Label: "Name", Value: c.Name, Max: "100"},
		{Name: "tagline", Label: "Line below the name", Value: b.Tagline, Max: "160"},
		logo,
		{
			Name: "primaryColor", Label: "Colour of buttons and links", Value: b.PrimaryColor, Max: "7", Mono: true,
			Placeholder: "#2b4fc4", Colour: true,
		},
		{
			Name: "backgroundColor", Label: "Colour of the page", Value: b.BackgroundColor, Max: "7", Mono: true,
			Placeholder: "#f8f7f4", Colour: true,
		},
		{Name: "website", Label: "Your website", Type: "url", Value: b.Website, Max: "2048"},
		{
			Name: "supportEmail", Label: "E-mail address for customers' questions", Type: "email",
			Value: b.SupportEmail,
			Max:   "254",
		},
		{
			Name: "legalName", Label: "Name on receipts", Value: b.LegalName, Max: "200",
			Hint: "For tax. Empty: the name above.",
		},
		{Name: "legalAddress", Label: "Address on receipts", Value: b.LegalAddress, Max: "200"},
		{Name: "taxId", Label: "Tax or VAT number on receipts", Value: b.TaxID, Max: "200"},
	}
	for i := range all {
		all[i].Setting = true
		all[i] = f.Field(all[i])
	}
	return all
}

func (s *Surface) postBranding(c echo.Context, who session.Principal) error {
	f, key, before, err := s.ownCustodian(c, who)
	if err != nil {
		return err
	}
	stored := append(brandingFields(shell.EmptyForm(c), before), storedTheme(before))
	if err := s.since(c, who, f, key, stored...); err != nil {
		return err
	}
	if f.Stale {
		return s.brandingPage(c, who, f.Status(), key.PublicID, f)
	}
	text := f.Changed
	var theme *merchant.Theme
	if to := text("theme"); to != nil {
		theme = new(merchant.Theme(*to))
	}
	logo := text("logoUrl")
	if logo != nil && *logo == "" && before.Branding.Uploaded() {
		logo = nil // the uploaded one stays
	}
	return s.apply(c, who, f, change{
		key: key, shown: true, in: merchant.CustodianInput{Name: text("name"), Branding: &merchant.BrandingInput{
			Tagline: text("tagline"), LogoURL: logo, PrimaryColor: text("primaryColor"),
			BackgroundColor: text("backgroundColor"), Theme: theme, SupportEmail: text("supportEmail"),
			Website: text("website"), LegalName: text("legalName"), LegalAddress: text("legalAddress"),
			TaxID: text("taxId"),
		}},
		subjects: brandingSubjects, asOf: before.UpdatedAt, path: checkoutPath, saved: "The branding is saved.",
		page: func(status int) error { return s.brandingPage(c, who, status, key.PublicID, f) },
	})
}

// brandingSubjects map the fields that a refusal can name to inputs.
var brandingSubjects = []shell.Subject{
	{Service: "name", Input: "name", Label: "The name"},
	{Service: "branding.tagline", Input: "tagline", Label: "The line"},
	{Service: "branding.logoUrl", Input: "logoUrl", Label: "The address"},
	{Service: "branding.primaryColor", Input: "primaryColor", Label: "The colour"},
	{Service: "branding.backgroundColor", Input: "backgroundColor", Label: "The colour"},
	{Service: "branding.supportEmail", Input: "supportEmail", Label: "The e-mail address"},
	{Service: "branding.website", Input: "website", Label: "The address"},
	{Service: "branding.legalName", Input: "legalName", Label: "The name"},
	{Service: "branding.legalAddress", Input: "legalAddress", Label: "The address"},
	{Service: "branding.taxId", Input: "taxId", Label: "The number"},
}
