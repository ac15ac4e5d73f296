package control

import (
	"errors"
	"io"
	"net/http"

	"stoa.dev/stoa/internal/lab"
	"stoa.dev/stoa/internal/platform/route"
	"stoa.dev/stoa/internal/platform/wire"
)

func (a *API) world(r *route.Request) (*lab.World, error) { return a.lab.World(r.PathValue("world")) }

// answer writes a world with its variables.
func answer(w http.ResponseWriter, r *route.Request, status int, world *lab.World) error {
	out := toWorld(world)
	var err error
	if out.Env, err = world.Env(); err != nil {
		return err
	}
	return wire.WriteJSON(w, r.Request, status, out)
}

// handleCreate makes a world and opens it.
func (a *API) handleCreate(w http.ResponseWriter, r *route.Request) error {
	var in createJSON
	if err := read(r, &in); err != nil {
		return err
	}
	world, err := a.lab.Create(r.Context(), lab.NewWorld{
		Name: in.Name, From: in.From, Clock: in.Clock.change(), Seed: in.Seed, Dialect: in.Dialect,
		Expires: in.Expires.Duration, Config: in.Config.RawMessage, SeedFile: in.SeedFile,
	})
	if err != nil {
		return err
	}
	describeAct(w, world.Name(), "from "+world.Info().From)
	return answer(w, r, http.StatusCreated, world)
}

// handleList lists the worlds without their variables.
func (a *API) handleList(w http.ResponseWriter, r *route.Request) error {
	out := worldsJSON{Worlds: []worldJSON{}}
	for _, world := range a.lab.Worlds() {
		out.Worlds = append(out.Worlds, toWorld(world))
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// handleGet shows a world with its variables.
func (a *API) handleGet(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, world)
}

// handleDelete ends a world and removes its files.
func (a *API) handleDelete(w http.ResponseWriter, r *route.Request) error {
	if err := a.lab.Delete(r.PathValue("world")); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// handleFork makes a world that begins as this one is now.
func (a *API) handleFork(w http.ResponseWriter, r *route.Request) error {
	var in forkJSON
	if err := read(r, &in); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	fork, err := world.Fork(r.Context(), in.Name, in.Expires.Duration)
	if err != nil {
		return err
	}
	describeAct(w, fork.Name(), "of "+world.Name())
	return answer(w, r, http.StatusCreated, fork)
}

// handleReset takes a world back to the state it was created in, at the same address.
func (a *API) handleReset(w http.ResponseWriter, r *route.Request) error {
	return a.change(w, r, func(world *lab.World) error { return world.Reset(r.Context()) })
}

// handleSleep closes a world until it is asked again.
func (a *API) handleSleep(w http.ResponseWriter, r *route.Request) error {
	return a.change(w, r, func(world *lab.World) error { return world.Sleep() })
}

// handleWake opens a world that is closed.
func (a *API) handleWake(w http.ResponseWriter, r *route.Request) error {
	return a.change(w, r, func(world *lab.World) error { return world.Wake(r.Context()) })
}

// change does something to a world that needs no members, and answers with it.
func (a *API) change(w http.ResponseWriter, r *route.Request, do func(*lab.World) error) error {
	if err := read(r, &struct{}{}); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	if err := do(world); err != nil {
		return err
	}
	return answer(w, r, http.StatusOK, world)
}

// handleSave keeps a world as it is now under a name.
func (a *API) handleSave(w http.ResponseWriter, r *route.Request) error {
	var in saveJSON
	if err := read(r, &in); err != nil {
		return err
	}
	world, err := a.world(r)
	if err != nil {
		return err
	}
	s, err := world.Save(r.Context(), in.Name)
	if err != nil {
		return err
	}
	describeAct(w, s.Name, "of "+world.Name())
	return wire.WriteJSON(w, r.Request, http.StatusCreated, toSnapshot(s))
}

// handleSnapshots lists the snapshots.
func (a *API) handleSnapshots(w http.ResponseWriter, r *route.Request) error {
	out := snapshotsJSON{Snapshots: []snapshotJSON{}}
	for _, s := range a.lab.Snapshots() {
		out.Snapshots = append(out.Snapshots, toSnapshot(s))
	}
	return wire.WriteJSON(w, r.Request, http.StatusOK, out)
}

// handleDeleteSnapshot forgets a snapshot; worlds created from it stay.
func (a *API) handleDeleteSnapshot(w http.ResponseWriter, r *route.Request) error {
	if err := a.lab.DeleteSnapshot(r.PathValue("snapshot")); err != nil {
		return err
	}
	wire.NoContent(w, http.StatusNoContent)
	return nil
}

// handleExport sends a world as one file.
func (a *API) handleExport(w http.ResponseWriter, r *route.Request) error {
	world, err := a.world(r)
	if err != nil {
		return err
	}
	file, err := world.Export(r.Context())
	if err != nil {
		return err
	}
	return sendWorld(w, world.Name(), file)
}

// sendWorld sends an exported file, and closes it.
func sendWorld(w http.ResponseWriter, name string, file io.ReadCloser) (err error) {
	defer func() { err = errors.Join(err, file.Close()) }()
	w.Header().Set("Content-Type", "application/vnd.stoa.world")
	w.Header().Set("Content-Disposition", `attachment; filename="`+name+`.stoa"`)
	_, err = io.Copy(w, file)
	return err
}

// handleImport makes a world of an exported file.
func (a *API) handleImport(w http.ResponseWriter, r *route.Request) error {
	world, err := a.lab.Import(r.Context(), lab.NewWorld{Name: r.Query().Get("name")}, r.Body)
	if err != nil {
		return err
	}
	describeAct(w, world.Name(), "")
	return answer(w, r, http.StatusCreated, world)
}
