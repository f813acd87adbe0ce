package views

import (
	"net/url"
	"strings"
)

// head of the failure page.
func (p FailureProps) head() Head {
	return Head{
		Page:        p.Page,
		Title:       p.title(),
		Description: p.title(),
		Inline:      "checkout.css",
		Scripts:     []string{"page.js"},
	}
}

// languageHref changes the language and keeps the rest: a relative reference with a query alone, since the path of a
// request may look like another host. A form's answer leads to the page of its payment.
func (p FailureProps) languageHref(lang string) string {
	path, q := "", url.Values{}
	if asked, err := url.Parse(p.Path); err == nil {
		q = asked.Query()
		if asked.Host == "" && asked.Path == "/pay" {
			path = "/pay"
		}
	}
	q.Set("lang", lang)
	return path + "?" + q.Encode()
}

// againHref is Again where it leads to a page of ours: the path of a request may look like another host.
func (p FailureProps) againHref() string {
	if !strings.HasPrefix(p.Again, "/") || strings.HasPrefix(p.Again, "//") || strings.HasPrefix(p.Again, `/\`) {
		return ""
	}
	return p.Again
}

// homeHref is the first page: the overview for pages of the dashboard and the operator, else the landing page.
func (p FailureProps) homeHref() string {
	path, _, _ := strings.Cut(p.Path, "?")
	for _, root := range []string{"/dashboard", "/operator"} {
		if path == root || strings.HasPrefix(path, root+"/") {
			return "/dashboard"
		}
	}
	return "/"
}

// againLabel is the label of Again: "try again" where a retry may succeed, else the way back.
func (p FailureProps) againLabel() string {
	switch p.Kind {
	case FailureTooOften, FailureUnavailable, FailureInternal:
		return p.T("act.try_again")
	}
	return p.T("act.back")
}

// Sign is the picture of the failure and its meaning.
func (p FailureProps) sign() (name, meaning string) {
	switch p.Kind {
	case FailurePaymentUnknown, FailureNotFound:
		return "info", "wait"
	case FailureTooOften, FailureUnavailable:
		return "clock", "wait"
	}
	return "warn", "seen"
}

// moneySafe reports whether the page says that money is found without it too. It does not if there is no such
// payment.
func (p FailureProps) moneySafe() bool {
	return p.Checkout && p.Kind != FailurePaymentUnknown && p.Kind != FailureNotFound
}

func (p FailureProps) title() string {
	switch p.Kind {
	case FailurePaymentUnknown:
		return p.T("failure.payment")
	case FailureNotFound:
		return p.T("failure.page")
	case FailureTooOften:
		return p.T("failure.too_often")
	case FailureInvalid:
		return p.T("failure.invalid")
	case FailureForbidden:
		return p.T("failure.forbidden")
	case FailureConflict:
		return p.T("failure.conflict")
	case FailureUnavailable:
		return p.T("failure.unavailable")
	}
	return p.T("failure.internal")
}

func (p FailureProps) detail() string {
	switch p.Kind {
	case FailurePaymentUnknown:
		return p.T("failure.payment_next")
	case FailureNotFound:
		return p.T("failure.page_next")
	case FailureTooOften, FailureUnavailable:
		if p.RetrySeconds > 0 {
			return p.Locale().Span(p.RetrySeconds, "failure.retry_seconds", "failure.retry_minutes")
		}
		return p.T("failure.retry")
	case FailureInvalid:
		return p.T("failure.invalid_next")
	case FailureForbidden:
		return p.T("failure.forbidden_next")
	case FailureConflict:
		return p.T("failure.conflict_next")
	}
	return p.T("failure.internal_next")
}
