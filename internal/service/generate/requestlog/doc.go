// Package requestlog keeps requests with their answers where callers or the configuration ask for it, until they
// expire. Of each user the newest are kept, within a bound of bytes: who has a key would fill the disk otherwise.
package requestlog
