package merchant

import (
	"errors"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
)

// maxTagline bounds a tagline, in characters.
const maxTagline = 160

// Theme is how a merchant wants the checkout to look.
type Theme string

// The themes.
const (
	ThemeAuto  Theme = "AUTO"
	ThemeLight Theme = "LIGHT"
	ThemeDark  Theme = "DARK"
)

// Branding is the appearance of the checkout. Colours are #rrggbb.
type Branding struct {
	Tagline         string
	LogoURL         string
	PrimaryColor    string
	BackgroundColor string
	Theme           Theme
	SupportEmail    string
	Website         string
	// LegalName, LegalAddress and TaxID are who sells, as receipts name them; all may be empty.
	LegalName, LegalAddress, TaxID string
}

func setBranding(c *Custodian, in CustodianInput) error {
	if in.Branding == nil {
		return nil
	}
	b, err := c.Branding.with(*in.Branding)
	if err != nil {
		return fault.Within("branding", err)
	}
	c.Branding = b
	return nil
}

// with returns the branding changed by the input, or all that is wrong with it.
func (b Branding) with(in BrandingInput) (Branding, error) {
	var wrong []error
	for _, f := range []struct {
		field string
		from  *string
		to    *string
		clean func(field, text string) (string, error)
	}{
		{"tagline", in.Tagline, &b.Tagline, cleanTagline},
		{"logoUrl", in.LogoURL, &b.LogoURL, input.URL},
		{"primaryColor", in.PrimaryColor, &b.PrimaryColor, input.Colour},
		{"backgroundColor", in.BackgroundColor, &b.BackgroundColor, input.Colour},
		{"supportEmail", in.SupportEmail, &b.SupportEmail, input.OptionalEmail},
		{"website", in.Website, &b.Website, input.URL},
		{"legalName", in.LegalName, &b.LegalName, cleanLegal},
		{"legalAddress", in.LegalAddress, &b.LegalAddress, cleanLegal},
		{"taxId", in.TaxID, &b.TaxID, cleanLegal},
	} {
		if f.from == nil {
			continue
		}
		text, err := f.clean(f.field, *f.from)
		if err == nil {
			err = CheckShown(f.field, text)
		}
		wrong = append(wrong, err)
		*f.to = text
	}
	if in.Theme != nil {
		theme, err := parseTheme(*in.Theme)
		wrong, b.Theme = append(wrong, err), theme
	}
	return b, errors.Join(wrong...)
}

func cleanTagline(field, text string) (string, error) { return input.Text(field, text, maxTagline) }

// maxLegal bounds a name, an address and a tax number on receipts, in characters: a receipt has one sheet.
const maxLegal = 200

func cleanLegal(field, text string) (string, error) { return input.Text(field, text, maxLegal) }

func parseTheme(t Theme) (Theme, error) {
	switch t {
	case "":
		return ThemeAuto, nil
	case ThemeAuto, ThemeLight, ThemeDark:
		return t, nil
	}
	return "", fault.About(fault.Invalid, "theme", "must be AUTO, LIGHT or DARK")
}
