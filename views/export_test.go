package views

// What the tests of pages use of the package's internals.
var (
	LocaleFiles = localeFiles
	Groups      = groups
	Side        = QR.side
)

// Limits that tests try.
const (
	MaxQRBytes = maxQRBytes
	QRPixels   = qrPixels
)

// GroupSign and DecimalSign are the separators of a language.
func GroupSign(l Language) string   { return l.separators.group }
func DecimalSign(l Language) string { return l.separators.decimal }
