package database_test

import (
	"context"
	"fmt"
	"os"
	"testing"

	"go.uber.org/goleak"

	"stoa.dev/stoa/internal/platform/database"
	"stoa.dev/stoa/internal/platform/database/folderlock"
)

// TestMain lets the test binary stand in for a second process: childEnv names
// what it does instead of testing.
func TestMain(m *testing.M) {
	switch os.Getenv(childEnv) {
	case "":
		goleak.VerifyTestMain(m)
	case "lock":
		childLock(os.Getenv(childDirEnv))
	case "write":
		childWrite(os.Getenv(childDirEnv))
	}
}

const (
	childEnv    = "STOA_DATABASE_TEST_CHILD"
	childDirEnv = "STOA_DATABASE_TEST_DIR"
)

// childLock owns a folder until its standard input ends.
func childLock(dir string) {
	lock, err := folderlock.Open(dir)
	if err != nil {
		fmt.Println("error", err)
		return
	}
	fmt.Println("locked")
	_, _ = os.Stdin.Read(make([]byte, 1))
	if err := lock.Unlock(); err != nil {
		fmt.Println("error", err)
	}
}

// childWrite writes rows from several goroutines and prints the number of each
// one after it was acknowledged, until it is killed.
func childWrite(dir string) {
	ctx := context.Background()
	db, err := database.Open(ctx, database.Options{Dir: dir})
	if err == nil {
		err = db.Migrate(ctx, notes())
	}
	if err != nil {
		fmt.Println("error", err)
		return
	}
	inParallel(8, 1_000_000, func(i int64) {
		if err := insertNote(ctx, db, i); err != nil {
			fmt.Println("error", err)
			os.Exit(1)
		}
		// One write call per line: a line is whole or missing.
		fmt.Println(i)
	})
}
