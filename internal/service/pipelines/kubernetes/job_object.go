package kubernetes

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/sandbox"
	"stoa.dev/stoa/internal/service/pipelines/execute"
)

const (
	// mainContainer runs the steps; further images run beside it.
	mainContainer = "job"
	// jobLabel is the one that the cluster gives pods of a Job.
	jobLabel = "batch.kubernetes.io/job-name"
	// keptFinished is how long a Job stays that this process could not delete.
	keptFinished = 600
	// startSlack is added to the deadline of a node, for the image and the end.
	startSlack = 5 * time.Minute
)

// object is the Job of a node, with a name of its own.
func (c *Cluster) object(t *execute.Task, spec sandbox.Spec, pipes []pipe) job {
	labels := map[string]string{
		"app.kubernetes.io/managed-by": "stoa", "stoa.dev/build": strconv.FormatInt(t.BuildNum, 10),
		"stoa.dev/node": strconv.Itoa(t.Node), "stoa.dev/network": network(spec.Network),
	}
	name := fmt.Sprintf("stoa-%d-%d-%s", t.BuildNum, t.Node, c.ids.Hex(16))
	out := job{APIVersion: "batch/v1", Kind: "Job", Metadata: metadata{Name: name, Labels: labels}}
	out.Spec = jobSpec{
		ActiveDeadlineSeconds:   int64((c.timeout + c.config.StartTimeout + startSlack) / time.Second),
		TTLSecondsAfterFinished: keptFinished,
		Template:                podTemplate{Metadata: metadata{Labels: labels}, Spec: c.pod(t, spec, pipes)},
	}
	return out
}

// network is a label by which a NetworkPolicy chooses the pods of jobs without network.
func network(open bool) string {
	if open {
		return "open"
	}
	return "none"
}

func (c *Cluster) pod(t *execute.Task, spec sandbox.Spec, pipes []pipe) podSpec {
	first := container{
		Name: mainContainer, Image: c.config.ImageOf(&t.Job), Command: []string{"/bin/sh", "-c", c.script(pipes)},
		Env: []variable{{"HOME", c.home}}, Resources: c.resources(spec),
		VolumeMounts: []mount{{"home", c.home}, {"stoa", c.share}},
	}
	out := podSpec{
		RestartPolicy: "Never", ServiceAccountName: c.config.ServiceAccount, TerminationGracePeriodSeconds: 1,
		SecurityContext: &securityContext{SeccompProfile: map[string]string{"type": "RuntimeDefault"}},
		Volumes:         []volume{{"home", emptyDir{SizeLimit: strconv.FormatInt(spec.Disk, 10)}}, {"stoa", emptyDir{}}},
	}
	if c.config.PullSecret != "" {
		out.ImagePullSecrets = []reference{{c.config.PullSecret}}
	}
	for i, image := range t.Job.Images {
		if i == 0 {
			continue // it is the first
		}
		beside := container{
			Name: "beside-" + strconv.Itoa(i), Image: image.Name, Command: image.Entrypoint, Args: image.Command,
		}
		for _, name := range slices.Sorted(maps.Keys(image.Environment)) {
			beside.Env = append(beside.Env, variable{name, image.Environment[name]})
		}
		out.Containers = append(out.Containers, beside)
	}
	out.Containers = slices.Insert(out.Containers, 0, first)
	return out
}

func (c *Cluster) resources(spec sandbox.Spec) *resources {
	out := &resources{Limits: map[string]string{"memory": strconv.FormatInt(spec.Memory, 10)}}
	out.Requests = map[string]string{"memory": cmp.Or(c.config.MemoryRequest, out.Limits["memory"])}
	if spec.CPU > 0 {
		out.Limits["cpu"] = strconv.Itoa(spec.CPU)
	}
	if cpu := cmp.Or(c.config.CPURequest, out.Limits["cpu"]); cpu != "" {
		out.Requests["cpu"] = cpu
	}
	return out
}

// script makes the pipes and runs the shell that takes commands, which begins once each is
// connected. A shell names single digits only: pipes above are opened by who uses them.
//
// The connection of the shell's input also holds the pipe alive open. When it ends, because
// the server did, the shell is killed, whatever step it runs; the container ends with it.
func (c *Cluster) script(pipes []pipe) string {
	var b strings.Builder
	folder := quote(c.share + "/pipes")
	fmt.Fprintf(&b, "umask 077; mkdir -p %[1]s && cd %[1]s && mkfifo %[2]s || exit 1; ", folder, alivePipe)
	for _, p := range pipes {
		fmt.Fprintf(&b, "mkfifo %d || exit 1; ", p.number)
	}
	b.WriteString(": > ready; /bin/sh -s")
	for _, p := range pipes {
		if !p.shared {
			fmt.Fprintf(&b, " %d%s%d", p.number, p.sign(), p.number)
		}
	}
	fmt.Fprintf(&b, " & shell=$!; ( read -r nothing < %s; kill -9 $shell ) & wait $shell", alivePipe)
	return b.String()
}

// alivePipe is open for writing while the server lives.
const alivePipe = "alive"

// quote makes one word of a shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }
