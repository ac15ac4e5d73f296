//go:build !small

package kms

import (
	"stoa.dev/stoa/internal/platform/clock"
	"stoa.dev/stoa/internal/platform/outbound"
	"stoa.dev/stoa/internal/service/kms/awskms"
	"stoa.dev/stoa/internal/service/kms/azurekv"
	"stoa.dev/stoa/internal/service/kms/gcpkms"
)

func newAWSKMS(c awskms.Config, now clock.Clock, gate *outbound.Gate) (Provider, error) {
	return awskms.New(c, now, nil, gate)
}

func newGCPKMS(c gcpkms.Config, gate *outbound.Gate) (Provider, error) { return gcpkms.New(c, gate) }

func newAzureKV(c azurekv.Config, gate *outbound.Gate) (Provider, error) { return azurekv.New(c, gate) }
