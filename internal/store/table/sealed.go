package table

import (
	"encoding/json"
	"fmt"
	"strconv"

	"github.com/florinpay/florin/internal/idempotency"
	"github.com/florinpay/florin/internal/secret"
)

// SealedColumn is a column whose texts are sealed under FLORIN_SECRET_KEY, each bound to its row.
type SealedColumn struct {
	Table, Column string
	// Number and Text name the columns that identify a row: one of them, or both.
	Number, Text string
	// Place is what a text of the row with this number and text is bound to.
	Place func(number int64, text string) string
	// List: the column is a JSON list of sealed texts.
	List bool
	// Bytes: the column is a BLOB, or bytea.
	Bytes bool
}

// Sealed lists every sealed column but instance.key_check, by which the key is recognised. A new secret key reseals
// them all, so a column that is missing here would be lost with the old key: a test compares the list with the schema,
// with what a used database holds, and with every call of Seal.
var Sealed = []SealedColumn{
	{
		Table: "custodians", Column: "secret", Text: "public_id",
		Place: func(_ int64, id string) string { return SecretPlace(id) },
	},
	{
		Table: "custodians", Column: "signing_secrets", Text: "public_id", List: true,
		Place: func(_ int64, id string) string { return SigningPlace(id) },
	},
	{
		Table: "second_factors", Column: "secret", Number: "user_id",
		Place: func(user int64, _ string) string { return FactorPlace(user) },
	},
	{
		Table: "passkeys", Column: "record", Text: "public_id",
		Place: func(_ int64, id string) string { return PasskeyPlace(id) },
	},
	{
		Table: "waiting_changes", Column: "body", Text: "public_id",
		Place: func(_ int64, id string) string { return WaitingPlace(id) },
	},
	{
		Table: "mails", Column: "text", Text: "message_id",
		Place: func(_ int64, id string) string { return MailPlace(id) },
	},
	{
		Table: "chats", Column: "url", Number: "merchant_id",
		Place: func(merchant int64, _ string) string { return ChatPlace(merchant) },
	},
	{
		Table: "idempotency", Column: "answer", Number: "key_id", Text: "key", Bytes: true,
		Place: idempotency.AnswerPlace,
	},
}

// SecretPlace binds the sealed secret of a custodian to it.
func SecretPlace(publicID string) string { return "custodian/" + publicID + "/secret" }

// SigningPlace binds the sealed signing secrets of a custodian to it.
func SigningPlace(publicID string) string { return "custodian/" + publicID + "/signing" }

// FactorPlace binds a sealed second factor to its user.
func FactorPlace(userID int64) string {
	return "second factor of user " + strconv.FormatInt(userID, 10)
}

// PasskeyPlace binds a sealed passkey to its id.
func PasskeyPlace(publicID string) string { return "passkey " + publicID }

// WaitingPlace binds the sealed input of a change that waits to it.
func WaitingPlace(publicID string) string { return "waiting/" + publicID }

// MailPlace binds the sealed text of a mail to it.
func MailPlace(messageID string) string { return "mail/" + messageID }

// ChatPlace binds the sealed address of a chat to its merchant.
func ChatPlace(merchant int64) string { return "chat/" + strconv.FormatInt(merchant, 10) }

// OpenSigning opens the stored list of signing secrets of a custodian.
func OpenSigning(sealer *secret.Sealer, publicID, list string) ([]secret.Text, error) {
	var sealed []string
	if err := json.Unmarshal([]byte(list), &sealed); err != nil {
		return nil, fmt.Errorf("signing secrets of custodian %s: %w", publicID, err)
	}
	var texts []secret.Text
	for _, one := range sealed {
		t, err := sealer.Open(SigningPlace(publicID), one)
		if err != nil {
			return nil, err
		}
		texts = append(texts, t)
	}
	return texts, nil
}

// Reseal returns the column's value sealed under the key that the sealer seals with. It is the same value if nothing of
// it was sealed under another.
func (c SealedColumn) Reseal(s *secret.Sealer, number int64, text, value string) (string, error) {
	place := c.Place(number, text)
	if !c.List || value == "" {
		return s.Reseal(place, value)
	}
	var list []string
	if err := json.Unmarshal([]byte(value), &list); err != nil {
		return "", fmt.Errorf("%s: %w", place, err)
	}
	same := true
	for i, before := range list {
		after, err := s.Reseal(place, before)
		if err != nil {
			return "", err
		}
		same = same && after == before
		list[i] = after
	}
	if same {
		return value, nil
	}
	b, err := json.Marshal(list)
	return string(b), err
}
