// Package administration is what the console shows to administrators about the
// installation: users, organizations, teams, applications, credentials, jobs and
// deliveries as resources made of operator commands, and pages about health, settings
// and storage.
package administration
