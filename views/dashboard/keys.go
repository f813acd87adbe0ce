package dashboard

import (
	"context"
	"strings"
	"time"

	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/panel"
)

// KeysProps lists a merchant's API keys.
type KeysProps struct {
	panel.Frame

	Problem string
	Fresh   FreshKey
	Rows    []KeyRow
	Fields  []panel.Field // of a new key
	Full    bool          // no more keys are allowed
	// Permissions are those the member may give to a new key.
	Permissions       []PermissionBox
	PermissionProblem string
	// Confirm is the optional re-authentication of a new key; nil: the role cannot.
	Confirm *panel.Field
	// Reauth is the re-authentication of the forms about a key.
	Reauth panel.Reauth
}

// FreshKey is a new key. Its text is shown once.
type FreshKey struct {
	Text, Label string
	Waits       bool // it replaces the old one in 24 hours
}

// PermissionBox is one permission in a form.
type PermissionBox struct {
	Value, Text string
	On          bool
}

// KeyRow is one API key.
type KeyRow struct {
	ID, Label, Wallet     string
	Credits, Queries      int64
	CreatedAt, LastUsedAt time.Time
	RevokedAt, DisabledAt time.Time
	Custodian             bool
	// May and Sources say what the key may do, and from where; no source: anywhere.
	May, Sources []string
	// Permissions and Networks are the form that changes them.
	Permissions       []PermissionBox
	Stored            panel.Field // the permissions as they are stored
	Networks          panel.Field
	PermissionProblem string
	// Problem belongs to the forms that change this key.
	Problem string
	Rename  panel.Field
	// Currency is what its shop counts in.
	Currency panel.Field
	// Zone is the time zone that it works in.
	Zone panel.Field
}

// translated lists English texts in the language of the page.
func translated(ctx context.Context, texts []string) string {
	all := make([]string, len(texts))
	for i, text := range texts {
		all[i] = views.T(ctx, text)
	}
	return strings.Join(all, ", ")
}
