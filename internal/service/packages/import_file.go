package packages

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"os"

	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/internal/service/packages/catalog"
	"stoa.dev/stoa/internal/service/packages/document"
	"stoa.dev/stoa/internal/service/packages/dump"
	"stoa.dev/stoa/internal/service/packages/manifest"
)

// maxManifest bounds lock files and bills of materials.
const maxManifest = 64 << 20

// manifestWeight is how many bytes of memory a byte of one stands for.
const manifestWeight = 4

// ImportOptions are how a file is imported.
type ImportOptions struct {
	// Strict ends at the first line that cannot be read.
	Strict bool
	// Digests fetches the files of the versions that are named.
	Digests  bool
	Progress func(module.Progress)
}

// Import loads a file: a dump into the store, or what a list, a lock file or a
// bill of materials names from the registries. An import that was cut short
// goes on where it was when the same file is imported again. Lines that cannot
// be read are reported and passed over, unless it is strict.
func (s *Service) Import(ctx context.Context, name string, o ImportOptions) (dump.ImportReport, error) {
	report := dump.ImportReport{File: name}
	f, err := os.Open(name)
	if err != nil {
		return report, module.Fail(module.NotFound, "name a file that exists", "cannot read %s: %v", name, err)
	}
	defer func() { _ = f.Close() }() // only read from
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		// It is read twice, and one without an end would be read for ever.
		return report, module.Fail(module.Usage, "write it to a file first", "%s is not an ordinary file", name)
	}
	digest, err := fileDigest(f)
	if err != nil {
		return report, err
	}
	r, head, isDump, err := dump.Open(f)
	if err != nil {
		return report, fmt.Errorf("%s: %w", name, err)
	}
	skip, err := importedSoFar(ctx, s.world.DB, digest)
	if err != nil {
		return report, err
	}
	if isDump {
		report.Format = "dump"
		err = s.importDump(ctx, r, skip, func(part dump.Part) error {
			if err := report.Skip(part.Faults, o.Strict); err != nil {
				return err
			}
			report.Packages, report.Versions = part.Packages, part.Versions
			o.Progress(module.Progress{Done: part.Packages, Total: head.Packages})
			return putImported(ctx, s.world.DB, digest, part.Packages, head.Packages)
		})
		report.Packages -= min(report.Packages, report.Skipped)
		if err == nil && max(report.Packages+report.Skipped, skip) < head.Packages {
			err = fmt.Errorf("the dump is cut off: it has %d of its %d packages",
				max(report.Packages+report.Skipped, skip),
				head.Packages)
		}
	} else {
		err = s.importNamed(ctx, r, named{o, digest, skip}, &report)
	}
	if err != nil {
		return report, fmt.Errorf("%s: %w", name, err)
	}
	if report.Failed > 0 {
		return report, nil
	}
	return report, dropImported(ctx, s.world.DB, digest)
}

func fileDigest(f *os.File) ([]byte, error) {
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return nil, err
	}
	_, err := f.Seek(0, io.SeekStart)
	return h.Sum(nil), err
}

// named is how a file that names packages is imported.
type named struct {
	ImportOptions
	digest []byte
	skip   int64
}

// importNamed fetches what a file names, in the order of the file.
func (s *Service) importNamed(ctx context.Context, r io.Reader, how named, report *dump.ImportReport) error {
	text, err := io.ReadAll(io.LimitReader(r, maxManifest+1))
	if err != nil {
		return err
	}
	if len(text) > maxManifest {
		return errors.New("the file is too large for a list of packages")
	}
	memory, err := s.world.Memory.Take(ctx, askerOf(ctx).owner(), int64(len(text))*manifestWeight)
	if err != nil {
		return fmt.Errorf("the file is too large for the memory there is: %w", err)
	}
	defer memory.Release()
	format, keys, bad, err := manifest.Read(report.File, text)
	if err != nil {
		return module.Fail(module.Usage, "see stoa packages import --help", "%v", err)
	}
	if err := report.Skip(
		document.Convert(bad, func(f manifest.Fault) dump.Fault { return dump.Fault(f) }), how.Strict,
	); err != nil {
		return err
	}
	report.Format = string(format)
	for i, k := range keys {
		if int64(i) < how.skip {
			continue
		}
		how.Progress(module.Progress{Done: int64(i), Total: int64(len(keys)), Note: k.String()})
		if err := s.importKey(ctx, k, how.Digests, report); err != nil {
			return err
		}
		if report.Failed == 0 {
			if err := putImported(ctx, s.world.DB, how.digest, int64(i+1), int64(len(keys))); err != nil {
				return err
			}
		}
	}
	how.Progress(module.Progress{Done: int64(len(keys)), Total: int64(len(keys))})
	return nil
}

// importKey fetches one package or version; only the end of the whole import
// is an error here.
func (s *Service) importKey(ctx context.Context, k catalog.VersionKey, digests bool, report *dump.ImportReport) error {
	var err error
	var own *Error
	if k.Version == "" {
		_, err = s.GetPackage(ctx, k.Package(), document.V3)
	} else if _, err = s.resolveVersion(ctx, k); err == nil && digests {
		err = s.readDigests(ctx, k)
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case isNotFound(err) && s.config.Offline:
		_, why := s.uses(k.System)
		report.NotAsked(why)
	case errors.As(err, &own) && own.refused:
		report.NotAsked(own.Message)
	case isNotFound(err):
		report.Missing++
	case err != nil:
		report.Failed++
		report.Reason = err.Error()
	case k.Version == "":
		report.Packages++
	default:
		report.Versions++
	}
	return nil
}
