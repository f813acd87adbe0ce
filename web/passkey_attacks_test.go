package web

import (
	"maps"
	"strings"
	"testing"

	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/testkit"
)

// passkeyAttack is what an attacker has: another user's device, and the responses of
// the owner's browser and device (k).
type passkeyAttack struct {
	b      dashboardBundle
	u      identity.User
	owner  *surfer
	k      *testkit.Key
	stolen *testkit.Key
}

// passkeyAttacks return the answer to a sign-in that must fail.
var passkeyAttacks = map[string]func(t *testing.T, a passkeyAttack, s *surfer) reply{
	"Replayed": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		asked := s.asks(passkeyPath + "/ask")
		before := maps.Clone(s.cookies)
		answer := device.Answer(t, asked, a.k)
		s.enter(answer).leads(t, "/dashboard")
		s.cookies = before
		return s.enter(answer)
	},
	"AnotherSession": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		answer := device.Answer(t, a.b.surfer().asks(passkeyPath+"/ask"), a.k)
		s.asks(passkeyPath + "/ask")
		return s.enter(answer)
	},
	"NotAsked": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		return s.enter(device.Answer(t, a.b.surfer().asks(passkeyPath+"/ask"), a.k))
	},
	"Expired": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		answer := device.Answer(t, s.asks(passkeyPath+"/ask"), a.k)
		kept := maps.Clone(s.cookies)
		a.b.clock.advance(identity.ChallengeTTL)
		s.cookies = kept
		return s.enter(answer)
	},
	"Origin": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		other := device
		other.Origin = "https://pay.example.evil.example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"PlainOrigin": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		other := device
		other.Origin = "http://pay.example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"RelyingParty": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		other := device
		other.RPID = "example"
		return s.enter(other.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"Unverified": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		found := device
		found.Unverified = true
		return s.enter(found.Answer(t, s.asks(passkeyPath+"/ask"), a.k))
	},
	"ClaimsTheUser": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		claims := *a.stolen
		claims.Handle = []byte(a.u.PublicID)
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &claims))
	},
	"ClaimsTheCredential": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		claims := *a.stolen
		claims.ID, claims.Handle, claims.Counter = a.k.ID, a.k.Handle, a.k.Counter
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), &claims))
	},
	"AnsweredToConfirm": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(device.Answer(t, a.owner.asks(confirmPath), a.k))
	},
	"Unknown": func(t *testing.T, a passkeyAttack, s *surfer) reply {
		unknown := testkit.NewKey(t)
		unknown.Handle = []byte("01HZZZZZZZZZZZZZZZZZZZZZZZ")
		return s.enter(device.Answer(t, s.asks(passkeyPath+"/ask"), unknown))
	},
	"Nothing": func(_ *testing.T, _ passkeyAttack, s *surfer) reply { s.asks(passkeyPath + "/ask"); return s.enter("") },
	"Garbage": func(_ *testing.T, _ passkeyAttack, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(`{"id":"AA","type":"public-key"}`)
	},
	"Huge": func(_ *testing.T, _ passkeyAttack, s *surfer) reply {
		s.asks(passkeyPath + "/ask")
		return s.enter(strings.Repeat("x", 20<<10))
	},
}
