package conformance

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"stoa.dev/stoa/internal/app"
	"stoa.dev/stoa/internal/platform/faultrule"
	"stoa.dev/stoa/internal/platform/module"
	"stoa.dev/stoa/test/openapi/answers"
)

// faultsVariable makes every server of On meet the faults of the catalogue;
// `make faults` sets it.
const faultsVariable = "STOA_FAULTS"

// faultHeader marks the request that is to fail, among those that rows send side by
// side.
const faultHeader = "X-Stoa-Conformance-Fault"

// Faults makes requests fail by the rules of the lab and then sends them in earnest:
// a row passes as if nothing had happened, because a service that refused a request
// has done nothing, and one that acknowledged it has done it. It remembers what was
// met, over all servers that it is given to.
type Faults struct {
	catalogue *faultrule.Catalogue
	table     *answers.Table
	names     map[string]string // of operations, by service, method and pattern

	mu sync.Mutex
	// met counts by service and fault, and by operation as well.
	met  map[string]int
	last int
}

// NewFaults knows the catalogue of all services and has met nothing.
func NewFaults() *Faults {
	services, names := app.Services(), map[string]string{}
	for _, m := range services {
		for _, r := range m.Routes {
			names[m.Name+" "+answers.Operation(r.Method, r.Pattern)] = r.Name
		}
	}
	return &Faults{
		catalogue: app.FaultCatalogue(), table: answers.NewTable(services), names: names, met: map[string]int{},
	}
}

// allFaults are those that `make faults` makes the rows of the contract meet.
var allFaults = sync.OnceValue(NewFaults)

// suiteFaults are nil unless all rows are run under faults.
func suiteFaults() *Faults {
	if os.Getenv(faultsVariable) == "" {
		return nil
	}
	return allFaults()
}

// changesDeed reports whether a fault changes what the operation does or answers and
// lets it succeed: the row that asked for it would see something else.
func changesDeed(f module.Fault) bool {
	return slices.Contains([]string{"infrastructure_fail", "wrong_content_type", "truncated_gzip", "stale_read"}, f.Name)
}

// counts reports whether a row counts requests or what they cost: a request that fails
// is charged as well.
func counts(row string) bool {
	return slices.ContainsFunc([]string{"/I-35", "/I-36", "/I-38", "/K-36", "TestOthersLookMissing"},
		func(name string) bool { return strings.Contains(row, name) })
}

// runs reports whether a fault runs the operation and lets it keep what is not in the
// store: when a device polled, and how much of an upload has arrived. A repeat finds it.
func runs(f module.Fault, operation string) bool {
	return (f.Name == "disk_full" || f.Name == "store_busy") &&
		slices.Contains([]string{"token", "dag.device.token", "media.upload", "media.uploadPut"}, operation)
}

// choose picks the fault of the request's operation that was met least: first by the
// service, then by the operation.
func (f *Faults) choose(r *http.Request) (service, operation string, chosen module.Fault) {
	service, pattern := f.table.Find(r)
	operation = f.names[service+" "+pattern]
	if operation == "" {
		return service, "", chosen
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	best := [2]int{}
	for _, one := range f.catalogue.Faults(service) {
		meets := len(one.Operations) == 0 || slices.Contains(one.Operations, operation)
		if !meets || changesDeed(one) || runs(one, operation) {
			continue
		}
		met := [2]int{f.met[service+" "+one.Name], f.met[service+" "+one.Name+" "+operation]}
		if chosen.Name == "" || met[1] == 0 && (best[1] > 0 || met[0] < best[0]) {
			chosen, best = one, met
		}
	}
	if chosen.Name != "" && best[1] > 0 {
		return service, operation, module.Fault{} // every fault of the operation was met
	}
	return service, operation, chosen
}

func (f *Faults) note(service, operation, fault string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.met[service+" "+fault]++
	f.met[service+" "+fault+" "+operation]++
}

// number is one that no other request has.
func (f *Faults) number() string {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.last++
	return strconv.Itoa(f.last)
}

// Met counts the faults, and the pairs of operation and fault, that were met; unmet
// are the faults of a service that were not.
func (f *Faults) Met(service string) (faults, pairs int, unmet []string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, one := range f.catalogue.Faults(service) {
		switch {
		case f.met[service+" "+one.Name] > 0:
			faults++
		case !changesDeed(one):
			unmet = append(unmet, one.Name)
		}
	}
	for key := range f.met {
		if strings.HasPrefix(key, service+" ") && strings.Count(key, " ") == 2 {
			pairs++
		}
	}
	return faults, pairs, unmet
}

// fail sends the request so that it meets a fault. done reports that the answer is the
// row's own: the operation ran to its end all the same, or refused the request before.
func (h *Server) fail(t *testing.T, send func(mark string) *Answer, probe *http.Request) (a *Answer, done bool) {
	t.Helper()
	service, operation, fault := h.faults.choose(probe)
	if fault.Name == "" || counts(t.Name()) || h.transcript != nil {
		return nil, false
	}
	mark, first := h.faults.number(), int64(1)
	rule, err := h.rules.Add(faultrule.Rule{
		Match: faultrule.Match{Service: service, Operation: operation, Header: map[string]string{faultHeader: mark}},
		When:  faultrule.When{First: &first}, Deed: faultrule.Deed{Fault: fault.Name},
	})
	if err != nil {
		t.Errorf("%s %s %s: %v", service, operation, fault.Name, err)
		return nil, false
	}
	a = send(mark)
	hit := slices.ContainsFunc(h.rules.List(), func(s faultrule.Status) bool { return s.ID == rule.ID && s.Hits > 0 })
	h.rules.Remove(rule.ID)
	switch {
	case a == nil:
		return nil, false
	case !hit:
		return a, true
	}
	h.faults.note(service, operation, fault.Name)
	return a, h.judge(t, service, operation, fault, a)
}

// judge looks at the answer of a request that met a fault and reports whether the
// operation was done.
func (h *Server) judge(t *testing.T, service, operation string, f module.Fault, a *Answer) (done bool) {
	t.Helper()
	what := fmt.Sprintf("%s %s under %s: %v", service, operation, f.Name, a)
	if f.Status == http.StatusOK && a.Status >= http.StatusBadRequest {
		return true // the service refuses the request itself
	}
	if f.Status != 0 && a.Status != f.Status {
		t.Errorf("%s, want %d", what, f.Status)
	}
	if a.Status < http.StatusBadRequest {
		// The store's faults let an operation run that writes nothing.
		return f.Status == 0
	}
	if a.call.Method != http.MethodHead && !InEnvelope(service, a.Status, a.Body) {
		t.Errorf("%s is not in the envelope of the service", what)
	}
	for _, shown := range []string{"database:", "blob:", "sqlite", "postgres", "rule of the lab"} {
		if strings.Contains(string(a.Body), shown) {
			t.Errorf("%s shows the cause", what)
		}
	}
	return false
}

// ReportFaults writes what the rows have met, where they are run under faults, and
// returns what they have not.
func ReportFaults(w io.Writer) (unmet []string, err error) {
	f := suiteFaults()
	if f == nil {
		return nil, nil
	}
	for _, m := range app.Services() {
		if len(m.Routes) == 0 {
			continue
		}
		faults, pairs, missing := f.Met(m.Name)
		if _, err := fmt.Fprintf(w, "%s: %d faults, %d pairs of operation and fault\n", m.Name, faults, pairs); err != nil {
			return nil, err
		}
		for _, name := range missing {
			unmet = append(unmet, m.Name+" "+name)
		}
	}
	return unmet, nil
}
