// Package passkey implements identity.RelyingParty by Web Authentication Level 3.
//
// Its one invariant: a response is accepted only from our own origin, for exactly the challenge that was issued, from
// an authenticator that verified its user, and never with a counter that went back.
package passkey

import (
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"strings"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/protocol/webauthncose"
	"github.com/go-webauthn/webauthn/webauthn"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/secret"
)

const (
	// displayName is the name that browsers show for this installation.
	displayName = "Florin"
	// maxAnswer bounds a response in bytes: the largest real ones contain an attestation of a few KiB.
	maxAnswer = 16 << 10
	// maxCredential is the longest id of a credential in bytes (section 7.1, step 25).
	maxCredential = 1023
	// maxHandle is the longest handle of a user in bytes (section 5.4.3).
	maxHandle = 64
)

// algorithms are the accepted signatures in order of preference: what every authenticator supports (ES256), what newer
// ones prefer, and what Windows Hello has.
var algorithms = []protocol.CredentialParameter{
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgEdDSA},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgES256},
	{Type: protocol.PublicKeyCredentialType, Algorithm: webauthncose.AlgRS256},
}

// Party is this installation as a relying party. It is safe for concurrent use.
type Party struct{ protocol *webauthn.WebAuthn }

var _ identity.RelyingParty = (*Party)(nil)

// New returns the party at the public address. ok is false where browsers offer no passkeys: they require https and a
// host name, or localhost.
func New(baseURL string) (p *Party, ok bool) {
	u, err := url.Parse(baseURL)
	if err != nil || u.Hostname() == "" {
		return nil, false
	}
	host := strings.ToLower(u.Hostname())
	if _, err := netip.ParseAddr(host); err == nil {
		return nil, false
	}
	if local := host == "localhost" || strings.HasSuffix(host, ".localhost"); u.Scheme != "https" && !local {
		return nil, false
	}
	w, err := webauthn.New(&webauthn.Config{
		RPID: host, RPDisplayName: displayName, RPOrigins: []string{origin(u.Scheme, host, u.Port())},
		AttestationPreference: protocol.PreferNoAttestation,
		AuthenticatorSelection: protocol.AuthenticatorSelection{
			ResidentKey: protocol.ResidentKeyRequirementRequired, UserVerification: protocol.VerificationRequired,
		},
	})
	if err != nil {
		return nil, false
	}
	return &Party{w}, true
}

// origin returns an origin as browsers write it: without the default port.
func origin(scheme, host, port string) string {
	if port == "" || scheme == "https" && port == "443" || scheme == "http" && port == "80" {
		return scheme + "://" + host
	}
	return scheme + "://" + host + ":" + port
}

// AskNew returns the options to register a passkey in addition to those the user has.
func (p *Party) AskNew(user identity.User, have []identity.Passkey) (identity.Question, error) {
	h, err := newHolder(user, have)
	if err != nil {
		return identity.Question{}, err
	}
	options, session, err := p.protocol.BeginRegistration(h, webauthn.WithCredentialParameters(algorithms),
		webauthn.WithExclusions(webauthn.Credentials(h.credentials).CredentialDescriptors()))
	if err != nil {
		return identity.Question{}, fmt.Errorf("ask for a new passkey: %w", err)
	}
	return question(options, session)
}

// Made returns the registered passkey, or identity.ErrBadPasskey.
func (p *Party) Made(user identity.User, state, answer string) (identity.Passkey, error) {
	session, err := sessionOf(state)
	if err != nil {
		return identity.Passkey{}, err
	}
	if len(answer) > maxAnswer {
		return identity.Passkey{}, identity.ErrBadPasskey
	}
	parsed, err := protocol.ParseCredentialCreationResponseBytes([]byte(answer))
	if err != nil {
		return identity.Passkey{}, identity.ErrBadPasskey
	}
	made, err := p.protocol.CreateCredential(holder{user: user}, session, parsed)
	if err != nil || len(made.ID) > maxCredential {
		return identity.Passkey{}, identity.ErrBadPasskey
	}
	// The options request no attestation, so the authenticator's maker is unknown.
	made.Attestation = webauthn.CredentialAttestation{}
	return recorded(identity.Passkey{}, made)
}

// Ask returns the options to sign in with one of the user's passkeys; of the zero user, with any of this installation.
func (p *Party) Ask(user identity.User, have []identity.Passkey) (identity.Question, error) {
	if user.ID == 0 {
		options, session, err := p.protocol.BeginDiscoverableLogin()
		if err != nil {
			return identity.Question{}, fmt.Errorf("ask for any passkey: %w", err)
		}
		return question(options, session)
	}
	h, err := newHolder(user, have)
	if err != nil {
		return identity.Question{}, err
	}
	options, session, err := p.protocol.BeginLogin(h)
	if err != nil {
		return identity.Question{}, fmt.Errorf("ask for a passkey: %w", err)
	}
	return question(options, session)
}

// Names returns the user handle that the response claims, or identity.ErrBadPasskey.
func (p *Party) Names(answer string) (string, error) {
	parsed, err := parsedAnswer(answer)
	if err != nil {
		return "", err
	}
	if len(parsed.Response.UserHandle) > maxHandle {
		return "", identity.ErrBadPasskey
	}
	return string(parsed.Response.UserHandle), nil
}

// Answered verifies a response to Ask. It fails with identity.ErrBadPasskey or identity.ErrCopiedPasskey.
func (p *Party) Answered(user identity.User, have []identity.Passkey, state, answer string) (identity.Passkey, error) {
	session, err := sessionOf(state)
	if err != nil {
		return identity.Passkey{}, err
	}
	h, err := newHolder(user, have)
	if err != nil {
		return identity.Passkey{}, err
	}
	parsed, err := parsedAnswer(answer)
	if err != nil {
		return identity.Passkey{}, err
	}
	used, err := p.validate(h, session, parsed)
	if err != nil {
		return identity.Passkey{}, identity.ErrBadPasskey
	}
	for _, x := range have {
		if string(x.Credential) != string(used.ID) {
			continue
		}
		if used.Authenticator.CloneWarning {
			return x, identity.ErrCopiedPasskey
		}
		return recorded(x, used)
	}
	return identity.Passkey{}, identity.ErrBadPasskey
}

// validate verifies a response for one user, or for any user by the handle in it.
func (p *Party) validate(
	h holder, session webauthn.SessionData, parsed *protocol.ParsedCredentialAssertionData,
) (*webauthn.Credential, error) {
	var used *webauthn.Credential
	var err error
	if len(session.UserID) > 0 {
		used, err = p.protocol.ValidateLogin(h, session, parsed)
	} else {
		used, err = p.protocol.ValidateDiscoverableLogin(func(_, _ []byte) (webauthn.User, error) {
			return h, nil
		}, session, parsed)
	}
	if err != nil {
		return nil, fmt.Errorf("check the answer of a passkey: %w", err)
	}
	return used, nil
}

func parsedAnswer(answer string) (*protocol.ParsedCredentialAssertionData, error) {
	if len(answer) > maxAnswer {
		return nil, identity.ErrBadPasskey
	}
	parsed, err := protocol.ParseCredentialRequestResponseBytes([]byte(answer))
	if err != nil {
		return nil, identity.ErrBadPasskey
	}
	return parsed, nil
}

// question returns the options for the browser, and the session data that the response is verified against.
func question(options any, session *webauthn.SessionData) (identity.Question, error) {
	text, err := json.Marshal(options)
	if err != nil {
		return identity.Question{}, fmt.Errorf("write the options of a challenge: %w", err)
	}
	state, err := json.Marshal(session)
	if err != nil {
		return identity.Question{}, fmt.Errorf("write a challenge: %w", err)
	}
	return identity.Question{Options: string(text), State: string(state)}, nil
}

func sessionOf(state string) (webauthn.SessionData, error) {
	var session webauthn.SessionData
	if err := json.Unmarshal([]byte(state), &session); err != nil {
		return session, fmt.Errorf("read a challenge: %w", err)
	}
	return session, nil
}

// recorded returns the passkey with its new state.
func recorded(x identity.Passkey, c *webauthn.Credential) (identity.Passkey, error) {
	record, err := json.Marshal(c)
	if err != nil {
		return identity.Passkey{}, fmt.Errorf("write a passkey: %w", err)
	}
	x.Credential, x.Record = c.ID, secret.New(string(record))
	return x, nil
}
