{{- /* Names and labels. */ -}}

{{- define "hashlane.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "hashlane.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 50 | trimSuffix "-" -}}
{{- else if contains (include "hashlane.name" .) .Release.Name -}}
{{- .Release.Name | trunc 50 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "hashlane.name" .) | trunc 50 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- /* What selectors match. Pods of `helm test` must not. */ -}}
{{- define "hashlane.selectorLabels" -}}
app.kubernetes.io/name: {{ include "hashlane.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hashlane.labels" -}}
{{ include "hashlane.selectorLabels" . }}
{{ include "hashlane.chartLabels" . }}
{{- end -}}

{{- define "hashlane.chartLabels" -}}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" }}
{{- end -}}

{{- define "hashlane.testLabels" -}}
app.kubernetes.io/name: {{ include "hashlane.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "hashlane.image" -}}
{{- $image := .Values.image -}}
{{- if $image.digest -}}
{{- printf "%s@%s" $image.repository $image.digest -}}
{{- else -}}
{{- printf "%s:%s" $image.repository (default .Chart.AppVersion $image.tag) -}}
{{- end -}}
{{- end -}}

{{- define "hashlane.tlsSecret" -}}
{{- $made := .Values.tls.certManager.enabled | ternary (printf "%s-tls" (include "hashlane.fullname" .)) "hashlane-tls" -}}
{{- default $made .Values.tls.secretName -}}
{{- end -}}

{{- define "hashlane.serverName" -}}
{{- default (printf "%s.%s.svc" (include "hashlane.fullname" .) .Release.Namespace) .Values.test.serverName -}}
{{- end -}}

{{- /* The Secret of a file of `clients`, given the root, and tokens or quotas; "" is none. */ -}}
{{- define "hashlane.clientsSecret" -}}
{{- $file := index .root.Values.clients .what -}}
{{- if $file.existingSecret -}}
{{- $file.existingSecret -}}
{{- else if $file.inline -}}
{{- include "hashlane.fullname" .root }}-clients
{{- end -}}
{{- end -}}
