package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"strings"
)

const (
	prefix     = "FLORIN_"
	fileSuffix = "_FILE"
	// maxSecretFile bounds a file that holds a secret, in bytes.
	maxSecretFile = 64 << 10
)

// gather returns the values that are set and not empty, by name. The
// environment goes before the .env file; other programs' names are left out.
func gather(environ []string, dotenv string) (map[string]string, error) {
	values := make(map[string]string)
	if dotenv != "" {
		list, err := readDotenv(dotenv)
		if err != nil {
			return nil, err
		}
		for _, a := range list {
			keep(values, a.name, a.value)
		}
	}
	for _, e := range environ {
		name, value, _ := strings.Cut(e, "=")
		keep(values, name, value)
	}
	return values, nil
}

func keep(values map[string]string, name, value string) {
	if strings.HasPrefix(name, prefix) && value != "" {
		values[name] = value
	}
}

func readDotenv(path string) ([]assignment, error) {
	text, err := readFile(path, maxDotenv)
	if err != nil {
		return nil, Problems{{path, err.Error()}}
	}
	list, err := parseDotenv(text)
	if err != nil {
		return nil, Problems{{path, err.Error()}}
	}
	return list, nil
}

// readFile reads a small file. Its errors say why in a few words.
func readFile(path string, most int64) (string, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("there is no file %s", path)
	case errors.Is(err, fs.ErrPermission):
		return "", fmt.Errorf("the file %s may not be read by this user", path)
	case err != nil:
		return "", fmt.Errorf("the file %s cannot be read: %w", path, err)
	case info.IsDir():
		return "", fmt.Errorf("%s is a directory, not a file", path)
	case info.Size() > most:
		return "", fmt.Errorf("the file %s has more than %d bytes", path, most)
	}
	b, err := os.ReadFile(path)
	if err != nil {
		return "", fmt.Errorf("the file %s cannot be read: %w", path, err)
	}
	return string(b), nil
}

// take returns the text of a variable and removes it from the values: what is
// left over at the end is unknown. The text is empty if it is not set.
func take(values map[string]string, v variable) (string, error) {
	text := values[v.name]
	delete(values, v.name)
	if !v.secret {
		return text, nil
	}
	path := values[v.name+fileSuffix]
	delete(values, v.name+fileSuffix)
	if path == "" {
		return text, nil
	}
	if text != "" {
		return "", fmt.Errorf("it is set as well as %s%s; leave one of them out", v.name, fileSuffix)
	}
	text, err := readFile(path, maxSecretFile)
	if err != nil {
		return "", fmt.Errorf("%s%s: %w", v.name, fileSuffix, err)
	}
	text = strings.TrimRight(text, "\r\n")
	if text == "" {
		return "", fmt.Errorf("%s%s: the file %s is empty", v.name, fileSuffix, path)
	}
	return text, nil
}

// unknown lists the names nobody took, each with the known one it looks like.
func unknown(values map[string]string, table []variable) (problems Problems) {
	for name := range values {
		reason := "there is no such setting"
		if like := closest(name, table); like != "" {
			reason += "; did you mean " + like + "?"
		}
		problems = append(problems, Problem{name, reason})
	}
	slices.SortFunc(problems, func(a, b Problem) int { return strings.Compare(a.Name, b.Name) })
	return problems
}

// maxTypos is how many letters a name may be off and still be meant.
const maxTypos = 3

func closest(name string, table []variable) string {
	best, distance := "", maxTypos+1
	for _, v := range table {
		if d := typos(name, v.name); d < distance {
			best, distance = v.name, d
		}
	}
	return best
}

// typos returns how many letters must be put in, taken out or changed to turn
// one name into the other (Levenshtein distance).
func typos(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
