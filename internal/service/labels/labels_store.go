package labels

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"

	"stoa.dev/stoa/internal/platform/database"
)

const labelColumns = `id, owner_id, label_type, state, definition, created_at, changed_at, published_at,
	COALESCE(published_by, 0)`

func scanLabel(s database.Scanner) (l Label, err error) {
	var kind, state, definition string
	err = s.Scan(&l.ID, &l.OwnerID, &kind, &state, &definition, database.ScanTime(&l.CreatedAt),
		database.ScanTime(&l.ChangedAt), database.ScanNullTime(&l.PublishedAt), &l.PublishedBy)
	if err != nil {
		return l, err
	}
	l.Type, l.State = Type(kind), State(state)
	if err := json.Unmarshal([]byte(definition), &l.Definition); err != nil {
		return l, fmt.Errorf("definition of label %s: %w", l.ID, err)
	}
	return l, nil
}

// visible is who sees a label: its owner, all users once an administrator's label was
// published, and administrators who ask for it.
const visible = `(owner_id = $1 OR $2 OR (label_type = 'ADMIN' AND state <> 'UNPUBLISHED_DRAFT'))`

func visibleLabel(ctx context.Context, q database.Querier, v Viewer, id string) (Label, error) {
	l, err := database.One(ctx, q, scanLabel, `SELECT `+labelColumns+` FROM labels_labels
		WHERE `+visible+` AND id = $3`, v.UserID, v.Admin, id)
	if errors.Is(err, database.ErrNotFound) {
		return Label{}, errNotFound("there is no such label")
	}
	return l, err
}

// maxPageBytes ends a page before it has as many labels as were asked for: the longest have half a megabyte each.
const maxPageBytes = 4 << 20

// labelSize is how long a stored label is.
type labelSize struct {
	id    string
	bytes int64
}

func scanLabelSize(s database.Scanner) (l labelSize, err error) {
	err = s.Scan(&l.id, &l.bytes)
	return l, err
}

// listLabels lists labels after an id, and after which id there are more; empty when there are none.
func listLabels(
	ctx context.Context, q database.Querier, v Viewer, publishedOnly bool, after string, limit int,
) (list []Label, next string, err error) {
	const which = ` FROM labels_labels WHERE ` + visible + ` AND id > $3 AND (NOT $4 OR state = 'PUBLISHED')`
	sizes, err := database.All(ctx, q, scanLabelSize, `SELECT id, OCTET_LENGTH(definition)`+which+` ORDER BY id LIMIT $5`,
		v.UserID, v.Admin, after, publishedOnly, limit+1)
	if err != nil || len(sizes) == 0 {
		return nil, "", err
	}
	n, bytes := 0, int64(0)
	for n < min(limit, len(sizes)) && (n == 0 || bytes+sizes[n].bytes <= maxPageBytes) {
		bytes += sizes[n].bytes
		n++
	}
	last := sizes[n-1].id
	if n < len(sizes) {
		next = last
	}
	list, err = database.All(ctx, q, scanLabel, `SELECT `+labelColumns+which+` AND id <= $5 ORDER BY id`,
		v.UserID, v.Admin, after, publishedOnly, last)
	return list, next, err
}

func countLabels(ctx context.Context, q database.Querier, ownerID int64) (n int64, err error) {
	err = q.QueryRow(ctx, `SELECT COUNT(*) FROM labels_labels WHERE owner_id = $1`, ownerID).Scan(&n)
	return n, err
}

func insertLabel(ctx context.Context, q database.Querier, l Label) error {
	text, err := json.Marshal(l.Definition)
	if err != nil {
		return err
	}
	_, err = q.Exec(ctx, `INSERT INTO labels_labels (id, owner_id, label_type, state, definition, created_at, changed_at)
		VALUES ($1, $2, $3, $4, $5, $6, $7)`, l.ID, l.OwnerID, string(l.Type), string(l.State), string(text),
		database.Time(l.CreatedAt), database.Time(l.ChangedAt))
	return err
}

func updateLabel(ctx context.Context, q database.Querier, l Label) error {
	_, err := q.Exec(ctx, `UPDATE labels_labels SET state = $1, changed_at = $2, published_at = $3,
		published_by = NULLIF(CAST($4 AS BIGINT), 0) WHERE id = $5`, string(l.State), database.Time(l.ChangedAt),
		database.NullTime(l.PublishedAt), l.PublishedBy, l.ID)
	return err
}

func deleteLabel(ctx context.Context, q database.Querier, id string) error {
	_, err := q.Exec(ctx, `DELETE FROM labels_labels WHERE id = $1`, id)
	return err
}

// ownerKey makes the creations of one owner wait for each other.
func ownerKey(ownerID int64) string { return Name + "/" + strconv.FormatInt(ownerID, 10) }
