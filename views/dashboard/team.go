package dashboard

import "time"

// TeamProps is who works for the merchant.
type TeamProps struct {
	Frame

	Problem string
	Members []MemberRow
	Invited []InvitedRow
	Roles   []RoleRow
	// Fields of a new invitation, beside its role.
	Fields []Field
	// Chosen is the role of a new invitation; Choices are all of them.
	Chosen  string
	Choices []Choice
	// Link is a fresh invitation, shown only now, and LinkFor whom it is for.
	Link, LinkFor string
	Mailed        bool
	Proof         Proof // of the forms about one member or invitation
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

// JoinProps is what an invitation leads to.
type JoinProps struct {
	EntryProps

	Merchant, Role, Does, Email string
	// SignInURL is for somebody who has an account.
	SignInURL string
}

// JoiningProps asks somebody who is signed in whether to join.
type JoiningProps struct {
	Frame

	Merchant, Role, Does, Token string
	// For is who is invited, if that is not the reader.
	For string
}
