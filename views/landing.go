package views

// LandingProps is the front page of an installation.
type LandingProps struct {
	Page
	Version string
	// Networks are the enum values offered at the moment.
	Networks []string
	// PictureURL is a picture of the checkout; DemoURL takes the form of a payment to
	// try, in the sandbox. Each may be empty.
	PictureURL, DemoURL string
	// SignInURL, SignUpURL, DocsURL, SandboxURL and SourceURL are linked when set.
	SignInURL, SignUpURL, DocsURL, SandboxURL, SourceURL string
}
