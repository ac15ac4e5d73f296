// Package folderlock makes one process the owner of a data folder, by a lock of
// the kernel that ends with the process.
package folderlock
