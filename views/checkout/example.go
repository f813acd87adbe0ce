package checkout

import (
	"time"

	"github.com/florinpay/florin/views"
)

// exampleAddress is the deposit address of the example: that of EIP-55.
const exampleAddress = "0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed"

// exampleTTL is how long the example has left: that of a payment that was just started.
const exampleTTL = 30 * time.Minute

// Example is the checkout of an imagined payment, as a picture (Inert), at one of the
// steps choose, send and done; choose for any other text.
func Example(page views.Page, step string, choices []NetworkChoice, now time.Time) (Props, error) {
	p := Props{
		Page: page, State: StateChoose, TxnID: "01PREVW0000000000000000000", Inert: true,
		Amount: "49.90", Description: "Two pounds of coffee", Reference: "A-1042",
		ExpiresAt: now.Add(exampleTTL), CountdownSeconds: int(exampleTTL.Seconds()), Choices: choices,
	}
	if step != "send" && step != "done" {
		return p, nil
	}
	const network, token = "POLYGON", "USDC"
	p.Token = token
	qr, err := views.NewQR(exampleAddress)
	if err != nil {
		return p, err
	}
	p.Pay = &Instructions{
		Network: network, Token: token, Address: exampleAddress, Amount: p.Amount, QRPlain: qr, QRWallet: qr,
	}
	if p.State = StateWaiting; step == "done" {
		p.State, p.PaidAt, p.Received = StatePaid, now, p.Amount
	}
	return p, nil
}
