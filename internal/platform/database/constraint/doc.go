// Package constraint reads out of the engines' messages which table, columns or
// constraint a refused statement violated.
package constraint
