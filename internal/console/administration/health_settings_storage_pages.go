package administration

import (
	"bytes"
	"context"
	"errors"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/console/design"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/platform/resource"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/world"
)

// Setting is one value of the configuration, with secrets masked.
type Setting struct {
	// Name is its path in the file, Variable its name in the environment.
	Name, Variable string
	Value, Default string
	// Changed means that it is not what the program comes with.
	Changed bool
	// Meaning is what it is for, Origin where the value comes from: default, file,
	// environment, flag or program.
	Meaning, Origin string
}

// Facts are what the pages tell about.
type Facts struct {
	World    *world.World
	Modules  []module.Module
	Settings func() []Setting
	Version  string
	Query    url.Values
	// Elsewhere is what a backup cannot copy, empty when it copies all; Restore is the
	// command that brings one back, and Form the token of the page's form.
	Elsewhere, Restore, Form string
}

// Page is the content of a page.
type Page struct {
	Title string
	HTML  template.HTML
}

// Link is an entry of the navigation.
type Link struct{ Name, Title, URL string }

// Links are the pages.
func Links() []Link {
	return []Link{
		{"health", "Health", Base + "/health"}, {"settings", "Settings", Base + "/settings"},
		{"storage", "Storage", Base + "/storage"}, {"backup", "Backup", Base + "/backup"},
	}
}

// checkTime bounds the health checks.
const checkTime = 3 * time.Second

// Show makes a page; route.ErrNoRoute where there is none of the name.
func Show(ctx context.Context, name string, f Facts) (Page, error) {
	switch name {
	case "health":
		return render("health", "Health", health(ctx, f))
	case "settings":
		return render("settings", "Settings", chooseSettings(f))
	case "backup":
		return render("backup", "Backup", f)
	case "storage":
		s, err := storage(f.World)
		if err != nil {
			return Page{}, err
		}
		return render("storage", "Storage", s)
	}
	return Page{}, route.ErrNoRoute
}

func render(name, title string, data any) (Page, error) {
	t, err := template.New("administration").Funcs(design.Functions()).Parse(pages)
	if err != nil {
		return Page{}, err
	}
	var out bytes.Buffer
	if err := t.ExecuteTemplate(&out, name, data); err != nil {
		return Page{}, err
	}
	return Page{title, template.HTML(out.String())}, nil //nolint:gosec // html/template escaped it
}

type checked struct{ Title, Problem string }

type healthBody struct {
	Version, Engine, Dialect string
	Now                      time.Time
	Unhealthy                int
	Checks                   []checked
}

func health(ctx context.Context, f Facts) healthBody {
	ctx, cancel := context.WithTimeout(ctx, checkTime)
	defer cancel()
	body := healthBody{
		Version: f.Version, Engine: string(f.World.DB.Engine()), Now: f.World.Clock.Now(), Dialect: "neutral",
	}
	if f.World.Dialect.SDK() {
		body.Dialect = "sdk"
	}
	for _, m := range f.Modules {
		c := checked{Title: m.Title}
		if m.Check != nil {
			if err := m.Check(ctx); err != nil {
				c.Problem = err.Error()
				body.Unhealthy++
			}
		}
		body.Checks = append(body.Checks, c)
	}
	return body
}

type settingsBody struct {
	Text    string
	Changed bool
	List    []Setting
	All     int
	// First and Next lead to other pages of the list.
	First, Next string
}

// maxSettings is how many settings one page shows.
const maxSettings = resource.PageRows

// settingsPath is the address of the page.
const settingsPath = Base + "/settings"

func containsFold(text, part string) bool {
	return strings.Contains(strings.ToLower(text), strings.ToLower(part))
}

// chooseSettings finds those whose name, value or meaning has the text.
func chooseSettings(f Facts) settingsBody {
	all := f.Settings()
	body := settingsBody{Text: f.Query.Get("text"), Changed: f.Query.Get("changed") != "", All: len(all)}
	for _, s := range all {
		text := strings.Join([]string{s.Name, s.Variable, s.Value, s.Meaning}, " ")
		if containsFold(text, body.Text) && (s.Origin != "default" || !body.Changed) {
			body.List = append(body.List, s)
		}
	}
	return body.page(f.Query)
}

// page cuts the list to the page that is asked for.
func (b settingsBody) page(query url.Values) settingsBody {
	from, _ := strconv.Atoi(query.Get("from")) // what is no number is the first page
	from = min(max(from, 0), len(b.List))
	to := min(from+maxSettings, len(b.List))
	if from > 0 {
		b.First = settingsURL(query, 0)
	}
	if to < len(b.List) {
		b.Next = settingsURL(query, to)
	}
	b.List = b.List[from:to]
	return b
}

func settingsURL(query url.Values, from int) string {
	next := url.Values{}
	for _, name := range []string{"text", "changed"} {
		if value := query.Get(name); value != "" {
			next.Set(name, value)
		}
	}
	if from > 0 {
		next.Set("from", strconv.Itoa(from))
	}
	return settingsPath + "?" + next.Encode()
}

type stored struct {
	Name  string
	Bytes string
	Files int
}

type storageBody struct {
	Folder, Engine string
	List           []stored
	Requests       int
	RequestBytes   string
	Partly         bool
}

// maxFiles bounds how many files are counted.
const maxFiles = 50_000

// storage measures the data folder.
func storage(w *world.World) (storageBody, error) {
	body := storageBody{
		Folder: w.Dir, Engine: string(w.DB.Engine()), Requests: w.Journal.Count(), RequestBytes: bytesText(w.Journal.Bytes()),
	}
	entries, err := os.ReadDir(w.Dir)
	if err != nil {
		return body, err
	}
	left := maxFiles
	for _, e := range entries {
		s := stored{Name: e.Name()}
		var size int64
		err := filepath.WalkDir(filepath.Join(w.Dir, e.Name()), func(_ string, d fs.DirEntry, err error) error {
			if errors.Is(err, fs.ErrNotExist) {
				return nil // it went while it was counted
			}
			if err != nil || d.IsDir() {
				return err
			}
			if left--; left < 0 {
				body.Partly = true
				return fs.SkipAll
			}
			info, err := d.Info()
			if err == nil {
				size += info.Size()
				s.Files++
			}
			return nil
		})
		if err != nil {
			return body, err
		}
		s.Bytes = bytesText(size)
		body.List = append(body.List, s)
	}
	return body, nil
}
