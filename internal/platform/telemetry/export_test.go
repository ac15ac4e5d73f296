package telemetry

// RecentSize is how many requests Recent remembers.
const RecentSize = recentSize
