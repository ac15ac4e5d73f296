package analytics

import "stoa.dev/stoa/internal/platform/database"

// maxCachedProjects is how many projects are kept in memory.
const maxCachedProjects = 10_000

// forgetProject drops a project once tx has committed. So the projects that are kept
// are exact where one process owns the database: every change passes through here
// before its writer is answered. A key with a revision in the database would read a
// row to save the same row; without the cache a request takes twice the processor time.
func (s *Service) forgetProject(tx *database.Tx, id int64) {
	tx.OnCommit(func() { s.projects.Forget(id) })
}
