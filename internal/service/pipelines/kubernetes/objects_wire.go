package kubernetes

// The members of objects that this package writes or reads.

type metadata struct {
	Name              string            `json:"name,omitempty"`
	Labels            map[string]string `json:"labels,omitempty"`
	DeletionTimestamp string            `json:"deletionTimestamp,omitempty"`
}

type job struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Metadata   metadata `json:"metadata"`
	Spec       jobSpec  `json:"spec"`
}

type jobSpec struct {
	BackoffLimit            int         `json:"backoffLimit"`
	ActiveDeadlineSeconds   int64       `json:"activeDeadlineSeconds"`
	TTLSecondsAfterFinished int         `json:"ttlSecondsAfterFinished"`
	Template                podTemplate `json:"template"`
}

type podTemplate struct {
	Metadata metadata `json:"metadata"`
	Spec     podSpec  `json:"spec"`
}

type podSpec struct {
	RestartPolicy                 string           `json:"restartPolicy"`
	AutomountServiceAccountToken  bool             `json:"automountServiceAccountToken"`
	EnableServiceLinks            bool             `json:"enableServiceLinks"`
	ServiceAccountName            string           `json:"serviceAccountName,omitempty"`
	ImagePullSecrets              []reference      `json:"imagePullSecrets,omitempty"`
	TerminationGracePeriodSeconds int              `json:"terminationGracePeriodSeconds"`
	SecurityContext               *securityContext `json:"securityContext,omitempty"`
	Containers                    []container      `json:"containers"`
	Volumes                       []volume         `json:"volumes"`
}

type securityContext struct {
	SeccompProfile map[string]string `json:"seccompProfile"`
}

type reference struct {
	Name string `json:"name"`
}

type container struct {
	Name         string     `json:"name"`
	Image        string     `json:"image"`
	Command      []string   `json:"command,omitempty"`
	Args         []string   `json:"args,omitempty"`
	Env          []variable `json:"env,omitempty"`
	Resources    *resources `json:"resources,omitempty"`
	VolumeMounts []mount    `json:"volumeMounts,omitempty"`
}

type variable struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

type resources struct {
	Limits   map[string]string `json:"limits,omitempty"`
	Requests map[string]string `json:"requests,omitempty"`
}

type mount struct {
	Name      string `json:"name"`
	MountPath string `json:"mountPath"`
}

type volume struct {
	Name     string   `json:"name"`
	EmptyDir emptyDir `json:"emptyDir"`
}

type emptyDir struct {
	SizeLimit string `json:"sizeLimit,omitempty"`
}

type podList struct {
	Items []pod `json:"items"`
}

type pod struct {
	Metadata metadata  `json:"metadata"`
	Status   podStatus `json:"status"`
}

type podStatus struct {
	Phase             string            `json:"phase"`
	Reason            string            `json:"reason"`
	Message           string            `json:"message"`
	ContainerStatuses []containerStatus `json:"containerStatuses"`
}

type containerStatus struct {
	Name  string `json:"name"`
	State struct {
		Waiting    *stateReason `json:"waiting"`
		Running    *struct{}    `json:"running"`
		Terminated *terminated  `json:"terminated"`
	} `json:"state"`
}

type stateReason struct {
	Reason  string `json:"reason"`
	Message string `json:"message"`
}

type terminated struct {
	ExitCode int    `json:"exitCode"`
	Reason   string `json:"reason"`
}

// status is how the API server says that something failed, and how exec says how a
// program ended.
type status struct {
	Status  string `json:"status"`
	Message string `json:"message"`
	Reason  string `json:"reason"`
	Details struct {
		Causes []struct {
			Reason  string `json:"reason"`
			Message string `json:"message"`
		} `json:"causes"`
	} `json:"details"`
}
