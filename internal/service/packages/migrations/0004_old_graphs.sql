-- Graphs that are stale for long are deleted.
CREATE INDEX packages_graph_stale ON packages_graph (stale);
