package table

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/uptrace/bun"

	"github.com/florinpay/florin/internal/mail"
	"github.com/florinpay/florin/internal/merchant"
	"github.com/florinpay/florin/internal/secret"
	"github.com/florinpay/florin/internal/store/db"
)

// ReadChat reads where news of a merchant are posted. An address that cannot be opened is as none: its merchant enters
// another one, and neither the pages nor the mails of the account depend on it.
func ReadChat(ctx context.Context, from bun.IDB, sealer *secret.Sealer, merchantID int64) (c merchant.Chat, err error) {
	row, err := db.First[struct{ URL, News string }](ctx, from, nil, "SELECT url, news FROM chats WHERE merchant_id = ?",
		merchantID)
	if err != nil || row.URL == "" {
		return c, err
	}
	if url, err := sealer.Open(ChatPlace(merchantID), row.URL); err == nil {
		c = merchant.Chat{URL: url, News: merchant.News(row.News)}
	}
	return c, nil
}

// SaveChat returns the statements that store it.
func SaveChat(sealer *secret.Sealer, merchantID int64, c merchant.Chat) []*db.Stmt {
	all := []*db.Stmt{db.Exec("DELETE FROM chats WHERE merchant_id = ?", merchantID).AnyNumber()}
	if c.URL.Empty() {
		return all
	}
	return append(all, db.Exec("INSERT INTO chats (merchant_id, url, news) VALUES (?, ?, ?)", merchantID,
		sealer.Seal(ChatPlace(merchantID), c.URL), string(c.News)))
}

// chatMail is the news as it is posted to the merchant's chat; ok is false where it is not. Receivers such as Slack's
// and Telegram's read text alone.
func chatMail(
	ctx context.Context, t db.Tx, sealer *secret.Sealer, m mail.Mail,
) (post mail.Mail, url string, ok bool, err error) {
	c, err := ReadChat(ctx, t, sealer, m.Owners)
	if err != nil || c.URL.Empty() || !slices.Contains(c.Wishes(), m.Wish) {
		return m, "", false, err
	}
	body, err := json.Marshal(struct {
		Text    string    `json:"text"`
		EventID string    `json:"eventId"`
		Type    mail.Wish `json:"type"`
	}{m.Subject + "\n\n" + m.Text.Reveal(), m.ID, m.Wish})
	url = c.URL.Reveal()
	m.ID, m.Kind, m.To, m.Letter = m.ID+".chat", mail.Chat, "", nil
	m.Text = secret.New(strings.Join([]string{url, string(body)}, "\n"))
	return m, url, true, err
}
