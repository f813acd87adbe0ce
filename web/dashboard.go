package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/internal/audit"
	"github.com/florinpay/florin/internal/chain"
	"github.com/florinpay/florin/internal/fault"
	"github.com/florinpay/florin/internal/identity"
	"github.com/florinpay/florin/internal/ledger"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/settlement"
	"github.com/florinpay/florin/internal/store/report"
	"github.com/florinpay/florin/views/panel"
	"github.com/florinpay/florin/web/shell"

	"github.com/florinpay/florin/internal/webhook"
)

// Members is what the dashboard asks of accounts beyond Accounts.
type Members interface {
	Teams
	Passkeys

	Enter(ctx context.Context, c identity.Credentials, trail ...audit.Entry) (identity.SignedIn, identity.Halfway, error)
	EnterWithCode(ctx context.Context, half identity.Halfway, c identity.Credentials, trail ...audit.Entry) (identity.SignedIn, error)
	CreateInvited(ctx context.Context, token string, in identity.NewUser, trail ...audit.Entry) (identity.User, error)
	Invite(ctx context.Context, by identity.User, email string, trail ...audit.Entry) (secret.Text, error)
	BeginReset(ctx context.Context, email string) (identity.User, secret.Text, error)
	FinishReset(ctx context.Context, token string, next secret.Text, trail ...audit.Entry) (identity.User, error)
	Guessed(ctx context.Context, c identity.Credentials) (user identity.User, tell bool, err error)
	Confirm(ctx context.Context, user identity.User, proof secret.Text, address string) error
	ChangePassword(ctx context.Context, user identity.User, old, next secret.Text, address, userAgent string, trail ...audit.Entry) (identity.SignedIn, error)
	BeginFactor(ctx context.Context, user identity.User, session secret.Text) (identity.Enrolment, error)
	PendingFactor(ctx context.Context, user identity.User, session secret.Text) (identity.Enrolment, error)
	ConfirmFactor(ctx context.Context, user identity.User, session secret.Text, code string, trail ...audit.Entry) ([]secret.Text, error)
	Factor(ctx context.Context, user identity.User) (inForce bool, left int, err error)
	RemoveFactor(ctx context.Context, user identity.User, session, password secret.Text, address string, trail ...audit.Entry) error
	Logins(ctx context.Context, user identity.User) ([]identity.Login, error)
	EndLogin(ctx context.Context, user identity.User, id string, trail ...audit.Entry) error
	ReplaceKey(ctx context.Context, key merchant.Key, entries []ledger.Entry, keep *merchant.Keep, trail ...audit.Entry) (secret.Text, ledger.Balance, error)
	SetKeyLabel(ctx context.Context, key merchant.Key, label string, trail ...audit.Entry) error
	RevokeKey(ctx context.Context, key merchant.Key, trail ...audit.Entry) error
	SetUserDisabled(ctx context.Context, by, user identity.User, disabled bool, trail ...audit.Entry) error
	SetKeyDisabled(ctx context.Context, by identity.User, key merchant.Key, disabled bool, trail ...audit.Entry) error
	ArrangeCustodian(ctx context.Context, key merchant.Key, in merchant.CustodianInput, record merchant.AuditFunc) (merchant.Custodian, secret.Text, error)
	RotateSigningSecret(ctx context.Context, key merchant.Key, trail ...audit.Entry) (secret.Text, error)
	RetireSigningSecret(ctx context.Context, key merchant.Key, trail ...audit.Entry) error
	Record(ctx context.Context, a audit.Entry) error
	AuditLog(ctx context.Context, seat merchant.Membership, before int64, limit int) ([]audit.Entry, error)
}

// Teams is what the dashboard asks about who belongs to which merchant.
type Teams interface {
	Memberships(ctx context.Context, user identity.User) ([]merchant.Membership, error)
	Choose(ctx context.Context, user identity.User, token secret.Text, merchantID string) error
	Members(ctx context.Context, owner identity.User) ([]merchant.Member, error)
	Member(ctx context.Context, owner identity.User, publicID string) (merchant.Member, error)
	SetRole(ctx context.Context, merchant, member identity.User, role merchant.Role, trail ...audit.Entry) error
	RemoveMember(ctx context.Context, merchant, member identity.User, trail ...audit.Entry) error
	InviteMember(ctx context.Context, seat merchant.Membership, email string, role merchant.Role, trail ...audit.Entry) (merchant.Invited, secret.Text, error)
	Invitations(ctx context.Context, owner identity.User) ([]merchant.Invited, error)
	RenewInvitation(ctx context.Context, owner identity.User, id string, trail ...audit.Entry) (merchant.Invited, secret.Text, error)
	RevokeInvitation(ctx context.Context, owner identity.User, id string, trail ...audit.Entry) error
	Invitation(ctx context.Context, token string) (n merchant.Invited, owner identity.User, known bool, err error)
	Join(ctx context.Context, token string, user identity.User, trail ...audit.Entry) (merchant.Invited, error)
	JoinNew(ctx context.Context, token string, in identity.NewUser, trail ...audit.Entry) (identity.User, merchant.Invited, error)
}

// Passkeys is what the dashboard asks about signing in without a password.
type Passkeys interface {
	HasPasskeys() bool
	PasskeysOf(ctx context.Context, user identity.User) ([]identity.Passkey, error)
	NewPasskey(ctx context.Context, user identity.User, session secret.Text) (options string, err error)
	AddPasskey(ctx context.Context, user identity.User, session secret.Text, name, answer string, trail ...audit.Entry) (identity.Passkey, error)
	RenamePasskey(ctx context.Context, user identity.User, id, name string, trail ...audit.Entry) error
	RemovePasskey(ctx context.Context, user identity.User, session secret.Text, id string, trail ...audit.Entry) (identity.Passkey, error)
	AskPasskey(ctx context.Context) (options string, token secret.Text, err error)
	EnterWithPasskey(ctx context.Context, token, answer string, c identity.Credentials, trail ...audit.Entry) (identity.SignedIn, error)
	AskToConfirm(ctx context.Context, user identity.User, session secret.Text) (options string, err error)
	ConfirmByPasskey(ctx context.Context, user identity.User, session secret.Text, answer, address string) error
}

// Reports is what the dashboard reads. Every question names the keys whose
// data may be shown.
type Reports interface {
	EveryKeyOfUser(ctx context.Context, userID int64) ([]merchant.Key, error)
	SearchPayments(ctx context.Context, q report.Query) ([]payment.Payment, error)
	Days(ctx context.Context, keys []int64, since time.Time) ([]report.Day, error)
	Activity(ctx context.Context, keys []int64, since time.Time) (report.Activity, error)
	Events(ctx context.Context, id payment.ID) ([]payment.Event, error)
	Deliveries(ctx context.Context, q report.DeliveryQuery) ([]report.Delivery, error)
	Delivery(ctx context.Context, keys []int64, id int64) (report.Delivery, []webhook.Attempt, error)
	FailedDeliveries(ctx context.Context, keys []int64, since time.Time) (report.Failing, error)
	Resend(ctx context.Context, keys []int64, id int64, now time.Time, trail ...audit.Entry) error
	ResendFailed(ctx context.Context, keyID int64, since, now time.Time, trail ...audit.Entry) (int64, error)
	Entries(ctx context.Context, keyID, before int64, limit int) ([]report.Entry, error)
	SweepsOf(ctx context.Context, number int64) ([]report.Sweep, error)
	People(ctx context.Context, q report.PeopleQuery) ([]report.Person, error)
	Person(ctx context.Context, publicID string) (report.Person, error)
	TopUps(ctx context.Context, before int64, limit int) ([]report.TopUp, error)
	SweepLines(ctx context.Context, before int64, limit int) ([]report.SweepLine, error)
	Trouble(ctx context.Context, now time.Time, dust money.Micros) (report.Trouble, error)
	LedgerCheck(ctx context.Context) (c ledger.Check, ok bool, err error)
	Stuck(ctx context.Context, now time.Time, dust money.Micros) (report.Stuck, error)
}

// Pings sends a test webhook, which no payment is behind.
type Pings interface {
	Ping(ctx context.Context, eventID, status, callbackURL string, sec secret.Text, signing ...secret.Text) webhook.Attempt
}

// Proof adds the book of credits up in the background.
type Proof interface {
	Ask(ctx context.Context, by string, trail ...audit.Entry) error
}

// Dashboard is what the pages of merchants and operators need beyond Deps.
type Dashboard struct {
	Members Members
	Reports Reports
	Pings   Pings
	Logos   Logos
	// Proof may be nil: then nobody can ask for a check of the ledger.
	Proof Proof
	// Mail sends a plain text; nil where no mail is sent.
	Mail func(ctx context.Context, to, subject, text string) error
	// Wake says that webhooks were made due; may be nil.
	Wake func()
	// Sweeping tells how the settlement of a network does; ok is false where
	// nothing is settled. May be nil.
	Sweeping func(chain.Network) (settlement.Status, bool)
	// Dust is below what money waits on its address, because moving it costs
	// more.
	Dust money.Micros
	// Endpoints tells how the nodes of a configured network do. May be nil.
	Endpoints func(chain.Network) []chain.EndpointHealth
	// AuthKey and SealKey protect cookies: 32 bytes each.
	AuthKey, SealKey []byte
	// Invite: who is invited may sign up, even if Options.SignUp is off.
	Invite bool
}

// desk serves the dashboard.
type desk struct {
	*Server

	x       Dashboard
	letters letters
	cookies *shell.Cookies
	drawing chan struct{} // whose turn it is to decode a picture
}

// visitor is somebody who is signed in, and acts for a merchant.
type visitor struct {
	user  identity.User       // who acts; the same as seat.User
	seat  merchant.Membership // for whom, and in which role
	token secret.Text
	keys  []merchant.Key // of the merchant, in use
	every []merchant.Key // revoked ones too: their payments are still the merchant's
	// merchants are those the visitor can act for.
	merchants []panel.Choice
}

// ids are the keys whose data the visitor may see.
func (v visitor) ids() []int64 {
	ids := make([]int64, len(v.every))
	for i, k := range v.every {
		ids[i] = k.ID
	}
	return ids
}

// key returns the merchant's key of that public id; another's is unknown.
func (v visitor) key(publicID string) (merchant.Key, error) {
	for _, k := range v.keys {
		if k.PublicID == publicID {
			return k, nil
		}
	}
	return merchant.Key{}, merchant.ErrUnknownKey
}

// chosen returns the key a page is about: the one asked for, else the first.
// ok is false for a visitor without keys.
func (v visitor) chosen(publicID string) (k merchant.Key, ok bool, err error) {
	if publicID != "" {
		k, err = v.key(publicID)
		return k, err == nil, err
	}
	if len(v.keys) == 0 {
		return merchant.Key{}, false, nil
	}
	return v.keys[0], true, nil
}

type deskHandler func(c echo.Context, v visitor) error

// member serves somebody who is signed in and may do the act for the merchant
// they act for; anybody else is sent to sign in, or told who may.
func (d *desk) member(act merchant.Act, h deskHandler) echo.HandlerFunc {
	return func(c echo.Context) error {
		v, err := d.visitor(c)
		if fault.Is(err, fault.Unauthorized) {
			return d.toSignIn(c)
		}
		if err != nil {
			return err
		}
		if err := v.seat.Allow(act); err != nil {
			return d.failedAs(c, v, "Not yours to do", err, d.whoMay(c, v, act))
		}
		if err := h(c, v); err != nil {
			return d.failed(c, v, err)
		}
		return nil
	}
}

// operator serves operators. To anybody else, their pages do not exist.
func (d *desk) operator(h deskHandler) echo.HandlerFunc {
	return d.member(merchant.ActOwn, func(c echo.Context, v visitor) error {
		if !v.user.Operator {
			return shell.ErrNotFound
		}
		return h(c, v)
	})
}

func (d *desk) visitor(c echo.Context) (visitor, error) {
	ctx, token := c.Request().Context(), d.cookies.Token(c.Request())
	seat, err := d.d.Accounts.MembershipBySession(ctx, token.Reveal())
	if err != nil {
		return visitor{}, err
	}
	v := visitor{user: seat.User, seat: seat, token: token}
	if v.merchants, err = d.merchants(ctx, seat); err != nil {
		return visitor{}, err
	}
	if seat.Role == "" {
		return v, nil
	}
	if v.every, err = d.x.Reports.EveryKeyOfUser(ctx, seat.Merchant.ID); err != nil {
		return visitor{}, err
	}
	for _, k := range v.every {
		if k.RevokedAt.IsZero() && k.DisabledAt.IsZero() {
			v.keys = append(v.keys, k)
		}
	}
	return v, nil
}

// merchants lists for whom somebody can act. Who was removed from the one they
// act for is offered the others, and changes to none by themselves.
func (d *desk) merchants(ctx context.Context, seat merchant.Membership) ([]panel.Choice, error) {
	seats, err := d.x.Members.Memberships(ctx, seat.User)
	if err != nil {
		return nil, err
	}
	var all []panel.Choice
	if seat.Role == "" {
		all = append(all, panel.Choice{Text: "Nobody"})
	}
	for _, s := range seats {
		all = append(all, panel.Choice{Value: s.Merchant.PublicID, Text: s.Merchant.Email})
	}
	return all, nil
}

// mayOf tells pages what to offer. What they offer decides nothing: member does.
func mayOf(r merchant.Role) panel.May {
	return panel.May{
		Read: r.May(merchant.ActRead), Pay: r.May(merchant.ActPay), Payments: r.May(merchant.ActPayments), Webhooks: r.May(merchant.ActWebhooks),
		Keys: r.May(merchant.ActKeys), Callback: r.May(merchant.ActCallback), Branding: r.May(merchant.ActBranding), Credits: r.May(merchant.ActCredits),
		Money: r.May(merchant.ActMoney), Complete: r.May(merchant.ActComplete), Team: r.May(merchant.ActTeam),
		Campaigns: r.May(merchant.ActCampaigns), Moderate: r.May(merchant.ActModerate),
	}
}

// toSignIn sends the browser to sign in, and back to a page it asked for; a
// form is not sent twice.
func (d *desk) toSignIn(c echo.Context) error {
	r, to := c.Request(), "/signin"
	if r.Method == http.MethodGet && r.URL.RequestURI() != shell.HomePath {
		to += "?next=" + url.QueryEscape(shell.SafeNext(r.URL.RequestURI()))
	}
	return c.Redirect(http.StatusSeeOther, to)
}

// failed shows a refusal inside of the dashboard. What is no refusal goes to
// the one place that logs.
func (d *desk) failed(c echo.Context, v visitor, err error) error {
	title := "This did not work"
	if fault.Is(err, fault.NotFound) {
		title = "Nothing here"
	}
	return d.failedAs(c, v, title, err, "")
}

// failedAs is failed with a title, and with the people to turn to.
func (d *desk) failedAs(c echo.Context, v visitor, title string, err error, who string) error {
	f := fault.Of(err)
	if f == nil || f.Kind == fault.Internal || c.Response().Committed {
		return err
	}
	refusal := d.sh.Refuse(c, err)
	frame := d.frame(c, v, title, "")
	return d.show(c, refusal.Code, frame, panel.Failed(frame, shell.Sentence(refusal.Message), who))
}

// frame is what surrounds a page, with what the last form had to say.
func (d *desk) frame(c echo.Context, v visitor, title, section string) panel.Frame {
	f := panel.Frame{
		Page: shell.NewPage(c), Title: title, Section: section, Email: v.user.Email, Operator: v.user.Operator, Now: d.d.Now(),
	}
	f.Lang, f.May = "en", mayOf(v.seat.Role)
	f.Role, f.Merchant = string(v.seat.Role), v.seat.Merchant.PublicID
	f.Merchants = v.merchants
	if text := d.cookies.Notice(c); text != "" {
		f.Notices = append(f.Notices, panel.Notice{Text: text})
	}
	return f
}

// show writes a page.
func (d *desk) show(c echo.Context, status int, f panel.Frame, view templ.Component) error {
	return shell.Render(c, status, f.Page, view)
}

// showFraming is show for a page with a frame of ours in it.
func (d *desk) showFraming(c echo.Context, status int, f panel.Frame, view templ.Component) error {
	shell.AllowOwnFrames(c)
	return d.show(c, status, f, view)
}

// maxDeskForm is more than any form of the dashboard has.
const maxDeskForm = 64 << 10
