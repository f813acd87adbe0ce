package signin

// JoinProps is an invitation to a team, for a user who is not signed in.
type JoinProps struct {
	EntryProps

	Merchant, Role, Does, Email string
	// SignInURL is set if the invited address has an account.
	SignInURL string
}
