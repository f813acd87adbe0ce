package views

// SignUpProps is the page of a new merchant.
//
//	GET  /signup?invitation=     SignUp
//	POST /signup                 fields email, password, firstName, lastName, invitation → 303 /dashboard
type SignUpProps struct {
	Dash
	Form Form
	// Closed: nobody can sign up here. Invitation is the token of the link, Email the address it is for.
	Closed     bool
	Invitation string
	// MinPassword is how many characters a password has at least.
	MinPassword int
}

// SignInProps is the page of a merchant who returns.
//
//	GET  /signin?next=           SignIn
//	POST /signin                 fields email, password, next → 303 next, or SignIn with Step "code"
//	POST /signin/code            fields code, next → 303 next
//	POST /signin/passkey         fields credential (JSON of the browser's answer), next → 303 next
type SignInProps struct {
	Dash
	Form Form
	// Step is "" for address and password, "code" for the second factor.
	Step string
	// Next is the path to go on to; the handler has made sure that it is ours.
	Next string
	// SignUp: a link to the sign-up page is shown.
	SignUp bool
	// PasskeyOptions is the JSON of PublicKeyCredentialRequestOptions (WebAuthn Level 3, section 5.5) with bytes in
	// base64url; empty leaves passkeys out.
	PasskeyOptions string
}

// ResetProps is the way to a new password.
//
//	GET  /reset                  Reset
//	POST /reset                  field email → Reset with Step "sent", whether or not the address is known
//	GET  /reset/{token}          Reset with Step "choose"
//	POST /reset/{token}          field password → 303 /signin
type ResetProps struct {
	Dash
	Form Form
	// Step is "" to ask for the address, "sent", "choose" for the new password, or "invalid" for a link that is used or old.
	Step        string
	Token       string
	MinPassword int
}
