//go:build !amd64 || purego

package jsonparse

import "unicode/utf8"

// simdAvailable is false where no vector kernels are built.
const simdAvailable = false

// markVector and validVector stand in for the vector kernels, which SetSIMD cannot switch on in this build.
func markVector(dst []uint64, src []byte) bool { return markPortable(dst, src) }

func validVector(s []byte) bool { return utf8.Valid(s) }
