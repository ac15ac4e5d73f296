package snapshots

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"strings"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/snapshots/metrics"
	"stoa.dev/stoa/internal/service/snapshots/query"
)

func (s *Service) commands() []module.Command {
	return []module.Command{{
		Path: Name + " import", Short: "Load points of the past from OpenMetrics or CSV files", Run: s.runImport,
		Args: []module.Arg{{Name: "file", Help: "the files to read", Many: true, File: module.ReadsFile}},
		Flags: []module.Flag{
			{Name: "user", Help: "whose points they become", Required: true},
			{
				Name: "format", Default: "auto", OneOf: []string{"auto", "openmetrics", "csv"},
				Help: "what the files hold; auto looks at the first line",
			},
		},
		Long: "CSV has a first line with metric, timestamp and value, and if wished type, interval, unit and tags; other " +
			"columns are tags. OpenMetrics needs a time with each value. Points that are older than the retention are " +
			"left out and counted. A file that is loaded again changes nothing.",
	}}
}

// imported is what came of one file.
type imported struct {
	File     string   `json:"file"`
	Points   int      `json:"points"`
	Dropped  int      `json:"dropped"`
	Warnings []string `json:"warnings"`
}

func (s *Service) runImport(ctx context.Context, in *module.Input) (any, error) {
	user, err := s.identity.UserByName(ctx, in.Text("user"))
	if err != nil {
		return nil, err
	}
	out := struct {
		Files []imported `json:"files"`
	}{Files: []imported{}}
	for _, name := range in.Texts("file") {
		one := importer{
			s: s, t: userTenant(user.ID), progress: in.Progress, report: imported{File: name, Warnings: []string{}},
		}
		if err := one.load(ctx, name, in.Text("format")); err != nil {
			return nil, err
		}
		out.Files = append(out.Files, one.report)
	}
	if local, ok := s.backend.(*metrics.Local); ok {
		in.Progress(module.Progress{Note: "moving points into blocks"})
		return out, local.MoveLate(ctx)
	}
	return out, nil
}

// importBatch is how many points are stored at once.
const importBatch = 10_000

// importer loads one file.
type importer struct {
	s        *Service
	t        Tenant
	progress func(module.Progress)
	report   imported
	in       submission
}

func (i *importer) load(ctx context.Context, name, format string) (err error) {
	f, err := os.Open(name)
	if err != nil {
		return module.Fail(module.NotFound, "see that the file is there and that you may read it", "%w", err)
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	r := bufio.NewReaderSize(f, 64<<10)
	if format == "auto" {
		format = guessFormat(r)
	}
	i.in = submission{meta: map[string]query.Meta{}}
	read := metrics.ReadOpenMetrics
	if format == "csv" {
		read = metrics.ReadCSV
	}
	err = read(r, func(one metrics.Series, m query.Meta) error { return i.add(ctx, one, m) })
	if err == nil {
		err = i.flush(ctx)
	}
	if err != nil {
		return module.Fail(module.Failed, "what is before it was stored; mend it and load the file again", "%s: %w",
			name, err)
	}
	return nil
}

// guessFormat looks at the first line: that of CSV names the columns.
func guessFormat(r *bufio.Reader) string {
	head, err := r.Peek(4 << 10)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, bufio.ErrBufferFull) {
		return "openmetrics"
	}
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if line := strings.ToLower(string(first)); strings.Contains(line, "value") && strings.Contains(line, ",") &&
		!strings.HasPrefix(line, "#") {
		return "csv"
	}
	return "openmetrics"
}

func (i *importer) add(ctx context.Context, one metrics.Series, m query.Meta) error {
	if strings.HasPrefix(one.Metric, ownPrefix) {
		return errInvalid("metrics that begin with %s are recorded by the server itself", ownPrefix)
	}
	i.in.series = append(i.in.series, one)
	i.in.points += len(one.Samples)
	if i.in.meta[one.Metric] = m; i.in.points >= importBatch || len(i.in.meta) >= maxMetrics {
		return i.flush(ctx)
	}
	return nil
}

func (i *importer) flush(ctx context.Context) error {
	if len(i.in.series) == 0 {
		return nil
	}
	out := i.s.applyWindow(i.in)
	out, err := i.s.store(ctx, i.t, i.in, out)
	if err != nil {
		return err
	}
	i.report.Points += i.in.points - out.points
	i.report.Dropped += out.points
	if len(i.report.Warnings) < maxWarnings {
		i.report.Warnings = append(i.report.Warnings, out.warnings...)
	}
	i.in = submission{meta: map[string]query.Meta{}}
	i.progress(module.Progress{Done: int64(i.report.Points), Note: "points"})
	return nil
}
