//go:build !linux

package main

import (
	"io/fs"
	"os"
)

// harden does something on Linux only.
func harden() {}

// keepOwner does something on Linux only.
func keepOwner(*os.File, fs.FileInfo) error { return nil }
