package alert

import (
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// Subject returns the subject of the mail of a notification.
func (n Notification) Subject() string {
	if n.Phase == Over {
		return "Over: " + n.Alert.Title
	}
	return n.Alert.Title
}

// Message returns the notification as plain text, with what to do; page is the address of the operator's page.
func (n Notification) Message(page string) string {
	a := n.Alert
	if n.Phase == Over {
		return a.Title + ": this has ended. It began at " + at(a.Since) + ".\n\n" + page
	}
	return strings.Join([]string{a.Text, "What to do: " + a.Advice, "Since " + at(a.Since) + ".", page}, "\n\n")
}

// body is the webhook of a notification. Receivers such as Slack's and Telegram's read text alone.
type body struct {
	Text    string `json:"text"`
	EventID string `json:"eventId"`
	Type    string `json:"type"`
	Kind    Kind   `json:"kind"`
	Subject string `json:"subject"`
	Title   string `json:"title"`
	Detail  string `json:"detail"`
	Advice  string `json:"advice"`
	Since   string `json:"since"`
	At      string `json:"at"`
	Page    string `json:"page"`
}

// Body returns the body of the webhook of a notification.
func (n Notification) Body(page string) ([]byte, error) {
	a := n.Alert
	text, err := json.Marshal(body{
		Text: n.Subject() + "\n\n" + n.Message(page), EventID: n.ID, Type: "alert." + string(n.Phase),
		Kind: a.Kind, Subject: a.Condition.Subject, Title: a.Title, Detail: a.Text, Advice: a.Advice,
		Since: a.Since.UTC().Format(time.RFC3339), At: n.At.UTC().Format(time.RFC3339), Page: page,
	})
	if err != nil {
		return nil, fmt.Errorf("body of notification %s: %w", n.ID, err)
	}
	return text, nil
}
