package tasks

import (
	"errors"
	"fmt"
	"time"
)

// Config holds the limits of the service.
type Config struct {
	// RequestsPerDay is how many requests one user may make in a day.
	RequestsPerDay int64 `yaml:"requests_per_day"`
	// MaxLists is how many lists one user may have.
	MaxLists int64 `yaml:"max_lists"`
	// MaxListTasks is how many visible tasks one list may hold.
	MaxListTasks int64 `yaml:"max_list_tasks"`
	// MaxTasks is how many tasks one user may have in all lists; deleted ones
	// are kept within it.
	MaxTasks int64 `yaml:"max_tasks"`
	// DeletedLife is how long deleted tasks are kept, unless MaxTasks is reached
	// before.
	DeletedLife time.Duration `yaml:"deleted_life"`
	// MaxChildren is how many children one task may have.
	MaxChildren int64 `yaml:"max_children"`
}

// DefaultConfig follows the public service.
func DefaultConfig() Config {
	return Config{
		RequestsPerDay: 50_000,
		MaxLists:       2000,
		MaxListTasks:   20_000,
		MaxTasks:       100_000,
		MaxChildren:    2000,
		DeletedLife:    30 * 24 * time.Hour,
	}
}

// Validate reports everything that makes no sense, all at once.
func (c Config) Validate() error {
	var bad []error
	for name, value := range map[string]int64{
		"requests_per_day": c.RequestsPerDay, "max_lists": c.MaxLists, "max_list_tasks": c.MaxListTasks,
		"max_tasks": c.MaxTasks, "max_children": c.MaxChildren, "deleted_life": int64(c.DeletedLife),
	} {
		if value < 1 {
			bad = append(bad, fmt.Errorf("tasks.%s must be above 0, not %d", name, value))
		}
	}
	return errors.Join(bad...)
}
