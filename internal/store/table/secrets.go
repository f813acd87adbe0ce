package table

import (
	"encoding/json"
	"fmt"

	"github.com/florinpay/florin/internal/secret"
)

// SecretPlace binds the sealed secret of a custodian to it.
func SecretPlace(publicID string) string { return "custodian/" + publicID + "/secret" }

// SigningPlace binds the sealed signing secrets of a custodian to it.
func SigningPlace(publicID string) string { return "custodian/" + publicID + "/signing" }

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
