package draw

// Series colours. The categorical list is ordered so that neighbours differ in
// lightness as well as in hue, which keeps them apart for colour-blind readers;
// the ramps run from light to dark so that many series still show an order.
func categorical() []Color {
	return []Color{
		RGB(0x3b6fd4), RGB(0xf0a30a), RGB(0x1f9e89), RGB(0xe0574f), RGB(0x8e5bd0), RGB(0x57b8e8),
		RGB(0xb5631a), RGB(0x7cb342), RGB(0xd7569b), RGB(0x6c7a89), RGB(0x2e4f9e), RGB(0xc9b11d),
	}
}

// ramp returns the colours of a named ramp, nil when there is none. The names are
// places on the colour wheel.
func ramp(name string) []Color {
	switch name {
	case "cool":
		return []Color{RGB(0x8fd3c8), RGB(0x4aa8d8), RGB(0x3b6fd4), RGB(0x4b3fa0), RGB(0x2b2a5f)}
	case "warm":
		return []Color{RGB(0xffc857), RGB(0xf7934c), RGB(0xe8604c), RGB(0xc2334d), RGB(0x7d1d3f)}
	case "purple":
		return []Color{RGB(0xc9b3ee), RGB(0xa07fe0), RGB(0x7a52c7), RGB(0x57349b), RGB(0x37206b)}
	case "orange":
		return []Color{RGB(0xffd08a), RGB(0xffaa4d), RGB(0xf4841f), RGB(0xc9610b), RGB(0x8a3f05)}
	case "blue":
		return []Color{RGB(0xa9cdf7), RGB(0x6fa8ee), RGB(0x3b7fdc), RGB(0x235bb0), RGB(0x163a78)}
	case "green":
		return []Color{RGB(0xb4e0a6), RGB(0x7cc576), RGB(0x43a35a), RGB(0x237a45), RGB(0x11502e)}
	case "red":
		return []Color{RGB(0xf7b5ae), RGB(0xef7f76), RGB(0xdc4b48), RGB(0xb02a33), RGB(0x761a24)}
	case "gray", "grey":
		return []Color{RGB(0xc3cad3), RGB(0x9aa5b1), RGB(0x74808d), RGB(0x515c68), RGB(0x343c45)}
	default:
		return nil
	}
}

// SeriesColor returns the colour of series i of n in the named palette. Names
// that are not ramps mean the categorical list.
func SeriesColor(name string, i, n int) Color {
	if r := ramp(name); r != nil {
		if n <= 1 {
			return r[2]
		}
		return along(r, uint32(i*256/(n-1)))
	}
	list := categorical()
	c := list[i%len(list)]
	// Later rounds of the list are shifted so that the thirteenth series is
	// not the twin of the first.
	if round := i / len(list) % 4; round > 0 {
		c = c.Mix(RGB(0x101820), uint32(round)*52)
	}
	return c
}

// Known reports whether name is a palette with colours of its own.
func Known(name string) bool { return ramp(name) != nil }

// Heat returns the colour of a density between 0 and 256 for heat maps.
func Heat(name string, dark bool, t uint32) Color {
	r := ramp(name)
	if r == nil {
		r = []Color{RGB(0xdce6f7), RGB(0x9dbcee), RGB(0x5f86dd), RGB(0x5b4fbf), RGB(0x8a2f8f), RGB(0x5c1349)}
		if dark {
			r = []Color{RGB(0x24304a), RGB(0x2f5597), RGB(0x3f8fc4), RGB(0x57c5b0), RGB(0xb8de6a), RGB(0xfdf3a7)}
		}
	}
	return along(r, t)
}

// along interpolates in a list of colours, t from 0 to 256.
func along(r []Color, t uint32) Color {
	pos := min(t, 256) * uint32(len(r)-1)
	i := pos / 256
	if int(i) >= len(r)-1 {
		return r[len(r)-1]
	}
	return r[i].Mix(r[i+1], pos%256)
}

// Theme is the colours of everything that is not data.
type Theme struct {
	Dark                                    bool
	Background, Text, Muted, Grid, Axis     Color
	Band, Good, Warning, Bad, Neutral, Info Color
}

// Light is dark ink on white.
func Light() Theme {
	return Theme{
		Background: RGB(0xffffff), Text: RGB(0x1c2733), Muted: RGB(0x66737f), Grid: RGB(0xe9edf1), Axis: RGB(0xbcc5ce),
		Band: RGB(0xe2a33b), Good: RGB(0x2e9e5b), Warning: RGB(0xe09a1a), Bad: RGB(0xd64545), Neutral: RGB(0x74808d),
		Info: RGB(0x3b6fd4),
	}
}

// Dark is light ink on a blue black.
func Dark() Theme {
	return Theme{
		Dark: true, Background: RGB(0x151b23), Text: RGB(0xe8edf2), Muted: RGB(0x94a1ae), Grid: RGB(0x252d38),
		Axis: RGB(0x45515e),
		Band: RGB(0xe2a33b), Good: RGB(0x4cc37d), Warning: RGB(0xf0b13c), Bad: RGB(0xf06a67), Neutral: RGB(0x94a1ae),
		Info: RGB(0x6d9bf0),
	}
}
