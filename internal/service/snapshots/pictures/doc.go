// Package pictures says where drawn pictures are kept in the blob store, and which rows
// need them. It draws and stores nothing.
package pictures
