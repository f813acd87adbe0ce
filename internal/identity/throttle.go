package identity

import (
	"context"
	"crypto/sha256"
	"net/netip"
	"strconv"
	"strings"
	"time"

	"github.com/florinpay/florin/internal/fault"
)

// Limits of failed sign-ins: a burst, then one for each interval. A user who
// mistypes never reaches them. An attacker gets, from one address, 100 tries a day
// at one user and 1,500 over all users, and 1,000 a day at one user from all
// addresses.
var (
	perUserAndAddress = allowance{burst: 8, interval: 15 * time.Minute}
	perAddress        = allowance{burst: 50, interval: time.Minute}
	// perUser counts attempts for a user from all addresses, so that guessing from
	// many addresses gets a thousand attempts a day and not a million. On a new
	// device the user has a second place then, or resets the password by mail, which
	// makes the device a known one.
	perUser = allowance{burst: 40, interval: 90 * time.Second}
	// Where those of perUser are used up, a neighbourhood (/48, /24) that has not guessed at the user of late has tries
	// of its own, as has the region (/32, /16) that it is in: the user on a new device signs in at once while one
	// network guesses, however many addresses it has. perUserSecond bounds them all, so that guesses from many regions
	// get 1,500 a day more.
	perUserNear   = allowance{burst: 4, interval: 15 * time.Minute}
	perUserRegion = allowance{burst: 12, interval: 5 * time.Minute}
	perUserSecond = allowance{burst: 500, interval: time.Minute}
	// perDevice is all that counts for a known device of the user: nothing that a
	// stranger does, from wherever, delays it.
	perDevice = allowance{burst: 8, interval: 15 * time.Minute}
	// perReauth limits re-authentication of a user from all addresses: a stolen cookie is good for more of them.
	perReauth = allowance{burst: 2 * WrongEnds, interval: 15 * time.Minute}
	// perUserCodes limits wrong codes of a second factor for a user, over all client
	// addresses. A code is asked for after the password, so only a client that has
	// the password can use the limit up. A code is one of a million and three are
	// valid at a time: at 250 tries a day, guessing takes years.
	perUserCodes = allowance{burst: 10, interval: 6 * time.Minute}
)

type allowance struct {
	burst    int
	interval time.Duration
}

// Limit bounds how often something may be tried. It is stored as one time, at
// which the allowance is whole again (the generic cell rate algorithm), and shared
// by all instances.
type Limit struct {
	// Name is a hash of what is limited: the store shows no addresses.
	Name     Hash
	Burst    int
	Interval time.Duration
}

// Take returns the new time after one more try, or how long to wait for it.
func (l Limit) Take(whole, now time.Time) (next time.Time, wait time.Duration) {
	whole = later(whole, now)
	if wait = whole.Sub(now) - time.Duration(l.Burst-1)*l.Interval; wait > 0 {
		return whole, wait
	}
	return whole.Add(l.Interval), 0
}

// limit returns the allowance of what the texts name.
func (a allowance) limit(kind string, names ...string) Limit {
	h := sha256.New()
	for _, text := range append([]string{kind}, names...) {
		h.Write([]byte(strconv.Itoa(len(text)) + " " + text))
	}
	return Limit{Name: Hash(h.Sum(nil)), Burst: a.burst, Interval: a.interval}
}

// signInLimits are what an attempt to sign in counts against. An address that is
// not one client's, because a proxy withholds theirs, does not count: one guesser
// would lock everybody out.
func signInLimits(email string, c Credentials) []Limit {
	if c.Device != "" {
		return []Limit{perDevice.limit("device", email, c.Device)}
	}
	limits := []Limit{perUser.limit("user", email)}
	if address, ok := clientNetwork(c.Address); ok {
		limits = append(limits, perUserAndAddress.limit("user and address", email, address),
			perAddress.limit("address", address))
	}
	return limits
}

// secondLimits are what an attempt counts against where the limit of its user is used up; none for a client whose
// address is not known.
func secondLimits(email string, c Credentials) []Limit {
	near, ok := networkAround(c.Address, 24, 48)
	if !ok || c.Device != "" {
		return nil
	}
	region, _ := networkAround(c.Address, 16, 32)
	limits := signInLimits(email, c)
	limits[0] = perUserSecond.limit("user, second place", email)
	return append(limits, perUserNear.limit("user and neighbourhood", email, near),
		perUserRegion.limit("user and region", email, region))
}

// takeSignIn counts an attempt to sign in before it is made, and returns what it was counted against. One whose user's
// limit others have used up may have a second place.
func (s *Service) takeSignIn(ctx context.Context, email string, c Credentials) ([]Limit, error) {
	limits := signInLimits(email, c)
	refusal := s.take(ctx, limits, tooManySignIns)
	second := secondLimits(email, c)
	if !fault.Is(refusal, fault.Limited) || second == nil {
		return limits, refusal
	}
	if err := s.take(ctx, second, tooManySignIns); err != nil {
		return nil, refusal
	}
	return second, s.noteGuesses(ctx, email)
}

// reauthLimits are what re-authentication counts against. It has its own, which
// only a client that is signed in can use up.
func reauthLimits(user User, address string) []Limit {
	return []Limit{
		perDevice.limit("reauthentication", user.PublicID, address), perReauth.limit("reauthentication", user.PublicID),
	}
}

// Failed re-authentications of one session in a row, of which the user is mailed, and with which the session ends.
const (
	WrongMailed = 5
	WrongEnds   = 10
)

func codeLimits(user User) []Limit {
	return []Limit{perUserCodes.limit("code", strconv.FormatInt(user.ID, 10))}
}

// take counts an attempt before it is made, so that concurrent ones cannot all
// pass, or refuses it with fault.Limited.
func (s *Service) take(ctx context.Context, limits []Limit, what fault.Words) error {
	wait, err := s.store.TakeAttempt(ctx, limits, s.now().UTC())
	if err != nil || wait <= 0 {
		return err
	}
	return fault.Retry(fault.Limited, wait, "%s; try again %s", what, fault.In(wait))
}

var (
	tooManySignIns = fault.Text("too many failed attempts to sign in")
	tooManyCodes   = fault.Text("too many wrong codes")
)

// giveBack undoes a take whose attempt was not a failure, and clears limits. The
// client may have gone meanwhile.
func (s *Service) giveBack(ctx context.Context, limits []Limit, forget ...Hash) error {
	return s.store.ReturnAttempt(context.WithoutCancel(ctx), limits, forget...)
}

// PruneAttempts deletes the counts that have no effect any more.
func (s *Service) PruneAttempts(ctx context.Context) error {
	return s.store.PruneAttempts(ctx, s.now().UTC())
}

// networkAround returns the network of an address with so many bits.
func networkAround(text string, bits4, bits6 int) (network string, ok bool) {
	client, ok := clientNetwork(text)
	address, _, _ := strings.Cut(client, "/")
	ip, err := netip.ParseAddr(address)
	if !ok || err != nil {
		return "", false
	}
	bits := bits6
	if ip.Is4() {
		bits = bits4
	}
	p, err := ip.Prefix(bits)
	return p.String(), err == nil
}

// clientNetwork returns what counts as one client: an IPv4 address, or the /64 of
// an IPv6 address, which is what one subscriber has. ok is false for a text that
// is no address.
func clientNetwork(text string) (network string, ok bool) {
	if p, err := netip.ParsePrefix(text); err == nil {
		return p.Masked().String(), true
	}
	ip, err := netip.ParseAddr(text)
	if err != nil {
		return "", false
	}
	if ip = ip.Unmap().WithZone(""); ip.Is4() {
		return ip.String(), true
	}
	p, err := ip.Prefix(64)
	return p.String(), err == nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}
