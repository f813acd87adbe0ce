package views

// BrandingProps is how the checkout of a key looks. Beside the form stands the real checkout in a frame, drawn by
// the server from what is in the form.
//
//	GET  /dashboard/branding?key=            BrandingPage
//	POST /dashboard/branding                 fields key, name, tagline, primaryColor, backgroundColor, theme, supportEmail,
//	                                         website; with act=preview BrandingPage with the fields as typed, else → 303
//	POST /dashboard/branding/logo            multipart: key, logo (PNG, JPEG, WebP), or remove=1 → 303
//	GET  /dashboard/branding/preview?key=&name=&tagline=&primaryColor=&backgroundColor=&theme=&state=
//	                                         Checkout of a sample payment; this answer alone may be framed by ourselves
//	                                         (frame-ancestors 'self'), and its forms lead nowhere ([CheckoutProps.Inert])
type BrandingProps struct {
	Dash
	Form Form
	Name string
	// LogoURL is the stored logo; may be empty.
	LogoURL                                string
	Tagline, PrimaryColor, BackgroundColor string
	// Theme is AUTO, LIGHT or DARK.
	Theme                 string
	SupportEmail, Website string
	// Corrected says which colour is drawn otherwise for the sake of contrast, such as "#ffd400 is drawn as #857200";
	// empty when none is.
	Corrected []string
	// MaxLogoKB is how large a logo may be.
	MaxLogoKB int
}
