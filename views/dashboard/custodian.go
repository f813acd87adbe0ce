package dashboard

import "time"

// CustodianProps is where the money of a key goes and how its owner is told.
type CustodianProps struct {
	Frame

	Key       KeyChoice
	HasKey    bool
	Exists    bool
	Problem   string // of the form at the top
	Money     []Field
	Password  Field
	Secret    Field
	SecretSet bool
	// SecretProof is asked for in each form about the secrets of webhooks.
	SecretProof Proof
	// Signing is a signing secret that was just made; shown only now.
	Signing      string
	SigningCount int
	Networks     []NetworkForm
	Policy       []Field
	// OptionsPassword is asked for beside Networks and Policy.
	OptionsPassword Field
	// OptionsProblem and SecretProblem are of the forms below.
	OptionsProblem, SecretProblem string
}

// NetworkForm is what a merchant wants of one network.
type NetworkForm struct {
	Network, Name string
	Enabled       bool
	USDT, USDC    bool
	Fields        []Field
}

// BrandingProps is how the payment page looks.
type BrandingProps struct {
	Frame

	Key        KeyChoice
	HasKey     bool
	Exists     bool
	Problem    string
	Fields     []Field
	Theme      string
	PreviewURL string
	// Logo is the address of the uploaded picture; empty without one.
	Logo, LogoProblem string
}

var themeChoices = []Choice{{"AUTO", "As the customer's device"}, {"LIGHT", "Light"}, {"DARK", "Dark"}}

// DevelopersProps is the quick start.
type DevelopersProps struct {
	Frame

	KeyName, BaseURL, CallbackURL string
	// ConsoleURL is the query console; empty if it is not served.
	ConsoleURL string
	// Samples create a payment, Verify check a webhook; the first is shown open.
	Samples, Verify []Sample
}

// Sample is code in one language.
type Sample struct{ Language, ID, Code string }

// SecurityProps is what guards the account.
type SecurityProps struct {
	Frame

	Problem        string
	Password       []Field
	InForce        bool
	CodesLeft      int
	FactorProblem  string
	RemovePassword Field
	// PasskeysAt is our public address; empty where passkeys are not to be had.
	PasskeysAt     string
	Passkeys       []PasskeyRow
	PasskeysFull   bool // no more may be added
	PasskeyProblem string
	PasskeyName    Field
	PasskeyProof   Field
	Logins         []LoginRow
	Audit          []AuditRow
	NextURL        string
}

// LoginRow is a session.
type LoginRow struct {
	ID, Agent            string // Agent as the browser calls itself; may be empty
	CreatedAt, ExpiresAt time.Time
	Here                 bool
}

// AuditRow is a line of the audit log.
type AuditRow struct {
	At                                    time.Time
	Actor, Action, Subject, Detail, Where string
	Agent                                 string // what somebody signed in with, as it calls itself; may be empty
}
