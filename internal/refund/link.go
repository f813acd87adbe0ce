package refund

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"strings"
	"time"
)

// Links signs the links by which payers say where their refunds go. Whoever has a link may give the address, so knowing
// the refund's id or the txnid is not enough.
type Links struct {
	// Keys returns the keys that links are signed with, the newest first: all of them are accepted.
	Keys func() [][]byte
	// CheckoutURL is where the page is, without a slash at its end.
	CheckoutURL string
}

const idLength = 26

// Token is the part of the link that is secret.
func (l Links) Token(r Refund) string { return string(r.ID) + sign(l.Keys()[0], r.ID) }

// sign returns the signature of a link. When the link ends is not in it: it follows from when the refund was made.
func sign(key []byte, id ID) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(id))
	return base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// Read returns whose link the token is, or ErrUnknown.
func (l Links) Read(token string) (ID, error) {
	if len(token) < idLength {
		return "", ErrUnknown
	}
	id, signature := ID(strings.ToUpper(token[:idLength])), token[idLength:]
	for _, key := range l.Keys() {
		if hmac.Equal([]byte(sign(key, id)), []byte(signature)) {
			return id, nil
		}
	}
	return "", ErrUnknown
}

// Link returns the page where the payer says where the refund goes.
func (s *Service) Link(r Refund) string {
	return s.d.Links.CheckoutURL + "/refund/" + s.d.Links.Token(r)
}

// Expired reports whether the refund's link has ended.
func (r Refund) Expired(now time.Time) bool { return now.After(r.LinkUntil()) }
