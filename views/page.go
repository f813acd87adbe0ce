package views

import "time"

// Page is what every page knows about its request.
type Page struct {
	// Lang is the language of the page, one of [Languages]; anything else means English.
	// Handlers take it from [MatchLanguage].
	Lang string
	// Nonce is the value of style-src 'nonce-…' in the Content-Security-Policy of this response.
	Nonce string
	// Here is the address of the page up to the language, for its menu of languages: "/signin?lang=".
	Here string
}

// Locale is the language of the page.
func (p Page) Locale() *Locale { return LocaleFor(p.Lang) }

// T is the message id in the language of the page; args are name, value pairs of its template.
func (p Page) T(id string, args ...any) string { return p.Locale().T(id, args...) }

// N is like T with the plural form for n.
func (p Page) N(id string, n int, args ...any) string { return p.Locale().N(id, n, args...) }

// Merchant is the merchant as the page shows them to the payer.
type Merchant struct {
	Name string
	// LogoURL is an https or same-origin image address; without one the page shows the first letter of Name.
	LogoURL string
	// Tagline is one line below the name; may be empty.
	Tagline string
	// Host is the merchant's web host, such as "shop.example"; HostVerified puts a sign before it.
	Host         string
	HostVerified bool
	// Website is the merchant's web address, where payers are led whom nothing else leads on; may be empty.
	Website string
	// SupportEmail is shown where the payer may need help; may be empty.
	SupportEmail string
	// LegalName, LegalAddress and TaxID are who sells, as receipts name them; all may be empty.
	LegalName, LegalAddress, TaxID string
	// Accent and Background are the merchant's colours as #rgb or #rrggbb. One that does not
	// parse is ignored; the others are corrected to a contrast of at least 4.5:1.
	Accent, Background string
	// Theme is "LIGHT", "DARK" or "AUTO" (also when empty): follow the payer's device.
	Theme string
}

// machineTime is the datetime attribute of a <time>.
func machineTime(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// InLanguage is the address of the page in another language.
func (p Page) InLanguage(tag string) string { return p.Here + tag }
