// Stands in for the Kubernetes client, which the metrics engine links for the
// discovery of targets and for a log of deprecations, and calls for neither here.
module k8s.io/client-go

go 1.26.0
