package webhook

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/stringify"
)

// ErrBody: an event's data is not a JSON object, or already has a field that
// is added only when it is sent.
var ErrBody = errors.New("the data of a webhook event must be a JSON object without secret and privateKey")

// Both fields carry the custodian's secret: privateKey is the older name
// (interface.md section 6).
const (
	fieldSecret     = "secret"
	fieldPrivateKey = "privateKey"
)

// maskedText stands for the secret wherever a request or an answer is shown.
const maskedText = "***"

// Body returns what is sent: the event's data, byte for byte, with secret and
// privateKey added at its end when there is a secret. The data is not
// re-encoded, so numbers stay as exact as they were stored and the fields
// keep their order. It fails with ErrBody.
func Body(data json.RawMessage, s secret.Text) ([]byte, error) {
	object := bytes.TrimSpace(data)
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(object, &fields); err != nil || fields == nil {
		return nil, ErrBody
	}
	for _, name := range []string{fieldSecret, fieldPrivateKey} {
		if _, ok := fields[name]; ok {
			return nil, fmt.Errorf("%w: it has %s", ErrBody, name)
		}
	}
	if s.Empty() {
		return object, nil
	}
	value := quote(s.Reveal())
	body := make([]byte, 0, len(object)+2*len(value)+len(`,"secret":,"privateKey":`))
	body = append(body, object[:len(object)-1]...)
	if len(fields) > 0 {
		body = append(body, ',')
	}
	body = append(body, `"`+fieldSecret+`":`...)
	body = append(body, value...)
	body = append(body, `,"`+fieldPrivateKey+`":`...)
	body = append(body, value...)
	return append(body, '}'), nil
}

// WithCustodian returns the event's data with the id of its custodian at the end: several shops may share a receiver.
func WithCustodian(data json.RawMessage, id string) json.RawMessage {
	object, ok := bytes.CutSuffix(bytes.TrimSpace(data), []byte("}"))
	if !ok || len(object) < 2 {
		return data
	}
	return slices.Concat(object, []byte(`,"custodianId":`), quote(id), []byte("}"))
}

// quote returns the text as a JSON string.
func quote(text string) []byte {
	b, err := stringify.JSON(text)
	if err != nil {
		panic(fmt.Sprintf("webhook: a string of %d bytes cannot be written as JSON: %v", len(text), err))
	}
	return b
}
