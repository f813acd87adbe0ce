package merchant

import (
	"regexp"
)

// Logo is a picture that was uploaded and drawn anew. It is named by its
// content, so what is at its address never changes.
type Logo struct {
	Hash    string // SHA-256 of Picture, 64 hexadecimal digits
	Kind    string // png or jpg
	Picture []byte
}

// ownLogo is the address of an uploaded logo on our own origin.
var ownLogo = regexp.MustCompile(`^/logo/[0-9a-f]{64}\.(png|jpg)$`)

// Path is where the logo is served, and what stands as the custodian's LogoURL.
func (l Logo) Path() string { return "/logo/" + l.Hash + "." + l.Kind }

// Uploaded reports whether the logo is one that was uploaded here.
func (b Branding) Uploaded() bool { return ownLogo.MatchString(b.LogoURL) }
