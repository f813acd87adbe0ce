package config

import "strings"

// Problem is one thing that is wrong, by the name of the variable.
type Problem struct {
	Name   string
	Reason string // without the value of a secret
}

// Problems is everything that is wrong with the configuration. It is the error
// that Load returns.
type Problems []Problem

// Error returns all problems on one line.
func (p Problems) Error() string {
	texts := make([]string, len(p))
	for i, x := range p {
		texts[i] = x.Name + ": " + x.Reason
	}
	return strings.Join(texts, "; ")
}

func (p *Problems) add(name string, err error) {
	if err != nil {
		*p = append(*p, Problem{Name: name, Reason: err.Error()})
	}
}
