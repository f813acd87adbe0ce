package checkout

import "github.com/florinpay/florin/views"

// head of the receipt page.
func (p ReceiptProps) head() views.Head {
	return views.Head{
		Page:        p.Page,
		Title:       p.T("receipt.title") + " · " + p.Merchant.Name,
		Description: p.T("title.description", "Merchant", p.Merchant.Name),
		Theme:       views.DataTheme(p.Merchant),
		Inline:      "receipt.css",
		Extra:       views.BrandCSS(p.Merchant),
		Scripts:     []string{"page.js"},
	}
}

func (p ReceiptProps) languageHref(lang string) string { return ActPath(p.TxnID, "receipt", lang) }
