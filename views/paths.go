package views

import "net/url"

// DonatePath is the address of a campaign's page; lang may be empty.
func DonatePath(campaignID, lang string) string {
	return WithLang("/donate/"+url.PathEscape(campaignID), lang)
}

// LinkPath is the address of a payment link; lang may be empty.
func LinkPath(slug, lang string) string { return WithLang("/link/"+url.PathEscape(slug), lang) }

// WithLang adds the language to a path; lang may be empty.
func WithLang(path, lang string) string {
	if lang == "" {
		return path
	}
	return path + "?lang=" + url.QueryEscape(lang)
}
