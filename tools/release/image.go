package main

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
)

// imageUser is nobody in particular, as in packaging/Dockerfile.
const imageUser = 65532

// writeImage writes an OCI image layout as one tar file, which podman load, skopeo copy
// and crane push read. It holds what packaging/Dockerfile.release holds.
func (r release) writeImage(t target, files []file) error {
	root, err := tarred([]file{
		{"stoa", 0o755, find(files, "stoa").text},
		{"etc/ssl/certs/ca-certificates.crt", 0o644, find(files, "share/ca-certificates.crt").text},
	}, 0)
	if err != nil {
		return err
	}
	data, err := tarred([]file{{name: "data", mode: 0o700}}, imageUser)
	if err != nil {
		return err
	}
	layout := layout{blobs: map[string][]byte{}}
	var layers []descriptor
	var plain []string
	for _, layer := range [][]byte{root, data} {
		packed, err := compressed(layer)
		if err != nil {
			return err
		}
		layers = append(layers, layout.add("application/vnd.oci.image.layer.v1.tar+gzip", packed))
		plain = append(plain, digest(layer))
	}
	config, err := json.Marshal(map[string]any{
		"architecture": t.arch, "os": t.os, "created": fixed(),
		"config": map[string]any{
			"User": fmt.Sprintf("%d:%d", imageUser, imageUser), "Entrypoint": []string{"/stoa"}, "Cmd": []string{"serve"},
			"Env":          []string{"STOA_DATA=/data", "STOA_LISTEN_HTTP=0.0.0.0:8080", "STOA_LOG_FORMAT=json", "TMPDIR=/data"},
			"ExposedPorts": map[string]any{"8080/tcp": struct{}{}}, "Volumes": map[string]any{"/data": struct{}{}},
			"StopSignal": "SIGTERM",
		},
		"rootfs": map[string]any{"type": "layers", "diff_ids": plain},
	})
	if err != nil {
		return err
	}
	manifest, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.manifest.v1+json",
		"config": layout.add("application/vnd.oci.image.config.v1+json", config), "layers": layers,
	})
	if err != nil {
		return err
	}
	text, err := layout.tar(layout.add("application/vnd.oci.image.manifest.v1+json", manifest), r.version)
	if err != nil {
		return err
	}
	name := fmt.Sprintf("stoa_%s_image_%s.tar", r.version, t.arch)
	return os.WriteFile(filepath.Join(r.out, name), text, 0o644) //nolint:gosec // it is published
}

// layout collects the blobs of an image.
type layout struct{ blobs map[string][]byte }

type descriptor struct {
	MediaType   string            `json:"mediaType"`
	Digest      string            `json:"digest"`
	Size        int               `json:"size"`
	Annotations map[string]string `json:"annotations,omitempty"`
}

func digest(text []byte) string {
	sum := sha256.Sum256(text)
	return "sha256:" + hex.EncodeToString(sum[:])
}

func (l layout) add(kind string, text []byte) descriptor {
	d := digest(text)
	l.blobs["blobs/sha256/"+d[len("sha256:"):]] = text
	return descriptor{MediaType: kind, Digest: d, Size: len(text)}
}

func (l layout) tar(manifest descriptor, version string) ([]byte, error) {
	manifest.Annotations = map[string]string{"org.opencontainers.image.ref.name": version}
	index, err := json.Marshal(map[string]any{
		"schemaVersion": 2, "mediaType": "application/vnd.oci.image.index.v1+json", "manifests": []descriptor{manifest},
	})
	if err != nil {
		return nil, err
	}
	files := []file{
		{"oci-layout", 0o644, []byte(`{"imageLayoutVersion":"1.0.0"}`)},
		{"index.json", 0o644, index},
	}
	for name, text := range l.blobs {
		files = append(files, file{name, 0o644, text})
	}
	return tarred(files, 0)
}
