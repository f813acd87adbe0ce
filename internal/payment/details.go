package payment

import (
	"errors"
	"net/mail"
	"net/url"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/input"
)

// Limits of Details: enough for any order id and text, small enough that ten
// million payments stay small.
const (
	MaxReference   = 128
	MaxDescription = 500
	MaxURL         = 2048
	MaxEmail       = 254
	MaxMetadata    = 4096 // bytes of all keys and values together
	MaxMetaKeys    = 50
	MaxDonorName   = 80
	MaxDonorText   = 280
)

// check fails with a fault.Invalid for each field that breaks a rule.
func (d Details) check() error {
	var wrong []error
	for _, f := range []struct {
		name, text string
		most       int
	}{
		{"reference", d.Reference, MaxReference},
		{"description", d.Description, MaxDescription},
		{"customerEmail", d.CustomerEmail, MaxEmail},
		{"name", d.DonorName, MaxDonorName},
		{"message", d.DonorMessage, MaxDonorText},
	} {
		wrong = append(wrong, input.CheckLines(f.name, f.text, f.most))
	}
	wrong = append(wrong, checkReturnURL("successUrl", d.SuccessURL), checkReturnURL("cancelUrl", d.CancelURL))
	if d.CustomerEmail != "" {
		if a, err := mail.ParseAddress(d.CustomerEmail); err != nil || a.Address != d.CustomerEmail {
			wrong = append(wrong, fault.About(fault.Invalid, "customerEmail", "must be an e-mail address"))
		}
	}
	return errors.Join(append(wrong, checkMetadata(d.Metadata))...)
}

// checkReturnURL allows only absolute http and https addresses: the payer's
// browser is sent there.
func checkReturnURL(name, text string) error {
	if text == "" {
		return nil
	}
	if err := input.CheckText(name, text, MaxURL); err != nil {
		return err
	}
	u, err := url.Parse(text)
	if err != nil || len(text) > MaxURL || (u.Scheme != "https" && u.Scheme != "http") || u.Hostname() == "" {
		return fault.About(fault.Invalid, name, "must be an http or https address of at most %d characters", MaxURL)
	}
	return input.CheckAuthority(name, u)
}

func checkMetadata(m map[string]string) error {
	size := 0
	for k, v := range m {
		size += len(k) + len(v)
	}
	if size > MaxMetadata || len(m) > MaxMetaKeys {
		return fault.About(
			fault.Invalid, "metadata", "must have at most %d keys and %d bytes", MaxMetaKeys, MaxMetadata,
		)
	}
	for k, v := range m {
		if k == "" {
			return fault.About(fault.Invalid, "metadata", "must not have an empty key")
		}
		if err := input.CheckLines("metadata", k+"\n"+v, MaxMetadata+1); err != nil {
			return err
		}
	}
	return nil
}
