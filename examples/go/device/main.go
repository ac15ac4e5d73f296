// Command device signs a television in: it shows a code, waits until a person
// has approved it elsewhere, and gets a token. Where STOA_BIN is set it approves
// for itself, so that it can run without a person.
package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"

	"stoa.dev/stoa/examples/go/stoa"
)

func main() {
	id, secret := stoa.Variable("STOA_DEVICE_CLIENT_ID"), stoa.Variable("STOA_DEVICE_CLIENT_SECRET")
	var grant struct {
		DeviceCode string `json:"device_code"`
		UserCode   string `json:"user_code"`
		URL        string `json:"verification_url"`
		Interval   int    `json:"interval"`
	}
	stoa.Must(stoa.Call{Method: "POST", Path: "/device/code", Form: url.Values{"client_id": {id}, "scope": {"video.readonly"}}}.Do(&grant))
	fmt.Printf("open %s and type %s\n", grant.URL, grant.UserCode)
	if program := os.Getenv("STOA_BIN"); program != "" {
		stoa.Must(exec.Command(program, "grant", "approve", grant.UserCode, "--user", stoa.Variable("STOA_USER")).Run())
	}

	poll := stoa.Call{Method: "POST", Path: "/token", Form: url.Values{
		"client_id": {id}, "client_secret": {secret}, "device_code": {grant.DeviceCode},
		"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"},
	}}
	for {
		time.Sleep(time.Duration(grant.Interval) * time.Second)
		var token struct {
			Type    string `json:"token_type"`
			Expires int    `json:"expires_in"`
		}
		err := poll.Do(&token)
		if err == nil {
			fmt.Printf("signed in: a %s token for %d seconds\n", token.Type, token.Expires)
			return
		}
		var status *stoa.Status
		if !errors.As(err, &status) || !strings.Contains(status.Text, "authorization_pending") && !strings.Contains(status.Text, "slow_down") {
			stoa.Must(err)
		}
	}
}
