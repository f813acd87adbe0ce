package store

import (
	"maps"
	"slices"
	"strings"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/store/db"
)

// checkTexts refuses a text that cannot be stored. what names the input.
func checkTexts(what string, texts ...string) error {
	if slices.ContainsFunc(texts, func(t string) bool { return !db.Storable(t) }) {
		return fault.New(fault.Invalid, "%s must be valid UTF-8 without NUL characters", what)
	}
	return nil
}

// checkDetails checks every text of a new payment that came from outside.
func checkDetails(p payment.Payment) error {
	d := p.Details
	texts := []string{
		string(p.ID), d.Reference, d.Description, d.SuccessURL, d.CancelURL, d.CustomerEmail, d.DonorName, d.DonorMessage,
	}
	texts = slices.AppendSeq(texts, maps.Keys(d.Metadata))
	texts = slices.AppendSeq(texts, maps.Values(d.Metadata))
	return checkTexts("texts of a payment", texts...)
}

// shown returns what can be stored of a text from outside that is only shown.
func shown(text string) string {
	return strings.ToValidUTF8(strings.ReplaceAll(text, "\x00", "\uFFFD"), "\uFFFD")
}
