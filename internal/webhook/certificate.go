package webhook

import (
	"bytes"
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/mail"
)

// certificateReason says what is wrong with a certificate that was not accepted, and what to change.
func certificateReason(e *tls.CertificateVerificationError, now time.Time) string {
	var host x509.HostnameError
	var invalid x509.CertificateInvalidError
	var unknown x509.UnknownAuthorityError
	switch {
	case len(e.UnverifiedCertificates) == 0:
	case errors.As(e.Err, &host):
		names := cmp.Or(strings.Join(host.Certificate.DNSNames, ", "), "?")
		return mail.T("it is for {{.Names}}, not for {{.Host}}",
			"Names", printed(names), "Host", printed(host.Host)).Kept()
	case errors.As(e.Err, &invalid) && invalid.Reason == x509.Expired:
		if c := invalid.Cert; now.Before(c.NotBefore) {
			return mail.T("it is not valid before {{.Day}}", "Day", mail.Date(c.NotBefore.UTC())).Kept()
		}
		return mail.T("it expired on {{.Day}}", "Day", mail.Date(invalid.Cert.NotAfter.UTC())).Kept()
	case errors.As(e.Err, &unknown):
		return unknownIssuer(e.UnverifiedCertificates)
	}
	return "“" + printed(e.Err.Error()) + "”"
}

// unknownIssuer says why no known root signed the chain that a server sent. Browsers fetch an intermediate that is
// missing, and show nothing of it; programs do not.
func unknownIssuer(chain []*x509.Certificate) string {
	last := chain[0]
	for _, c := range chain[1:] { // as far as the server's own chain goes
		if issued(c, last) {
			last = c
		}
	}
	issuer := printed(cmp.Or(last.Issuer.CommonName, last.Issuer.String()))
	switch {
	case issued(last, last) && last == chain[0]:
		return mail.T("it is signed by itself; use one of a public authority, such as Let's Encrypt").Kept()
	case issued(last, last):
		return mail.T("it leads to the root {{.Issuer}}, which is not a public one", "Issuer", issuer).Kept()
	}
	about := printed(cmp.Or(last.Subject.CommonName, strings.Join(last.DNSNames, ", ")))
	if len(last.IssuingCertificateURL) > 0 {
		about += " (" + printed(last.IssuingCertificateURL[0]) + ")"
	}
	return mail.T("the intermediate certificate {{.Issuer}} is missing, which issued {{.About}}; have the server send "+
		"its full chain (with nginx, fullchain.pem), or use a public authority", "Issuer", issuer, "About", about).Kept()
}

// issued reports whether the key of the one certificate signed the other, whether or not it may.
func issued(by, c *x509.Certificate) bool {
	return bytes.Equal(c.RawIssuer, by.RawSubject) &&
		by.CheckSignature(c.SignatureAlgorithm, c.RawTBSCertificate, c.Signature) == nil
}

func printed(text string) string { return printable([]byte(text), maxReason) }
