package checkout

import (
	"net/url"

	"github.com/florinpay/florin/views"
)

// PayPath is the address of the checkout page of a payment. lang and view may be empty.
func PayPath(txnID, lang string, view View) string {
	q := "/pay?txnid=" + url.QueryEscape(txnID)
	if lang != "" {
		q += "&lang=" + url.QueryEscape(lang)
	}
	if view != ViewNow {
		q += "&view=" + url.QueryEscape(string(view))
	}
	return q
}

// ActPath is the address of an action on a payment: start, cancel, ask, find, live, receipt.
func ActPath(txnID, act, lang string) string {
	p := "/pay/" + url.PathEscape(txnID) + "/" + act
	if lang != "" {
		p += "?lang=" + url.QueryEscape(lang)
	}
	return p
}

// GiftPath is the address of a campaign's page on which a donation is paid. lang and view may be empty.
func GiftPath(campaignID, txnID, lang string, view View) string {
	q := url.Values{"pay": {txnID}}
	if lang != "" {
		q.Set("lang", lang)
	}
	if view != ViewNow {
		q.Set("view", string(view))
	}
	return views.DonatePath(campaignID, "") + "?" + q.Encode()
}
