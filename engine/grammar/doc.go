// Package grammar turns JSON schemas into grammars that a model can be held to.
//
// The result is GBNF, the language of llama.cpp's grammar sampler: every text
// the grammar allows is JSON that fits the schema. It may allow less than the
// schema does, never more: members come in one order, with propertyOrdering
// first, and none that the schema does not name; numbers have no exponents.
// Words that constrain and that a grammar cannot say (not, uniqueItems,
// multipleOf and the like) are refused by name, never ignored.
//
// The package knows neither models nor the API's own spelling of schemas.
package grammar
