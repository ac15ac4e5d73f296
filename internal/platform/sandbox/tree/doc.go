// Package tree walks and removes folders that a program which is not trusted has
// filled: of any depth, closed to their owner, with links that lead elsewhere, and
// changing meanwhile. It goes by descriptors, so that no link is followed and no
// depth costs more than another.
package tree
