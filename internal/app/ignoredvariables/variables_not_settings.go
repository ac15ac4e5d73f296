package ignoredvariables

import "slices"

// Variables are names that are no settings and may be there all the same.
func Variables() []string { return slices.Concat(writtenVariables(), readByOthers()) }

// readByOthers are the names that the actions and kits around the program read, and its own
// tests: what starts a server may have them in its environment.
func readByOthers() []string {
	return []string{
		"STOA_ACTION_BINARY", "STOA_ACTION_REPORTS", "STOA_ACTION_SHA256", "STOA_ACTION_SOURCE", "STOA_ACTION_URL",
		"STOA_ANSWERS", "STOA_BEGAN", "STOA_BENCH_ARTICLES", "STOA_BENCH_VERSIONS", "STOA_BINARY",
		"STOA_CONDUCT_REPORTS", "STOA_CRASH_FULL", "STOA_FAULT", "STOA_FAULTS", "STOA_IMAGE", "STOA_KMS_NONCES",
		"STOA_PLANTED", "STOA_TWICE",
		"STOA_RECORD", "STOA_RECORD_HOSTS", "STOA_RESOLVE_CHECK", "STOA_RESOLVE_ONLY", "STOA_RESOLVE_RECORD",
		"STOA_SDK_MODEL", "STOA_SDK_RECORD", "STOA_TEST_AS_ENGINE", "STOA_TEST_BINARY", "STOA_TEST_CLOSED", "STOA_TEST_PART",
		"STOA_TEST_POSTGRES", "STOA_TEST_SECRET", "STOA_TEST_TRANSIT_ADDRESS", "STOA_TEST_TRANSIT_TOKEN",
	}
}

// writtenVariables are the names that the program itself writes for clients, in
// demo.env, lab.env and the environment of exec. A shell that has read such a file may
// start another server.
func writtenVariables() []string {
	return []string{
		"STOA_ANALYTICS_CAMPAIGN", "STOA_ANALYTICS_LOCATION", "STOA_API_KEY", "STOA_APP_KEY", "STOA_ARTICLE", "STOA_BIN",
		"STOA_CA_FILE", "STOA_DEVICE_CLIENT_ID", "STOA_DEVICE_CLIENT_SECRET", "STOA_GUEST", "STOA_GUEST_TOKEN",
		"STOA_HTTPS_URL", "STOA_KMS_SOCKET", "STOA_LAB_TOKEN", "STOA_LAB_URL", "STOA_MODEL_KEY", "STOA_PASSWORD",
		"STOA_PIPELINE_TOKEN", "STOA_REPO", "STOA_SCHEDULING_KEY", "STOA_TEAM", "STOA_TOKEN", "STOA_URL", "STOA_USER",
		"STOA_WEB_CLIENT_ID", "STOA_WEB_CLIENT_SECRET", "STOA_WORLD",
	}
}
