package web

import (
	"maps"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/testkit/authenticator"
)

// passkeyAttack is what an attacker has: a stolen device of another user, and
// what the owner's browser and device (k) answer.
type passkeyAttack struct {
	b      dashboardBundle
	u      identity.User
	owner  *surfer
	k      *authenticator.Key
	stolen *authenticator.Key
}

// passkeyAttacks return the answer to a sign-in that must fail.
var passkeyAttacks = map[string]func(a passkeyAttack, t *testing.T, s *surfer) reply{
	"Replayed": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		asked := s.asks(passkeyPath + "/ask")
		before := maps.Clone(s.cookies)
		answer := device.Answer(t, asked, a.k)
		s.enter(answer).leads(t, "/dashboard")
		s.cookies = before
		return s.enter(answer)
	},
	"AnotherSession": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		answer := device.Answer(t, a.b.surfer().asks(passkeyPath+"/ask"), a.k)
		s.asks(passkeyPath + "/ask")
		return s.enter(answer)
	},
	"NotAsked": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		return s.enter(device.Answer(t, a.b.surfer().asks(passkeyPath+"/ask"), a.k))
	},
	"Expired": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		answer := device.Answer(t, s.asks(passkeyPath+"/ask"), a.k)
		kept := maps.Clone(s.cookies)
		a.b.clock.advance(identity.ChallengeTTL)
		s.cookies = kept
		return s.enter(answer)
	},
	"Origin": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		other := device
		other.Origin = "https://pay.example.evil.example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"PlainOrigin": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		other := device
		other.Origin = "http://pay.example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"RelyingParty": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		other := device
		other.RPID = "example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"Unverified": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		found := device
		found.Unverified = true
		return s.enter(found.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"ClaimsTheUser": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		claims := *a.stolen
		claims.Handle = []byte(a.u.PublicID)
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &claims))
	},
	"ClaimsTheCredential": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		claims := *a.stolen
		claims.ID, claims.Handle, claims.Counter = a.k.ID, a.k.Handle, a.k.Counter
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &claims))
	},
	"AnsweredToConfirm": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(device.Answer(t, a.owner.asks(confirmPath), a.k))
	},
	"Unknown": func(a passkeyAttack, t *testing.T, s *surfer) reply {
		unknown := authenticator.NewKey(t)
		unknown.Handle = []byte("01HZZZZZZZZZZZZZZZZZZZZZZZ")
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), unknown))
	},
	"Nothing": func(_ passkeyAttack, _ *testing.T, s *surfer) reply { s.asks(passkeyPath + "/ask"); return s.enter("") },
	"Garbage": func(_ passkeyAttack, _ *testing.T, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(`{"id":"AA","type":"public-key"}`)
	},
	"Huge": func(_ passkeyAttack, _ *testing.T, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(strings.Repeat("x", 20<<10))
	},
}
