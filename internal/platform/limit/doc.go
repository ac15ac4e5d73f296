// Package limit counts request budgets.
package limit
