package config

import (
	"errors"
	"fmt"
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

// parseDotenv reads a .env file. Its grammar, line by line:
//
//	line    = space [ comment | [ "export " ] name space "=" space value ] space
//	name    = ( letter | "_" ) { letter | digit | "_" }
//	value   = [ single | double | bare ] [ space comment ]
//	single  = "'" any characters but "'" "'"                  taken to the letter
//	double  = '"' any characters; \n \r \t \" \\ \$ are escapes '"'
//	bare    = any characters up to " #", without the space around them
//	comment = "#" any characters
//
// A value does not span lines and refers to no other: $NAME is five characters.
// A name that is set twice is an error, for one of the two would be ignored.
func parseDotenv(text string) ([]assignment, error) {
	if len(text) > maxDotenv {
		return nil, fmt.Errorf("it has more than %d bytes", maxDotenv)
	}
	if !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
		return nil, errors.New("it is not text in UTF-8")
	}
	text = strings.TrimPrefix(text, "\ufeff")
	var list []assignment
	seen := make(map[string]int)
	for i, line := range strings.Split(text, "\n") {
		number := i + 1
		a, ok, err := parseLine(strings.TrimSpace(line))
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if !ok {
			continue
		}
		if before, twice := seen[a.name]; twice {
			return nil, fmt.Errorf("line %d: %s is set already on line %d", number, a.name, before)
		}
		seen[a.name], a.line = number, number
		list = append(list, a)
	}
	return list, nil
}

// parseLine reads one line without the space around it; ok is false for one
// that assigns nothing. Errors do not hold the value: it may be a secret.
func parseLine(line string) (a assignment, ok bool, err error) {
	if line == "" || line[0] == '#' {
		return a, false, nil
	}
	if rest, found := strings.CutPrefix(line, "export "); found {
		line = strings.TrimSpace(rest)
	}
	name, value, found := strings.Cut(line, "=")
	name = strings.TrimSpace(name)
	if !found || !isName(name) {
		return a, false, errors.New("it is neither NAME=value nor a # comment")
	}
	value, err = parseValue(strings.TrimSpace(value))
	if err != nil {
		return a, false, fmt.Errorf("%s: %w", name, err)
	}
	return assignment{name: name, value: value}, true, nil
}

func isName(s string) bool {
	for i := range len(s) {
		c := s[i]
		letter := c == '_' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return s != ""
}

func parseValue(text string) (string, error) {
	if text == "" || text[0] == '#' {
		return "", nil
	}
	var value, rest string
	switch text[0] {
	case '\'':
		end := strings.IndexByte(text[1:], '\'')
		if end < 0 {
			return "", errors.New("the closing ' is missing")
		}
		value, rest = text[1:1+end], text[2+end:]
	case '"':
		var err error
		if value, rest, err = parseDouble(text[1:]); err != nil {
			return "", err
		}
	default:
		value, _, _ = strings.Cut(strings.ReplaceAll(text, "\t#", " #"), " #")
		return strings.TrimSpace(value), nil
	}
	if rest = strings.TrimSpace(rest); rest != "" && rest[0] != '#' {
		return "", errors.New("there is text after the closing quote")
	}
	return value, nil
}

// parseDouble reads what follows a double quote, up to the closing one.
func parseDouble(text string) (value, rest string, err error) {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; c {
		case '"':
			return b.String(), text[i+1:], nil
		case '\\':
			i++
			if i == len(text) {
				return "", "", errors.New(`the closing " is missing`)
			}
			plain, ok := escapes[text[i]]
			if !ok {
				return "", "", errors.New(`a backslash may stand only before n, r, t, ", \ and $`)
			}
			b.WriteByte(plain)
		default:
			b.WriteByte(c)
		}
	}
	return "", "", errors.New(`the closing " is missing`)
}

var escapes = map[byte]byte{'n': '\n', 'r': '\r', 't': '\t', '"': '"', '\\': '\\', '$': '$'}

// quoteValue writes a value so that parseDotenv reads it back.
func quoteValue(value string) string {
	if value != "" && strings.Trim(value, plainCharacters) == "" {
		return value
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`, "\r", `\r`, "\t", `\t`, "$", `\$`).Replace(value) + `"`
}

const plainCharacters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+=.,:/?&@%*~[]<>"
