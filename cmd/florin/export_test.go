package main

import (
	"io"

	"github.com/alecthomas/kong"
)

// newParser returns the parser of the command line, which prints nothing.
func newParser() (*kong.Kong, error) {
	return kong.New(&commands{}, kong.Name("florin"), kong.Writers(io.Discard, io.Discard), kong.Exit(func(int) {}))
}

// Parse fails unless the arguments are a command with flags that it has.
func Parse(args []string) error {
	p, err := newParser()
	if err != nil {
		return err
	}
	_, err = p.Parse(args)
	return err
}

// Helps returns the text of --help of every command.
func Helps() (map[string]string, error) {
	p, err := newParser()
	if err != nil {
		return nil, err
	}
	helps := make(map[string]string)
	for _, leaf := range p.Model.Leaves(false) {
		helps[leaf.Path()] = leaf.Detail
	}
	return helps, nil
}

// FlagsOf returns the longest command that the words begin with, its flags and those of the program.
func FlagsOf(words []string) (command []string, flags map[string]bool, err error) {
	p, err := newParser()
	if err != nil {
		return nil, nil, err
	}
	node := p.Model.Node
	flags = make(map[string]bool)
	for {
		for _, f := range node.Flags {
			flags["--"+f.Name] = true
		}
		var next *kong.Node
		for _, child := range node.Children {
			if len(command) < len(words) && child.Name == words[len(command)] {
				next = child
			}
		}
		if next == nil {
			return command, flags, nil
		}
		node, command = next, append(command, next.Name)
	}
}
