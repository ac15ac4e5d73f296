package snapshots

type metricsResponse struct {
	From    string   `json:"from"`
	Metrics []string `json:"metrics"`
}

type searchResponse struct {
	Results searchResults `json:"results"`
}

type searchResults struct {
	Metrics []string `json:"metrics"`
}

func searchToWire(names []string) searchResponse {
	return searchResponse{Results: searchResults{Metrics: nonNil(names)}}
}
