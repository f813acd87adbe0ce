// Package config turns the environment into one checked value. Nothing else in
// the program reads the environment, and there are no globals.
//
// Its one invariant: a Config that Load returned is whole and consistent.
// Every FLORIN_ name is known, every value has been parsed, and what is wrong
// is told all at once, by name, with the reason and without the value of a
// secret.
//
// A value comes from the environment, or else from the .env file, or else it
// is the default. An empty value counts as none. A secret may also stand in a
// file, whose path NAME_FILE gives; the line break at its end is left out.
package config
