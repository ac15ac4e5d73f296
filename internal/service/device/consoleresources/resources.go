package consoleresources

import "stoa.dev/stoa/internal/platform/resource"

// All are the device codes that wait for a decision, for administrators.
func All() []resource.Resource {
	return []resource.Resource{{
		Name: "codes", Title: "Device codes", One: "a device code", Admin: true,
		About: "Devices that wait for a user. The code itself is on the device: it is typed under Connect a device.",
		Empty: "No device waits. Start one with the call of the service's page.",
		List:  resource.Call{Command: "grant list"}, Items: "/grants", Key: []resource.Key{{Parameter: "id", Pointer: "/id"}},
		Columns: []resource.Column{
			{Title: "Number", Pointer: "/id"}, {Title: "State", Pointer: "/state", Kind: resource.State},
			{Title: "Service", Pointer: "/service"}, {Title: "Application", Pointer: "/client_id", Kind: resource.Code},
			{Title: "Scopes", Pointer: "/scopes"}, {Title: "Expires", Pointer: "/expires_at", Kind: resource.Time},
		},
	}}
}
