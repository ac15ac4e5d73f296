// Package cron reads timetables: intervals ("@every 15m"), names ("@hourly",
// "@daily", "@weekly", "@monthly") and the five fields of cron in UTC
// ("30 3 * * 1-5"). It tells when the next firing is and fires nothing.
package cron
