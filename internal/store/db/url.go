package db

import (
	"errors"
	"net/url"
	"strings"
)

// place is where the database is: one of the two.
type place struct {
	path     string // SQLite
	postgres string // PostgreSQL
}

// errURL does not repeat the URL: it may hold a password.
var errURL = errors.New("the database URL must be sqlite://PATH or postgres://USER:PASSWORD@HOST/NAME")

func parseURL(text string) (place, error) {
	if path, ok := strings.CutPrefix(text, "sqlite://"); ok {
		path, err := url.PathUnescape(path)
		if err != nil || path == "" || strings.ContainsRune(path, 0) {
			return place{}, errURL
		}
		return place{path: path}, nil
	}
	if strings.HasPrefix(text, "postgres://") || strings.HasPrefix(text, "postgresql://") {
		return place{postgres: text}, nil
	}
	return place{}, errURL
}
