package specs

import "sync"

// commonKeys are the names that most members of bodies have. Packed takes a byte
// for each: in the body of a CronJob half of all that is kept would be such names.
// Their order is that of a program's memory alone, and what is not among them is
// spelled out.
var commonKeys = [...]string{
	"after", "annotations", "app", "args", "command", "cron", "env", "environment", "jobs", "name", "names", "permissions", "run", "runs-on",
	"schedule", "shell", "stdin", "steps", "strategy", "timeout-minutes", "uses", "user", "with", "workflow", "SHELL", "PATH", "HOME", "MAILTO",
	"concurrency", "defaults", "needs", "if", "outputs", "secrets", "services", "container", "continue-on-error", "working-directory", "group",
	"contents", "matrix", "include", "fetch-depth", "on", "inputs", "token", "ref", "cancel-in-progress", "fail-fast", "id",

	"accessModes", "activeDeadlineSeconds", "add", "affinity", "allowPrivilegeEscalation", "apiVersion", "automountServiceAccountToken",
	"backoffLimit", "backoffLimitPerIndex", "capabilities", "claimName", "completionMode", "completions", "concurrencyPolicy", "configMap",
	"configMapKeyRef", "configMapRef", "containerName", "containerPort", "containers", "csi", "defaultMode", "dnsConfig", "dnsPolicy",
	"downwardAPI", "driver", "drop", "effect", "emptyDir", "enableServiceLinks", "envFrom", "ephemeral-storage", "exec", "exitCodes",
	"expirationSeconds", "failedJobsHistoryLimit", "failureThreshold", "fieldPath", "fieldRef", "fsGroup", "fsGroupChangePolicy", "hostNetwork",
	"hostPath", "httpGet", "image", "imagePullPolicy", "imagePullSecrets", "initContainers", "initialDelaySeconds", "items", "jobTemplate", "key",
	"labelSelector", "labels", "lifecycle", "limits", "livenessProbe", "matchExpressions", "matchLabels", "maxSkew", "medium", "memory", "cpu",
	"metadata", "mode", "mountPath", "namespace", "nfs", "nodeAffinity", "nodeName", "nodeSelector", "nodeSelectorTerms", "onExitCodes",
	"operator", "optional", "parallelism", "path", "periodSeconds", "persistentVolumeClaim", "podAffinity", "podAffinityTerm", "podAntiAffinity",
	"podFailurePolicy", "podReplacementPolicy", "port", "ports", "postStart", "preStop", "preference", "prefix",
	"preferredDuringSchedulingIgnoredDuringExecution", "priorityClassName", "privileged", "projected", "protocol", "readOnly",
	"readOnlyRootFilesystem", "readinessProbe", "requests", "requiredDuringSchedulingIgnoredDuringExecution", "resource", "resourceFieldRef",
	"resources", "restartPolicy", "rules", "runAsGroup", "runAsNonRoot", "runAsUser", "runtimeClassName", "schedulerName", "scheme",
	"seLinuxOptions", "seccompProfile", "secret", "secretKeyRef", "secretName", "secretRef", "securityContext", "selector", "server", "service",
	"serviceAccountName", "serviceAccountToken", "sizeLimit", "sources", "spec", "startingDeadlineSeconds", "startupProbe", "storageClassName",
	"subPath", "successThreshold", "successfulJobsHistoryLimit", "supplementalGroups", "suspend", "tcpSocket", "template",
	"terminationGracePeriodSeconds", "terminationMessagePath", "terminationMessagePolicy", "timeZone", "timeoutSeconds", "tolerationSeconds",
	"tolerations", "topologyKey", "topologySpreadConstraints", "ttlSecondsAfterFinished", "type", "value", "valueFrom", "values",
	"volumeClaimTemplate", "volumeMounts", "volumes", "weight", "whenUnsatisfiable", "workingDir",
	"app.kubernetes.io/name", "app.kubernetes.io/instance", "app.kubernetes.io/component", "app.kubernetes.io/managed-by",
	"app.kubernetes.io/part-of", "app.kubernetes.io/version", "helm.sh/chart",
}

// A key's place has to fit into a byte.
const _ = uint8(len(commonKeys) - 1)

var commonPlaces = sync.OnceValue(func() map[string]uint8 {
	out := make(map[string]uint8, len(commonKeys))
	for i, key := range commonKeys {
		out[key] = uint8(i)
	}
	return out
})
