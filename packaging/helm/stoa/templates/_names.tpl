{{- define "stoa.name" -}}
{{- printf "%s-%s" .Release.Name .Chart.Name | replace "stoa-stoa" "stoa" | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{- define "stoa.labels" -}}
app.kubernetes.io/name: stoa
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end -}}

{{- define "stoa.selector" -}}
app.kubernetes.io/name: stoa
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end -}}
