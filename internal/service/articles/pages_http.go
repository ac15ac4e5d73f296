package articles

// pagesPrefix is where people read.
const pagesPrefix = "/articles"
