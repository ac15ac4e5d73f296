package recipe

import (
	"slices"
	"strings"
	"time"

	"stoa.dev/stoa/internal/platform/wire"
)

// Bounds of steps.
const (
	maxSteps    = 500
	maxCommands = 20 // commands within commands
	maxSilence  = 24 * time.Hour
	stepSize    = 256 // bytes that a step takes beside its texts
	maxStepName = 100
	maxCommand  = 100_000 // bytes; the kernel takes 131072 in one argument
)

// builder turns the nodes of one job into steps.
type builder struct {
	// notes are in the order of the file, each once; quiet leaves them out.
	notes []string
	quiet bool
	steps []Step
	// rehearse accepts missing parameters, for checking a file.
	rehearse bool
}

// list adds the steps of a list.
func (b *builder) list(n *node, s scope, depth int) error {
	if n == nil {
		return nil
	}
	if n.kind == scalar { // a parameter of type steps
		v, err := s.expand(n)
		if err != nil {
			return err
		}
		given, ok := v.(stepList)
		if !ok {
			return n.errorf("steps must be a list, this is %s", n.what())
		}
		if given.scope.left == nil { // an example
			given.scope = s
		}
		return b.list(given.node, given.scope, depth+1)
	}
	if n.kind != sequence {
		return n.errorf("steps must be a list, this is %s", n.what())
	}
	for _, item := range n.items {
		if err := b.step(item, s, depth); err != nil {
			return err
		}
		if len(b.steps) > maxSteps {
			return item.errorf("more than %d steps in a job", maxSteps)
		}
	}
	return nil
}

// step adds one entry of a list: a word, or a map of one word.
func (b *builder) step(n *node, s scope, depth int) error {
	if err := s.spend(n, 1, stepSize); err != nil {
		return err
	}
	if depth > maxCommands {
		return n.errorf("commands use each other more than %d deep", maxCommands)
	}
	word, body := n.text, (*node)(nil)
	switch {
	case n.kind == scalar && strings.HasPrefix(n.text, "<<"):
		return b.list(n, s, depth+1)
	case n.kind == scalar:
		if _, ok := n.value.(string); !ok {
			return n.errorf("a step is a word such as checkout, or a map such as run: make")
		}
	case n.kind == mapping && len(n.entries) == 1:
		word, body = n.entries[0].key, n.entries[0].node
	default:
		return n.errorf("a step is one word or one key with its settings; give each step its own dash and indent " +
			"its settings below it")
	}
	if command := s.space.command(word); command != nil {
		return b.command(command, n, body, s, depth)
	}
	switch word {
	case "steps":
		if body == nil {
			return n.errorf("steps needs a list of steps, or a parameter of that type")
		}
		return b.list(body, s, depth+1)
	case "run", "deploy":
		return b.run(n, body, s)
	case "when", "unless":
		return b.conditional(n, body, s, word == "when", depth)
	case "setup_remote_docker":
		b.note(n, "setup_remote_docker has no effect: jobs run in a sandbox without a container engine")
		return nil
	}
	step, err := b.builtin(Kind(word), n, body, s)
	if err != nil {
		return err
	}
	b.steps = append(b.steps, step)
	return nil
}

func (b *builder) note(n *node, text string) {
	note := (&Error{File: n.file, Line: n.line, Column: n.column, Message: text}).Error()
	if !b.quiet && len(b.notes) <= maxNotes && !slices.Contains(b.notes, note) {
		b.notes = append(b.notes, note)
	}
}

// maxNotes bounds what is said about one job.
const maxNotes = 20

// noted lists the notes.
func (b *builder) noted() []string {
	if len(b.notes) > maxNotes {
		b.notes[maxNotes] = "There is more of this kind in the file."
	}
	return b.notes
}

// command adds the steps of a reusable command.
func (b *builder) command(c *command, use, body *node, s scope, depth int) error {
	given := map[string]*node{}
	if body != nil && body.kind == mapping {
		for _, e := range body.entries {
			given[e.key] = e.node
		}
	} else if body != nil && body.value != nil {
		return body.errorf("a command takes a map of its parameters, this is %s", body.what())
	}
	values, err := bind(c.parameters, use, given, s, b.rehearse)
	if err != nil {
		return err
	}
	return b.list(c.steps, s.within(c.home, values), depth+1)
}

// conditional adds steps when a condition holds where the file is planned.
func (b *builder) conditional(n, body *node, s scope, want bool, depth int) error {
	if body == nil {
		return n.errorf("when and unless take condition and steps")
	}
	f := open(body, s, "the condition")
	condition, steps := f.take("condition"), f.take("steps")
	if err := f.close(); err != nil {
		return err
	}
	if condition == nil || steps == nil {
		return body.errorf("when and unless take condition and steps")
	}
	holds, err := s.truth(condition)
	if err != nil {
		return err
	}
	if holds == want {
		return b.list(steps, s, depth+1)
	}
	// Steps that are not taken must be sound as well.
	rehearsal := &builder{rehearse: b.rehearse, quiet: true}
	return rehearsal.list(steps, s, depth+1)
}

// run reads run: command, or run with its settings.
func (b *builder) run(n, body *node, s scope) error {
	if body == nil {
		return n.errorf("run needs a command: write run: make, or run with command below it")
	}
	step := Step{Kind: KindRun, When: OnSuccess, Run: &RunStep{}}
	if body.kind == scalar {
		text, err := s.text(body, "command")
		if err != nil {
			return err
		}
		step.Run.Command = text
	} else {
		f := open(body, s, "run")
		step.Run.Command = f.need("command")
		step.Name = f.text("name")
		step.When = when(f)
		step.Run.Shell = f.text("shell")
		step.Run.Environment = f.environment("environment")
		step.Run.WorkingDirectory = f.text("working_directory")
		step.Run.Background = f.flag("background")
		step.Run.Silence = f.duration("no_output_timeout", maxSilence)
		step.Run.Reruns = f.number("max_auto_reruns", 0, 0, 5)
		step.Run.Delay = f.duration("auto_rerun_delay", 10*time.Minute)
		if err := f.close(); err != nil {
			return err
		}
	}
	if strings.TrimSpace(step.Run.Command) == "" {
		return body.errorf("the command is empty")
	}
	if len(step.Run.Command) > maxCommand {
		return body.errorf("the command has %d bytes, at most %d; put it into a file of the repository",
			len(step.Run.Command), maxCommand)
	}
	if step.Name == "" {
		step.Name = wire.Clip(firstLine(step.Run.Command), maxStepName)
	}
	b.steps = append(b.steps, step)
	return nil
}

// when reads the condition on the course of the job.
func when(f *fields) When {
	n := f.take("when")
	if n == nil {
		return OnSuccess
	}
	text, err := f.scope.text(n, "when")
	f.fail(err)
	switch w := When(text); w {
	case OnSuccess, OnFail, Always:
		return w
	}
	f.fail(n.errorf("when must be on_success, on_fail or always"))
	return OnSuccess
}

// builtin reads the steps that are not run.
func (b *builder) builtin(kind Kind, n, body *node, s scope) (Step, error) {
	if body == nil || (body.kind == scalar && body.value == nil) {
		body = &node{file: n.file, kind: mapping, line: n.line, column: n.column}
	}
	step := Step{Kind: kind}
	f := open(body, s, string(kind))
	name := ""
	switch kind {
	case KindCheckout:
		name, step.Checkout = "Checkout code", &CheckoutStep{Path: f.text("path")}
		if n := f.take("method"); n != nil {
			b.note(n, "method of checkout has no effect: a revision is always brought whole")
		}
	case KindSave:
		name, step.Save = "Saving cache", &SaveCache{Key: f.need("key"), Paths: need(f, "paths")}
	case KindRestore:
		keys := f.strings("keys")
		if key := f.text("key"); key != "" {
			keys = append([]string{key}, keys...)
		}
		if len(keys) == 0 {
			f.fail(n.errorf("restore_cache needs key or keys"))
		}
		name, step.Restore = "Restoring cache", &RestoreCache{Keys: keys}
	case KindStore:
		name, step.Artifacts = "Uploading artifacts", &StoreArtifacts{Path: f.need("path"),
			Destination: f.text("destination")}
	case KindTests:
		name, step.Tests = "Uploading test results", &StoreTests{Path: f.need("path")}
	case KindPersist:
		name, step.Persist = "Persisting to workspace", &Persist{Root: f.need("root"), Paths: need(f, "paths")}
	case KindAttach:
		name, step.Attach = "Attaching workspace", &Attach{At: f.need("at")}
	case KindKeys:
		name, step.Keys = "Adding keys", &AddKeys{Fingerprints: f.strings("fingerprints")}
	default:
		return step, n.errorf("the step %q is unknown; known are run, checkout, save_cache, restore_cache, "+
			"store_artifacts, store_test_results, persist_to_workspace, attach_workspace, add_ssh_keys, when, "+
			"unless and the file's commands", string(kind))
	}
	if step.Name = f.text("name"); step.Name == "" {
		step.Name = name
	}
	given := f.take("when") != nil
	step.When = when(f)
	// What a failing job leaves behind is what its owner wants to see.
	if !given && (kind == KindStore || kind == KindTests) {
		step.When = Always
	}
	return step, f.close()
}

// need is a list that must not be empty.
func need(f *fields, key string) []string {
	out := f.strings(key)
	if f.err == nil && len(out) == 0 {
		f.fail(f.errorf("%s is missing", key))
	}
	return out
}
