package leases

// SuspectOthersText is the statement, whose plan is looked at.
const SuspectOthersText = suspectOthers
