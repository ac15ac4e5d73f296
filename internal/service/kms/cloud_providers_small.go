//go:build small

package kms

import (
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/platform/smallbuild"
	"stoa.dev/stoa/internal/service/kms/awskms"
	"stoa.dev/stoa/internal/service/kms/azurekv"
	"stoa.dev/stoa/internal/service/kms/gcpkms"
)

func newAWSKMS(awskms.Config, clock.Clock, *outbound.Gate) (Provider, error) {
	return nil, &smallbuild.Error{Part: smallbuild.CloudKeys}
}

func newGCPKMS(gcpkms.Config, *outbound.Gate) (Provider, error) {
	return nil, &smallbuild.Error{Part: smallbuild.CloudKeys}
}

func newAzureKV(azurekv.Config, *outbound.Gate) (Provider, error) {
	return nil, &smallbuild.Error{Part: smallbuild.CloudKeys}
}
