// Package statusclass reads which statuses of answers are looked for.
package statusclass
