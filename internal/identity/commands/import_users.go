package commands

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"stoa.dev/stoa/internal/identity"
	"stoa.dev/stoa/internal/platform/module"
)

const (
	// maxImport bounds one file of users.
	maxImport = 16 << 20
	maxUsers  = 10_000
)

// importedUsers is the answer of "user import".
type importedUsers struct {
	Added   []createdUser `json:"added"`
	Skipped []skippedUser `json:"skipped"`
}

// skippedUser is a line that made no user.
type skippedUser struct {
	Line   int    `json:"line"`
	Name   string `json:"name"`
	Reason string `json:"reason"`
}

// skipTaken is the flag that accepts names which are taken.
const skipTaken = "skip-taken"

func (c commands) userImport() module.Command {
	return module.Command{
		Path: "user import", Short: "add the users of a CSV file",
		Long: "The first line names the columns: name, and any of display_name, email, password, admin (yes or no). " +
			"They are separated by commas, or in the whole file by semicolons. Users without a password get one that " +
			"is printed once. Lines whose name is taken are skipped and listed, and the command fails after the others " +
			"are added; --skip-taken says that this is meant, as when the same file is imported again. A file with any " +
			"other mistake adds no user.",
		Args: []module.Arg{{Name: "file", Help: "CSV file with a header line", File: module.ReadsFile}},
		Flags: []module.Flag{{
			Name: skipTaken, Kind: module.Bool, Help: "do not fail where the name of a line is taken",
		}},
		Incomplete: module.Incomplete{
			Member: "skipped", Thing: "line", Accepted: skipTaken,
			Next: "the other users were added; give these lines another name, or accept it with --" + skipTaken,
		},
		Run: func(ctx context.Context, in *module.Input) (any, error) {
			file, err := os.Open(in.Text("file"))
			if err != nil {
				return nil, module.Fail(module.NotFound, "name a file that exists", "%w", err)
			}
			defer file.Close()
			lines, err := c.readUsers(io.LimitReader(file, maxImport+1))
			if err != nil {
				return nil, module.Fail(module.Usage, "see stoa user import --help", "%w", err)
			}
			return c.addUsers(ctx, in, lines)
		},
	}
}

// userLine is one user of a file.
type userLine struct {
	number int
	user   identity.NewUser
}

// userColumns are those that a file may have.
func userColumns() []string { return []string{"name", "display_name", "email", "password", "admin"} }

// readUsers reads the whole file before anybody is added.
func (c commands) readUsers(r io.Reader) ([]userLine, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	if len(raw) > maxImport {
		return nil, fmt.Errorf("the file is larger than %d MiB", maxImport>>20)
	}
	// Spreadsheets begin UTF-8 files with a mark.
	text := strings.TrimPrefix(string(raw), "\ufeff")
	reader := csv.NewReader(strings.NewReader(text))
	// Those of countries that write a decimal comma separate by semicolons.
	if header, _, _ := strings.Cut(text, "\n"); strings.Contains(header, ";") {
		reader.Comma = ';'
	}
	columns, err := reader.Read()
	if err != nil {
		return nil, fmt.Errorf("read the header: %w", err)
	}
	for _, column := range columns {
		if !slices.Contains(userColumns(), column) {
			return nil, fmt.Errorf("the column %q is not one of %s", column, strings.Join(userColumns(), ", "))
		}
	}
	if !slices.Contains(columns, "name") {
		return nil, errors.New("there is no column name")
	}
	var lines []userLine
	for {
		record, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return lines, nil
		}
		if err != nil {
			return nil, err
		}
		number, _ := reader.FieldPos(0)
		user, err := c.readUser(columns, record)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", number, err)
		}
		if len(lines) == maxUsers {
			return nil, fmt.Errorf("the file has more than %d users", maxUsers)
		}
		lines = append(lines, userLine{number, user})
	}
}

// readUser checks one line.
func (c commands) readUser(columns, record []string) (identity.NewUser, error) {
	var u identity.NewUser
	for n, column := range columns {
		text := strings.TrimSpace(record[n])
		switch column {
		case "name":
			u.Name = text
		case "display_name":
			u.DisplayName = text
		case "email":
			u.Email = text
		case "password":
			u.Password = record[n]
		case "admin":
			if text != "" && text != "yes" && text != "no" {
				return u, fmt.Errorf("admin must be yes or no, not %q", text)
			}
			u.Admin = text == "yes"
		}
	}
	if u.Password != "" {
		if err := c.identity.CheckNewPassword(u.Password); err != nil {
			return u, err
		}
	}
	return u, u.Check()
}

// addUsers adds one user after the other. A name that is taken is left alone.
func (c commands) addUsers(ctx context.Context, in *module.Input, lines []userLine) (importedUsers, error) {
	result := importedUsers{Added: []createdUser{}, Skipped: []skippedUser{}}
	for n, line := range lines {
		in.Progress(module.Progress{Done: int64(n), Total: int64(len(lines))})
		printed := ""
		if line.user.Password == "" {
			printed = c.identity.NewPassword()
			line.user.Password = printed
		}
		u, err := c.identity.AddUser(ctx, line.user)
		if errors.Is(err, identity.ErrTaken) {
			result.Skipped = append(result.Skipped, skippedUser{line.number, line.user.Name, err.Error()})
			continue
		}
		if err != nil {
			return result, commandError(fmt.Errorf("line %d: %w", line.number, err), "")
		}
		result.Added = append(result.Added, createdUser{created{u.Name, u.ID}, printed, u.Admin})
	}
	return result, nil
}
