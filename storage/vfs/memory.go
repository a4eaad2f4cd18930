package vfs

import (
	"path"
	"strconv"
	"strings"
)

const (
	// fallbackMemoryBytes is assumed where the system tells nothing; small enough to be harmless.
	fallbackMemoryBytes = 4 << 30
	// maxProcFile bounds what is read from /proc and /sys.
	maxProcFile = 1 << 20
	// unlimitedV1 and above means "no limit" in cgroup v1, which writes the largest page-aligned int64.
	unlimitedV1 = int64(1) << 60
)

// MemoryTotal returns the bytes of memory that this process may use, the smallest of the machine's memory and the limits of
// its cgroups (v2 and v1), and the name of the source that decided. It never fails: without any source it assumes 4 GiB.
func MemoryTotal() (totalBytes int64, source string) {
	return memoryTotal(func(name string) string {
		data, err := ReadFile(OS, name, maxProcFile)
		if err != nil {
			// A missing file means that this source does not exist here.
			return ""
		}
		return string(data)
	}, machineMemory())
}

// memoryTotal is MemoryTotal over a reader that answers "" for what is missing. machineBytes is 0 if unknown.
func memoryTotal(read func(name string) string, machineBytes int64) (int64, string) {
	best, source := int64(0), ""
	offer := func(n int64, from string) {
		if n > 0 && (best == 0 || n < best) {
			best, source = n, from
		}
	}
	offer(machineBytes, "machine")
	for _, line := range strings.Split(read("/proc/meminfo"), "\n") {
		if f := strings.Fields(line); len(f) >= 2 && f[0] == "MemTotal:" {
			if kib, err := strconv.ParseInt(f[1], 10, 64); err == nil && kib < unlimitedV1>>10 {
				offer(kib<<10, "machine")
			}
		}
	}
	for _, line := range strings.Split(read("/proc/self/cgroup"), "\n") {
		// The form is hierarchy:controllers:path; version 2 has an empty list of controllers.
		f := strings.SplitN(line, ":", 3)
		if len(f) != 3 {
			continue
		}
		switch {
		case f[1] == "":
			offerCgroup(read, offer, "/sys/fs/cgroup", f[2], "memory.max")
		case containsField(f[1], "memory"):
			offerCgroup(read, offer, "/sys/fs/cgroup/memory", f[2], "memory.limit_in_bytes")
		}
	}
	if best == 0 {
		return fallbackMemoryBytes, "default"
	}
	return best, source
}

// offerCgroup offers the limits of a group and all its parents: each of them binds. In a container the path may be the
// host's while only its lower end is mounted; then the elements that exist, at least the root, still count.
func offerCgroup(read func(string) string, offer func(int64, string), root, group, file string) {
	for dir := path.Clean("/" + group); ; dir = path.Dir(dir) {
		name := path.Join(root, dir, file)
		n, err := strconv.ParseInt(strings.TrimSpace(read(name)), 10, 64)
		if err == nil && n < unlimitedV1 {
			offer(n, "cgroup")
		}
		if dir == "/" {
			return
		}
	}
}

// containsField reports whether a comma-separated list has an element.
func containsField(list, want string) bool {
	for _, s := range strings.Split(list, ",") {
		if s == want {
			return true
		}
	}
	return false
}
