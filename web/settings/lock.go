package settings

import (
	"errors"
	"net/http"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/settings"
	"github.com/florinpay/florin/web/session"
	"github.com/florinpay/florin/web/shell"
)

const (
	lockPath    = payoutsPath + "/lock"
	unlockPath  = payoutsPath + "/unlock"
	changesPath = "/dashboard/changes"
)

// errNoFactor refuses to lock an account for an owner who could not change it then.
var errNoFactor = fault.New(fault.Conflict, "a locked account changes with a passkey or an authenticator only: set one up under Security first")

// postLock locks where money goes.
func (s *Surface) postLock(c echo.Context, who session.Principal) error {
	return s.lockAct(c, who, func(key string) error {
		if !s.Mails {
			return merchant.ErrNoMail
		}
		strong, err := s.HasStrong(c, who)
		if err == nil && !strong {
			err = errNoFactor
		}
		if err != nil {
			return err
		}
		if err := s.Merchants.Lock(c.Request().Context(), who.Membership.Merchant.ID, s.Act(c, who)); err != nil {
			return err
		}
		return s.Cookies.Redirect(c, payoutsPath+"?key="+key, "Locked: wallets change only here, and after 24 hours.")
	})
}

// postUnlock takes the lock off after 24 hours.
func (s *Surface) postUnlock(c echo.Context, who session.Principal) error {
	return s.lockAct(c, who, func(key string) error {
		err := s.Wait(c, who, merchant.Waiting{
			Kind: merchant.WaitingUnlock, Changes: []string{mail.T("lock on wallets: on → off").Kept()},
		}, merchant.NewSettings{}, mail.T("wallets").Kept())
		if err != nil {
			return err
		}
		return s.Cookies.Redirect(c, payoutsPath+"?key="+key, session.WaitsNotice)
	})
}

// lockAct passes the gate before it acts on the lock.
func (s *Surface) lockAct(c echo.Context, who session.Principal, act func(key string) error) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	all, key := emptyPayoutForms(c), f.Values.Get("key")
	all.lock = f
	if err = s.Gate(c, who, f, session.EachTime); err == nil {
		err = act(key)
	}
	if err == nil || (!session.ReauthRefused(f, err) && !f.Refused(err)) {
		return err
	}
	return s.payoutsPage(c, who, session.ReauthStatus(err), key, all)
}

// lockFields completes the page with the lock and the changes that wait.
func (s *Surface) lockFields(
	c echo.Context, who session.Principal, f *shell.Form, p *settings.PayoutsProps,
) (err error) {
	ctx := c.Request().Context()
	if p.Locked, err = s.Merchants.Locked(ctx, who.Membership.Merchant.ID); err != nil {
		return err
	}
	if p.Waiting, err = s.Waiting(ctx, who.Membership.Merchant.ID); err != nil {
		return err
	}
	p.LockProblem, p.LockReauth.Posted = f.Problem, f.Posted
	p.LockReauth.Field, err = s.StrongField(c, who, f)
	return err
}

// waits stores a change of a key's custodian that waits, if the account is locked and
// the change is one of where money goes; false if it is to be made at once.
func (s *Surface) waits(
	c echo.Context, who session.Principal, key merchant.Key, in merchant.CustodianInput,
) (bool, error) {
	ctx := c.Request().Context()
	locked, err := s.Merchants.Locked(ctx, who.Membership.Merchant.ID)
	if err != nil || !locked {
		return false, err
	}
	before, after, err := s.Merchants.Preview(ctx, key, in)
	if err != nil {
		return false, err
	}
	changes := append(after.Destinations(before), after.SharedSecret(before)...)
	if !after.Stricter(before) {
		changes = append(changes, after.Acceptance(before)...)
	}
	kind := merchant.WaitingCustodian
	if len(changes) == 0 {
		kind = merchant.WaitingShown
	}
	if before.ID != 0 {
		changes = append(changes, after.Shown(before)...)
	}
	if len(changes) == 0 {
		return false, nil
	}
	return true, s.Wait(c, who, merchant.Waiting{
		Kind: kind, KeyID: key.ID, Changes: changes,
	}, merchant.NewSettings{Custodian: in}, session.KeyLabel(key))
}

// postStopChange stops a change that waits. It asks for nothing: what stays as it is
// redirects no money.
func (s *Surface) postStopChange(c echo.Context, who session.Principal) error {
	err := s.Merchants.StopWaiting(c.Request().Context(), who.Membership.Merchant.ID, c.Param("change"), who.User,
		s.Act(c, who))
	if err != nil {
		return err
	}
	return s.Cookies.Redirect(c, shell.HomePath, "The change is stopped. Nothing was changed.")
}

// getStop shows the change that the link of a mail stops. It stops nothing itself:
// mail servers and readers open links.
func (s *Surface) getStop(c echo.Context) error {
	token, sent, err := s.Cookies.FromLink(c, "token")
	if sent || err != nil {
		return err
	}
	return s.stopPage(c, token)
}

// postStop stops the change of the token, without signing in.
func (s *Surface) postStop(c echo.Context) error {
	f, err := session.ReadForm(c)
	if err != nil {
		return err
	}
	token := f.Values.Get("token")
	w, err := s.Merchants.StopByLink(c.Request().Context(), token, s.Stranger(c))
	if errors.Is(err, merchant.ErrNoChange) {
		return s.stopPage(c, token)
	}
	if err != nil {
		return err
	}
	return s.showStop(c, http.StatusOK, settings.StopProps{Change: waiting(c, w), Stopped: true})
}

func (s *Surface) stopPage(c echo.Context, token string) error {
	w, err := s.Merchants.WaitingBy(c.Request().Context(), token)
	if errors.Is(err, merchant.ErrNoChange) {
		return s.showStop(c, http.StatusNotFound, settings.StopProps{})
	}
	if err != nil {
		return err
	}
	return s.showStop(c, http.StatusOK, settings.StopProps{Token: token, Change: waiting(c, w)})
}

func (s *Surface) showStop(c echo.Context, status int, p settings.StopProps) error {
	p.Page = shell.NewPage(c)
	p.Lang = "en"
	return shell.Render(c, status, p.Page, settings.StopChange(p))
}

func waiting(c echo.Context, w merchant.Waiting) settings.WaitingRow {
	return session.WaitingRow(views.LocaleFor(shell.Language(c)), w)
}
