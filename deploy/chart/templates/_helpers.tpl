{{- define "codehub.name" -}}
{{- if contains "codehub" .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-codehub{{ end -}}
{{- end }}

{{- define "codehub.labels" -}}
{{ include "codehub.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{- define "codehub.selector" -}}
app.kubernetes.io/name: codehub
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{/* The Deployments: name, component, roles, and the values that say how many and how large. */}}
{{- define "codehub.parts" -}}
{{- $name := include "codehub.name" . -}}
{{- if eq .Values.roles "together" -}}
- { name: {{ $name }}, component: all, roles: all, values: server }
{{- else -}}
- { name: {{ $name }}, component: server, roles: "api,coordinator", values: server }
- { name: {{ $name }}-proxy, component: proxy, roles: proxy, values: proxy }
{{- end -}}
{{- end }}

{{/* The Service that has the proxy behind it. */}}
{{- define "codehub.proxyService" -}}
{{ include "codehub.name" . }}{{ if eq .Values.roles "apart" }}-proxy{{ end }}
{{- end }}

{{- define "codehub.host" -}}
{{- $url := required "url must be set: an Ingress or Gateway needs the dashboard's host." .Values.url -}}
{{- (urlParse $url).host | splitList ":" | first -}}
{{- end }}

{{- define "codehub.wildcardHost" -}}
{{- $url := required "workspaceUrl must be set: an Ingress or Gateway needs the host of workspaces." .Values.workspaceUrl -}}
{{- (urlParse ($url | replace "{id}" "*")).host | splitList ":" | first -}}
{{- end }}

{{/* Where a secret variable is: name and key. */}}
{{- define "codehub.secretKey" -}}
{{- $own := index .root.Values.secretKeys .variable | default dict -}}
name: {{ $own.name | default .root.Values.existingSecret }}
key: {{ $own.key | default .variable }}
{{- end }}

{{/* The program's variables that are no secrets, by name. One that is empty is left to the program's own default. */}}
{{- define "codehub.variables" -}}
{{- $w := .Values.workspaces -}}
{{- $s := .Values.store -}}
{{- $labels := list -}}
{{- range $name, $value := $w.nodeSelector }}{{ $labels = append $labels (printf "%s=%s" $name $value) }}{{ end -}}
BASE_URL: {{ .Values.url | quote }}
WORKSPACE_BASE_URL: {{ .Values.workspaceUrl | quote }}
ALLOW_SAME_SITE: {{ ternary "1" "" .Values.allowSameSite | quote }}
TRUSTED_PROXIES: {{ join "," .Values.trustedProxies | quote }}
{{- /* Until nobody is sent here any more. */}}
SHUTDOWN_DRAIN_SECONDS: "5"
RUNTIME: kubernetes
DEFAULT_IMAGE: {{ $w.image | quote }}
JOB_IMAGE: {{ $w.jobImage | quote }}
IMAGE_ALLOWLIST: {{ join "," $w.imageAllowlist | quote }}
WORKSPACE_CPUS: {{ $w.cpus | quote }}
WORKSPACE_MEMORY: {{ $w.memory | quote }}
WORKSPACE_ALLOWED_NETWORKS: {{ join "," $w.allowedNetworks | quote }}
WORKSPACE_CA_FILE: {{ ternary "" "/etc/codehub/workspaces-ca/ca.crt" (empty $w.ca.configMap) | quote }}
KUBERNETES_NAMESPACE: {{ $w.namespace | quote }}
KUBERNETES_SERVER_NAMESPACE: {{ .Release.Namespace | quote }}
KUBERNETES_STORAGE_CLASS: {{ $w.storageClass | quote }}
KUBERNETES_HOME_SIZE: {{ $w.homeSize | quote }}
KUBERNETES_ACCESS_MODE: {{ $w.accessMode | quote }}
KUBERNETES_REQUEST_CPUS: {{ $w.requestCpus | quote }}
KUBERNETES_REQUEST_MEMORY: {{ $w.requestMemory | quote }}
KUBERNETES_PULL_SECRETS: {{ join "," $w.pullSecrets | quote }}
KUBERNETES_NODE_SELECTOR: {{ join "," $labels | quote }}
KUBERNETES_TOLERATIONS: {{ join "," $w.tolerations | quote }}
KUBERNETES_PRIORITY_CLASS: {{ $w.priorityClass | quote }}
KUBERNETES_STORE_NETWORKS: {{ join "," $s.networks | quote }}
S3_ENDPOINT: {{ $s.endpoint | quote }}
S3_REGION: {{ $s.region | quote }}
S3_BUCKET: {{ $s.bucket | quote }}
S3_FORCE_PATH_STYLE: {{ ternary "1" "0" $s.forcePathStyle | quote }}
S3_CA_FILE: {{ ternary "" "/etc/codehub/store-ca/ca.crt" (empty $s.ca.configMap) | quote }}
SECRETS_KEY_FILE: {{ ternary "" "/etc/codehub/secrets/secrets.key" (empty .Values.secretsKey.secret) | quote }}
{{- end }}

{{- define "codehub.dns" -}}
- to:
    - namespaceSelector:
        matchLabels: { kubernetes.io/metadata.name: kube-system }
      podSelector:
        matchLabels: { k8s-app: kube-dns }
  ports:
    - { protocol: UDP, port: 53 }
    - { protocol: TCP, port: 53 }
{{- end }}

{{/* One entry of workspaces.allowedNetworks as a rule of a policy: its network, its protocol and its ports. */}}
{{- define "codehub.egress" -}}
{{- $place := . | trimPrefix "udp:" | trimPrefix "tcp:" -}}
{{- $network := regexFind "^(\\[.*\\](/[0-9]+)?|.*/[0-9]+|[0-9.]+)" $place -}}
{{- $ports := trimPrefix $network $place | trimPrefix ":" | splitList "-" -}}
{{- $address := $network | replace "[" "" | replace "]" "" -}}
{{- if not (contains "/" $address) }}{{ $address = printf "%s/%s" $address (ternary "128" "32" (contains ":" $address)) }}{{ end -}}
- to:
    - ipBlock: { cidr: {{ $address | quote }} }
  ports:
    - protocol: {{ ternary "UDP" "TCP" (hasPrefix "udp:" .) }}
      {{- if first $ports }}
      port: {{ first $ports }}
      {{- end }}
      {{- if gt (len $ports) 1 }}
      endPort: {{ last $ports }}
      {{- end }}
{{- end }}
