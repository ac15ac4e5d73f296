package signing

import (
	"crypto/rsa"
	"math/big"

	"stoa.dev/stoa/internal/platform/ids"
)

// publicExponent is the one that every implementation takes.
const publicExponent = 65537

// primeRounds are the Miller-Rabin rounds beside the Baillie-PSW test: the chance of
// a composite is below one in 2^40 even for numbers that were chosen to pass, and
// these are random.
const primeRounds = 20

// GenerateKey makes an RSA key from the world's source. crypto/rsa draws from the
// operating system whatever source it is given, and worlds with a seed repeat
// themselves byte for byte; those without one draw from the operating system here too.
func GenerateKey(source *ids.Source) (*rsa.PrivateKey, error) {
	one, e := big.NewInt(1), big.NewInt(publicExponent)
	p := prime(source)
	q := prime(source)
	for p.Cmp(q) == 0 {
		q = prime(source)
	}
	phi := new(big.Int).Mul(new(big.Int).Sub(p, one), new(big.Int).Sub(q, one))
	key := &rsa.PrivateKey{
		PublicKey: rsa.PublicKey{N: new(big.Int).Mul(p, q), E: publicExponent},
		D:         new(big.Int).ModInverse(e, phi),
		Primes:    []*big.Int{p, q},
	}
	key.Precompute()
	return key, key.Validate()
}

// prime draws candidates of half the key's length until one is prime and fits the
// public exponent. The two highest bits are set, so that the product of two has
// the full length.
func prime(source *ids.Source) *big.Int {
	const bits = keyBits / 2
	raw := make([]byte, bits/8)
	one, e, rest := big.NewInt(1), big.NewInt(publicExponent), new(big.Int)
	for {
		_, _ = source.Read(raw) // Read of a Source never fails.
		p := new(big.Int).SetBytes(raw)
		p.SetBit(p, bits-1, 1).SetBit(p, bits-2, 1).SetBit(p, 0, 1)
		if rest.Mod(rest.Sub(p, one), e).Sign() != 0 && p.ProbablyPrime(primeRounds) {
			return p
		}
	}
}
