package sqliteconn

import "unsafe"

// bytesAt are n bytes of the engine's memory, which no collector moves or frees.
func bytesAt(address uintptr, n int) []byte {
	return unsafe.Slice(*(**byte)(unsafe.Pointer(&address)), n)
}

// pointerAt is the pointer that stands in the engine's memory.
func pointerAt(address uintptr) uintptr {
	return **(**uintptr)(unsafe.Pointer(&address))
}
