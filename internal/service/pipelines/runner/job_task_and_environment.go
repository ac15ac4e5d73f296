package runner

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"

	"stoa.dev/stoa/internal/forge"
	"stoa.dev/stoa/internal/service/pipelines/build"
	"stoa.dev/stoa/internal/service/pipelines/execute"
	"stoa.dev/stoa/internal/service/pipelines/project"
)

// task is what all nodes of a job share.
func (r *Runner) task(ctx context.Context, b *build.Build) (t execute.Task, err error) {
	plan, err := build.PlanOf(ctx, r.world.DB, b.ID)
	if err != nil {
		return t, err
	}
	if plan.Broken {
		return t, build.ErrBroken
	}
	t = execute.Task{
		Job: plan.Job, Nodes: int(b.Parallel), Branch: b.Branch, Revision: b.Revision, BuildNum: b.Num,
		Agents: r.o.Agents,
	}
	if err := r.timings(ctx, b, &t); err != nil {
		return t, err
	}
	if t.Environment, err = r.o.Secrets.Environment(ctx, b.RepoID); err != nil {
		return t, err
	}
	for _, value := range t.Environment {
		t.Secrets = append(t.Secrets, value)
	}
	keys, err := r.o.Secrets.PrivateKeys(ctx, b.RepoID)
	for _, k := range keys {
		t.Keys = append(t.Keys, execute.Key{Host: k.Host, Fingerprint: k.Fingerprint, Private: k.Private})
		t.Secrets = append(t.Secrets, string(k.Private))
		if k.Preferred {
			t.CheckoutKey = k.Fingerprint
		}
	}
	return t, err
}

// environment is what a node finds set: the project's variables, over them the parameters of the trigger, over all the
// built-in ones. Jobs and steps may set their own above these.
func (r *Runner) environment(b *build.Build, repo forge.Repository, t execute.Task, node int) map[string]string {
	env := make(map[string]string, len(t.Environment)+24)
	maps.Copy(env, t.Environment)
	var parameters map[string]string
	if err := json.Unmarshal(b.Parameters, &parameters); err == nil {
		for name, value := range parameters {
			if project.IsVariable(name) {
				env[name] = value
			}
		}
	}
	maps.Copy(env, r.builtIns(b, repo, t, node))
	return env
}

func (r *Runner) builtIns(b *build.Build, repo forge.Repository, t execute.Task, node int) map[string]string {
	env := map[string]string{"CI": "true", r.o.Mark: "true"}
	for name, value := range map[string]string{
		"BRANCH": b.Branch, "TAG": b.Tag, "SHA1": b.Revision, "JOB": b.JobName,
		"BUILD_NUM": fmt.Sprint(b.Num), "BUILD_URL": r.o.BuildURL(repo, b.Num),
		"NODE_INDEX": fmt.Sprint(node), "NODE_TOTAL": fmt.Sprint(t.Nodes),
		"PROJECT_USERNAME": repo.Owner.Name, "PROJECT_REPONAME": repo.Name,
		"REPOSITORY_URL": r.o.GitURL(repo) + ".git",
		"USERNAME":       b.Actor.Name, "WORKFLOW_ID": b.Workflow.ID, "WORKFLOW_JOB_ID": b.Workflow.JobID,
		"WORKFLOW_WORKSPACE_ID": b.Workflow.WorkspaceID, "WORKING_DIRECTORY": t.Job.WorkingDirectory,
	} {
		if value != "" {
			env[r.o.VariablePrefix+name] = value
		}
	}
	if b.Previous.Num != 0 {
		env[r.o.VariablePrefix+"PREVIOUS_BUILD_NUM"] = fmt.Sprint(b.Previous.Num)
	}
	return env
}
