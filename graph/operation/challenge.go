package operation

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"time"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
)

// challengeLife is for how long a challenge may be signed: long enough to
// fetch a hardware wallet.
const challengeLife = 15 * time.Minute

var errChallenge = fault.New(fault.Invalid, "challenge must be one that rotateApiKeyChallenge gave for this key less than %d minutes ago",
	challengeLife/time.Minute)

// RotationChallenge gives the text whose signature replaces the key.
func (o *Operations) RotationChallenge(ctx context.Context, apiKey secret.Text) (*model.ChallengeResult, error) {
	key, err := o.caller(ctx, apiKey)
	if err != nil {
		return nil, err
	}
	if key.Wallet == "" {
		return nil, errNoWallet
	}
	until := o.d.Now().UTC().Add(challengeLife).Truncate(time.Second)
	text, expires := challenge(o.d.Sealer.Derive(challengePurpose), key, until), model.At(until)
	return &model.ChallengeResult{Challenge: &text, ExpiresAt: &expires}, nil
}

// challengePurpose separates the key of challenges from all others of FLORIN_SECRET_KEY.
const challengePurpose = "rotation challenge v1"

// challenge writes a text that only this server can make: its MAC covers the
// present key, so it is invalid once the key was replaced. Nothing is stored.
func challenge(macKey []byte, key merchant.Key, until time.Time) string {
	expires := until.Format(time.RFC3339)
	mac := hmac.New(sha256.New, macKey)
	mac.Write(key.Hash[:])
	mac.Write([]byte(expires))
	return "Replace the Florin API key " + key.PublicID + ".\nThe present key fails from then on.\n\nValid until: " + expires +
		"\nProof: " + hex.EncodeToString(mac.Sum(nil))
}

// checkChallenge refuses a text that is not a valid challenge for the key now. One that was made before the secret key
// was changed is valid until its time is up.
func (o *Operations) checkChallenge(key merchant.Key, text string) error {
	_, rest, _ := strings.Cut(text, "\nValid until: ")
	expires, _, _ := strings.Cut(rest, "\n")
	until, err := time.Parse(time.RFC3339, expires)
	if err != nil || !o.d.Now().Before(until) {
		return errChallenge
	}
	for _, macKey := range o.d.Sealer.DeriveAll(challengePurpose) {
		if hmac.Equal([]byte(text), []byte(challenge(macKey, key, until))) {
			return nil
		}
	}
	return errChallenge
}

// RotateWithSignature replaces the key for a caller who signed its challenge with
// the wallet registered on it. It takes one credit.
func (o *Operations) RotateWithSignature(
	ctx context.Context, apiKey secret.Text, challenge, signature string,
) (*model.RevokeResult, error) {
	const name = "rotateApiKeyWithSignature"
	read := [3]string{strings.TrimSpace(apiKey.Reveal()), challenge, signature}
	key, err := o.caller(ctx, apiKey)
	if errors.Is(err, merchant.ErrBadKey) {
		return o.replacedBefore(ctx, apiKey, name, read)
	}
	if err != nil {
		return nil, err
	}
	if err := o.d.Limits.Costly(ctx); err != nil {
		return nil, err
	}
	if key.Wallet == "" {
		return nil, errNoWallet
	}
	if err := o.checkChallenge(key, challenge); err != nil {
		return nil, err
	}
	signer, err := o.d.Wallets.SignerOf(challenge, signature)
	if err != nil {
		return nil, err
	}
	if signer != key.Wallet {
		return nil, errWrongSigner
	}
	return o.replaceKey(ctx, key, name, read)
}
