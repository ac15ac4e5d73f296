package kms

import (
	"context"

	"google.golang.org/grpc"
	api "k8s.io/kms/apis/v2"

	"stoa.dev/stoa/internal/platform/module"
)

// unhealthyText is what Status says while a rule makes it unhealthy.
const unhealthyText = "the key provider does not answer"

// faultDefinitions are the failures of the plugin by name, in the codes that toStatus
// gives them.
func (s *Service) faultDefinitions() []module.Fault {
	keyed, decrypt := []string{"Encrypt", "Decrypt"}, []string{"Decrypt"}
	refused := func(name, description string, operations []string, err *Error) module.Fault {
		return module.Fault{
			Name: name, Description: description, Operations: operations,
			Call: func(context.Context, any, grpc.UnaryHandler) (any, error) { return nil, toStatus(err) },
		}
	}
	return []module.Fault{
		{
			Name:        "kms_unhealthy",
			Description: "Status answers with another word than ok; Encrypt and Decrypt end with UNAVAILABLE.",
			Operations:  []string{"Status", "Encrypt", "Decrypt"}, Call: unhealthy,
		},
		{
			Name:        "key_id_changed",
			Description: "The key is rotated before the call: Status and Encrypt name a new key_id from then on.",
			Operations:  []string{"Status", "Encrypt"}, Call: s.rotateBefore,
		},
		refused("provider_unavailable", "The call ends with UNAVAILABLE: the provider of the key does not answer.",
			keyed, errUnavailable(unhealthyText)),
		refused("provider_denied", "The call ends with PERMISSION_DENIED: the provider refuses the plugin.",
			keyed, newError(CodeDenied, "the key provider does not allow this")),
		refused("provider_unauthenticated", "The call ends with UNAUTHENTICATED: the plugin's credential is refused.",
			keyed, newError(CodeUnauthenticated, "the key provider does not accept the credential")),
		refused("provider_throttled", "The call ends with RESOURCE_EXHAUSTED: the provider asks for fewer calls.",
			keyed, newError(CodeExhausted, "the key provider asks for fewer calls")),
		refused("key_disabled", "The call ends with FAILED_PRECONDITION: the key is disabled at its provider.",
			keyed, errUnusable("the key is disabled")),
		refused("key_unknown", "The call ends with NOT_FOUND: the key_id was never published by this plugin.",
			decrypt, errUnknownKey("unknown")),
		refused("ciphertext_altered", "The call ends with INVALID_ARGUMENT: the ciphertext does not open.",
			decrypt, errInvalid("the ciphertext does not belong to this key id and these annotations, or was altered")),
	}
}

// unhealthy answers Status with a text, and refuses the rest.
func unhealthy(ctx context.Context, in any, next grpc.UnaryHandler) (any, error) {
	if _, ok := in.(*api.StatusRequest); !ok {
		return nil, toStatus(errUnavailable(unhealthyText))
	}
	out, err := next(ctx, in)
	if answer, ok := out.(*api.StatusResponse); ok && err == nil {
		return &api.StatusResponse{Version: answer.Version, Healthz: unhealthyText, KeyId: answer.KeyId}, nil
	}
	return out, err
}

// rotateBefore changes the key as an operator does.
func (s *Service) rotateBefore(ctx context.Context, in any, next grpc.UnaryHandler) (any, error) {
	if _, _, err := s.Rotate(ctx); err != nil {
		return nil, toStatus(err)
	}
	return next(ctx, in)
}
