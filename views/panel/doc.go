// Package panel is what the pages of merchants, operators and people who sign
// in share: the frame with its navigation, form fields, notices and texts.
//
// The packages signin, dashboard and operator build their pages from it. Every
// page works without JavaScript, under the Content-Security-Policy of package
// views, and escapes whatever a merchant or a payer wrote. It speaks English.
package panel
