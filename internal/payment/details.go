package payment

import (
	"errors"
	"maps"
	"slices"
	"strings"

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

// Mended returns the details as they are stored, with a warning for what is left out of them. It fails with a
// fault.Invalid for each field that breaks a rule; then it returns them as they are. Mended details stay as they are.
func (d Details) Mended() (Details, []fault.Warning, error) {
	sent := d
	var wrong []error
	for _, f := range []struct {
		name string
		text *string
		most int
	}{
		{"reference", &d.Reference, MaxReference},
		{"description", &d.Description, MaxDescription},
		{"name", &d.DonorName, MaxDonorName},
		{"message", &d.DonorMessage, MaxDonorText},
	} {
		var err error
		*f.text, err = input.Lines(f.name, *f.text, f.most)
		wrong = append(wrong, err)
	}
	d.SuccessURL = strings.TrimSpace(input.Mended(d.SuccessURL))
	d.CancelURL = strings.TrimSpace(input.Mended(d.CancelURL))
	wrong = append(wrong, checkReturnURL("successUrl", d.SuccessURL), checkReturnURL("cancelUrl", d.CancelURL))
	var left []fault.Warning
	d.CustomerEmail = input.Mailbox(sent.CustomerEmail)
	if d.CustomerEmail == "" && strings.TrimSpace(sent.CustomerEmail) != "" {
		left = append(left, fault.Warn("customerEmail", "no mail server takes this address, so it was left out"))
	}
	var err error
	var unkept []fault.Warning
	d.Metadata, unkept, err = mendedMetadata(d.Metadata)
	left = append(left, unkept...)
	if err = errors.Join(append(wrong, err)...); err != nil {
		return sent, left, err
	}
	return d, left, nil
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
	u, ok := input.Origin(text)
	if !ok || len(text) > MaxURL {
		return fault.About(fault.Invalid, name, "must be an http or https address of at most %d characters", MaxURL)
	}
	return input.CheckAuthority(name, u)
}

// mendedMetadata returns the metadata as it is stored, nil if it is empty. Of two keys that are the same once they are
// mended, the one that was written so counts, or else the first in the order of their characters.
func mendedMetadata(m map[string]string) (out map[string]string, left []fault.Warning, err error) {
	out = make(map[string]string, len(m))
	for _, raw := range slices.Sorted(maps.Keys(m)) {
		key, value := input.Mended(raw), input.Mended(m[raw])
		if key == "" {
			left = append(left, fault.Warn("metadata", "an entry has an empty key, so it was left out"))
			continue
		}
		problem, found := input.Problem(key)
		if !found {
			problem, found = input.Problem(value)
		}
		if found {
			return nil, left, fault.About(
				fault.Invalid, "metadata", "must not hold %s; the key is %q", problem, input.Name(key),
			)
		}
		if _, known := out[key]; known && key != raw {
			continue
		}
		out[key] = value
	}
	size := 0
	for key, value := range out {
		size += len(key) + len(value)
	}
	switch {
	case len(out) == 0:
		return nil, left, nil
	case size > MaxMetadata || len(out) > MaxMetaKeys:
		return nil, left, fault.About(
			fault.Invalid, "metadata", "must have at most %d keys and %d bytes", MaxMetaKeys, MaxMetadata,
		)
	}
	return out, left, nil
}
