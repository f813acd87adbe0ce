package store

import (
	"context"
	"time"

	"github.com/florinpay/florin/internal/alert"
	"github.com/florinpay/florin/internal/store/db"
)

// SaveCertificates stores until when the certificates of the hosts are valid.
func (s *Alerts) SaveCertificates(ctx context.Context, list []alert.Certificate, now, forget time.Time) error {
	err := s.db.Write(ctx, func(ctx context.Context, t db.Tx) error {
		for _, c := range list {
			_, err := t.NewRaw(`INSERT INTO callback_certificates (host, expires_at, seen_at) VALUES (?, ?, ?)
				ON CONFLICT (host) DO UPDATE SET expires_at = excluded.expires_at, seen_at = excluded.seen_at`,
				db.Shown(c.Host), c.ExpiresAt, now).Exec(ctx)
			if err != nil {
				return err
			}
		}
		_, err := t.NewRaw("DELETE FROM callback_certificates WHERE seen_at < ?", forget).Exec(ctx)
		return err
	})
	return db.Wrap(err, "save certificates of callbacks")
}
