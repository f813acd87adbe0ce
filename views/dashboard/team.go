package dashboard

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// TeamProps is who works for the merchant.
type TeamProps struct {
	panel.Frame

	Problem string
	Members []MemberRow
	Invited []InvitedRow
	Roles   []RoleRow
	// Fields of a new invitation, beside its role.
	Fields []panel.Field
	// Chosen is the role of a new invitation; Choices are all of them.
	Chosen  string
	Choices []panel.Choice
	// Link is a fresh invitation, shown only now, and LinkFor whom it is for.
	Link, LinkFor string
	Mailed        bool
	Reauth        panel.Reauth // of the forms about one member or invitation
	MayLeave      bool
}

// MemberRow is one member.
type MemberRow struct {
	ID, Name, Email, Role string
	Since                 time.Time
	You                   bool
	Chosen                string // role the form shows
}

// InvitedRow is an invitation nobody has taken.
type InvitedRow struct {
	ID, Email, Role, By string
	ExpiresAt           time.Time
	Expired             bool
}

// RoleRow says what a role may do.
type RoleRow struct {
	Name string
	Does string
}
