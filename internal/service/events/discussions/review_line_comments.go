package discussions

import (
	"context"
	"strconv"
	"strings"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/service/events/operation"
	"stoa.dev/stoa/internal/service/events/refusal"
)

const (
	maxPath = 4096
	// maxHunk bounds the difference that a comment shows above itself.
	maxHunk = 4000
)

// lineComment is a comment on a line, as it is asked for.
type lineComment struct {
	body, path, side, commit string
	line, replyTo            int64
}

// place finds the lines of the pull request's difference that a comment is about.
func (d *Discussions) place(
	ctx context.Context, s operation.Subject, issue Issue, in lineComment,
) (c Comment, err error) {
	if err := checkBody(in.body); err != nil {
		return c, err
	}
	c = d.newComment(s, onReview, in.body)
	c.Number = issue.Number
	if in.replyTo != 0 {
		parent, err := commentByID(ctx, d.host.DB, s.Repo.ID, onReview, in.replyTo)
		if err != nil || parent.Number != issue.Number {
			return c, found(orNotFound(err))
		}
		c.CommitID, c.Path, c.Line, c.Side = parent.CommitID, parent.Path, parent.Line, parent.Side
		c.Position, c.Hunk, c.ReplyTo = parent.Position, parent.Hunk, parent.ID
		return c, nil
	}
	if in.commit != "" && in.commit != issue.Pull.HeadSHA {
		return c, refusal.Invalid("commit_id", "commit_id must be the last commit of the pull request")
	}
	c.CommitID, c.Path, c.Line, c.Side = issue.Pull.HeadSHA, in.path, in.line, in.side
	if c.Side == "" {
		c.Side = "RIGHT"
	}
	if c.Side != "RIGHT" && c.Side != "LEFT" {
		return c, refusal.Invalid("side", "side must be LEFT or RIGHT")
	}
	at, err := d.changes(ctx, s, *issue.Pull)
	if err != nil {
		return c, err
	}
	files, err := d.host.Forge.Diff(ctx, s.Repo, at.MergeBase.SHA, issue.Pull.HeadSHA)
	if err != nil {
		return c, refusal.FromForge(err)
	}
	for _, f := range files {
		if f.Path == in.path {
			c.Position, c.Hunk = locate(f.Patch, in.line, c.Side == "LEFT")
		}
	}
	if c.Position == 0 {
		return c, refusal.Invalid("line", "path and line must be part of the diff")
	}
	return c, nil
}

func orNotFound(err error) error {
	if err == nil {
		return refusal.NotFound()
	}
	return err
}

// locate finds a line in the difference of a file: how many lines below the first
// header it is, and its hunk down to it. Zero when it is not there.
func locate(patch string, line int64, left bool) (position int64, hunk string) {
	var kept []string
	var before, after int64
	first := -1 // the first header, before which no line belongs to a hunk
	for i, text := range strings.Split(patch, "\n") {
		if strings.HasPrefix(text, "@@") {
			kept, before, after = []string{text}, start(text, "-")-1, start(text, "+")-1
			if first < 0 {
				first = i
			}
			continue
		}
		if first < 0 {
			continue
		}
		kept = append(kept, text)
		var at int64
		switch {
		case strings.HasPrefix(text, "-"):
			if before++; left {
				at = before
			}
		case strings.HasPrefix(text, "+"):
			if after++; !left {
				at = after
			}
		case strings.HasPrefix(text, " "):
			before, after = before+1, after+1
			at = map[bool]int64{true: before, false: after}[left]
		}
		if at == line && at > 0 {
			hunk := strings.Join(kept, "\n")
			if len(hunk) > maxHunk {
				hunk = strings.ToValidUTF8(hunk[len(hunk)-maxHunk:], "")
			}
			return int64(i - first), hunk
		}
	}
	return 0, ""
}

// start reads the first line after a sign of "@@ -1,2 +3,4 @@".
func start(header, sign string) int64 {
	for _, field := range strings.Fields(header) {
		if rest, ok := strings.CutPrefix(field, sign); ok {
			first, _, _ := strings.Cut(rest, ",")
			n, _ := strconv.ParseInt(first, 10, 64) // zero when it is no number: then no line is found
			return n
		}
	}
	return 0
}

// addLine writes a comment on a line and its event.
func (d *Discussions) addLine(
	ctx context.Context, tx *database.Tx, s operation.Subject, issue *Issue, c *Comment,
) error {
	if issue.Pull.ReviewComments >= maxComments {
		return refusal.Forbidden("Commenting is disabled on pull requests with more than %d comments", maxComments)
	}
	if err := insertComment(ctx, tx, c); err != nil {
		return err
	}
	issue.Pull.ReviewComments++
	issue.UpdatedAt = c.CreatedAt
	return d.tell(ctx, tx, s, TypeReviewComment, facts{Action: "created", Issue: issue, Comment: c})
}

// commentOnLine adds one comment on a line.
func (d *Discussions) commentOnLine(
	ctx context.Context, s operation.Subject, number int64, in lineComment,
) (Comment, error) {
	issue, err := d.pull(ctx, s, number)
	if err != nil {
		return Comment{}, err
	}
	c, err := d.place(ctx, s, issue, in)
	if err != nil {
		return c, err
	}
	return c, d.writePull(ctx, &s, issue, func(ctx context.Context, tx *database.Tx, now *Issue) error {
		return d.addLine(ctx, tx, s, now, &c)
	})
}
