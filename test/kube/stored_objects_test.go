package main

import (
	"encoding/base64"
	"testing"

	"google.golang.org/protobuf/encoding/protowire"
)

func TestKeyOf(t *testing.T) {
	t.Parallel()
	message := protowire.AppendBytes(protowire.AppendTag(nil, 1, protowire.BytesType), []byte("sealed"))
	named := protowire.AppendBytes(protowire.AppendTag(message, keyIDField, protowire.BytesType), []byte("local-1"))
	for _, row := range []struct {
		name, value, want string
		bad               bool
	}{
		{name: "encrypted", value: encryptedPrefix + string(named), want: "local-1"},
		{name: "no key", value: encryptedPrefix + string(message), bad: true},
		{name: "cut off", value: encryptedPrefix + string(named[:len(named)-1]), bad: true},
		{name: "another provider", value: "k8s:enc:kms:v2:other:" + string(named), bad: true},
		{name: "plain", value: "k8s\x00", bad: true},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			id, err := keyOf([]byte(row.value))
			if (err != nil) != row.bad || (err == nil && id != row.want) {
				t.Errorf("the key is %q, %v", id, err)
			}
		})
	}
}

func TestReadable(t *testing.T) {
	t.Parallel()
	value := "plaintext-ABCDEF"
	for _, before := range []string{"", "a", "ab", "abc"} {
		encoded := base64.StdEncoding.EncodeToString([]byte(before + value + "xyz"))
		if !readable([]byte(`{"password":"` + encoded + `"}`)) {
			t.Errorf("%s is not found to be readable", encoded)
		}
	}
	if !readable([]byte(around(value))) || readable([]byte("k8s:enc:kms:v2:stoa:\x0a\x10")) {
		t.Error("plain text is not told from the rest")
	}
}

func around(value string) string { return "\x01\x02" + value + "\x03" }
