package signin

// JoinProps is what an invitation leads to.
type JoinProps struct {
	EntryProps

	Merchant, Role, Does, Email string
	// SignInURL is for somebody who has an account.
	SignInURL string
}
