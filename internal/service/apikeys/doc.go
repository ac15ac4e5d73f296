// Package apikeys lets the holder of an API key exchange it for a new one
// (service L). It is the smallest service and the template for newcomers.
//
//	POST /v2/api-keys/refresh    refresh
//	GET  /v2/me                  me
//
// The caller presents the key to be replaced as a bearer value. The body is a
// JSON object with the optional members apiKeyDaysValid (integer) and
// apiKeyNeverExpires (boolean). The answer, 200 with
// {"status":"success","data":{"apiKey":…}}, is the only time the new key is
// shown, but for repetitions; identity keeps a hash of it. The old key dies in the
// transaction that makes the new one, so of any number of concurrent refreshes of
// one key one makes a new key.
//
// Failures answer {"status":"error","timestamp":…,"path":…,"error":{code,
// message,details}} with the statuses 400, 401, 404, 405, 413, 415, 429, 500
// and 504.
//
// # Where the contract is silent we decided
//
//   - L-N1: both members are optional. Without either, or with
//     apiKeyNeverExpires false, the new key is valid for 30 days (default_days).
//     apiKeyNeverExpires true together with apiKeyDaysValid is refused with
//     400, whatever the number. null counts as absent, other types are refused
//     and never converted, members of other names are refused, an empty body counts
//     as {}.
//   - L-N2: error.code is the name of the failure's class: BadRequestException,
//     UnauthorizedException, NotFoundException, MethodNotAllowedException,
//     PayloadTooLargeException, UnsupportedMediaTypeException,
//     ThrottlerException, GatewayTimeoutException, InternalServerErrorException.
//     A refused member is listed in details.errors[] with its constraints. A
//     refused request leaves the old key as it was.
//   - L-N3: one key may make 120 requests a minute (requests_per_minute); the
//     next one is 429 and the key is blocked for a minute. Every answer to a
//     known key carries X-RateLimit-Limit-Default,
//     X-RateLimit-Remaining-Default and X-RateLimit-Reset-Default (seconds). A
//     new key starts with a fresh budget.
//   - me tells the holder of a live key whose it is and when it ends
//     (apiKeyExpiresAt, null for never); the contract has no way to ask.
//   - L-N4: no events are emitted. Members are only ever added to the answer.
//   - L-N5: the prefix is svc_ in the neutral dialect and the brand's own in
//     the sdk dialect, followed by 32 hexadecimal characters; success is 200;
//     apiKeyDaysValid is 1 to 36500 (max_days). A key of n days ends exactly n
//     times 24 hours after it was made.
//   - L-N6: the old key is dead as soon as the answer is sent; all that it can
//     still do is to be told the new key again, because answers get lost. The same
//     request gives the same new key for a minute (refresh_grace), one with the same
//     Idempotency-Key for a day (idempotency_ttl); any other request with the old
//     key is 401. A refresh with an Idempotency-Key is not answered again to a
//     request without it. Until then the new key is kept wrapped, and opens with the
//     old key and the root key together. Who revokes a key by its id ends the keys that
//     replaced it too. The old key's note,
//     team and owner pass to the new one. A key of a team can only be refreshed
//     by an owner or administrator of the team.
package apikeys
