package dialect

// Word names one row of words.tsv. It is a number and not a text, so that a misspelt word does not compile.
type Word uint16

// The words, in the order of words.tsv; a test holds the two together. The comment is the neutral spelling.
const (
	// Several services.
	ScopeBase   Word = iota // {base}/auth/
	DetailType              // type.vendor/rpc.
	ErrorDomain             // vendor

	// C, tasks.

	// D, labels.
	LabelsAPI                // labels
	ScopeLabels              // storage.labels
	ScopeLabelsReadonly      // storage.labels.readonly
	ScopeAdminLabels         // storage.admin.labels
	ScopeAdminLabelsReadonly // storage.admin.labels.readonly

	// E, snapshots.
	APIKey         // SVC-API-KEY
	ApplicationKey // SVC-APPLICATION-KEY

	// F, articles.
	ScopeReadSvc      // read_svc
	ScopeReadSvcTeam  // read_svc_team
	ScopeWriteSvc     // write_svc
	ScopeWriteSvcTeam // write_svc_team
	SocialAID         // social_a_id
	SocialBID         // social_b_id
	SocialCScreenName // social_c_screen_name
	CodeHostLoginName // code_host_login_name

	// G, pipelines.
	PipelineToken      // Pipeline-Token
	PipelineTokenQuery // pipeline-token
	VCSA               // vcs_a
	VCSB               // vcs_b
	VCSAType           // vcs_a
	VCSBType           // vcs_b
	VCSAShort          // vcs_a
	VCSBShort          // vcs_b
	VCSAHost           // vcs-a.vendor
	VCSBHost           // vcs-b.vendor
	PipelineYML        // pipeline_yml
	CodeHostID         // code_host_id
	UserKeyType        // vcs_a-user-key
	SetStatusFlag      // set-vcs-a-status
	JobParameter       // PIPELINE_JOB
	JobEnvironment     // PIPELINE_
	JobEnvironmentMark // PIPELINES
	ConfigFile         // pipeline.yml
	AgentProgram       // pipeline-agent
	PipelineEventType  // Pipeline-Event-Type
	PipelineSignature  // Pipeline-Signature
	PipelineHookAgent  // Pipeline-Webhook/1.0

	// H, calendar.
	ChannelID             // X-Vendor-Channel-Id
	MessageNumber         // X-Vendor-Message-Number
	ResourceID            // X-Vendor-Resource-Id
	ResourceState         // X-Vendor-Resource-State
	ResourceURI           // X-Vendor-Resource-Uri
	ChannelExpiration     // X-Vendor-Channel-Expiration
	ChannelToken          // X-Vendor-Channel-Token
	NotificationAgent     // APIs-Vendor
	EventUIDHost          // vendor
	CalendarIDHost        // group.calendar.vendor
	SettingAutoConference // autoAddConference
	ConferenceMeet        // vendorMeet

	// I, events.
	APIVersion              // X-Vendor-Api-Version
	APIVersionSelected      // X-Vendor-Api-Version-Selected
	MediaType               // X-Vendor-Media-Type
	MediaTypeValue          // vendor.v3; format=json
	EventsRequestID         // X-Vendor-Request-Id
	OneTimePassword         // X-Vendor-OTP
	SingleSignOn            // X-Vendor-SSO
	HookEvent               // X-Vendor-Event
	HookDelivery            // X-Vendor-Delivery
	HookID                  // X-Vendor-Hook-ID
	HookTargetType          // X-Vendor-Hook-Installation-Target-Type
	HookTargetID            // X-Vendor-Hook-Installation-Target-ID
	HookAgent               // Vendor-Hookshot/
	AcceptedPermissions     // X-Accepted-Vendor-Permissions
	EventsDocs              // {base}/docs/services/events
	PersonalTokenPrefix     // pat_
	OAuthTokenPrefix        // oat_
	InstallationTokenPrefix // iat_
	RefreshTokenPrefix      // rat_

	// J, device.
	ScopeVideo             // video
	ScopeVideoMemberships  // video.channel-memberships.creator
	ScopeVideoForceSSL     // video.force-ssl
	ScopeVideoReadonly     // video.readonly
	ScopeVideoUpload       // video.upload
	ScopeVideoPartner      // videopartner
	ScopeVideoPartnerAudit // videopartner-channel-audit
	ScopeStorageAppdata    // storage.appdata
	ScopeStorageFile       // storage.file

	// L, apikeys.
	SchedulingKeyPrefix // svc_

	// M, generate.
	ModelService           // model.vendor
	ModelKey               // X-Vendor-Api-Key
	UploadProtocol         // X-Vendor-Upload-Protocol
	UploadCommand          // X-Vendor-Upload-Command
	UploadContentLength    // X-Vendor-Upload-Header-Content-Length
	UploadContentType      // X-Vendor-Upload-Header-Content-Type
	UploadOffset           // X-Vendor-Upload-Offset
	UploadURL              // X-Vendor-Upload-Url
	UploadStatus           // X-Vendor-Upload-Status
	UploadControlURL       // X-Vendor-Upload-Control-Url
	UploadChunkGranularity // X-Vendor-Upload-Chunk-Granularity
	UploadSizeReceived     // X-Vendor-Upload-Size-Received
	UploadFileName         // X-Vendor-Upload-File-Name
	ServiceTier            // X-Vendor-Service-Tier
	ChatExtraBody          // vendor
	ModelIDPrefix          // model-

	wordCount
)
