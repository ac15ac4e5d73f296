// Package tarstream unpacks a tar stream below a folder. It writes folders and ordinary
// files and refuses links and devices. The stream may come from anywhere: an os.Root keeps
// every path inside, and no file is overwritten.
package tarstream
