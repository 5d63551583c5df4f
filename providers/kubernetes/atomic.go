package kubernetes

// atomicFields are the fields of a CronJob's spec that are only ever written as a
// whole, so that who wrote one wrote all that is in it: lists without keys, and
// the maps and structs that the API marks so (x-kubernetes-list-type and
// x-kubernetes-map-type in its OpenAPI document). Of any other field a client
// can have written no more than that it is there. Left out are options and
// secretRef, which some types have so and some not, and values, which stands in
// lists of these only.
var atomicFields = []string{
	"accessModes", "add", "args", "command", "configMapKeyRef", "dataSource", "drop", "envFrom", "fieldRef",
	"fileKeyRef", "hostnames", "httpHeaders", "items", "labelSelector", "matchExpressions", "matchFields",
	"matchLabelKeys", "mismatchLabelKeys", "monitors", "nameservers", "namespaceSelector", "namespaces",
	"nodePublishSecretRef", "nodeSelector", "nodeSelectorTerms", "onPodConditions", "portals", "preference",
	"preferredDuringSchedulingIgnoredDuringExecution", "readinessGates", "requiredDuringSchedulingIgnoredDuringExecution",
	"resizePolicy", "resourceFieldRef", "restartPolicyRules", "rules", "searches", "secretKeyRef", "selector",
	"sources", "supplementalGroups", "sysctls", "targetWWNs", "tolerations", "wwids",
}
