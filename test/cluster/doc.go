// Command cluster builds a real cluster on this machine and breaks it while clients
// write: three PostgreSQL servers under Patroni with synchronous replication, their
// leader kept in etcd, HAProxy and pgbouncer in transaction mode in front of them, three
// Stoa nodes, a worker, and versitygw as the S3 server. Links between them pass relays of
// this program, which cut them or let them stand still.
//
// Five streams write all the time, each with a ledger: tasks (sent once, in order),
// calendar events (sent until they are known to be there, announced to a receiver),
// API keys (each replaces the last), pictures (bytes in the bucket), and pipeline jobs
// with artifacts (run by the worker). It prints what was tried, how long each stream went
// without an acknowledgement, and what was lost, repeated or reordered; it fails when
// something acknowledged is lost, stored twice or out of order.
//
// The nodes begin with the newest commit that lacks the last migration and are upgraded
// under load. The restore to a moment is PostgreSQL's own, from a base backup and the
// archived log, with a copy of the bucket; `stoa backup` refuses where a bucket is used.
//
// It needs the programs of Debian's packages postgresql, patroni, python3-etcd,
// etcd-server, haproxy and pgbouncer, which tools/setup.sh installs where it may, and root
// or an ordinary user: PostgreSQL refuses root, so that as root it runs as postgres.
//
//	make cluster-check CLUSTER_ARGS=-write     # everything, and docs/reliability-cluster.md
//	go run ./test/cluster -only S3,etcd        # some trials
//	go test ./test/cluster                     # the short form, with an S3 server in memory
//
// It has one etcd, and no losses or delays of packets.
package main
