package app

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
