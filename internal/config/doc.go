// Package config turns the environment into one checked value. Nothing else in the program reads the environment, and
// there are no globals.
//
// Its one invariant: a Config that Load returned is complete and consistent. Every FLORIN_ name is known and every
// value has been parsed. Load reports all problems at once, each with the name of the setting and the reason, and
// never with the value, which may be a secret.
//
// A value comes from the environment, then from the .env file, then from the default. An empty value counts as not
// set. A secret may also be in a file whose path NAME_FILE gives; the line break at its end is dropped.
package config
