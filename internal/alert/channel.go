package alert

import (
	"fmt"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/secret"
)

// Channels are the ways to the operator. The zero value is none: what is wrong is logged and shown.
type Channels struct {
	Mail []string // e-mail addresses
	Hook bool     // the operator's webhook
	Page string   // address of the operator's page
}

// mails returns the notification for each way. The notifications of one alert arrive in their order.
func (c Channels) mails(n Notification) ([]mail.Mail, error) {
	thread := "alert/" + string(n.Alert.Kind) + "/" + n.Alert.Condition.Subject
	var list []mail.Mail
	for i, to := range c.Mail {
		list = append(list, mail.Mail{
			ID: fmt.Sprintf("%s.%d", n.ID, i+1), Kind: mail.Plain, To: to, Thread: thread, At: n.At,
			Subject: "[Florin] " + n.Subject(), Text: secret.New(n.Message(c.Page)),
		})
	}
	if !c.Hook {
		return list, nil
	}
	body, err := n.Body(c.Page)
	return append(list, mail.Mail{
		ID: n.ID, Kind: mail.Hook, Thread: thread, At: n.At, Subject: n.Subject(), Text: secret.New(string(body)),
	}), err
}
