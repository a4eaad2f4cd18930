package vfs

import "testing"

func TestMemoryTotal(t *testing.T) {
	const meminfo = "MemFree: 1 kB\nMemTotal:       8388608 kB\n"
	f := func(files map[string]string, machine, want int64, wantSource string) {
		t.Helper()
		got, source := memoryTotal(func(name string) string { return files[name] }, machine)
		if got != want || source != wantSource {
			t.Errorf("memoryTotal = %d from %s, want %d from %s", got, source, want, wantSource)
		}
	}
	f(nil, 0, 4<<30, "default")
	f(nil, 16<<30, 16<<30, "machine")
	f(map[string]string{"/proc/meminfo": meminfo}, 0, 8<<30, "machine")
	f(map[string]string{"/proc/meminfo": "MemTotal: x kB\nMemTotal:\n"}, 0, 4<<30, "default")
	// Version 2: a parent binds as well.
	f(map[string]string{
		"/proc/meminfo":                       meminfo,
		"/proc/self/cgroup":                   "0::/user/app\n",
		"/sys/fs/cgroup/user/app/memory.max":  "max\n",
		"/sys/fs/cgroup/user/memory.max":      "2147483648\n",
		"/sys/fs/cgroup/other/app/memory.max": "1\n",
	}, 0, 2<<30, "cgroup")
	// A container sees its own group as the root.
	f(map[string]string{
		"/proc/meminfo":             meminfo,
		"/proc/self/cgroup":         "0::/\n",
		"/sys/fs/cgroup/memory.max": "1073741824\n",
	}, 0, 1<<30, "cgroup")
	// Version 1, with the path of the host.
	f(map[string]string{
		"/proc/meminfo":     meminfo,
		"/proc/self/cgroup": "5:cpu,cpuacct:/x\n4:memory:/docker/abc\n",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes": "536870912\n",
	}, 0, 512<<20, "cgroup")
	f(map[string]string{
		"/proc/meminfo":     meminfo,
		"/proc/self/cgroup": "4:memory:/\n",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
	}, 0, 8<<30, "machine")
	if n, source := MemoryTotal(); n < 64<<20 || source == "default" {
		t.Errorf("MemoryTotal here = %d from %s", n, source)
	}
}
