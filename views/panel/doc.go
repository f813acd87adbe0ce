// Package panel is what the pages of merchants, of operators and of sign-in share:
// the frame with its navigation, form fields, notices and texts.
//
// The packages signin, dashboard, settings, campaign, security and operator build their pages from it. Every
// page works without JavaScript, under the Content-Security-Policy of package
// views, and escapes whatever a merchant or a payer wrote. It is in English.
package panel
