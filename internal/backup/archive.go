package backup

import (
	"archive/tar"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"filippo.io/age"
	"github.com/klauspost/compress/zstd"
)

// The files of the archive, in their order.
const (
	manifestName = "manifest.json"
	databaseName = "florin.db"
)

// maxManifest bounds what is read before anything is verified.
const maxManifest = 1 << 20

// windowBytes bounds the memory that a hostile archive can make a reader take.
const windowBytes = 8 << 20

// Write writes the archive, which only the recipients can open.
func Write(w io.Writer, to []age.Recipient, m Manifest, database io.Reader) error {
	text, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("manifest: %w", err)
	}
	sealed, err := age.Encrypt(w, to...)
	if err != nil {
		return fmt.Errorf("encrypt: %w", err)
	}
	packed, err := zstd.NewWriter(sealed, zstd.WithWindowSize(windowBytes))
	if err != nil {
		return fmt.Errorf("compress: %w", err)
	}
	files := tar.NewWriter(packed)
	err = errors.Join(
		writeFile(files, manifestName, int64(len(text)), m.CreatedAt, bytes.NewReader(text)),
		writeFile(files, databaseName, m.Size, m.CreatedAt, database))
	if err != nil {
		_ = packed.Close()
		return err
	}
	return errors.Join(files.Close(), packed.Close(), sealed.Close())
}

func writeFile(files *tar.Writer, name string, size int64, at time.Time, content io.Reader) error {
	err := files.WriteHeader(&tar.Header{
		Typeflag: tar.TypeReg, Name: name, Size: size, Mode: 0o600, ModTime: at, Format: tar.FormatPAX,
	})
	if err == nil {
		_, err = io.Copy(files, content)
	}
	if err != nil {
		return fmt.Errorf("write %s into the backup: %w", name, err)
	}
	return nil
}

// Archive is a backup that is being read.
type Archive struct {
	Manifest Manifest // not verified: see Manifest.Check

	files  *tar.Reader
	packed *zstd.Decoder
}

// ErrDamaged: the archive is cut short, or something in it was changed.
var ErrDamaged = errors.New("the backup is damaged")

// Open decrypts the archive with one of the identities and reads its manifest. The caller closes it.
func Open(r io.Reader, with ...age.Identity) (*Archive, error) {
	plain, err := age.Decrypt(r, with...)
	if wrong := (*age.NoIdentityMatchError)(nil); errors.As(err, &wrong) {
		return nil, errors.New("the backup was not made for this passphrase or identity")
	}
	if err != nil {
		return nil, fmt.Errorf("open the backup: %w", err)
	}
	packed, err := zstd.NewReader(plain, zstd.WithDecoderMaxWindow(windowBytes))
	if err != nil {
		return nil, fmt.Errorf("open the backup: %w", err)
	}
	a := &Archive{files: tar.NewReader(packed), packed: packed}
	if err := a.readManifest(); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// Close frees what the archive holds. It does not close the reader below it.
func (a *Archive) Close() { a.packed.Close() }

func (a *Archive) readManifest() error {
	if _, err := a.next(manifestName); err != nil {
		return err
	}
	text, err := io.ReadAll(io.LimitReader(a.files, maxManifest))
	if err != nil {
		return fmt.Errorf("manifest: %w: %w", ErrDamaged, err)
	}
	if err := json.Unmarshal(text, &a.Manifest); err != nil {
		return fmt.Errorf("manifest: %w: %w", ErrDamaged, err)
	}
	return nil
}

func (a *Archive) next(name string) (*tar.Header, error) {
	h, err := a.files.Next()
	if err != nil || h.Name != name || h.Typeflag != tar.TypeReg {
		return nil, errors.Join(fmt.Errorf("%s is missing: %w", name, ErrDamaged), err)
	}
	return h, nil
}

// Extract writes the database to w, once, and verifies its size and hash and that the archive ends after it.
func (a *Archive) Extract(w io.Writer) error {
	h, err := a.next(databaseName)
	if err != nil {
		return err
	}
	if h.Size != a.Manifest.Size {
		return fmt.Errorf("the database has %d bytes, not %d: %w", h.Size, a.Manifest.Size, ErrDamaged)
	}
	sum := sha256.New()
	from := &reading{r: a.files}
	if _, err := io.Copy(io.MultiWriter(w, sum), from); err != nil {
		if from.failed {
			err = fmt.Errorf("%w: %w", ErrDamaged, err)
		}
		return fmt.Errorf("database: %w", err)
	}
	if hex.EncodeToString(sum.Sum(nil)) != a.Manifest.SHA256 {
		return fmt.Errorf("the database has another hash than its manifest: %w", ErrDamaged)
	}
	if _, err := a.files.Next(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("after the database: %w", ErrDamaged)
	}
	// The end of the encrypted stream is authenticated only when it is read.
	if n, err := io.Copy(io.Discard, io.LimitReader(a.packed, maxManifest)); err != nil || n == maxManifest {
		return fmt.Errorf("after the database: %w", ErrDamaged)
	}
	return nil
}

// reading remembers whether a copy failed on the side that is read.
type reading struct {
	r      io.Reader
	failed bool
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.r.Read(p)
	r.failed = err != nil && !errors.Is(err, io.EOF)
	return n, err //nolint:wrapcheck // a reader passes io.EOF on as it is
}
