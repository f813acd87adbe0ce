package team

import (
	"time"

	"github.com/florinpay/florin/views/panel"
)

// Props is the members of a merchant account.
type Props struct {
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
	// Link is a new invitation to the address LinkFor. It is shown once.
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
	Chosen                string // selected role of the form
}

// InvitedRow is an open invitation.
type InvitedRow struct {
	ID, Email, Role, By string
	ExpiresAt           time.Time
	Expired             bool
}

// RoleRow describes what a role may do.
type RoleRow struct {
	Name string
	Does string
}
