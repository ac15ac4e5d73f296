// Package audittrail puts what happens to users, groups, applications and credentials into
// the words of the audit trail.
package audittrail
