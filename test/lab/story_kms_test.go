package lab_test

import (
	"context"
	"testing"
	"time"

	api "k8s.io/kms/apis/v2"
)

// sealMinutely looks at the key plugin each minute, as a cluster does. It leaves data as it is while the plugin is
// unhealthy, and seals it anew when the key has changed.
func sealMinutely(
	ctx context.Context, kms api.KeyManagementServiceClient, data []byte, n int, sleep func(time.Duration),
) (sealed []*api.EncryptResponse) {
	for keyID := ""; n > 0; n-- {
		status, err := kms.Status(ctx, &api.StatusRequest{})
		if err == nil && status.Healthz == "ok" && status.KeyId != keyID {
			if fresh, err := kms.Encrypt(ctx, &api.EncryptRequest{Plaintext: data, Uid: "seal"}); err == nil {
				sealed, keyID = append(sealed, fresh), fresh.KeyId
			}
		}
		sleep(time.Minute)
	}
	return sealed
}

// The key plugin of a cluster turns unhealthy for three minutes; afterwards its key has changed. The cluster
// waits, seals its data under the new key, and can still open what was sealed under the old one.
func TestStoryKMS(t *testing.T) {
	t.Parallel()
	w := story(t)
	kms := w.dialKMS(t)
	w.fault(t, `{"match":{"service":"kms"},"when":{"after":2,"first":3},"deed":{"fault":"kms_unhealthy"}}`)
	w.fault(t, `{"match":{"operation":"Status"},"when":{"nth":2},"deed":{"fault":"key_id_changed"}}`)

	sealed := sealMinutely(t.Context(), kms, []byte("secret"), 8, w.sleep(t))

	if len(sealed) != 2 || sealed[0].KeyId == sealed[1].KeyId {
		t.Fatalf("sealed %v, want twice under two keys", sealed)
	}
	for _, s := range sealed {
		opened, err := kms.Decrypt(t.Context(), &api.DecryptRequest{
			Ciphertext: s.Ciphertext, KeyId: s.KeyId, Annotations: s.Annotations, Uid: "open",
		})
		if err != nil || string(opened.Plaintext) != "secret" {
			t.Errorf("opened %v, %v", opened, err)
		}
	}
	w.expect(t, `{"calls":{"service":"kms","operation":"Status"},"exactly":8,"noCloserThan":"1m"}`)
	w.expect(t, `{"calls":{"service":"kms","operation":"Encrypt"},"exactly":2}`)
	w.wellBehaved(t)
}
