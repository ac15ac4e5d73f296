// Package generate serves generative content (service M): prompts, streams,
// token counts, embeddings, models, uploaded files and cached content.
//
//	POST   /v1beta/models/{model}:generateContent
//	POST   /v1beta/models/{model}:streamGenerateContent   ?alt=sse, else a JSON array
//	POST   /v1beta/models/{model}:countTokens
//	POST   /v1beta/models/{model}:embedContent, :batchEmbedContents
//	POST   /v1beta/models/{model}:batchGenerateContent, :asyncBatchEmbedContent
//	GET    /v1beta/batches, /v1beta/batches/{batch}       DELETE and POST …:cancel too
//	GET    /v1beta/models, /v1beta/models/{model}
//	POST   /upload/v1beta/files                           resumable, multipart, raw
//	GET    /v1beta/files, /v1beta/files/{file}            DELETE too
//	POST   /v1beta/cachedContents                         GET, PATCH, DELETE too
//	POST   /v1/chat/completions, /v1/responses, /v1/embeddings; GET /v1/models
//
// /v1alpha is served as /v1beta, and so are models, uploads, files, cached content and
// batches below /v1, unless the key is a bearer token. The last line is the other common form
// (package openai), in an envelope of its own and also below /v1beta/openai.
//
// The caller presents an API key in the query parameter key or in the header
// X-Vendor-Api-Key. Requests may spell members, and the parameters of lists and masks,
// in camelCase or snake_case; unknown members are refused, and so is every known member that this
// server cannot honour, with the reason.
//
// The package owns the API, its checks, limits, safety, counting and storage.
// What answers is a Backend, chosen for each model in the configuration:
// script (rules, no weights, deterministic), local (llama.cpp on this machine,
// see the module engine) or upstream (a server that
// speaks the OpenAI form, or this very API). A pulled encoder of sentences
// (package sentence) answers for ids of embeddings. A model that was pulled answers for ids of the
// family; until then the script does. Programs that a model writes are run in
// the platform's sandbox, and not at all without one: the result is then
// OUTCOME_FAILED with the reason.
//
// Token counts are real counts of the byte-pair vocabulary cl100k_base, or the
// backend's own; counting ends with its caller and at the model's limit. Uploads
// survive restarts: the offset is what is durable, and finalizing can be
// repeated, also by two at once and after a process died between the bytes and
// their row. A large file is PROCESSING until a durable job has read and weighed it,
// then ACTIVE or FAILED, as a small one is at once, and gone after 48 hours. What was said in a stream is
// charged, also when the caller left before its end.
//
// # Where the contract is silent we decided
//
//   - M-N1: the shapes of Tool, ToolConfig, SafetySetting, GenerationConfig,
//     Candidate, SafetyRating, ModalityTokenCount and ModelStatus are those of
//     the package api, the public API's. Enums may be sent as words or numbers.
//   - M-N2: ServiceTier is standard (the default), flex or priority, also spelt
//     SERVICE_TIER_…; all three are served alike, and a header names the tier.
//     Beyond the four members a file has displayName, sizeBytes, createTime,
//     updateTime, expirationTime, sha256Hash, source and error.
//   - M-N3: a finished upload of up to 1 MiB is read before it is answered and is
//     ACTIVE or FAILED (empty, or unreadable), a larger one PROCESSING first; nothing
//     leads back. Deleting and expiry end it, and
//     the name is free again. A name is taken by one file or open session of
//     anybody; a session that is not finished within 7 days is over.
//   - M-N4: errors are {"error":{code,message,status,details[]}}: 400
//     INVALID_ARGUMENT or FAILED_PRECONDITION, 403 PERMISSION_DENIED (no key;
//     foreign, missing or expired file or cache), 404 NOT_FOUND (model, path,
//     upload session), 409 and 410 of upload sessions, 413, 429
//     RESOURCE_EXHAUSTED, 500, 503, 504. A wrong key is 400 with the reason
//     API_KEY_INVALID.
//   - M-N5: one caller may send a model 6000 requests and 40 million tokens a
//     minute and a million requests a day; 100 MiB a request, 2 GiB a file,
//     20 GiB of files, open uploads and cached contents, 48 hours of life of a
//     file, 10,000 files, open uploads and cached contents, 1024 tokens at least
//     for cached content. All are configuration. Of stored requests a caller's newest gibibyte
//     is kept, or as much as of files. A caller who takes nothing of a stream for a minute is cut
//     off, and every stream after half an hour.
//   - What a request becomes is bounded beside what it is: memory of the process
//     is taken for each JSON value, and for cached content and files where they
//     are only named; text to be counted has 16 MiB at most; schemas, patterns and
//     grammars are followed for a bounded number of steps and refused with 400
//     beyond. Upstreams, programs and local models give one caller half of their
//     places, and callers take turns. Answers of upstreams are bounded in bytes,
//     values and depth.
//   - M-N6: there are no events. Members and models are only ever added.
//   - M-N7: the member is mimeType (mime_type is taken too); the upload reply
//     is {"file":{…}}; name already contains files/.
//   - M-N8: reading a file needs the key. The second upload request does not:
//     its address holds a secret; a key that is sent must be the owner's. The
//     session ends (410) once the key that began it is revoked, replaced or
//     removed, and not when that key runs out.
//   - M-N9: without alt=sse the stream is one JSON array, flushed element by
//     element; a file that is PROCESSING is waited for, for 15 s, then 400
//     FAILED_PRECONDITION; parts may be spelt in camelCase.
//   - An id of the family that another model answers for degrades: what that model
//     lacks is left out and noted in modelStatus.message, where its own id refuses. Without
//     a stream it says what it can in four minutes: clients wait five.
//   - One object for a list, numbers as text and enumerations in any case are taken,
//     as the JSON of this API's family does. An unknown verb is 404.
//   - GET /v1/models belongs to two forms: a caller with a bearer token gets the other
//     common form's list, one with a key in a header or the query this API's.
//   - Answers of embeddings have modelVersion and usageMetadata, so that a caller sees
//     who made the vectors.
//   - Batches are the public API's; package batches says how they are answered. Deleting one
//     ends it, cancelling one that has ended is 400 FAILED_PRECONDITION, lists show no results.
//   - The headers of a stream are sent with its first chunk, and after ten seconds without one.
//   - M-N10: thoughts and tool use are counted in their own members and do not
//     enter totalTokenCount, as the text says.
package generate
