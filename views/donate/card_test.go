package donate

import (
	"bytes"
	"image"
	"image/png"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/florinpay/florin/views"
)

func sample() Card {
	return Card{
		Title: "A warm winter for 120 dogs", By: "Tromsø Animal Shelter",
		Raised: "8,421.50 USD of 12,000 USD raised", Percent: 70, Accent: "#c2185b",
	}
}

func mustDraw(t testing.TB, c Card) image.Image {
	t.Helper()
	data, err := PNG(c)
	if err != nil {
		t.Fatal(err)
	}
	if directory := os.Getenv("FLORIN_SCREENSHOTS"); directory != "" {
		if err := os.WriteFile(
			filepath.Join(directory, strings.ReplaceAll(t.Name(), "/", "-")+".png"), data, 0o600,
		); err != nil {
			t.Fatal(err)
		}
	}
	// Services refuse pictures of more than some hundred kilobytes.
	if len(data) > 100_000 {
		t.Errorf("the picture has %d bytes", len(data))
	}
	picture, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := picture.Bounds().Size(); got != image.Pt(views.ShareWidth, views.ShareHeight) {
		t.Errorf("the picture has the size %v", got)
	}
	return picture
}

// dark counts the pixels of an area that are not paper.
func dark(picture image.Image, area image.Rectangle) int {
	n := 0
	for y := area.Min.Y; y < area.Max.Y; y++ {
		for x := area.Min.X; x < area.Max.X; x++ {
			if r, _, _, _ := picture.At(x, y).RGBA(); r>>8 != uint32(paper.R) {
				n++
			}
		}
	}
	return n
}

var (
	titleArea = image.Rect(edge, titleTop-60, views.ShareWidth-edge, titleTop+2*titleStep+20)
	margin    = image.Rect(views.ShareWidth-edge+4, 20, views.ShareWidth, views.ShareHeight)
)

func TestPNG(t *testing.T) {
	t.Parallel()
	picture := mustDraw(t, sample())
	if dark(picture, titleArea) < 1000 {
		t.Error("the title is not drawn")
	}
	// The bar is full up to 70 %, and no further.
	at := func(percent int) pixel {
		return colourAt(picture, edge+(views.ShareWidth-2*edge)*percent/100, barTop+barHeight/2)
	}
	if at(69) == at(71) || at(1) != at(69) || at(71) != at(99) {
		t.Errorf("the bar is %v, %v, %v, %v at 1, 69, 71 and 99 %%", at(1), at(69), at(71), at(99))
	}
	if dark(picture, margin) > 0 {
		t.Error("something is drawn into the margin")
	}
}

type pixel [3]uint32

func colourAt(picture image.Image, x, y int) pixel {
	r, g, b, _ := picture.At(x, y).RGBA()
	return pixel{r >> 8, g >> 8, b >> 8}
}

// TestPNG_Titles: long, unbroken, foreign and hostile titles stay inside of the picture.
func TestPNG_Titles(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		title string
		drawn bool
	}{
		"long":     {strings.Repeat("A warm winter for all the dogs ", 20), true},
		"unbroken": {strings.Repeat("x", 500), true},
		"cyrillic": {"Тёплая зима для собак", true},
		"accents":  {"Ünïçødé façade in Łódź", true},
		"arabic":   {"شتاء دافئ للكلاب", false},
		"chinese":  {"温暖的冬天", false},
		"emoji":    {"Dogs 🐕 first", true},
		"mixed":    {"Dogs 温暖", false},
		"empty":    {"", false},
		"broken":   {"a\xff\xfe\x00b", true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			x := sample()
			x.Title, x.By = c.title, c.title
			picture := mustDraw(t, x)
			if got := dark(picture, titleArea) > 100; got != c.drawn {
				t.Errorf("the title is drawn: %t, want %t", got, c.drawn)
			}
			if dark(picture, margin) > 0 {
				t.Error("the title reaches into the margin")
			}
		})
	}
}

// TestPNG_Percent: no goal, none of it, all of it and more.
func TestPNG_Percent(t *testing.T) {
	t.Parallel()
	bar := image.Rect(edge, barTop, views.ShareWidth-edge, barTop+barHeight)
	for percent, shown := range map[int]bool{-1: false, 0: true, 100: true, 250: true} {
		c := sample()
		c.Percent = percent
		picture := mustDraw(t, c)
		if got := dark(picture, bar) > 0; got != shown {
			t.Errorf("at %d %% a bar is drawn: %t, want %t", percent, got, shown)
		}
		if dark(picture, margin) > 0 {
			t.Errorf("at %d %% the bar reaches into the margin", percent)
		}
	}
}

// FuzzPNG: any text makes a picture.
func FuzzPNG(f *testing.F) {
	f.Add("A warm winter", "#fff", 7)
	f.Add("\x00\u202e", "red;}", -5)
	f.Fuzz(func(t *testing.T, text, accent string, percent int) {
		if len(text) > 4<<10 {
			return
		}
		if _, err := PNG(
			Card{Title: text, By: text, Raised: "1 USD raised", Percent: percent, Accent: accent},
		); err != nil {
			t.Errorf("%q: %v", text, err)
		}
	})
}

func BenchmarkPNG(b *testing.B) {
	for b.Loop() {
		if _, err := PNG(sample()); err != nil {
			b.Fatal(err)
		}
	}
}
