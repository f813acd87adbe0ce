package db

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// growBy is how much room is taken, in bytes: more than a page, and little.
const growBy = 256 << 10

// Grow counts more rows than may stay in memory, so that the server puts them into a temporary file beside the tables.
// That grows no table and no log.
func (e *postgresEngine) Grow(ctx context.Context) error {
	return e.within(ctx, func(ctx context.Context) error {
		return e.inTx(ctx, nil, func(ctx context.Context, t Tx) error {
			_, err := t.NewRaw("SELECT set_config('work_mem', '64kB', true), set_config('temp_tablespaces', '', true)").Exec(ctx)
			if err == nil {
				const rowBytes = 16 // at least
				_, err = t.NewRaw("SELECT count(*) FROM generate_series(1, ?)", growBy/rowBytes).Exec(ctx)
			}
			return err
		})
	})
}

// Grow writes a file beside the database. It has no name any more when it is written, so that nothing stays of it.
func (e *sqliteEngine) Grow(context.Context) (err error) {
	file, err := os.CreateTemp(filepath.Dir(e.path), filepath.Base(e.path)+"-room-*")
	if err != nil {
		return fmt.Errorf("take room on the disk: %w", err)
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := os.Remove(file.Name()); err != nil {
		return fmt.Errorf("take room on the disk: %w", err)
	}
	if _, err := file.Write(make([]byte, growBy)); err != nil {
		return fmt.Errorf("take room on the disk: %w", err)
	}
	return nil
}
