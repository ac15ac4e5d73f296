package runner

import (
	"testing"

	"pgregory.net/rapid"
)

// scheduleModel is one process that gives out slots, without a database.
type scheduleModel struct {
	schedule *schedule
	total    int
	used     int
	queue    []demand
	running  []demand
	ids      int64
}

// newScheduleModel bounds what owners and projects run.
func newScheduleModel(slots, owner, project int) *scheduleModel {
	limits := Queue{OwnerRunning: owner, ProjectRunning: project}
	return &scheduleModel{total: slots, schedule: &schedule{
		limits: limits, perOwner: limits.ownerSlots(slots), here: map[int64]int{},
		owners: map[int64]int64{}, projects: map[int64]int64{}, served: map[int64]int64{},
	}}
}

// enqueue adds a job.
func (m *scheduleModel) enqueue(owner, repo int64) {
	m.ids++
	m.queue = append(m.queue, demand{owner: owner, repo: repo, id: m.ids})
}

// end ends a node of an owner, if one runs.
func (m *scheduleModel) end(owner int64) {
	for i, d := range m.running {
		if d.owner == owner {
			m.running = append(m.running[:i:i], m.running[i+1:]...)
			m.schedule.here[owner]--
			m.schedule.owners[owner]--
			m.schedule.projects[d.repo]--
			m.used--
			return
		}
	}
}

// nextOwner gives out one place and says to whom.
func (m *scheduleModel) nextOwner() (int64, bool) {
	if m.used == m.total {
		return 0, false
	}
	i := m.schedule.next(m.queue)
	if i < 0 {
		return 0, false
	}
	d := m.queue[i]
	m.queue = append(m.queue[:i:i], m.queue[i+1:]...)
	m.schedule.take(d)
	m.running = append(m.running, d)
	m.used++
	return d.owner, true
}

// eligible tells that an owner waits for nothing but a free place.
func (m *scheduleModel) eligible(owner int64) bool {
	for _, d := range m.queue {
		if d.owner == owner && m.schedule.may(d) {
			return true
		}
	}
	return false
}

// runningNodes is how many nodes of an owner run.
func (m *scheduleModel) runningNodes(owner int64) int64 { return m.schedule.owners[owner] }

// check says which promise is broken, if one is.
func (m *scheduleModel) check() string {
	if m.used > m.total {
		return "more nodes run than there are places"
	}
	for owner, n := range m.schedule.here {
		if n > m.schedule.perOwner || m.schedule.owners[owner] > int64(m.schedule.limits.OwnerRunning) {
			return "an owner runs more than its bound"
		}
		if n == m.total && m.total > 1 {
			return "an owner holds every place"
		}
	}
	for _, n := range m.schedule.projects {
		if n > int64(m.schedule.limits.ProjectRunning) {
			return "a project runs more than its bound"
		}
	}
	if m.used < m.total && m.schedule.next(m.queue) >= 0 {
		return "a slot is free that an owner may have"
	}
	return ""
}

// TestScheduleModel plays the choice on many courses of events: no bound is passed,
// no owner is left out while a slot that may be given is free, and who waits
// is next but for those who waited as long.
func TestScheduleModel(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(1, 8).Draw(t, "places")
		m := newScheduleModel(total, rapid.IntRange(1, 8).Draw(t, "owner"), rapid.IntRange(1, 8).Draw(t, "project"))
		waited := map[int64]int{}
		for range rapid.IntRange(1, 120).Draw(t, "events") {
			owner := rapid.Int64Range(1, 4).Draw(t, "who")
			if rapid.Bool().Draw(t, "push") {
				m.enqueue(owner, owner*10+rapid.Int64Range(0, 1).Draw(t, "repo"))
			} else {
				m.end(owner)
			}
			for {
				got, ok := m.nextOwner()
				if !ok {
					break
				}
				for other := range waited {
					if waited[other]++; waited[other] > 4*total && other != got {
						t.Fatalf("owner %d was passed over %d times", other, waited[other])
					}
				}
				delete(waited, got)
			}
			for owner := range int64(5) {
				// Who runs less is next, so only who runs nothing may count on a turn.
				if m.eligible(owner) && m.runningNodes(owner) == 0 {
					waited[owner] += 0
				} else {
					delete(waited, owner)
				}
			}
			if problem := m.check(); problem != "" {
				t.Fatal(problem)
			}
		}
	})
}
