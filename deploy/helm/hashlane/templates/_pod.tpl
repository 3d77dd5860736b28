{{- /* The pod, of a Deployment or of a DaemonSet. */ -}}

{{- /* The files of Secrets: the folder that each is mounted at, and its keys if not all are needed. */ -}}
{{- define "hashlane.secretFiles" -}}
{{- $tls := .Values.tls -}}
{{- if eq .Values.grpc.mode "tls" }}
- {name: tls, secret: {{ include "hashlane.tlsSecret" . }}, folder: /tls, keys: [tls.crt, tls.key]}
{{- if ne $tls.clientCertificates "off" }}
- name: client-ca
  secret: {{ default (include "hashlane.tlsSecret" .) $tls.clientCa.secretName }}
  folder: /client-ca
  keys: {{ compact (list $tls.clientCa.key $tls.clientCa.crlKey) | toJson }}
{{- end }}
{{- end }}
{{- with .Values.admin.tls }}
{{- if .secretName }}
- {name: admin-tls, secret: {{ .secretName }}, folder: /admin-tls, keys: {{ compact (list "tls.crt" "tls.key" .clientCaKey) | toJson }}}
{{- end }}
{{- end }}
{{- range $what := list "tokens" "quotas" }}
{{- with include "hashlane.clientsSecret" (dict "root" $ "what" $what) }}
- {name: {{ $what }}, secret: {{ . }}, folder: /clients/{{ $what }}, keys: [{{ (index $.Values.clients $what).key }}]}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Requests that are not given are the limits. */ -}}
{{- define "hashlane.resources" -}}
limits:
  {{- toYamlPretty .limits | nindent 2 }}
requests:
  {{- merge (deepCopy .requests) .limits | toYamlPretty | nindent 2 }}
{{- end -}}

{{- define "hashlane.pod" -}}
{{- include "hashlane.validate" . -}}
{{- $values := .Values -}}
{{- $serves := ne .Values.grpc.mode "none" -}}
{{- $secrets := include "hashlane.secretFiles" . | fromYamlArray -}}
{{- $adminScheme := .Values.admin.tls.secretName | empty | ternary "HTTP" "HTTPS" -}}
metadata:
  labels:
    {{- include "hashlane.selectorLabels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYamlPretty . | nindent 4 }}
    {{- end }}
  annotations:
    # Pods read these at their start: another value makes new pods.
    checksum/settings: {{ include "hashlane.environment" . | sha256sum }}
    {{- if or .Values.clients.tokens.inline .Values.clients.quotas.inline }}
    checksum/clients: {{ printf "%s\n%s" .Values.clients.tokens.inline .Values.clients.quotas.inline | sha256sum }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- toYamlPretty . | nindent 4 }}
    {{- end }}
spec:
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with .Values.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYamlPretty . | nindent 4 }}
  {{- end }}
  # preStopSeconds, the lame duck, the drain, and 10 s.
  terminationGracePeriodSeconds: {{ default (include "hashlane.graceSeconds" .) .Values.terminationGracePeriodSeconds | int }}
  securityContext:
    {{- toYamlPretty .Values.podSecurityContext | nindent 4 }}
  {{- if and (eq .Values.kind "Deployment") .Values.topologySpread }}
  topologySpreadConstraints:
    {{- range .Values.topologySpread }}
    - topologyKey: {{ .topologyKey }}
      maxSkew: {{ .maxSkew }}
      whenUnsatisfiable: {{ .whenUnsatisfiable }}
      labelSelector:
        matchLabels:
          {{- include "hashlane.selectorLabels" $ | nindent 10 }}
      # Pods of this version alone, so that an update does not count those that end.
      matchLabelKeys: [pod-template-hash]
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSocket }}
  {{- if and .enabled .prepare.enabled }}
  initContainers:
    # kubelet makes the folder root's: the server could not put its socket there.
    - name: node-socket
      image: {{ .prepare.image }}
      imagePullPolicy: {{ $values.image.pullPolicy }}
      command: [sh, -euc]
      args:
        - |
          chmod {{ .mode | regexMatch "[2367]$" | ternary "0755" "0750" }} /run/hashlane
          chown {{ int $values.podSecurityContext.runAsUser }}:{{ int $values.podSecurityContext.runAsGroup }} /run/hashlane
      volumeMounts:
        - name: node-socket
          mountPath: /run/hashlane
      resources:
        limits:
          cpu: 100m
          memory: 32Mi
          ephemeral-storage: 16Mi
        requests:
          cpu: 100m
          memory: 32Mi
          ephemeral-storage: 16Mi
      securityContext:
        runAsNonRoot: false
        runAsUser: 0
        allowPrivilegeEscalation: false
        readOnlyRootFilesystem: true
        capabilities:
          drop: [ALL]
          add: [CHOWN, FOWNER]
  {{- end }}
  {{- end }}
  containers:
    - name: hashlane
      image: {{ include "hashlane.image" . }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      envFrom:
        - configMapRef:
            name: {{ include "hashlane.fullname" . }}
      ports:
        {{- if $serves }}
        - name: grpc
          containerPort: {{ .Values.grpc.port }}
        {{- end }}
        - name: admin
          containerPort: {{ .Values.admin.port }}
      resources:
        {{- include "hashlane.resources" .Values.resources | nindent 8 }}
      readinessProbe:
        {{- if eq .Values.probes.readiness "grpc" }}
        grpc:
          port: {{ .Values.grpc.port }}
          service: hashlane.v1.HashService
        {{- else }}
        # Not `grpc`, which speaks no TLS.
        httpGet:
          path: /readyz
          port: admin
          scheme: {{ $adminScheme }}
        {{- end }}
        periodSeconds: 2
        timeoutSeconds: 2
      # A drain fails readiness alone, so that the liveness probe does not ask the health service.
      livenessProbe:
        httpGet:
          path: /healthz
          port: admin
          scheme: {{ $adminScheme }}
        periodSeconds: 10
        timeoutSeconds: 2
        failureThreshold: 6
      {{- if .Values.preStopSeconds }}
      lifecycle:
        preStop:
          sleep:
            seconds: {{ .Values.preStopSeconds }}
      {{- end }}
      securityContext:
        {{- toYamlPretty .Values.securityContext | nindent 8 }}
      {{- if or $secrets .Values.nodeSocket.enabled }}
      volumeMounts:
        {{- range $secrets }}
        - name: {{ .name }}
          mountPath: {{ .folder }}
          readOnly: true
        {{- end }}
        {{- if .Values.nodeSocket.enabled }}
        - name: node-socket
          mountPath: /run/hashlane
        {{- end }}
      {{- end }}
  {{- if or $secrets .Values.nodeSocket.enabled }}
  volumes:
    {{- range $secrets }}
    - name: {{ .name }}
      secret:
        secretName: {{ .secret }}
        items:
          {{- range .keys }}
          - key: {{ . }}
            path: {{ . }}
          {{- end }}
    {{- end }}
    {{- if .Values.nodeSocket.enabled }}
    - name: node-socket
      hostPath:
        path: {{ .Values.nodeSocket.hostPath }}
        type: {{ .Values.nodeSocket.prepare.enabled | ternary "DirectoryOrCreate" "Directory" }}
    {{- end }}
  {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYamlPretty . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYamlPretty . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYamlPretty . | nindent 4 }}
  {{- end }}
{{- end -}}
