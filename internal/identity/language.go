package identity

import (
	"context"
	"regexp"

	"github.com/florinpay/florin/internal/fault"
)

// languageTag is a tag of BCP 47 without its rarer parts.
var languageTag = regexp.MustCompile(`^[a-z]{2,3}(-[A-Za-z0-9]{2,8}){0,2}$`)

func checkLanguage(tag string) error {
	if tag != "" && !languageTag.MatchString(tag) {
		return fault.About(fault.Invalid, "language", "must be a tag such as de")
	}
	return nil
}

// SetLanguage sets the language of the pages and mails of a user. It fails with fault.Invalid naming language.
func (s *Service) SetLanguage(ctx context.Context, userID int64, tag string) error {
	if err := checkLanguage(tag); err != nil {
		return err
	}
	return s.update(ctx, userID, func(a Account) (Change, error) {
		a.User.Language = tag
		return Change{Account: a}, nil
	})
}
