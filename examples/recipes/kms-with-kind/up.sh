#!/bin/sh
# Starts the plugin, writes what a cluster needs into RUN, wraps and unwraps a data key
# through the socket, and makes a cluster where kind is installed.
set -eu
cd "$(dirname "$0")"
RUN=${RUN:-$PWD/run}
mkdir -p "$RUN"
cp encryption-configuration.yaml "$RUN/"
sed "s|@RUN@|$RUN|" kind.yaml.in > "$RUN/kind.yaml"

if [ ! -S "$RUN/kms.sock" ]; then
  stoa start --data "$RUN/data" --listen 127.0.0.1:0 --kms-socket "$RUN/kms.sock"
  for _ in $(seq 600); do [ -S "$RUN/kms.sock" ] && break; sleep 0.1; done
fi
chmod 0666 "$RUN/kms.sock" # the API server of the node is another user
(cd ../../go && STOA_KMS_SOCKET=$RUN/kms.sock go run ./kms)

if ! command -v kind > /dev/null; then
  echo "kind is not installed; the plugin runs at $RUN/kms.sock, and $RUN/kind.yaml is ready"
  exit 0
fi
kind create cluster --name stoa --config "$RUN/kind.yaml"
kubectl create secret generic proof --from-literal=word=colonnade
# What lies in the store begins with the name of the plugin, and does not show the word.
docker exec stoa-control-plane sh -c 'crictl exec $(crictl ps -q --name etcd) etcdctl \
  --cacert /etc/kubernetes/pki/etcd/ca.crt --cert /etc/kubernetes/pki/etcd/server.crt \
  --key /etc/kubernetes/pki/etcd/server.key get /registry/secrets/default/proof' | grep -a -q 'k8s:enc:kms:v2:stoa:'
echo "the secret is encrypted by the plugin"
