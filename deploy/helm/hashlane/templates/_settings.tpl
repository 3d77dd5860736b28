{{- /* The server's settings, as variables of its environment. */ -}}

{{- /* A scalar as text. YAML's numbers may arrive as floats: 100000 must not become 1e+05. */ -}}
{{- define "hashlane.text" -}}
{{- if and (kindIs "float64" .) (eq (floor .) .) -}}
{{- int64 . -}}
{{- else -}}
{{- . -}}
{{- end -}}
{{- end -}}

{{- define "hashlane.environment" -}}
{{- $values := .Values -}}
{{- $clientCa := $values.tls.clientCa -}}
{{- $grpc := printf "%s:%d" .Values.listenAddress (int .Values.grpc.port) -}}
{{- $variables := dict
    "HASHLANE_ADMIN_LISTEN" (printf "%s:%d" .Values.listenAddress (int .Values.admin.port))
    "HASHLANE_LISTEN" ""
    "HASHLANE_TLS__LISTEN" ""
    "HASHLANE_LOG_FORMAT" "json" -}}
{{- if eq .Values.grpc.mode "tls" -}}
  {{- $_ := set $variables "HASHLANE_TLS__LISTEN" $grpc -}}
  {{- $_ := set $variables "HASHLANE_TLS__CERTIFICATE" "/tls/tls.crt" -}}
  {{- $_ := set $variables "HASHLANE_TLS__KEY" "/tls/tls.key" -}}
  {{- if ne .Values.tls.clientCertificates "off" -}}
    {{- $_ := set $variables "HASHLANE_TLS__CLIENT_CERTIFICATES" .Values.tls.clientCertificates -}}
    {{- $_ := set $variables "HASHLANE_TLS__CLIENT_CA" (printf "/client-ca/%s" $clientCa.key) -}}
    {{- if $clientCa.crlKey -}}
      {{- $_ := set $variables "HASHLANE_TLS__CLIENT_CRL" (printf "/client-ca/%s" $clientCa.crlKey) -}}
    {{- end -}}
  {{- end -}}
{{- else if eq .Values.grpc.mode "plaintext" -}}
  {{- $_ := set $variables "HASHLANE_LISTEN" $grpc -}}
  {{- $_ := set $variables "HASHLANE_INSECURE" "true" -}}
{{- end -}}
{{- if .Values.nodeSocket.enabled -}}
  {{- $_ := set $variables "HASHLANE_LISTEN_UNIX" "/run/hashlane/hashlane.sock" -}}
  {{- $_ := set $variables "HASHLANE_UNIX_SOCKET_MODE" .Values.nodeSocket.mode -}}
{{- end -}}
{{- if .Values.admin.tls.secretName -}}
  {{- $_ := set $variables "HASHLANE_ADMIN__CERTIFICATE" "/admin-tls/tls.crt" -}}
  {{- $_ := set $variables "HASHLANE_ADMIN__KEY" "/admin-tls/tls.key" -}}
  {{- if .Values.admin.tls.clientCaKey -}}
    {{- $_ := set $variables "HASHLANE_ADMIN__CLIENT_CA" (printf "/admin-tls/%s" .Values.admin.tls.clientCaKey) -}}
  {{- end -}}
{{- end -}}
{{- range $what := list "tokens" "quotas" -}}
  {{- if include "hashlane.clientsSecret" (dict "root" $ "what" $what) -}}
    {{- $variable := printf "HASHLANE_CLIENTS__%s_FILE" (upper $what) -}}
    {{- $_ := set $variables $variable (printf "/clients/%s/%s" $what (index $values.clients $what).key) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $value := .Values.settings -}}
  {{- if kindIs "map" $value -}}
    {{- range $inner, $scalar := $value -}}
      {{- if not (kindIs "invalid" $scalar) -}}
        {{- $_ := set $variables (printf "HASHLANE_%s__%s" (upper $name) (upper $inner)) (include "hashlane.text" $scalar) -}}
      {{- end -}}
    {{- end -}}
  {{- else if not (kindIs "invalid" $value) -}}
    {{- $_ := set $variables (printf "HASHLANE_%s" (upper $name)) (include "hashlane.text" $value) -}}
  {{- end -}}
{{- end -}}
{{- range $name, $value := $variables }}
{{ $name }}: {{ $value | quote }}
{{- end -}}
{{- end -}}

{{- /* A time such as 30s in whole seconds, rounded up. The schema allows one number and one unit. */ -}}
{{- define "hashlane.seconds" -}}
{{- $number := regexFind "^[0-9]+" . | int64 -}}
{{- $unit := regexFind "[a-z]+$" . -}}
{{- if eq $unit "h" -}}{{ mul $number 3600 }}
{{- else if eq $unit "m" -}}{{ mul $number 60 }}
{{- else if eq $unit "s" -}}{{ $number }}
{{- else if eq $unit "ms" -}}{{ div (add $number 999) 1000 }}
{{- else -}}{{ div (add $number 999999) 1000000 }}
{{- end -}}
{{- end -}}

{{- /* The least time between the start of a pod's end and SIGKILL: what the server takes, and 10 s. */ -}}
{{- define "hashlane.graceSeconds" -}}
{{- $lameDuck := default "0s" .Values.settings.lame_duck | include "hashlane.seconds" -}}
{{- $drain := default "30s" .Values.settings.drain_timeout | include "hashlane.seconds" -}}
{{- add .Values.preStopSeconds $lameDuck $drain 10 -}}
{{- end -}}

{{- /* Refuses values that contradict one another. */ -}}
{{- define "hashlane.validate" -}}
{{- $values := .Values -}}
{{- $socket := $values.nodeSocket.enabled -}}
{{- if and (eq $values.grpc.mode "none") (not $socket) -}}
{{- fail "grpc.mode is none and nodeSocket.enabled is false: no client could reach the server" -}}
{{- end -}}
{{- if and $socket (ne $values.kind "DaemonSet") -}}
{{- fail "nodeSocket.enabled needs kind DaemonSet: two servers on a node cannot share a socket" -}}
{{- end -}}
{{- if and (eq $values.probes.readiness "grpc") (ne $values.grpc.mode "plaintext") -}}
{{- fail "probes.readiness is grpc, but kubelet's gRPC probes speak no TLS and no Unix socket: use http, or grpc.mode plaintext" -}}
{{- end -}}
{{- if and $values.autoscaling.enabled (eq $values.kind "DaemonSet") -}}
{{- fail "autoscaling.enabled needs kind Deployment: a DaemonSet has a pod on each node" -}}
{{- end -}}
{{- if and $values.autoscaling.enabled (not $values.autoscaling.metrics) (eq (int $values.autoscaling.targetCPUUtilizationPercentage) 0) -}}
{{- fail "autoscaling.enabled needs targetCPUUtilizationPercentage or metrics" -}}
{{- end -}}
{{- if gt (int $values.autoscaling.minReplicas) (int $values.autoscaling.maxReplicas) -}}
{{- fail "autoscaling.minReplicas is above autoscaling.maxReplicas" -}}
{{- end -}}
{{- if and $values.service.headless (eq $values.service.internalTrafficPolicy "Local") -}}
{{- fail "service.internalTrafficPolicy is Local, which a headless Service ignores: set service.headless to false" -}}
{{- end -}}
{{- $certManager := $values.tls.certManager -}}
{{- if and $certManager.enabled (ne $values.grpc.mode "tls") -}}
{{- fail "tls.certManager.enabled needs grpc.mode tls" -}}
{{- end -}}
{{- if and $certManager.enabled (not $certManager.issuerRef.name) -}}
{{- fail "tls.certManager.enabled needs tls.certManager.issuerRef.name" -}}
{{- end -}}
{{- if and (ne $values.tls.clientCertificates "off") (ne $values.grpc.mode "tls") -}}
{{- fail "tls.clientCertificates needs grpc.mode tls" -}}
{{- end -}}
{{- range $what := list "tokens" "quotas" -}}
{{- $file := index $values.clients $what -}}
{{- if and $file.existingSecret $file.inline -}}
{{- fail (printf "clients.%s has existingSecret and inline: give one" $what) -}}
{{- end -}}
{{- end -}}
{{- $given := $values.terminationGracePeriodSeconds -}}
{{- $least := include "hashlane.graceSeconds" . | int -}}
{{- if and (not (kindIs "invalid" $given)) (lt (int $given) $least) -}}
{{- fail (printf "terminationGracePeriodSeconds is %d, less than preStopSeconds + lame_duck + drain_timeout + 10 = %d: calls would be cut" (int $given) $least) -}}
{{- end -}}
{{- end -}}
