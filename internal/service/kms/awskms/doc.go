// Package awskms keeps the key-encryption key in AWS KMS. Credentials come from
// the AWS SDK's default chain and requests are signed by the SDK; the six calls
// themselves are plain JSON.
//
//	DescribeKey          the key and its current material
//	ListKeyRotations     the materials before it, where permitted
//	Encrypt, Decrypt     wrap and unwrap, with the binding as encryption context
//	RotateKeyOnDemand    new material
//
// AWS rotates the material below one key and finds the right one by itself, so
// a version here is a material: its change gives a new key id. The policy needs
// kms:DescribeKey, kms:Encrypt and kms:Decrypt; kms:ListKeyRotations lets a
// plugin with an empty store know earlier ids, kms:RotateKeyOnDemand is for
// stoa kms rotate.
//
// It is tested against a strict stand-in that checks every signature, not
// against the service.
package awskms
