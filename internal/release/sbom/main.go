// Command sbom prints what a Go program is made of, as CycloneDX 1.5: `sbom PROGRAM` reads the modules that the build
// has recorded in it. The same program always gives the same text.
package main

import (
	"crypto/sha256"
	"debug/buildinfo"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
)

// document is a bill of materials: https://cyclonedx.org/docs/1.5/json/.
type document struct {
	Format     string      `json:"bomFormat"`
	Spec       string      `json:"specVersion"`
	Serial     string      `json:"serialNumber"`
	Version    int         `json:"version"`
	Metadata   metadata    `json:"metadata"`
	Components []component `json:"components"`
}

type metadata struct {
	Component component `json:"component"`
}

// component is the program, a module in it, or Go's standard library.
type component struct {
	Type       string     `json:"type"`
	Reference  string     `json:"bom-ref"` //nolint:tagliatelle // the standard
	Name       string     `json:"name"`
	Version    string     `json:"version"`
	PURL       string     `json:"purl,omitempty"`
	Hashes     []hash     `json:"hashes,omitempty"`
	Properties []property `json:"properties,omitempty"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

type property struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: sbom PROGRAM")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func run(program string, w io.Writer) error {
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		return fmt.Errorf("read the build of %s: %w", program, err)
	}
	sum, err := sumOf(program)
	if err != nil {
		return err
	}
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	if err := e.Encode(bill(filepath.Base(program), sum, info)); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

// sumOf returns the SHA-256 of a file.
func sumOf(file string) (sum [sha256.Size]byte, err error) {
	f, err := os.Open(file)
	if err != nil {
		return sum, fmt.Errorf("open %s: %w", file, err)
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return sum, fmt.Errorf("read %s: %w", file, err)
	}
	h.Sum(sum[:0])
	return sum, nil
}

// bill lists the modules of a program.
func bill(name string, sum [sha256.Size]byte, info *debug.BuildInfo) document {
	own := module(info.Main)
	own.Type, own.Reference, own.Name = "application", name, name
	own.Hashes = []hash{{"SHA-256", hex.EncodeToString(sum[:])}}
	d := document{
		Format: "CycloneDX", Spec: "1.5", Serial: serial(sum), Version: 1, Metadata: metadata{own},
		Components: []component{{
			Type: "library", Reference: "std", Name: "std", Version: info.GoVersion,
			PURL: "pkg:golang/std@" + info.GoVersion,
		}},
	}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		d.Components = append(d.Components, module(*m))
	}
	return d
}

func module(m debug.Module) component {
	c := component{
		Type: "library", Reference: m.Path + "@" + m.Version, Name: m.Path, Version: m.Version,
		PURL: "pkg:golang/" + m.Path + "@" + m.Version,
	}
	if m.Sum != "" { // as in go.sum
		c.Properties = []property{{"go:sum", m.Sum}}
	}
	return c
}

// serial makes a UUID (RFC 9562, version 8) of the sum.
func serial(sum [sha256.Size]byte) string {
	u := sum[:16]
	u[6] = u[6]&0x0f | 0x80
	u[8] = u[8]&0x3f | 0x80
	return fmt.Sprintf("urn:uuid:%x-%x-%x-%x-%x", u[:4], u[4:6], u[6:8], u[8:10], u[10:16])
}
