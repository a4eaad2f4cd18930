package vfs

import "golang.org/x/sys/unix"

// machineMemory returns the bytes of physical memory, or 0 if the system does not tell.
func machineMemory() int64 {
	n, err := unix.SysctlUint64("hw.memsize")
	if err != nil {
		return 0
	}
	return int64(n)
}
