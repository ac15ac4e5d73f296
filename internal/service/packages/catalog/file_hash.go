package catalog

// Artifact is one file of a release and its digests.
type Artifact struct {
	URL    string `json:"url"`
	Hashes []Hash `json:"hashes,omitempty"`
}

// Hash is the raw digest of a file.
type Hash struct {
	Type   HashType `json:"type"`
	Digest []byte   `json:"digest"`
}

// HashType is a digest algorithm, spelled as the contract's enumeration.
type HashType string

// The four hash types of the contract.
const (
	MD5    HashType = "MD5"
	SHA1   HashType = "SHA1"
	SHA256 HashType = "SHA256"
	SHA512 HashType = "SHA512"
)

// HashTypes lists all algorithms.
func HashTypes() []HashType { return []HashType{MD5, SHA1, SHA256, SHA512} }

// Size is the length of a digest in bytes, zero for an unknown type.
func (t HashType) Size() int {
	switch t {
	case MD5:
		return 16
	case SHA1:
		return 20
	case SHA256:
		return 32
	case SHA512:
		return 64
	}
	return 0
}

// Number is the stored form of the type.
func (t HashType) Number() int64 {
	switch t {
	case MD5:
		return 1
	case SHA1:
		return 2
	case SHA256:
		return 3
	case SHA512:
		return 4
	}
	return 0
}
