package awskms

import "testing"

func TestEndpoint(t *testing.T) {
	t.Parallel()
	for want, c := range map[string]Config{
		"https://kms.eu-central-1.amazonaws.com/":  {Region: "eu-central-1"},
		"https://kms.cn-north-1.amazonaws.com.cn/": {Region: "cn-north-1"},
		"https://kms.example/":                     {Region: "eu-central-1", Endpoint: "https://kms.example"},
		"https://kms.us-gov-west-1.amazonaws.com/": {Region: "us-gov-west-1"},
	} {
		if got := c.endpoint(); got != want {
			t.Errorf("%+v: %s, want %s", c, got, want)
		}
	}
}
