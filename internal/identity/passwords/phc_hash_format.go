package passwords

import (
	"encoding/base64"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/argon2"
)

// errHash names no part of the hash.
var errHash = errors.New("passwords: stored password hash is not argon2id in PHC form")

func encode(cost Options, salt, sum []byte) string {
	b64 := base64.RawStdEncoding
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s", argon2.Version,
		cost.MemoryKiB, cost.Passes, cost.Threads, b64.EncodeToString(salt), b64.EncodeToString(sum))
}

func decode(phc string) (cost Options, salt, sum []byte, err error) {
	parts := strings.Split(phc, "$")
	if len(parts) != 6 || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return cost, nil, nil, errHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &cost.MemoryKiB, &cost.Passes, &cost.Threads); err != nil {
		return cost, nil, nil, errHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(sum) == 0 || cost.Passes == 0 || cost.Threads == 0 {
		return cost, nil, nil, errHash
	}
	return cost, salt, sum, nil
}
