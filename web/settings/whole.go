package settings

import (
	"bytes"
	"encoding/binary"
)

// A polyglot is a picture to one reader and a script, page or archive to another. Most use room that no picture needs:
// bytes after the end. These functions walk the parts of a file and require that the last one ends with the file.

var pngHead = []byte("\x89PNG\r\n\x1a\n")

// wholePNG walks the chunks (PNG third edition, section 5).
func wholePNG(b []byte) bool {
	const around = 12 // length, type and checksum of a chunk
	for at := len(pngHead); at+around <= len(b); {
		size := int64(binary.BigEndian.Uint32(b[at:]))
		if size > int64(len(b)-at-around) {
			return false
		}
		if string(b[at+4:at+8]) == "IEND" {
			return size == 0 && at+around == len(b)
		}
		at += around + int(size)
	}
	return false
}

// Markers of JPEG (ITU-T T.81, annex B).
const (
	startOfScan = 0xda
	endOfImage  = 0xd9
	stuffing    = 0x00
	restart0    = 0xd0
	restart7    = 0xd7
)

// wholeJPEG walks the segments and the coded data between them.
func wholeJPEG(b []byte) bool {
	for at := 2; at+2 <= len(b); {
		if b[at] != 0xff {
			return false
		}
		marker := b[at+1]
		if marker == 0xff { // fill
			at++
			continue
		}
		if marker == endOfImage {
			return at+2 == len(b)
		}
		if at+4 > len(b) {
			return false
		}
		at += 2 + int(binary.BigEndian.Uint16(b[at+2:]))
		if marker == startOfScan {
			at = endOfScan(b, at)
		}
	}
	return false
}

// endOfScan returns the position of the next marker that is not part of coded data.
func endOfScan(b []byte, at int) int {
	for at+1 < len(b) {
		next := bytes.IndexByte(b[at:], 0xff)
		if next < 0 || at+next+1 >= len(b) {
			return len(b)
		}
		at += next
		if m := b[at+1]; m != stuffing && (m < restart0 || m > restart7) {
			return at
		}
		at += 2
	}
	return len(b)
}

// wholeWebP compares the length of the container with that of the file (RFC 9649, section 2.4).
func wholeWebP(b []byte) bool {
	const head = 8
	return int64(binary.LittleEndian.Uint32(b[4:]))+head == int64(len(b))
}
