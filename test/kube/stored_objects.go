package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"google.golang.org/protobuf/encoding/protowire"
)

const (
	// secretsPrefix and configMapsPrefix begin the names of these in etcd.
	secretsPrefix    = "/registry/secrets/"
	configMapsPrefix = "/registry/configmaps/"
	// encryptedPrefix begins what the provider of this name encrypted.
	encryptedPrefix = "k8s:enc:kms:v2:stoa:"
	// keyIDField is the number of key_id in the message that follows the prefix.
	keyIDField = 2
)

// stored reads all objects below a prefix from etcd as they are there, by the rest of their names.
func (c *controlPlane) stored(ctx context.Context, prefix string) (map[string][]byte, error) {
	all := map[string][]byte{}
	next := []byte(prefix)
	end := []byte(prefix)
	end[len(end)-1]++
	for {
		page, more, err := c.storedPage(ctx, next, end)
		if err != nil {
			return nil, err
		}
		for _, kv := range page {
			all[strings.TrimPrefix(string(kv.Key), prefix)] = kv.Value
			next = append(bytes.Clone(kv.Key), 0)
		}
		if !more {
			return all, nil
		}
	}
}

type keyValue struct{ Key, Value []byte }

// storedPage asks etcd's own API, in its JSON form.
func (c *controlPlane) storedPage(ctx context.Context, from, to []byte) (page []keyValue, more bool, err error) {
	body, err := json.Marshal(map[string]any{"key": from, "range_end": to, "limit": 500})
	if err != nil {
		return nil, false, err
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.etcd+"/v3/kv/range", bytes.NewReader(body))
	if err != nil {
		return nil, false, err
	}
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, false, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, false, err
	}
	if response.StatusCode != http.StatusOK {
		return nil, false, fmt.Errorf("etcd: %w", &statusError{response.StatusCode, string(content)})
	}
	var answer struct {
		KVs  []keyValue
		More bool
	}
	err = json.Unmarshal(content, &answer)
	return answer.KVs, answer.More, err
}

// keyOf is the id of the key that a stored object is under.
func keyOf(value []byte) (string, error) {
	message, ok := bytes.CutPrefix(value, []byte(encryptedPrefix))
	if !ok {
		return "", fmt.Errorf("it does not begin with %s", encryptedPrefix)
	}
	for len(message) > 0 {
		number, kind, n := protowire.ConsumeTag(message)
		if n < 0 {
			return "", protowire.ParseError(n)
		}
		message = message[n:]
		if number == keyIDField && kind == protowire.BytesType {
			id, n := protowire.ConsumeBytes(message)
			return string(id), protowire.ParseError(n)
		}
		if n = protowire.ConsumeFieldValue(number, kind, message); n < 0 {
			return "", protowire.ParseError(n)
		}
		message = message[n:]
	}
	return "", errors.New("it names no key")
}
