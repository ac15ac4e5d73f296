// Package failure has the errors by which a job says what is to become of it: that no
// retry helps, when to retry, or that it could not begin. Package jobs gives them out.
package failure
