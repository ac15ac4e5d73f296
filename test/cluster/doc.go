// Command cluster builds a real cluster on this machine and breaks it while clients
// write: three PostgreSQL servers under Patroni with synchronous replication, their
// leader kept in etcd, HAProxy in front of them, and three Stoa nodes.
//
// It prints what was tried, how long writes stood, and what was lost: an acknowledged
// task that is not there, one that is there twice, or one that was never sent. It ends
// with a failure when there is any.
//
// It needs the programs of Debian's packages postgresql, patroni, python3-etcd,
// etcd-server and haproxy, which `make cluster-check` installs where it may, and root or
// an ordinary user: PostgreSQL refuses root, so that as root it runs as postgres.
//
// It has one etcd, no pgbouncer, no S3 server and no cuts of the network.
package main
