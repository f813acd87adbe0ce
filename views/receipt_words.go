package views

// head of the receipt page.
func (p ReceiptProps) head() head {
	return head{
		Page:        p.Page,
		Title:       p.T("receipt.title") + " · " + p.Merchant.Name,
		Description: p.T("title.description", "Merchant", p.Merchant.Name),
		Theme:       dataTheme(p.Merchant),
		Inline:      "receipt.css",
		Extra:       brandCSS(p.Merchant),
		Scripts:     []string{"page.js"},
	}
}

func (p ReceiptProps) languageHref(lang string) string { return actPath(p.TxnID, "receipt", lang) }
