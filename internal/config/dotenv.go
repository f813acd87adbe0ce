package config

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"
)

// maxDotenv bounds the size of a .env file in bytes.
const maxDotenv = 256 << 10

// assignment is one line of a .env file.
type assignment struct {
	name  string
	value string
	line  int
}

var (
	assigns = regexp.MustCompile(`^(?:export\s+)?([A-Za-z_][A-Za-z0-9_]*)\s*=\s*(.*)$`)
	quoted  = regexp.MustCompile(`^(?:'([^']*)'|"((?:[^"\\]|\\.)*)")\s*(.*)$`)
	comment = regexp.MustCompile(`(?:^|\s+)#.*$`)
	escape  = regexp.MustCompile(`\\.`)
	bare    = regexp.MustCompile(`^[\w+=.,:/?&@%*~<>\[\]-]+$`) // values that are printed without quotes
)

var escapes = map[string]string{`\n`: "\n", `\r`: "\r", `\t`: "\t", `\"`: `"`, `\\`: `\`, `\$`: "$"}

// parseDotenv reads a .env file. Its grammar, line by line:
//
//	line    = space [ comment | [ "export " ] name space "=" space value ] space
//	name    = ( letter | "_" ) { letter | digit | "_" }
//	value   = [ single | double | bare ] [ space comment ]
//	single  = "'" any characters but "'" "'"                  taken literally
//	double  = '"' any characters; \n \r \t \" \\ \$ are escapes '"'
//	bare    = any characters up to " #", without the space around them
//	comment = "#" any characters
//
// A value does not span lines and refers to no other: $NAME is five characters. A name that is set twice is an error,
// because one of the two would be ignored. Errors do not contain the value, which may be a secret.
func parseDotenv(text string) ([]assignment, error) {
	if len(text) > maxDotenv {
		return nil, fmt.Errorf("it has more than %d bytes", maxDotenv)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("it is not text in UTF-8")
	}
	var list []assignment
	seen := make(map[string]int)
	for i, line := range strings.Split(strings.TrimPrefix(text, "\ufeff"), "\n") {
		number := i + 1
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		parts := assigns.FindStringSubmatch(line)
		if parts == nil {
			return nil, fmt.Errorf("line %d: it is neither NAME=value nor a # comment", number)
		}
		name := parts[1]
		value, err := parseValue(parts[2])
		if err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", number, name, err)
		}
		if before, twice := seen[name]; twice {
			return nil, fmt.Errorf("line %d: %s is set already on line %d", number, name, before)
		}
		seen[name] = number
		list = append(list, assignment{name, value, number})
	}
	return list, nil
}

func parseValue(text string) (value string, err error) {
	if !strings.HasPrefix(text, `'`) && !strings.HasPrefix(text, `"`) {
		return comment.ReplaceAllString(text, ""), nil
	}
	parts := quoted.FindStringSubmatch(text)
	switch {
	case parts == nil:
		return "", fmt.Errorf("the closing %c is missing", text[0])
	case parts[3] != "" && parts[3][0] != '#':
		return "", errors.New("there is text after the closing quote")
	case text[0] == '\'':
		return parts[1], nil
	}
	value = escape.ReplaceAllStringFunc(parts[2], func(e string) string {
		plain, ok := escapes[e]
		if !ok {
			err = errors.New(`a backslash may stand only before n, r, t, ", \ and $`)
		}
		return plain
	})
	return value, err
}

// quoteValue writes a value so that parseDotenv reads it back.
func quoteValue(value string) string {
	if bare.MatchString(value) {
		return value
	}
	return `"` + strings.NewReplacer(
		`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "$", `\$`,
	).Replace(value) + `"`
}
