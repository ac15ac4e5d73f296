// Command kms wraps a data key with the key-management plugin and unwraps it
// again, over its unix socket. The protocol is gRPC; two of its messages are
// small enough to be written by hand.
package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/binary"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	dataKey := make([]byte, 32)
	_, _ = rand.Read(dataKey)

	wrapped := call("Encrypt", append(field(1, dataKey), field(2, []byte("example-1"))...))
	ciphertext, keyID := wrapped[1][0], wrapped[2][0]

	message := append(field(1, ciphertext), field(2, []byte("example-2"))...)
	message = append(message, field(3, keyID)...)
	for _, annotation := range wrapped[3] {
		message = append(message, field(4, annotation)...)
	}
	if opened := call("Decrypt", message)[1][0]; !bytes.Equal(opened, dataKey) {
		log.Fatal("what came back is not the data key")
	}
	fmt.Printf("a data key of 32 bytes became %d bytes under key %s and came back\n", len(ciphertext), keyID)
}

// call is one remote procedure: a frame of five bytes and the message.
func call(method string, message []byte) map[uint64][][]byte {
	var protocols http.Protocols
	protocols.SetUnencryptedHTTP2(true)
	client := &http.Client{Transport: &http.Transport{
		Protocols: &protocols,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", stoa.Variable("STOA_KMS_SOCKET"))
		},
	}}
	frame := binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message)))
	r, err := http.NewRequest(http.MethodPost, "http://localhost/v2.KeyManagementService/"+method, bytes.NewReader(append(frame, message...)))
	stoa.Must(err)
	r.Header.Set("Content-Type", "application/grpc")
	r.Header.Set("TE", "trailers")
	answer, err := client.Do(r)
	stoa.Must(err)
	defer answer.Body.Close()
	body, err := io.ReadAll(answer.Body)
	stoa.Must(err)
	if status := answer.Trailer.Get("Grpc-Status"); status != "0" || len(body) < 5 {
		log.Fatalf("%s: status %s %s", method, status, answer.Trailer.Get("Grpc-Message"))
	}
	return parse(body[5:])
}

// field is bytes under a number.
func field(number uint64, value []byte) []byte {
	out := binary.AppendUvarint(nil, number<<3|2)
	out = binary.AppendUvarint(out, uint64(len(value)))
	return append(out, value...)
}

// parse reads a message whose fields are all bytes.
func parse(message []byte) map[uint64][][]byte {
	fields := map[uint64][][]byte{}
	for len(message) > 0 {
		tag, n := binary.Uvarint(message)
		length, m := binary.Uvarint(message[n:])
		message = message[n+m:]
		fields[tag>>3] = append(fields[tag>>3], message[:length])
		message = message[length:]
	}
	return fields
}
