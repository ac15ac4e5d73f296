package places

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/analytics/ranking"
)

// importBatch is how many places are committed together.
const importBatch = 2000

// Report is what became of one file.
type Report struct {
	File   string `json:"file"`
	Places int    `json:"places"`
}

// Import reads a file of places and stores them in batches, so that memory
// stays bounded. What was stored before an error stays: the next try replaces it.
func (x *Index) Import(ctx context.Context, name string, progress func(module.Progress)) (Report, error) {
	report := Report{File: name}
	f, err := os.Open(name)
	if err != nil {
		return report, module.Fail(module.NotFound, "check the name", "%w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return report, err
	}
	counted := &countingReader{r: f}
	batch := make([]ranking.Place, 0, importBatch)
	flush := func() error {
		if err := x.Put(ctx, batch); err != nil {
			return err
		}
		report.Places += len(batch)
		batch = batch[:0]
		progress(module.Progress{Done: counted.n, Total: info.Size(), Note: strconv.Itoa(report.Places) + " places"})
		return nil
	}
	err = readPlaces(bufio.NewReaderSize(counted, 1<<18), func(p ranking.Place) error {
		if batch = append(batch, p); len(batch) < importBatch {
			return nil
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	if err != nil {
		return report, fmt.Errorf("%s: after %d places: %w", filepath.Base(name), report.Places, err)
	}
	return report, nil
}

// countingReader counts the bytes read so far.
type countingReader struct {
	r io.Reader
	n int64
}

func (c *countingReader) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	return n, err
}

// readPlaces chooses the format: GeoJSON starts with a brace.
func readPlaces(r *bufio.Reader, each func(ranking.Place) error) error {
	start, err := r.Peek(min(512, r.Size()))
	if len(start) == 0 {
		return fmt.Errorf("the file is empty: %w", err)
	}
	if bytes.HasPrefix(bytes.TrimSpace(bytes.TrimPrefix(start, []byte("\ufeff"))), []byte("{")) {
		return readGeoJSON(r, each)
	}
	return readCSV(r, each)
}

func readCSV(r *bufio.Reader, each func(ranking.Place) error) error {
	if start, _ := r.Peek(3); string(start) == "\ufeff" {
		_, _ = r.Discard(3) // they were peeked, so they are there
	}
	table := csv.NewReader(r)
	table.ReuseRecord = true
	header, err := table.Read()
	if err != nil {
		return err
	}
	column := map[string]int{}
	for i, name := range header {
		column[strings.ToLower(strings.TrimSpace(name))] = i
	}
	for _, name := range []string{"id", "name", "lat", "lng"} {
		if _, ok := column[name]; !ok {
			return fmt.Errorf("the header has no column %s", name)
		}
	}
	for {
		record, err := table.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		line, _ := table.FieldPos(0)
		p, err := placeOf(func(name string) string {
			if i, ok := column[name]; ok {
				// The record is used again; the place is kept.
				return strings.Clone(strings.TrimSpace(record[i]))
			}
			return ""
		})
		if err != nil {
			return fmt.Errorf("line %d: %w", line, err)
		}
		if err := each(p); err != nil {
			return err
		}
	}
}

// placeOf makes a place of named texts and checks it.
func placeOf(get func(string) string) (ranking.Place, error) {
	p := ranking.Place{
		ID: get("id"), CID: get("cid"), Name: get("name"), Address: get("address"),
		Country: strings.ToUpper(get("country")),
	}
	for _, n := range []struct {
		name string
		to   *float64
	}{{"lat", &p.Lat}, {"lng", &p.Lng}, {"rating", &p.Rating}} {
		text := get(n.name)
		if text == "" && n.name == "rating" {
			continue
		}
		var err error
		if *n.to, err = strconv.ParseFloat(text, 64); err != nil {
			return p, fmt.Errorf("%s is %q, not a number", n.name, text)
		}
	}
	if text := get("reviews"); text != "" {
		var err error
		if p.Reviews, err = strconv.ParseInt(text, 10, 64); err != nil {
			return p, fmt.Errorf("reviews is %q, not a whole number", text)
		}
	}
	for category := range strings.SplitSeq(get("categories"), "|") {
		if category = strings.Join(strings.Fields(category), " "); category != "" {
			p.Categories = append(p.Categories, category)
		}
	}
	return p, checkPlace(&p)
}

func checkPlace(p *ranking.Place) error {
	const maxText = 1024
	for _, text := range append([]string{p.ID, p.CID, p.Name, p.Address, p.Country}, p.Categories...) {
		if len(text) > maxText || !utf8.ValidString(text) || strings.ContainsRune(text, 0) {
			return fmt.Errorf("a text is longer than %d bytes or not UTF-8", maxText)
		}
	}
	switch {
	case p.ID == "" || p.Name == "":
		return errors.New("id and name must not be empty")
	case strings.ContainsFunc(p.ID+p.CID, unicode.IsControl):
		return errors.New("id and cid must not contain control characters")
	case !p.At().Valid():
		return fmt.Errorf("lat %v and lng %v are not on the globe", p.Lat, p.Lng)
	case !(p.Rating >= 0 && p.Rating <= 5):
		return fmt.Errorf("rating is %v, not 0 to 5", p.Rating)
	case p.Reviews < 0:
		return fmt.Errorf("reviews is %d, below 0", p.Reviews)
	}
	if p.CID == "" {
		p.CID = CID(p.ID)
	}
	return nil
}

// featureJSON is a point of GeoJSON.
type featureJSON struct {
	ID         any            `json:"id"`
	Properties map[string]any `json:"properties"`
	Geometry   struct {
		Type        string    `json:"type"`
		Coordinates []float64 `json:"coordinates"`
	} `json:"geometry"`
}

// readGeoJSON reads the features of a collection one after the other.
func readGeoJSON(r io.Reader, each func(ranking.Place) error) error {
	d := json.NewDecoder(r)
	d.UseNumber()
	for {
		token, err := d.Token()
		if err != nil {
			return fmt.Errorf("there is no list of features: %w", err)
		}
		if token == "features" {
			break
		}
	}
	if token, err := d.Token(); err != nil || token != json.Delim('[') {
		return errors.New("features is not a list")
	}
	for n := 0; d.More(); n++ {
		var f featureJSON
		if err := d.Decode(&f); err != nil {
			return fmt.Errorf("feature %d: %w", n, err)
		}
		p, err := f.place()
		if err != nil {
			return fmt.Errorf("feature %d: %w", n, err)
		}
		if err := each(p); err != nil {
			return err
		}
	}
	return nil
}

func (f featureJSON) place() (ranking.Place, error) {
	if f.Geometry.Type != "Point" || len(f.Geometry.Coordinates) < 2 {
		return ranking.Place{}, fmt.Errorf("the geometry is %q, not a Point with two coordinates", f.Geometry.Type)
	}
	return placeOf(func(name string) string {
		switch name {
		case "lng":
			return strconv.FormatFloat(f.Geometry.Coordinates[0], 'g', -1, 64)
		case "lat":
			return strconv.FormatFloat(f.Geometry.Coordinates[1], 'g', -1, 64)
		case "id":
			if f.ID != nil {
				return fmt.Sprint(f.ID)
			}
		}
		switch v := f.Properties[name].(type) {
		case nil:
			return ""
		case []any:
			var parts []string
			for _, part := range v {
				parts = append(parts, fmt.Sprint(part))
			}
			return strings.Join(parts, "|")
		default:
			return fmt.Sprint(v)
		}
	})
}
