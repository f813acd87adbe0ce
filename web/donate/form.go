package donate

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"unicode/utf8"

	"github.com/labstack/echo/v4"

	"github.com/florinpay/florin/graph/model"
	"github.com/florinpay/florin/graph/operation"
	"github.com/florinpay/florin/internal/campaign"
	"github.com/florinpay/florin/internal/exchange"
	"github.com/florinpay/florin/internal/input"
	"github.com/florinpay/florin/internal/money"
	"github.com/florinpay/florin/internal/payment"
	"github.com/florinpay/florin/views"
	"github.com/florinpay/florin/views/checkout"
	"github.com/florinpay/florin/views/donate"
	"github.com/florinpay/florin/web/present"
	"github.com/florinpay/florin/web/shell"
)

// maxOnce is the length of the id of a form.
const maxOnce = 26

// postDonateForm is the form of a campaign's page.
func (s *Surface) postDonateForm(c echo.Context) error {
	form, err := shell.ReadForm(c, maxDonation)
	if err != nil {
		return err
	}
	lang := shell.Language(c)
	typed := form.Get("suggested")
	if typed == "" || typed == "other" {
		typed = views.LocaleFor(lang).Plain(form.Get("amount"))
	}
	choice, err := present.ParseChoice(form.Get("network"), form.Get("token"))
	problems := textProblems(form)
	if err != nil {
		problems["way"] = donate.InputWay
	}
	found, _, err := s.Campaigns.Get(c.Request().Context(), c.Param("campaignId"))
	if err != nil {
		return err
	}
	least, most := s.Payments.Bounds()
	if e := amountError(typed, found.Prices.Currency, least, most); e != "" {
		problems["amount"] = e
	}
	if len(problems) > 0 {
		return s.donateAgain(c, http.StatusUnprocessableEntity, problems, checkout.ProblemNone)
	}
	s.addOnce(c, form)
	in := operation.DonationInput{
		CampaignID: c.Param("campaignId"), Amount: model.Number(typed),
		Network: model.Network(choice.Network), Token: model.Token(choice.Token),
		Name: form.Get("name"), Message: form.Get("message"),
	}
	if own := found.Prices.Currency; own != "" {
		in.Amount = model.NotNumber()
		in.Price = &model.PriceInput{Amount: model.DecimalText(typed), Currency: string(own)}
	}
	out, err := s.Operations.StartDonation(c.Request().Context(), in)
	if e := boundError(err); e != "" {
		problems["amount"] = e
		return s.donateAgain(c, http.StatusUnprocessableEntity, problems, checkout.ProblemNone)
	}
	var refusal operation.Refusal
	switch {
	case err != nil:
		refusal = s.Shell.Refuse(c, err)
	case out.Transaction == nil:
		refusal = operation.Refusal{Code: out.Code, Message: out.Message}
	default:
		return c.Redirect(http.StatusSeeOther, checkout.WithVia(
			checkout.GiftPath(c.Param("campaignId"), out.Transaction.Txnid, c.QueryParam("lang"), checkout.ViewNow),
			checkout.ParseVia(form.Get("via")),
		))
	}
	return s.refuseDonation(c, refusal, err)
}

// maxDonation leaves room for a message that is far too long, so that the page can
// say so: 10,000 characters of three bytes, each written as three.
const maxDonation = 128 << 10

// addOnce makes a form that is sent twice open one payment. A form that was changed
// in between opens another.
func (s *Surface) addOnce(c echo.Context, form url.Values) {
	once := form.Get("once")
	if len(once) != maxOnce {
		return
	}
	sum := sha256.Sum256([]byte(c.Request().URL.Path + "\n" + form.Encode()))
	shell.CallOf(c).IdempotencyKey = "form-" + hex.EncodeToString(sum[:])
}

// boundError says that what a price is worth, at the rate of this moment, is more or less than may be paid; empty: the
// error is another.
func boundError(err error) donate.InputError {
	bound, ok := errors.AsType[*payment.BoundError](err)
	switch {
	case !ok:
		return ""
	case bound.High:
		return donate.InputTooLarge
	}
	return donate.InputTooSmall
}

// amountError says what is wrong with an amount that was typed, read as a plain
// decimal, where amounts from least to most are taken: in US dollars, or in the currency, whose rate decides later.
func amountError(plain string, c exchange.Currency, least, most money.Micros) donate.InputError {
	if c != "" && strings.Trim(plain, "0.") != "" {
		if _, err := c.ParseUnits(plain); err != nil {
			return donate.InputAmount
		}
		return ""
	}
	m, err := money.ParseMicros("amount", plain)
	whole, _, _ := strings.Cut(strings.TrimLeft(plain, "0"), ".")
	switch {
	case plain == "":
		return donate.InputAmount
	case strings.Trim(plain, "0.") == "":
		return donate.InputTooSmall
	case m > most || err != nil && len(whole) > maxWhole:
		return donate.InputTooLarge
	case err != nil:
		return donate.InputAmount
	case m < least:
		return donate.InputTooSmall
	}
	return ""
}

// maxWhole is how many digits before the point can be an amount at all.
const maxWhole = 12

// refuseDonation shows the page again with the reason of the refusal.
func (s *Surface) refuseDonation(c echo.Context, r operation.Refusal, err error) error {
	shell.AddHeaders(c)
	problems, problem := map[string]donate.InputError{}, checkout.ProblemNone
	switch r.Code {
	case http.StatusBadRequest:
		problems["way"] = donate.InputWay
		r.Code = http.StatusUnprocessableEntity
	case http.StatusPaymentRequired:
		problem = checkout.ProblemMerchant
	case http.StatusTooManyRequests:
		problem = checkout.ProblemTooOften
	case http.StatusConflict: // the page itself says that it is paused or has ended
	case http.StatusUnprocessableEntity, http.StatusServiceUnavailable:
		problem = checkout.ProblemUnavailable
	default:
		if err == nil {
			err = fmt.Errorf("a donation was refused with %d: %s", r.Code, r.Message)
		}
		return err
	}
	return s.donateAgain(c, r.Code, problems, problem)
}

// textProblems are what is wrong with the donor's name and message, by field.
func textProblems(form url.Values) map[string]donate.InputError {
	problems := map[string]donate.InputError{}
	_, nameErr := campaign.DonorName(form.Get("name"))
	_, messageErr := campaign.DonorMessage(form.Get("message"))
	for _, x := range []struct {
		field string
		err   error
		most  int
	}{{"name", nameErr, donate.MaxDonorName}, {"message", messageErr, donate.MaxDonorMessage}} {
		switch {
		case x.err == nil:
		case utf8.RuneCountInString(strings.TrimSpace(form.Get(x.field))) > x.most:
			problems[x.field] = donate.InputTooLong
		default:
			problems[x.field] = donate.InputText
		}
	}
	return problems
}

// donateAgain shows the page with what was typed. Characters that do not print
// are left out, so that the donor can send it as shown.
func (s *Surface) donateAgain(
	c echo.Context, status int, problems map[string]donate.InputError, problem checkout.Problem,
) error {
	return s.donatePage(c, status, 0, func(p *donate.Props) {
		p.Typed, p.Errors, p.Problem = shownForm(c), problems, problem
	})
}

// shownForm is the form that was sent, as it is shown again.
func shownForm(c echo.Context) url.Values {
	typed := make(url.Values)
	for name, values := range c.Request().PostForm {
		typed.Set(name, shownText(values[0]))
	}
	return typed
}

// maxShownText is how much of a field is shown again, in bytes.
const maxShownText = 4 << 10

func shownText(text string) string {
	return input.Visible(text[:min(len(text), maxShownText)])
}
