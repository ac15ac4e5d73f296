package memlimit

import (
	"os"
	"path/filepath"
	"testing"
)

func TestReadLimit(t *testing.T) {
	t.Parallel()
	const meminfo = "MemTotal:       16384 kB\nMemFree: 1 kB\n"
	for name, row := range map[string]struct {
		files map[string]string
		want  Limit
	}{
		"nothing known": {nil, Limit{}},
		"machine only":  {map[string]string{"proc/meminfo": meminfo}, Limit{16 << 20, "the machine"}},
		"container": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "8388608\n",
		}, Limit{8 << 20, "the control group"}},
		"no bound in the container": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "max\n",
		}, Limit{16 << 20, "the machine"}},
		"a group above": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/system.slice/stoa.service\n",
			"sys/fs/cgroup/system.slice/memory.max":              "4194304\n",
			"sys/fs/cgroup/system.slice/stoa.service/memory.max": "max\n",
		}, Limit{4 << 20, "the control group"}},
		"version 1": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "3:cpu:/x\n4:memory:/x\n",
			"sys/fs/cgroup/memory/memory.limit_in_bytes":   "9223372036854771712\n",
			"sys/fs/cgroup/memory/x/memory.limit_in_bytes": "2097152\n",
		}, Limit{2 << 20, "the control group"}},
		"a larger group than the machine": {map[string]string{
			"proc/meminfo": meminfo, "proc/self/cgroup": "0::/\n", "sys/fs/cgroup/memory.max": "99999999999\n",
		}, Limit{16 << 20, "the machine"}},
		"broken": {map[string]string{"proc/meminfo": "MemTotal: x kB\n", "proc/self/cgroup": "x"}, Limit{}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := t.TempDir()
			for file, text := range row.files {
				full := filepath.Join(root, file)
				if err := os.MkdirAll(filepath.Dir(full), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(full, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			if got := readLimit(root); got != row.want {
				t.Errorf("got %+v, want %+v", got, row.want)
			}
		})
	}
}

// TestRuntimePart: where memory is short the rest is a larger part of it.
func TestRuntimePart(t *testing.T) {
	t.Parallel()
	for bytes, want := range map[int64]int64{
		1 << 30: (1 << 30) / 100 * 80, 128 << 20: 88 << 20, 96 << 20: 56 << 20, 64 << 20: 32 << 20,
	} {
		if got := runtimePart(bytes); got != want {
			t.Errorf("of %d the runtime is told %d, want %d", bytes, got, want)
		}
	}
}
