// Package answermemory has the memory that an answer takes counted: the rows that are read for it, and the answer
// itself while its caller reads it. Small answers count nothing.
package answermemory
