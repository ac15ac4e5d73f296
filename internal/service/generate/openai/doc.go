// Package openai translates between the other common form of model APIs, that
// of OpenAI's chat completions, responses and embeddings, and the shapes of the
// package api. It reads requests, writes answers, events and errors, and decides
// nothing: models, limits, safety and counting are the service's.
//
// A member that this package does not know is refused by name, and so is one
// that it knows and that no model here can honour. Members that only label a
// request for the caller's own books (user, metadata, safety_identifier,
// prompt_cache_key) are read and change nothing.
package openai
