package checkout

// Back is what of the money goes back to the payer, by how far it is. Amounts are plain decimals, empty when zero.
type Back struct {
	// Arrived is at the payer's address, Sent is on its way, Ready has still to be sent, and of Asked the payer has
	// still to say where to.
	Arrived, Sent, Ready, Asked string
	// Unit is the token, USD where there are several.
	Unit string
	// All: nothing of what came is left.
	All bool
}

// Open reports whether some of it has not arrived yet.
func (b Back) Open() bool { return b.Sent+b.Ready+b.Asked != "" }

// None reports whether nothing goes back.
func (b Back) None() bool { return b.Arrived == "" && !b.Open() }

// backLines say what goes back, the furthest first; what is all of it has a title of its own.
func (p Props) backLines() (lines []string) {
	b, shop := p.Back, p.Merchant.Name
	sum := func(amount string) string { return p.Locale().Money(amount, b.Unit) }
	if b.Arrived != "" && !b.All {
		lines = append(lines, p.T("{{.Amount}} of it was sent back.", "Amount", sum(b.Arrived)))
	}
	if b.Sent != "" {
		lines = append(lines, p.T("{{.Amount}} is on its way back.", "Amount", sum(b.Sent)))
	}
	if b.Ready != "" {
		lines = append(lines, p.T("back.ready", "Merchant", shop, "Amount", sum(b.Ready)))
	}
	if b.Asked != "" {
		lines = append(lines, p.T("back.asked", "Merchant", shop, "Amount", sum(b.Asked)))
	}
	return lines
}
