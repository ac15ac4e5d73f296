package store

import (
	"embed"
	"errors"
	"strconv"
	"time"

	"stoa.dev/stoa/internal/platform/database"
)

//go:embed migrations/*.sql
var files embed.FS

// Migrations create the tables of jobs and schedules.
func Migrations() database.Migrations { return database.Embedded("jobs", files) }

// ErrNotFound is a job or schedule that does not exist (any more).
var ErrNotFound = errors.New("jobs: not found")

// ErrState is an operation that the job's state does not allow.
var ErrState = errors.New("jobs: wrong state")

// Job is what a run function learns about the job it runs.
type Job struct {
	ID          string    // names the job; ids are numbers that grow in enqueue order
	Kind        string    // the name the kind was defined under
	Key         string    // the lane of serial execution, empty when there is none
	Owner       string    // whose work it is, empty when it is the system's own
	Attempt     int       // counts from 1
	MaxAttempts int       // how many there are before the job is dead
	Asked       time.Time // when the job was to run first; for a schedule, the firing time
	Due         time.Time // when this attempt was to start
	Enqueued    time.Time // when the job was written
}

// State is where a job stands.
type State string

// A finished job has no state: its row is deleted.
const (
	Ready   State = "ready"   // waits for its due time and a worker
	Blocked State = "blocked" // waits for the job before it on its lane
	Running State = "running" // held by a worker under a lease
	Suspect State = "suspect" // its process ended; waits to be run alone
	Dead    State = "dead"    // out of attempts or failed for good
)

// Kind is what rows and claims need to know of a kind of jobs.
type Kind struct {
	Name        string
	MaxAttempts int
	// Safe jobs are taken over when their process ended, and are never suspects.
	Safe bool
	// Share, when it bounds anything, has claims choose by owner.
	Share Share
}

// Share is what one owner may have of a kind. Zero fields do not bound.
//
// When either is set, workers serve the owner that has the least running, among
// equals the one that was served longest ago: an owner with a full queue delays
// another's single job by one job at most, and not at all while Running is less
// than the kind's Concurrency. Nothing of such a kind is claimed ahead.
type Share struct {
	// Running is how many jobs of one owner a process runs at once.
	Running int
	// Waiting is how many unfinished jobs an owner may have. One more is refused
	// with a *limit.Exceeded, which every service answers with 429.
	Waiting int
}

// Bounds reports whether the share bounds anything.
func (s Share) Bounds() bool { return s.Running > 0 || s.Waiting > 0 }

// SystemOwner stands for the work of a kind with a share that has no owner.
const SystemOwner = "(system)"

// Claim is a job that a queue holds.
type Claim struct {
	Job
	Seq     int64
	Payload []byte
	// Suspect is set when it runs as a suspect.
	Suspect bool

	state  State
	Deaths int
	alone  bool // no other job ran in the process that it was claimed by

	batched bool // its process holds it by the row of a batch
}

func formatID(seq int64) string { return strconv.FormatInt(seq, 10) }

// parseID reads an id as it is written, and nothing like it.
func parseID(id string) (int64, error) {
	seq, err := strconv.ParseInt(id, 10, 64)
	if err != nil || seq <= 0 || formatID(seq) != id {
		return 0, ErrNotFound
	}
	return seq, nil
}

// orMaxTime turns "there is none" into a time that never comes.
func orMaxTime(t time.Time, err error) (time.Time, error) {
	if errors.Is(err, database.ErrNotFound) {
		return database.MaxTime(), nil
	}
	return t, err
}

func scanTime(s database.Scanner) (t time.Time, err error) {
	err = s.Scan(database.ScanTime(&t))
	return t, err
}
