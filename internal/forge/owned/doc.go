// Package owned says which rows of the repositories belong to users and organizations.
package owned
