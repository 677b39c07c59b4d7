/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made by tools/protobuf-tables of Kubernetes' modules v0.37.2; not to be changed by hand.
 */
#include "apiserver/protobuf_tables.h"

/* clang-format off */

#define STRING KIN__PB_STRING
#define BYTES KIN__PB_BYTES
#define BOOL KIN__PB_BOOL
#define INT32 KIN__PB_INT32
#define INT64 KIN__PB_INT64
#define DOUBLE KIN__PB_DOUBLE
#define MESSAGE KIN__PB_MESSAGE
#define R KIN__PB_REPEATED
#define M KIN__PB_MAP
#define O KIN__PB_OMIT_ZERO
#define N KIN__PB_NULL
#define I KIN__PB_INLINE

const char kin__pb_names[][KIN__PB_NAMES] = {
    "\0" "typeMeta\0" "raw\0" "contentEncoding\0" "contentType\0" "metadata\0" "spec\0" "status\0"
    "target\0" "nodeTopology\0" "storageClassName\0" "capacity\0" "maximumVolumeSize\0" "rules\0"
    "aggregationRule\0" "subjects\0" "roleRef\0" "data\0" "binaryData\0" "immutable\0" "revision\0"
    "gracePeriodSeconds\0" "preconditions\0" "orphanDependents\0" "propagationPolicy\0" "dryRun\0"
    "ignoreStoreReadErrorWithClusterBreakingPotential\0" "endpoints\0" "ports\0" "addressType\0"
    "subsets\0" "eventTime\0" "series\0" "reportingController\0" "reportingInstance\0" "action\0"
    "reason\0" "regarding\0" "related\0" "note\0" "type\0" "deprecatedSource\0"
    "deprecatedFirstTimestamp\0" "deprecatedLastTimestamp\0" "deprecatedCount\0" "involvedObject\0"
    "message\0" "source\0" "firstTimestamp\0" "lastTimestamp\0" "count\0" "reportingComponent\0"
    "webhooks\0" "template\0" "value\0" "globalDefault\0" "description\0" "preemptionPolicy\0"
    "handler\0" "overhead\0" "scheduling\0" "stringData\0" "secrets\0" "imagePullSecrets\0"
    "automountServiceAccountToken\0" "provisioner\0" "parameters\0" "reclaimPolicy\0"
    "mountOptions\0" "allowVolumeExpansion\0" "volumeBindingMode\0" "allowedTopologies\0"
    "driverName\0" "apiVersion\0" "kind\0" "name\0" "generateName\0" "namespace\0" "selfLink\0"
    "uid\0" "resourceVersion\0" "generation\0" "creationTimestamp\0" "deletionTimestamp\0"
    "deletionGracePeriodSeconds\0" "labels\0" "annotations\0" "ownerReferences\0" "finalizers\0"
    "managedFields\0" "service\0" "group\0" "version\0" "insecureSkipTLSVerify\0" "caBundle\0"
    "groupPriorityMinimum\0" "versionPriority\0" "conditions\0" "fieldPath\0" "attachRequired\0"
    "podInfoOnMount\0" "volumeLifecycleModes\0" "storageCapacity\0" "fsGroupPolicy\0"
    "tokenRequests\0" "requiresRepublish\0" "seLinuxMount\0" "nodeAllocatableUpdatePeriodSeconds\0"
    "serviceAccountTokenInSecrets\0" "preventPodSchedulingIfMissing\0" "drivers\0" "storageHealth\0"
    "matchLabels\0" "matchExpressions\0" "string\0" "request\0" "username\0" "groups\0" "usages\0"
    "extra\0" "signerName\0" "expirationSeconds\0" "certificate\0" "verbs\0" "apiGroups\0"
    "resources\0" "resourceNames\0" "nonResourceURLs\0" "clusterRoleSelectors\0" "apiGroup\0"
    "trustBundle\0" "schedule\0" "startingDeadlineSeconds\0" "concurrencyPolicy\0" "suspend\0"
    "jobTemplate\0" "successfulJobsHistoryLimit\0" "failedJobsHistoryLimit\0" "timeZone\0"
    "active\0" "lastScheduleTime\0" "lastSuccessfulTime\0" "names\0" "scope\0" "versions\0"
    "conversion\0" "preserveUnknownFields\0" "acceptedNames\0" "storedVersions\0"
    "observedGeneration\0" "selector\0" "updateStrategy\0" "minReadySeconds\0"
    "revisionHistoryLimit\0" "currentNumberScheduled\0" "numberMisscheduled\0"
    "desiredNumberScheduled\0" "numberReady\0" "updatedNumberScheduled\0" "numberAvailable\0"
    "numberUnavailable\0" "collisionCount\0" "replicas\0" "strategy\0" "paused\0"
    "progressDeadlineSeconds\0" "updatedReplicas\0" "availableReplicas\0" "unavailableReplicas\0"
    "readyReplicas\0" "terminatingReplicas\0" "addresses\0" "hostname\0" "targetRef\0"
    "deprecatedTopology\0" "nodeName\0" "zone\0" "hints\0" "protocol\0" "port\0" "appProtocol\0"
    "notReadyAddresses\0" "seconds\0" "nanos\0" "lastObservedTime\0" "component\0" "host\0"
    "priorityLevelConfiguration\0" "matchingPrecedence\0" "distinguisherMethod\0" "scaleTargetRef\0"
    "minReplicas\0" "maxReplicas\0" "metrics\0" "behavior\0" "lastScaleTime\0" "currentReplicas\0"
    "desiredReplicas\0" "currentMetrics\0" "parentRef\0" "defaultBackend\0" "tls\0"
    "ingressClassName\0" "loadBalancer\0" "controller\0" "parallelism\0" "completions\0"
    "activeDeadlineSeconds\0" "manualSelector\0" "backoffLimit\0" "ttlSecondsAfterFinished\0"
    "completionMode\0" "podFailurePolicy\0" "backoffLimitPerIndex\0" "maxFailedIndexes\0"
    "podReplacementPolicy\0" "managedBy\0" "successPolicy\0" "startTime\0" "completionTime\0"
    "succeeded\0" "failed\0" "completedIndexes\0" "uncountedTerminatedPods\0" "ready\0"
    "failedIndexes\0" "terminating\0" "holderIdentity\0" "leaseDurationSeconds\0" "acquireTime\0"
    "renewTime\0" "leaseTransitions\0" "preferredHolder\0" "limits\0" "paramKind\0"
    "matchConstraints\0" "variables\0" "mutations\0" "failurePolicy\0" "matchConditions\0"
    "reinvocationPolicy\0" "policyName\0" "paramRef\0" "matchResources\0" "clientConfig\0"
    "namespaceSelector\0" "sideEffects\0" "timeoutSeconds\0" "admissionReviewVersions\0"
    "matchPolicy\0" "objectSelector\0" "phase\0" "podSelector\0" "ingress\0" "egress\0"
    "policyTypes\0" "podCIDR\0" "externalID\0" "providerID\0" "unschedulable\0" "taints\0"
    "configSource\0" "podCIDRs\0" "podPreemptionPolicy\0" "allocatable\0" "daemonEndpoints\0"
    "nodeInfo\0" "images\0" "volumesInUse\0" "volumesAttached\0" "config\0" "runtimeHandlers\0"
    "features\0" "declaredFeatures\0" "accessModes\0" "claimRef\0" "persistentVolumeReclaimPolicy\0"
    "volumeMode\0" "nodeAffinity\0" "volumeAttributesClassName\0" "lastPhaseTransitionTime\0"
    "volumeName\0" "dataSource\0" "dataSourceRef\0" "allocatedResources\0"
    "allocatedResourceStatuses\0" "currentVolumeAttributesClassName\0" "modifyVolumeStatus\0"
    "healthStatus\0" "volumes\0" "containers\0" "restartPolicy\0" "terminationGracePeriodSeconds\0"
    "dnsPolicy\0" "nodeSelector\0" "serviceAccountName\0" "serviceAccount\0" "hostNetwork\0"
    "hostPID\0" "hostIPC\0" "securityContext\0" "subdomain\0" "affinity\0",
    "schedulerName\0" "initContainers\0" "tolerations\0" "hostAliases\0" "priorityClassName\0"
    "priority\0" "dnsConfig\0" "shareProcessNamespace\0" "readinessGates\0" "runtimeClassName\0"
    "enableServiceLinks\0" "topologySpreadConstraints\0" "ephemeralContainers\0"
    "setHostnameAsFQDN\0" "os\0" "hostUsers\0" "schedulingGates\0" "resourceClaims\0"
    "hostnameOverride\0" "schedulingGroup\0" "evictionResponders\0" "hostIP\0" "podIP\0"
    "containerStatuses\0" "qosClass\0" "initContainerStatuses\0" "nominatedNodeName\0" "podIPs\0"
    "ephemeralContainerStatuses\0" "resize\0" "resourceClaimStatuses\0" "hostIPs\0"
    "extendedResourceClaimStatus\0" "nodeAllocatableResourceClaimStatuses\0" "volumeHealth\0"
    "podName\0" "podUID\0" "serviceAccountUID\0" "nodeUID\0" "maxExpirationSeconds\0"
    "unverifiedUserAnnotations\0" "stubPKCS10Request\0" "certificateChain\0" "notBefore\0"
    "beginRefreshAt\0" "notAfter\0" "minAvailable\0" "maxUnavailable\0"
    "unhealthyPodEvictionPolicy\0" "disruptedPods\0" "disruptionsAllowed\0" "currentHealthy\0"
    "desiredHealthy\0" "expectedPods\0" "limited\0" "exempt\0" "fullyLabeledReplicas\0" "hard\0"
    "scopes\0" "scopeSelector\0" "used\0" "podFixed\0" "clusterIP\0" "externalIPs\0"
    "sessionAffinity\0" "loadBalancerIP\0" "loadBalancerSourceRanges\0" "externalName\0"
    "externalTrafficPolicy\0" "healthCheckNodePort\0" "publishNotReadyAddresses\0"
    "sessionAffinityConfig\0" "ipFamilyPolicy\0" "clusterIPs\0" "ipFamilies\0"
    "allocateLoadBalancerNodePorts\0" "loadBalancerClass\0" "internalTrafficPolicy\0"
    "trafficDistribution\0" "cidrs\0" "volumeClaimTemplates\0" "serviceName\0"
    "podManagementPolicy\0" "persistentVolumeClaimRetentionPolicy\0" "ordinals\0"
    "currentRevision\0" "updateRevision\0" "matchLabelExpressions\0" "validations\0"
    "auditAnnotations\0" "typeChecking\0" "validationActions\0" "attacher\0" "attached\0"
    "attachmentMetadata\0" "attachError\0" "detachError\0" "blockOwnerDeletion\0" "manager\0"
    "operation\0" "time\0" "fieldsType\0" "fieldsV1\0" "subresource\0" "lastTransitionTime\0"
    "audience\0" "nodeID\0" "topologyKeys\0" "healthConditions\0" "key\0" "operator\0" "values\0"
    "items\0" "lastUpdateTime\0" "plural\0" "singular\0" "shortNames\0" "listKind\0" "categories\0"
    "served\0" "storage\0" "schema\0" "subresources\0" "additionalPrinterColumns\0" "deprecated\0"
    "deprecationWarning\0" "selectableFields\0" "webhook\0" "rollingUpdate\0" "serving\0"
    "forZones\0" "forNodes\0" "ip\0" "resourceRules\0" "nonResourceRules\0" "object\0" "pods\0"
    "resource\0" "external\0" "containerResource\0" "scaleUp\0" "scaleDown\0" "hosts\0"
    "secretName\0" "schedulingPolicy\0" "schedulingConstraints\0" "disruptionMode\0"
    "lastProbeTime\0" "max\0" "min\0" "default\0" "defaultRequest\0" "maxLimitRequestRatio\0"
    "excludeResourceRules\0" "expression\0" "patchType\0" "applyConfiguration\0" "jsonPatch\0"
    "parameterNotFoundAction\0" "url\0" "operations\0" "from\0" "to\0" "effect\0" "timeAdded\0"
    "configMap\0" "disableResizePreemption\0" "lastHeartbeatTime\0" "address\0" "kubeletEndpoint\0"
    "machineID\0" "systemUUID\0" "bootID\0" "kernelVersion\0" "osImage\0"
    "containerRuntimeVersion\0" "kubeletVersion\0" "kubeProxyVersion\0" "operatingSystem\0"
    "architecture\0" "swap\0" "runningInUserNamespace\0" "sizeBytes\0" "devicePath\0" "assigned\0"
    "lastKnownGood\0" "error\0" "supplementalGroupsPolicy\0" "gcePersistentDisk\0"
    "awsElasticBlockStore\0" "hostPath\0" "glusterfs\0" "nfs\0" "rbd\0" "iscsi\0" "cinder\0"
    "cephfs\0" "fc\0" "flocker\0" "flexVolume\0" "azureFile\0" "vsphereVolume\0" "quobyte\0"
    "azureDisk\0" "photonPersistentDisk\0" "portworxVolume\0" "scaleIO\0" "local\0" "storageos\0"
    "csi\0" "required\0" "requests\0" "targetVolumeAttributesClassName\0" "image\0" "command\0"
    "args\0" "workingDir\0" "env\0" "volumeMounts\0" "livenessProbe\0" "readinessProbe\0"
    "lifecycle\0" "terminationMessagePath\0" "imagePullPolicy\0" "stdin\0" "stdinOnce\0" "tty\0"
    "envFrom\0" "terminationMessagePolicy\0" "volumeDevices\0" "startupProbe\0" "resizePolicy\0"
    "restartPolicyRules\0" "seLinuxOptions\0" "runAsUser\0" "runAsNonRoot\0" "supplementalGroups\0"
    "fsGroup\0" "runAsGroup\0" "sysctls\0" "windowsOptions\0" "fsGroupChangePolicy\0"
    "seccompProfile\0" "appArmorProfile\0" "seLinuxChangePolicy\0" "podAffinity\0"
    "podAntiAffinity\0" "tolerationSeconds\0" "hostnames\0" "nameservers\0" "searches\0" "options\0"
    "conditionType\0" "maxSkew\0" "topologyKey\0" "whenUnsatisfiable\0" "labelSelector\0"
    "minDomains\0" "nodeAffinityPolicy\0" "nodeTaintsPolicy\0" "matchLabelKeys\0"
    "targetContainerName\0" "resourceClaimName\0" "resourceClaimTemplateName\0" "claims\0"
    "podGroupName\0" "state\0" "lastState\0" "restartCount\0" "imageID\0" "containerID\0"
    "started\0" "user\0" "allocatedResourcesStatus\0" "stopSignal\0" "requestMappings\0" "mapping\0"
    "intVal\0" "strVal\0" "nominalConcurrencyShares\0" "limitResponse\0" "lendablePercent\0"
    "borrowingLimitPercent\0" "targetPort\0" "nodePort\0" "clientIP\0" "whenDeleted\0"
    "whenScaled\0" "start\0" "messageExpression\0" "valueExpression\0" "expressionWarnings\0"
    "persistentVolumeName\0" "inlineVolumeSpec\0" "errorCode\0" "Raw\0" "accessMode\0"
    "openAPIV3Schema\0" "scale\0" "format\0" "jsonPath\0" "conversionReviewVersions\0" "maxSurge\0"
    "clusterScope\0" "namespaces\0" "describedObject\0" "metric\0" "container\0" "selectPolicy\0"
    "policies\0",
    "stabilizationWindowSeconds\0" "tolerance\0" "current\0" "http\0" "onExitCodes\0"
    "onPodConditions\0" "succeededIndexes\0" "succeededCount\0" "basic\0" "gang\0" "topology\0"
    "single\0" "all\0" "path\0" "apiVersions\0" "endPort\0" "ipBlock\0" "kubeletConfigKey\0"
    "Port\0" "recursiveReadOnlyMounts\0" "userNamespaces\0" "pdName\0" "fsType\0" "partition\0"
    "readOnly\0" "volumeID\0" "endpointsNamespace\0" "server\0" "monitors\0" "pool\0" "keyring\0"
    "secretRef\0" "targetPortal\0" "iqn\0" "lun\0" "iscsiInterface\0" "portals\0"
    "chapAuthDiscovery\0" "chapAuthSession\0" "initiatorName\0" "secretFile\0" "targetWWNs\0"
    "wwids\0" "datasetName\0" "datasetUUID\0" "driver\0" "shareName\0" "secretNamespace\0"
    "volumePath\0" "storagePolicyName\0" "storagePolicyID\0" "registry\0" "volume\0" "tenant\0"
    "diskName\0" "diskURI\0" "cachingMode\0" "pdID\0" "gateway\0" "system\0" "sslEnabled\0"
    "protectionDomain\0" "storagePool\0" "storageMode\0" "volumeNamespace\0" "volumeHandle\0"
    "volumeAttributes\0" "controllerPublishSecretRef\0" "nodeStageSecretRef\0"
    "nodePublishSecretRef\0" "controllerExpandSecretRef\0" "nodeExpandSecretRef\0"
    "nodeSelectorTerms\0" "emptyDir\0" "gitRepo\0" "secret\0" "persistentVolumeClaim\0"
    "downwardAPI\0" "projected\0" "ephemeral\0" "hostPort\0" "containerPort\0" "valueFrom\0"
    "mountPath\0" "subPath\0" "mountPropagation\0" "subPathExpr\0" "recursiveReadOnly\0"
    "bindMountOptions\0" "initialDelaySeconds\0" "periodSeconds\0" "successThreshold\0"
    "failureThreshold\0" "postStart\0" "preStop\0" "capabilities\0" "privileged\0"
    "readOnlyRootFilesystem\0" "allowPrivilegeEscalation\0" "procMount\0" "prefix\0"
    "configMapRef\0" "resourceName\0" "exitCodes\0" "role\0" "level\0" "gmsaCredentialSpecName\0"
    "gmsaCredentialSpec\0" "runAsUserName\0" "hostProcess\0" "localhostProfile\0"
    "requiredDuringSchedulingIgnoredDuringExecution\0"
    "preferredDuringSchedulingIgnoredDuringExecution\0" "waiting\0" "running\0" "terminated\0"
    "volumeStatus\0" "linux\0" "containerName\0" "requestName\0" "quantity\0" "perPod\0"
    "perContainer\0" "queuing\0" "scopeName\0" "ipMode\0" "fieldRef\0" "warning\0" "id\0"
    "$schema\0" "$ref\0" "title\0" "maximum\0" "exclusiveMaximum\0" "minimum\0" "exclusiveMinimum\0"
    "maxLength\0" "minLength\0" "pattern\0" "maxItems\0" "minItems\0" "uniqueItems\0" "multipleOf\0"
    "enum\0" "maxProperties\0" "minProperties\0" "allOf\0" "oneOf\0" "anyOf\0" "not\0"
    "properties\0" "additionalProperties\0" "patternProperties\0" "dependencies\0"
    "additionalItems\0" "definitions\0" "externalDocs\0" "example\0" "nullable\0"
    "x-kubernetes-preserve-unknown-fields\0" "x-kubernetes-embedded-resource\0"
    "x-kubernetes-int-or-string\0" "x-kubernetes-list-map-keys\0" "x-kubernetes-list-type\0"
    "x-kubernetes-map-type\0" "x-kubernetes-validations\0" "specReplicasPath\0"
    "statusReplicasPath\0" "labelSelectorPath\0" "averageValue\0" "averageUtilization\0" "number\0"
    "paths\0" "minCount\0" "cidr\0" "except\0" "matchFields\0" "medium\0" "sizeLimit\0" "mode\0"
    "repository\0" "directory\0" "defaultMode\0" "optional\0" "defaultUser\0" "claimName\0"
    "sources\0" "volumeClaimTemplate\0" "reference\0" "pullPolicy\0" "resourceFieldRef\0"
    "configMapKeyRef\0" "secretKeyRef\0" "fileKeyRef\0" "exec\0" "httpGet\0" "tcpSocket\0" "grpc\0"
    "sleep\0" "add\0" "drop\0" "weight\0" "preference\0" "mismatchLabelKeys\0" "podAffinityTerm\0"
    "startedAt\0" "exitCode\0" "signal\0" "finishedAt\0" "gid\0" "resourceID\0" "health\0"
    "queues\0" "handSize\0" "queueLengthLimit\0" "jSONSchemas\0" "allows\0" "property\0" "rule\0"
    "optionalOldSelf\0" "backend\0" "pathType\0" "serviceAccountToken\0" "clusterTrustBundle\0"
    "podCertificate\0" "divisor\0" "scheme\0" "httpHeaders\0" "imageRef\0" "keyType\0"
    "credentialBundlePath\0" "keyPath\0" "certificateChainPath\0" "userAnnotations\0"
    "apiregistration.k8s.io/v1\0" "APIService\0" "v1\0" "Binding\0" "storage.k8s.io/v1\0"
    "CSIDriver\0" "CSINode\0" "CSIStorageCapacity\0" "certificates.k8s.io/v1\0"
    "CertificateSigningRequest\0" "rbac.authorization.k8s.io/v1\0" "ClusterRole\0"
    "ClusterRoleBinding\0" "ClusterTrustBundle\0" "ConfigMap\0" "apps/v1\0" "ControllerRevision\0"
    "batch/v1\0" "CronJob\0" "apiextensions.k8s.io/v1\0" "CustomResourceDefinition\0" "DaemonSet\0"
    "DeleteOptions\0" "Deployment\0" "discovery.k8s.io/v1\0" "EndpointSlice\0" "Endpoints\0"
    "events.k8s.io/v1\0" "Event\0" "flowcontrol.apiserver.k8s.io/v1\0" "FlowSchema\0"
    "autoscaling/v2\0" "HorizontalPodAutoscaler\0" "networking.k8s.io/v1\0" "IPAddress\0"
    "Ingress\0" "IngressClass\0" "Job\0" "coordination.k8s.io/v1\0" "Lease\0" "LimitRange\0"
    "admissionregistration.k8s.io/v1\0" "MutatingAdmissionPolicy\0"
    "MutatingAdmissionPolicyBinding\0" "MutatingWebhookConfiguration\0" "Namespace\0"
    "NetworkPolicy\0" "Node\0" "PersistentVolume\0" "PersistentVolumeClaim\0" "Pod\0"
    "PodCertificateRequest\0" "policy/v1\0" "PodDisruptionBudget\0" "PodTemplate\0"
    "scheduling.k8s.io/v1\0" "PriorityClass\0" "PriorityLevelConfiguration\0" "ReplicaSet\0"
    "ReplicationController\0" "ResourceQuota\0" "Role\0" "RoleBinding\0" "node.k8s.io/v1\0"
    "RuntimeClass\0" "autoscaling/v1\0" "Scale\0" "Secret\0" "Service\0" "ServiceAccount\0"
    "ServiceCIDR\0" "StatefulSet\0" "StorageClass\0" "ValidatingAdmissionPolicy\0"
    "ValidatingAdmissionPolicyBinding\0" "ValidatingWebhookConfiguration\0" "VolumeAttachment\0"
    "VolumeAttributesClass\0",
};

const kin__pb_field kin__pb_fields[] = {
    /* 0: pkg.runtime.Unknown */
    {1, 1, 61, MESSAGE, 0}, {2, 10, 0, BYTES, 0}, {3, 14, 0, STRING, 0}, {4, 30, 0, STRING, 0},
    /* 1: apiregistration.v1.APIService */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 63, MESSAGE, 0}, {3, 56, 64, MESSAGE, 0},
    /* 2: core.v1.Binding */
    {1, 42, 62, MESSAGE, 0}, {2, 63, 65, MESSAGE, 0},
    /* 3: storage.v1.CSIDriver */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 66, MESSAGE, 0},
    /* 4: storage.v1.CSINode */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 67, MESSAGE, 0}, {3, 56, 68, MESSAGE, 0},
    /* 5: storage.v1.CSIStorageCapacity */
    {1, 42, 62, MESSAGE, 0}, {2, 70, 69, MESSAGE, 0}, {3, 83, 0, STRING, 0},
    {4, 100, 70, MESSAGE, 0}, {5, 109, 70, MESSAGE, 0},
    /* 6: certificates.v1.CertificateSigningRequest */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 71, MESSAGE, 0}, {3, 56, 72, MESSAGE, 0},
    /* 7: rbac.v1.ClusterRole */
    {1, 42, 62, MESSAGE, 0}, {2, 127, 73, MESSAGE, R|N}, {3, 133, 74, MESSAGE, 0},
    /* 8: rbac.v1.ClusterRoleBinding */
    {1, 42, 62, MESSAGE, 0}, {2, 149, 75, MESSAGE, R}, {3, 158, 76, MESSAGE, 0},
    /* 9: certificates.v1.ClusterTrustBundle */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 77, MESSAGE, 0},
    /* 10: core.v1.ConfigMap */
    {1, 42, 62, MESSAGE, 0}, {2, 166, 78, MESSAGE, M}, {3, 171, 79, MESSAGE, M},
    {4, 182, 0, BOOL, 0},
    /* 11: apps.v1.ControllerRevision */
    {1, 42, 62, MESSAGE, 0}, {2, 166, 80, MESSAGE, 0}, {3, 192, 0, INT64, 0},
    /* 12: batch.v1.CronJob */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 81, MESSAGE, 0}, {3, 56, 82, MESSAGE, 0},
    /* 13: apiextensions.v1.CustomResourceDefinition */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 83, MESSAGE, 0}, {3, 56, 84, MESSAGE, 0},
    /* 14: apps.v1.DaemonSet */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 85, MESSAGE, 0}, {3, 56, 86, MESSAGE, 0},
    /* 15: meta.v1.DeleteOptions */
    {1, 201, 0, INT64, 0}, {2, 220, 87, MESSAGE, 0}, {3, 234, 0, BOOL, 0}, {4, 251, 0, STRING, 0},
    {5, 269, 0, STRING, R}, {6, 276, 0, BOOL, 0},
    /* 16: apps.v1.Deployment */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 88, MESSAGE, 0}, {3, 56, 89, MESSAGE, 0},
    /* 17: discovery.v1.EndpointSlice */
    {1, 42, 62, MESSAGE, 0}, {2, 325, 90, MESSAGE, R|N}, {3, 335, 91, MESSAGE, R|N},
    {4, 341, 0, STRING, 0},
    /* 18: core.v1.Endpoints */
    {1, 42, 62, MESSAGE, 0}, {2, 353, 92, MESSAGE, R},
    /* 19: events.v1.Event */
    {1, 42, 62, MESSAGE, 0}, {2, 361, 93, MESSAGE, 0}, {3, 371, 94, MESSAGE, 0},
    {4, 378, 0, STRING, O}, {5, 398, 0, STRING, O}, {6, 416, 0, STRING, O}, {7, 423, 0, STRING, O},
    {8, 430, 65, MESSAGE, 0}, {9, 440, 65, MESSAGE, 0}, {10, 448, 0, STRING, O},
    {11, 453, 0, STRING, O}, {12, 458, 95, MESSAGE, 0}, {13, 475, 96, MESSAGE, 0},
    {14, 500, 96, MESSAGE, 0}, {15, 524, 0, INT32, O},
    /* 20: core.v1.Event */
    {1, 42, 62, MESSAGE, 0}, {2, 540, 65, MESSAGE, 0}, {3, 423, 0, STRING, O},
    {4, 555, 0, STRING, O}, {5, 563, 95, MESSAGE, 0}, {6, 570, 96, MESSAGE, 0},
    {7, 585, 96, MESSAGE, 0}, {8, 599, 0, INT32, O}, {9, 453, 0, STRING, O},
    {10, 361, 93, MESSAGE, 0}, {11, 371, 97, MESSAGE, 0}, {12, 416, 0, STRING, O},
    {13, 440, 65, MESSAGE, 0}, {14, 605, 0, STRING, 0}, {15, 398, 0, STRING, 0},
    /* 21: flowcontrol.v1.FlowSchema */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 98, MESSAGE, 0}, {3, 56, 99, MESSAGE, 0},
    /* 22: autoscaling.v2.HorizontalPodAutoscaler */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 100, MESSAGE, 0}, {3, 56, 101, MESSAGE, 0},
    /* 23: networking.v1.IPAddress */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 102, MESSAGE, 0},
    /* 24: networking.v1.Ingress */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 103, MESSAGE, 0}, {3, 56, 104, MESSAGE, 0},
    /* 25: networking.v1.IngressClass */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 105, MESSAGE, 0},
    /* 26: batch.v1.Job */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 106, MESSAGE, 0}, {3, 56, 107, MESSAGE, 0},
    /* 27: coordination.v1.Lease */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 108, MESSAGE, 0},
    /* 28: core.v1.LimitRange */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 109, MESSAGE, 0},
    /* 29: admissionregistration.v1.MutatingAdmissionPolicy */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 110, MESSAGE, 0},
    /* 30: admissionregistration.v1.MutatingAdmissionPolicyBinding */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 111, MESSAGE, 0},
    /* 31: admissionregistration.v1.MutatingWebhookConfiguration */
    {1, 42, 62, MESSAGE, 0}, {2, 624, 112, MESSAGE, R},
    /* 32: core.v1.Namespace */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 113, MESSAGE, 0}, {3, 56, 114, MESSAGE, 0},
    /* 33: networking.v1.NetworkPolicy */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 115, MESSAGE, 0},
    /* 34: core.v1.Node */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 116, MESSAGE, 0}, {3, 56, 117, MESSAGE, 0},
    /* 35: core.v1.PersistentVolume */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 118, MESSAGE, 0}, {3, 56, 119, MESSAGE, 0},
    /* 36: core.v1.PersistentVolumeClaim */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 120, MESSAGE, 0}, {3, 56, 121, MESSAGE, 0},
    /* 37: core.v1.Pod */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 122, MESSAGE, 0}, {3, 56, 123, MESSAGE, 0},
    /* 38: certificates.v1.PodCertificateRequest */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 124, MESSAGE, 0}, {3, 56, 125, MESSAGE, 0},
    /* 39: policy.v1.PodDisruptionBudget */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 126, MESSAGE, 0}, {3, 56, 127, MESSAGE, 0},
    /* 40: core.v1.PodTemplate */
    {1, 42, 62, MESSAGE, 0}, {2, 633, 128, MESSAGE, 0},
    /* 41: scheduling.v1.PriorityClass */
    {1, 42, 62, MESSAGE, 0}, {2, 642, 0, INT32, 0}, {3, 648, 0, BOOL, O}, {4, 662, 0, STRING, O},
    {5, 674, 0, STRING, 0},
    /* 42: flowcontrol.v1.PriorityLevelConfiguration */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 129, MESSAGE, 0}, {3, 56, 130, MESSAGE, 0},
    /* 43: apps.v1.ReplicaSet */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 131, MESSAGE, 0}, {3, 56, 132, MESSAGE, 0},
    /* 44: core.v1.ReplicationController */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 133, MESSAGE, 0}, {3, 56, 134, MESSAGE, 0},
    /* 45: core.v1.ResourceQuota */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 135, MESSAGE, 0}, {3, 56, 136, MESSAGE, 0},
    /* 46: rbac.v1.Role */
    {1, 42, 62, MESSAGE, 0}, {2, 127, 73, MESSAGE, R|N},
    /* 47: rbac.v1.RoleBinding */
    {1, 42, 62, MESSAGE, 0}, {2, 149, 75, MESSAGE, R}, {3, 158, 76, MESSAGE, 0},
    /* 48: node.v1.RuntimeClass */
    {1, 42, 62, MESSAGE, 0}, {2, 691, 0, STRING, 0}, {3, 699, 137, MESSAGE, 0},
    {4, 708, 138, MESSAGE, 0},
    /* 49: autoscaling.v1.Scale */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 139, MESSAGE, 0}, {3, 56, 140, MESSAGE, 0},
    /* 50: core.v1.Secret */
    {1, 42, 62, MESSAGE, 0}, {2, 166, 79, MESSAGE, M}, {3, 453, 0, STRING, O},
    {4, 719, 78, MESSAGE, M}, {5, 182, 0, BOOL, 0},
    /* 51: core.v1.Service */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 141, MESSAGE, 0}, {3, 56, 142, MESSAGE, 0},
    /* 52: core.v1.ServiceAccount */
    {1, 42, 62, MESSAGE, 0}, {2, 730, 65, MESSAGE, R}, {3, 738, 143, MESSAGE, R},
    {4, 755, 0, BOOL, 0},
    /* 53: networking.v1.ServiceCIDR */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 144, MESSAGE, 0}, {3, 56, 145, MESSAGE, 0},
    /* 54: apps.v1.StatefulSet */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 146, MESSAGE, 0}, {3, 56, 147, MESSAGE, 0},
    /* 55: storage.v1.StorageClass */
    {1, 42, 62, MESSAGE, 0}, {2, 784, 0, STRING, 0}, {3, 796, 78, MESSAGE, M},
    {4, 807, 0, STRING, 0}, {5, 821, 0, STRING, R}, {6, 834, 0, BOOL, 0}, {7, 855, 0, STRING, 0},
    {8, 873, 148, MESSAGE, R},
    /* 56: admissionregistration.v1.ValidatingAdmissionPolicy */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 149, MESSAGE, 0}, {3, 56, 150, MESSAGE, 0},
    /* 57: admissionregistration.v1.ValidatingAdmissionPolicyBinding */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 151, MESSAGE, 0},
    /* 58: admissionregistration.v1.ValidatingWebhookConfiguration */
    {1, 42, 62, MESSAGE, 0}, {2, 624, 152, MESSAGE, R},
    /* 59: storage.v1.VolumeAttachment */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 153, MESSAGE, 0}, {3, 56, 154, MESSAGE, 0},
    /* 60: storage.v1.VolumeAttributesClass */
    {1, 42, 62, MESSAGE, 0}, {2, 891, 0, STRING, 0}, {3, 796, 78, MESSAGE, M},
    /* 61: pkg.runtime.TypeMeta */
    {1, 902, 0, STRING, O}, {2, 913, 0, STRING, O},
    /* 62: meta.v1.ObjectMeta */
    {1, 918, 0, STRING, O}, {2, 923, 0, STRING, O}, {3, 936, 0, STRING, O}, {4, 946, 0, STRING, O},
    {5, 955, 0, STRING, O}, {6, 959, 0, STRING, O}, {7, 975, 0, INT64, O}, {8, 986, 96, MESSAGE, O},
    {9, 1004, 96, MESSAGE, 0}, {10, 1022, 0, INT64, 0}, {11, 1049, 78, MESSAGE, M},
    {12, 1056, 78, MESSAGE, M}, {13, 1068, 155, MESSAGE, R}, {14, 1084, 0, STRING, R},
    {17, 1095, 156, MESSAGE, R},
    /* 63: apiregistration.v1.APIServiceSpec */
    {1, 1109, 157, MESSAGE, 0}, {2, 1117, 0, STRING, O}, {3, 1123, 0, STRING, O},
    {4, 1131, 0, BOOL, O}, {5, 1153, 0, BYTES, O}, {7, 1162, 0, INT32, 0}, {8, 1183, 0, INT32, 0},
    /* 64: apiregistration.v1.APIServiceStatus */
    {1, 1199, 158, MESSAGE, R},
    /* 65: core.v1.ObjectReference */
    {1, 913, 0, STRING, O}, {2, 936, 0, STRING, O}, {3, 918, 0, STRING, O}, {4, 955, 0, STRING, O},
    {5, 902, 0, STRING, O}, {6, 959, 0, STRING, O}, {7, 1210, 0, STRING, O},
    /* 66: storage.v1.CSIDriverSpec */
    {1, 1220, 0, BOOL, 0}, {2, 1235, 0, BOOL, 0}, {3, 1250, 0, STRING, R}, {4, 1271, 0, BOOL, 0},
    {5, 1287, 0, STRING, 0}, {6, 1301, 159, MESSAGE, R}, {7, 1315, 0, BOOL, 0},
    {8, 1333, 0, BOOL, 0}, {9, 1346, 0, INT64, 0}, {10, 1381, 0, BOOL, 0}, {11, 1410, 0, BOOL, 0},
    /* 67: storage.v1.CSINodeSpec */
    {1, 1440, 160, MESSAGE, R|N},
    /* 68: storage.v1.CSINodeStatus */
    {1, 1448, 161, MESSAGE, R},
    /* 69: meta.v1.LabelSelector */
    {1, 1462, 78, MESSAGE, M}, {2, 1474, 162, MESSAGE, R},
    /* 70: api.resource.Quantity */
    {1, 1491, 0, STRING, 0},
    /* 71: certificates.v1.CertificateSigningRequestSpec */
    {1, 1498, 0, BYTES, N}, {2, 1506, 0, STRING, O}, {3, 955, 0, STRING, O},
    {4, 1515, 0, STRING, R}, {5, 1522, 0, STRING, R}, {6, 1529, 164, MESSAGE, M},
    {7, 1535, 0, STRING, 0}, {8, 1546, 0, INT32, 0},
    /* 72: certificates.v1.CertificateSigningRequestStatus */
    {1, 1199, 165, MESSAGE, R}, {2, 1564, 0, BYTES, O},
    /* 73: rbac.v1.PolicyRule */
    {1, 1576, 0, STRING, R|N}, {2, 1582, 0, STRING, R}, {3, 1592, 0, STRING, R},
    {4, 1602, 0, STRING, R}, {5, 1616, 0, STRING, R},
    /* 74: rbac.v1.AggregationRule */
    {1, 1632, 69, MESSAGE, R},
    /* 75: rbac.v1.Subject */
    {1, 913, 0, STRING, 0}, {2, 1653, 0, STRING, O}, {3, 918, 0, STRING, 0}, {4, 936, 0, STRING, O},
    /* 76: rbac.v1.RoleRef */
    {1, 1653, 0, STRING, 0}, {2, 913, 0, STRING, 0}, {3, 918, 0, STRING, 0},
    /* 77: certificates.v1.ClusterTrustBundleSpec */
    {1, 1535, 0, STRING, O}, {2, 1662, 0, STRING, 0},
    /* 78: map of string */
    {1, 0, 0, STRING, 0}, {2, 0, 0, STRING, 0},
    /* 79: map of bytes */
    {1, 0, 0, STRING, 0}, {2, 0, 0, BYTES, 0},
    /* 80: pkg.runtime.RawExtension */
    {1, 10, 0, BYTES, 0},
    /* 81: batch.v1.CronJobSpec */
    {1, 1674, 0, STRING, 0}, {2, 1683, 0, INT64, 0}, {3, 1707, 0, STRING, O}, {4, 1725, 0, BOOL, 0},
    {5, 1733, 166, MESSAGE, 0}, {6, 1745, 0, INT32, 0}, {7, 1772, 0, INT32, 0},
    {8, 1795, 0, STRING, 0},
    /* 82: batch.v1.CronJobStatus */
    {1, 1804, 65, MESSAGE, R}, {4, 1811, 96, MESSAGE, 0}, {5, 1828, 96, MESSAGE, 0},
    /* 83: apiextensions.v1.CustomResourceDefinitionSpec */
    {1, 1117, 0, STRING, 0}, {3, 1847, 167, MESSAGE, 0}, {4, 1853, 0, STRING, 0},
    {7, 1859, 168, MESSAGE, R|N}, {9, 1868, 169, MESSAGE, 0}, {10, 1879, 0, BOOL, O},
    /* 84: apiextensions.v1.CustomResourceDefinitionStatus */
    {1, 1199, 170, MESSAGE, R|N}, {2, 1901, 167, MESSAGE, 0}, {3, 1915, 0, STRING, R|N},
    {4, 1930, 0, INT64, O},
    /* 85: apps.v1.DaemonSetSpec */
    {1, 1949, 69, MESSAGE, N}, {2, 633, 128, MESSAGE, 0}, {3, 1958, 171, MESSAGE, 0},
    {4, 1973, 0, INT32, O}, {6, 1989, 0, INT32, 0},
    /* 86: apps.v1.DaemonSetStatus */
    {1, 2010, 0, INT32, 0}, {2, 2033, 0, INT32, 0}, {3, 2052, 0, INT32, 0}, {4, 2075, 0, INT32, 0},
    {5, 1930, 0, INT64, O}, {6, 2087, 0, INT32, O}, {7, 2110, 0, INT32, O}, {8, 2126, 0, INT32, O},
    {9, 2144, 0, INT32, 0}, {10, 1199, 172, MESSAGE, R},
    /* 87: meta.v1.Preconditions */
    {1, 955, 0, STRING, 0}, {2, 959, 0, STRING, 0},
    /* 88: apps.v1.DeploymentSpec */
    {1, 2159, 0, INT32, 0}, {2, 1949, 69, MESSAGE, N}, {3, 633, 128, MESSAGE, 0},
    {4, 2168, 173, MESSAGE, 0}, {5, 1973, 0, INT32, O}, {6, 1989, 0, INT32, 0},
    {7, 2177, 0, BOOL, O}, {9, 2184, 0, INT32, 0},
    /* 89: apps.v1.DeploymentStatus */
    {1, 1930, 0, INT64, O}, {2, 2159, 0, INT32, O}, {3, 2208, 0, INT32, O}, {4, 2224, 0, INT32, O},
    {5, 2242, 0, INT32, O}, {6, 1199, 174, MESSAGE, R}, {7, 2262, 0, INT32, O},
    {8, 2144, 0, INT32, 0}, {9, 2276, 0, INT32, 0},
    /* 90: discovery.v1.Endpoint */
    {1, 2296, 0, STRING, R|N}, {2, 1199, 175, MESSAGE, 0}, {3, 2306, 0, STRING, 0},
    {4, 2315, 65, MESSAGE, 0}, {5, 2325, 78, MESSAGE, M}, {6, 2344, 0, STRING, 0},
    {7, 2353, 0, STRING, 0}, {8, 2358, 176, MESSAGE, 0},
    /* 91: discovery.v1.EndpointPort */
    {1, 918, 0, STRING, 0}, {2, 2364, 0, STRING, 0}, {3, 2373, 0, INT32, 0},
    {4, 2378, 0, STRING, 0},
    /* 92: core.v1.EndpointSubset */
    {1, 2296, 177, MESSAGE, R}, {2, 2390, 177, MESSAGE, R}, {3, 335, 178, MESSAGE, R},
    /* 93: meta.v1.MicroTime */
    {1, 2408, 0, INT64, 0}, {2, 2416, 0, INT32, 0},
    /* 94: events.v1.EventSeries */
    {1, 599, 0, INT32, 0}, {2, 2422, 93, MESSAGE, 0},
    /* 95: core.v1.EventSource */
    {1, 2439, 0, STRING, O}, {2, 2449, 0, STRING, O},
    /* 96: meta.v1.Time */
    {1, 2408, 0, INT64, 0}, {2, 2416, 0, INT32, 0},
    /* 97: core.v1.EventSeries */
    {1, 599, 0, INT32, O}, {2, 2422, 93, MESSAGE, 0},
    /* 98: flowcontrol.v1.FlowSchemaSpec */
    {1, 2454, 179, MESSAGE, 0}, {2, 2481, 0, INT32, 0}, {3, 2500, 180, MESSAGE, 0},
    {4, 127, 181, MESSAGE, R},
    /* 99: flowcontrol.v1.FlowSchemaStatus */
    {1, 1199, 182, MESSAGE, R},
    /* 100: autoscaling.v2.HorizontalPodAutoscalerSpec */
    {1, 2520, 183, MESSAGE, 0}, {2, 2535, 0, INT32, 0}, {3, 2547, 0, INT32, 0},
    {4, 2559, 184, MESSAGE, R}, {5, 2567, 185, MESSAGE, 0},
    /* 101: autoscaling.v2.HorizontalPodAutoscalerStatus */
    {1, 1930, 0, INT64, 0}, {2, 2576, 96, MESSAGE, 0}, {3, 2590, 0, INT32, O},
    {4, 2606, 0, INT32, 0}, {5, 2622, 186, MESSAGE, R|N}, {6, 1199, 187, MESSAGE, R},
    /* 102: networking.v1.IPAddressSpec */
    {1, 2637, 188, MESSAGE, 0},
    /* 103: networking.v1.IngressSpec */
    {1, 2647, 189, MESSAGE, 0}, {2, 2662, 190, MESSAGE, R}, {3, 127, 191, MESSAGE, R},
    {4, 2666, 0, STRING, 0},
    /* 104: networking.v1.IngressStatus */
    {1, 2683, 192, MESSAGE, 0},
    /* 105: networking.v1.IngressClassSpec */
    {1, 2696, 0, STRING, O}, {2, 796, 193, MESSAGE, 0},
    /* 106: batch.v1.JobSpec */
    {1, 2707, 0, INT32, 0}, {2, 2719, 0, INT32, 0}, {3, 2731, 0, INT64, 0},
    {4, 1949, 69, MESSAGE, 0}, {5, 2753, 0, BOOL, 0}, {6, 633, 128, MESSAGE, 0},
    {7, 2768, 0, INT32, 0}, {8, 2781, 0, INT32, 0}, {9, 2805, 0, STRING, 0}, {10, 1725, 0, BOOL, 0},
    {11, 2820, 194, MESSAGE, 0}, {12, 2837, 0, INT32, 0}, {13, 2858, 0, INT32, 0},
    {14, 2875, 0, STRING, 0}, {15, 2896, 0, STRING, 0}, {16, 2906, 195, MESSAGE, 0},
    {17, 708, 196, MESSAGE, 0},
    /* 107: batch.v1.JobStatus */
    {1, 1199, 197, MESSAGE, R}, {2, 2920, 96, MESSAGE, 0}, {3, 2930, 96, MESSAGE, 0},
    {4, 1804, 0, INT32, O}, {5, 2945, 0, INT32, O}, {6, 2955, 0, INT32, O}, {7, 2962, 0, STRING, O},
    {8, 2979, 198, MESSAGE, 0}, {9, 3003, 0, INT32, 0}, {10, 3009, 0, STRING, 0},
    {11, 3023, 0, INT32, 0},
    /* 108: coordination.v1.LeaseSpec */
    {1, 3035, 0, STRING, 0}, {2, 3050, 0, INT32, 0}, {3, 3071, 93, MESSAGE, 0},
    {4, 3083, 93, MESSAGE, 0}, {5, 3093, 0, INT32, 0}, {6, 2168, 0, STRING, 0},
    {7, 3110, 0, STRING, 0},
    /* 109: core.v1.LimitRangeSpec */
    {1, 3126, 199, MESSAGE, R|N},
    /* 110: admissionregistration.v1.MutatingAdmissionPolicySpec */
    {1, 3133, 200, MESSAGE, 0}, {2, 3143, 201, MESSAGE, 0}, {3, 3160, 202, MESSAGE, R},
    {4, 3170, 203, MESSAGE, R}, {5, 3180, 0, STRING, 0}, {6, 3194, 204, MESSAGE, R},
    {7, 3210, 0, STRING, O},
    /* 111: admissionregistration.v1.MutatingAdmissionPolicyBindingSpec */
    {1, 3229, 0, STRING, O}, {2, 3240, 205, MESSAGE, 0}, {3, 3249, 201, MESSAGE, 0},
    /* 112: admissionregistration.v1.MutatingWebhook */
    {1, 918, 0, STRING, 0}, {2, 3264, 206, MESSAGE, 0}, {3, 127, 207, MESSAGE, R},
    {4, 3180, 0, STRING, 0}, {5, 3277, 69, MESSAGE, 0}, {6, 3295, 0, STRING, N},
    {7, 3307, 0, INT32, 0}, {8, 3322, 0, STRING, R|N}, {9, 3346, 0, STRING, 0},
    {10, 3210, 0, STRING, 0}, {11, 3358, 69, MESSAGE, 0}, {12, 3194, 204, MESSAGE, R},
    /* 113: core.v1.NamespaceSpec */
    {1, 1084, 0, STRING, R},
    /* 114: core.v1.NamespaceStatus */
    {1, 3373, 0, STRING, O}, {2, 1199, 208, MESSAGE, R},
    /* 115: networking.v1.NetworkPolicySpec */
    {1, 3379, 69, MESSAGE, 0}, {2, 3391, 209, MESSAGE, R}, {3, 3399, 210, MESSAGE, R},
    {4, 3406, 0, STRING, R},
    /* 116: core.v1.NodeSpec */
    {1, 3418, 0, STRING, O}, {2, 3426, 0, STRING, O}, {3, 3437, 0, STRING, O},
    {4, 3448, 0, BOOL, O}, {5, 3462, 211, MESSAGE, R}, {6, 3469, 212, MESSAGE, 0},
    {7, 3482, 0, STRING, R}, {8, 3491, 213, MESSAGE, 0},
    /* 117: core.v1.NodeStatus */
    {1, 100, 214, MESSAGE, M}, {2, 3511, 214, MESSAGE, M}, {3, 3373, 0, STRING, O},
    {4, 1199, 215, MESSAGE, R}, {5, 2296, 216, MESSAGE, R}, {6, 3523, 217, MESSAGE, 0},
    {7, 3539, 218, MESSAGE, 0}, {8, 3548, 219, MESSAGE, R}, {9, 3555, 0, STRING, R},
    {10, 3568, 220, MESSAGE, R}, {11, 3584, 221, MESSAGE, 0}, {12, 3591, 222, MESSAGE, R},
    {13, 3607, 223, MESSAGE, 0}, {14, 3616, 0, STRING, R},
    /* 118: core.v1.PersistentVolumeSpec */
    {1, 100, 214, MESSAGE, M}, {2, 0, 224, MESSAGE, I}, {3, 3633, 0, STRING, R},
    {4, 3645, 65, MESSAGE, 0}, {5, 3654, 0, STRING, O}, {6, 83, 0, STRING, O},
    {7, 821, 0, STRING, R}, {8, 3684, 0, STRING, 0}, {9, 3695, 225, MESSAGE, 0},
    {10, 3708, 0, STRING, 0},
    /* 119: core.v1.PersistentVolumeStatus */
    {1, 3373, 0, STRING, O}, {2, 555, 0, STRING, O}, {3, 423, 0, STRING, O},
    {4, 3734, 96, MESSAGE, 0},
    /* 120: core.v1.PersistentVolumeClaimSpec */
    {1, 3633, 0, STRING, R}, {2, 1592, 226, MESSAGE, 0}, {3, 3758, 0, STRING, O},
    {4, 1949, 69, MESSAGE, 0}, {5, 83, 0, STRING, 0}, {6, 3684, 0, STRING, 0},
    {7, 3769, 227, MESSAGE, 0}, {8, 3780, 228, MESSAGE, 0}, {9, 3708, 0, STRING, 0},
    /* 121: core.v1.PersistentVolumeClaimStatus */
    {1, 3373, 0, STRING, O}, {2, 3633, 0, STRING, R}, {3, 100, 214, MESSAGE, M},
    {4, 1199, 229, MESSAGE, R}, {5, 3794, 214, MESSAGE, M}, {7, 3813, 78, MESSAGE, M},
    {8, 3839, 0, STRING, 0}, {9, 3872, 230, MESSAGE, 0}, {10, 3891, 231, MESSAGE, 0},
    /* 122: core.v1.PodSpec */
    {1, 3904, 232, MESSAGE, R}, {2, 3912, 233, MESSAGE, R|N}, {3, 3923, 0, STRING, O},
    {4, 3937, 0, INT64, 0}, {5, 2731, 0, INT64, 0}, {6, 3967, 0, STRING, O},
    {7, 3977, 78, MESSAGE, M}, {8, 3990, 0, STRING, O}, {9, 4009, 0, STRING, O},
    {10, 2344, 0, STRING, O}, {11, 4024, 0, BOOL, O}, {12, 4036, 0, BOOL, O},
    {13, 4044, 0, BOOL, O}, {14, 4052, 234, MESSAGE, 0}, {15, 738, 143, MESSAGE, R},
    {16, 2306, 0, STRING, O}, {17, 4068, 0, STRING, O}, {18, 4078, 235, MESSAGE, 0},
    {19, 4096, 0, STRING, O}, {20, 4110, 233, MESSAGE, R}, {21, 755, 0, BOOL, 0},
    {22, 4125, 236, MESSAGE, R}, {23, 4137, 237, MESSAGE, R}, {24, 4149, 0, STRING, O},
    {25, 4167, 0, INT32, 0}, {26, 4176, 238, MESSAGE, 0}, {27, 4186, 0, BOOL, 0},
    {28, 4208, 239, MESSAGE, R}, {29, 4223, 0, STRING, 0}, {30, 4240, 0, BOOL, 0},
    {31, 674, 0, STRING, 0}, {32, 699, 214, MESSAGE, M}, {33, 4259, 240, MESSAGE, R},
    {34, 4285, 241, MESSAGE, R}, {35, 4305, 0, BOOL, 0}, {36, 4323, 242, MESSAGE, 0},
    {37, 4326, 0, BOOL, 0}, {38, 4336, 243, MESSAGE, R}, {39, 4352, 244, MESSAGE, R},
    {40, 1592, 245, MESSAGE, 0}, {41, 4367, 0, STRING, 0}, {43, 4384, 246, MESSAGE, 0},
    {44, 4400, 247, MESSAGE, R},
    /* 123: core.v1.PodStatus */
    {1, 3373, 0, STRING, O}, {2, 1199, 248, MESSAGE, R}, {3, 555, 0, STRING, O},
    {4, 423, 0, STRING, O}, {5, 4419, 0, STRING, O}, {6, 4426, 0, STRING, O},
    {7, 2920, 96, MESSAGE, 0}, {8, 4432, 249, MESSAGE, R}, {9, 4450, 0, STRING, O},
    {10, 4459, 249, MESSAGE, R}, {11, 4481, 0, STRING, O}, {12, 4499, 250, MESSAGE, R},
    {13, 4506, 249, MESSAGE, R}, {14, 4533, 0, STRING, O}, {15, 4540, 251, MESSAGE, R},
    {16, 4562, 252, MESSAGE, R}, {17, 1930, 0, INT64, O}, {18, 4570, 253, MESSAGE, 0},
    {19, 3794, 214, MESSAGE, M}, {20, 1592, 245, MESSAGE, 0}, {21, 4598, 254, MESSAGE, R},
    {22, 4635, 255, MESSAGE, R},
    /* 124: certificates.v1.PodCertificateRequestSpec */
    {1, 1535, 0, STRING, 0}, {2, 4648, 0, STRING, 0}, {3, 4656, 0, STRING, 0},
    {4, 3990, 0, STRING, 0}, {5, 4663, 0, STRING, 0}, {6, 2344, 0, STRING, 0},
    {7, 4681, 0, STRING, 0}, {8, 4689, 0, INT32, 0}, {11, 4710, 78, MESSAGE, M},
    {12, 4736, 0, BYTES, N},
    /* 125: certificates.v1.PodCertificateRequestStatus */
    {1, 1199, 256, MESSAGE, R}, {2, 4754, 0, STRING, O}, {4, 4771, 96, MESSAGE, 0},
    {5, 4781, 96, MESSAGE, 0}, {6, 4796, 96, MESSAGE, 0},
    /* 126: policy.v1.PodDisruptionBudgetSpec */
    {1, 4805, 257, MESSAGE, 0}, {2, 1949, 69, MESSAGE, 0}, {3, 4818, 257, MESSAGE, 0},
    {4, 4833, 0, STRING, 0},
    /* 127: policy.v1.PodDisruptionBudgetStatus */
    {1, 1930, 0, INT64, O}, {2, 4860, 258, MESSAGE, M}, {3, 4874, 0, INT32, 0},
    {4, 4893, 0, INT32, 0}, {5, 4908, 0, INT32, 0}, {6, 4923, 0, INT32, 0},
    {7, 1199, 256, MESSAGE, R},
    /* 128: core.v1.PodTemplateSpec */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 122, MESSAGE, 0},
    /* 129: flowcontrol.v1.PriorityLevelConfigurationSpec */
    {1, 453, 0, STRING, 0}, {2, 4936, 259, MESSAGE, 0}, {3, 4944, 260, MESSAGE, 0},
    /* 130: flowcontrol.v1.PriorityLevelConfigurationStatus */
    {1, 1199, 261, MESSAGE, R},
    /* 131: apps.v1.ReplicaSetSpec */
    {1, 2159, 0, INT32, 0}, {2, 1949, 69, MESSAGE, N}, {3, 633, 128, MESSAGE, 0},
    {4, 1973, 0, INT32, O},
    /* 132: apps.v1.ReplicaSetStatus */
    {1, 2159, 0, INT32, 0}, {2, 4951, 0, INT32, O}, {3, 1930, 0, INT64, O}, {4, 2262, 0, INT32, O},
    {5, 2224, 0, INT32, O}, {6, 1199, 262, MESSAGE, R}, {7, 2276, 0, INT32, 0},
    /* 133: core.v1.ReplicationControllerSpec */
    {1, 2159, 0, INT32, 0}, {2, 1949, 78, MESSAGE, M}, {3, 633, 128, MESSAGE, 0},
    {4, 1973, 0, INT32, O},
    /* 134: core.v1.ReplicationControllerStatus */
    {1, 2159, 0, INT32, 0}, {2, 4951, 0, INT32, O}, {3, 1930, 0, INT64, O}, {4, 2262, 0, INT32, O},
    {5, 2224, 0, INT32, O}, {6, 1199, 263, MESSAGE, R},
    /* 135: core.v1.ResourceQuotaSpec */
    {1, 4972, 214, MESSAGE, M}, {2, 4977, 0, STRING, R}, {3, 4984, 264, MESSAGE, 0},
    /* 136: core.v1.ResourceQuotaStatus */
    {1, 4972, 214, MESSAGE, M}, {2, 4998, 214, MESSAGE, M},
    /* 137: node.v1.Overhead */
    {1, 5003, 214, MESSAGE, M},
    /* 138: node.v1.Scheduling */
    {1, 3977, 78, MESSAGE, M}, {2, 4125, 236, MESSAGE, R},
    /* 139: autoscaling.v1.ScaleSpec */
    {1, 2159, 0, INT32, O},
    /* 140: autoscaling.v1.ScaleStatus */
    {1, 2159, 0, INT32, 0}, {2, 1949, 0, STRING, O},
    /* 141: core.v1.ServiceSpec */
    {1, 335, 265, MESSAGE, R}, {2, 1949, 78, MESSAGE, M}, {3, 5012, 0, STRING, O},
    {4, 453, 0, STRING, O}, {5, 5022, 0, STRING, R}, {7, 5034, 0, STRING, O},
    {8, 5050, 0, STRING, O}, {9, 5065, 0, STRING, R}, {10, 5090, 0, STRING, O},
    {11, 5103, 0, STRING, O}, {12, 5125, 0, INT32, O}, {13, 5145, 0, BOOL, O},
    {14, 5170, 266, MESSAGE, 0}, {17, 5192, 0, STRING, 0}, {18, 5207, 0, STRING, R},
    {19, 5218, 0, STRING, R}, {20, 5229, 0, BOOL, 0}, {21, 5259, 0, STRING, 0},
    {22, 5277, 0, STRING, 0}, {23, 5299, 0, STRING, 0},
    /* 142: core.v1.ServiceStatus */
    {1, 2683, 267, MESSAGE, 0}, {2, 1199, 256, MESSAGE, R},
    /* 143: core.v1.LocalObjectReference */
    {1, 918, 0, STRING, O},
    /* 144: networking.v1.ServiceCIDRSpec */
    {1, 5319, 0, STRING, R},
    /* 145: networking.v1.ServiceCIDRStatus */
    {1, 1199, 256, MESSAGE, R},
    /* 146: apps.v1.StatefulSetSpec */
    {1, 2159, 0, INT32, 0}, {2, 1949, 69, MESSAGE, N}, {3, 633, 128, MESSAGE, 0},
    {4, 5325, 36, MESSAGE, R}, {5, 5346, 0, STRING, 0}, {6, 5358, 0, STRING, O},
    {7, 1958, 268, MESSAGE, 0}, {8, 1989, 0, INT32, 0}, {9, 1973, 0, INT32, O},
    {10, 5378, 269, MESSAGE, 0}, {11, 5415, 270, MESSAGE, 0},
    /* 147: apps.v1.StatefulSetStatus */
    {1, 1930, 0, INT64, O}, {2, 2159, 0, INT32, 0}, {3, 2262, 0, INT32, O}, {4, 2590, 0, INT32, O},
    {5, 2208, 0, INT32, O}, {6, 5424, 0, STRING, O}, {7, 5440, 0, STRING, O},
    {9, 2144, 0, INT32, 0}, {10, 1199, 271, MESSAGE, R}, {11, 2224, 0, INT32, 0},
    /* 148: core.v1.TopologySelectorTerm */
    {1, 5455, 272, MESSAGE, R},
    /* 149: admissionregistration.v1.ValidatingAdmissionPolicySpec */
    {1, 3133, 200, MESSAGE, 0}, {2, 3143, 201, MESSAGE, 0}, {3, 5477, 273, MESSAGE, R},
    {4, 3180, 0, STRING, 0}, {5, 5489, 274, MESSAGE, R}, {6, 3194, 204, MESSAGE, R},
    {7, 3160, 202, MESSAGE, R},
    /* 150: admissionregistration.v1.ValidatingAdmissionPolicyStatus */
    {1, 1930, 0, INT64, O}, {2, 5506, 275, MESSAGE, 0}, {3, 1199, 256, MESSAGE, R},
    /* 151: admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec */
    {1, 3229, 0, STRING, O}, {2, 3240, 205, MESSAGE, 0}, {3, 3249, 201, MESSAGE, 0},
    {4, 5519, 0, STRING, R},
    /* 152: admissionregistration.v1.ValidatingWebhook */
    {1, 918, 0, STRING, 0}, {2, 3264, 206, MESSAGE, 0}, {3, 127, 207, MESSAGE, R},
    {4, 3180, 0, STRING, 0}, {5, 3277, 69, MESSAGE, 0}, {6, 3295, 0, STRING, N},
    {7, 3307, 0, INT32, 0}, {8, 3322, 0, STRING, R|N}, {9, 3346, 0, STRING, 0},
    {10, 3358, 69, MESSAGE, 0}, {11, 3194, 204, MESSAGE, R},
    /* 153: storage.v1.VolumeAttachmentSpec */
    {1, 5537, 0, STRING, 0}, {2, 563, 276, MESSAGE, 0}, {3, 2344, 0, STRING, 0},
    /* 154: storage.v1.VolumeAttachmentStatus */
    {1, 5546, 0, BOOL, 0}, {2, 5555, 78, MESSAGE, M}, {3, 5574, 277, MESSAGE, 0},
    {4, 5586, 277, MESSAGE, 0},
    /* 155: meta.v1.OwnerReference */
    {1, 913, 0, STRING, 0}, {3, 918, 0, STRING, 0}, {4, 955, 0, STRING, 0}, {5, 902, 0, STRING, 0},
    {6, 2696, 0, BOOL, 0}, {7, 5598, 0, BOOL, 0},
    /* 156: meta.v1.ManagedFieldsEntry */
    {1, 5617, 0, STRING, O}, {2, 5625, 0, STRING, O}, {3, 902, 0, STRING, O},
    {4, 5635, 96, MESSAGE, 0}, {6, 5640, 0, STRING, O}, {7, 5651, 278, MESSAGE, 0},
    {8, 5660, 0, STRING, O},
    /* 157: apiregistration.v1.ServiceReference */
    {1, 936, 0, STRING, O}, {2, 918, 0, STRING, O}, {3, 2373, 0, INT32, 0},
    /* 158: apiregistration.v1.APIServiceCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 159: storage.v1.TokenRequest */
    {1, 5691, 0, STRING, 0}, {2, 1546, 0, INT64, 0},
    /* 160: storage.v1.CSINodeDriver */
    {1, 918, 0, STRING, 0}, {2, 5700, 0, STRING, 0}, {3, 5707, 0, STRING, R|N},
    {4, 3511, 279, MESSAGE, 0},
    /* 161: storage.v1.StorageHealth */
    {1, 918, 0, STRING, 0}, {2, 5720, 280, MESSAGE, R},
    /* 162: meta.v1.LabelSelectorRequirement */
    {1, 5737, 0, STRING, 0}, {2, 5741, 0, STRING, 0}, {3, 5750, 0, STRING, R},
    /* 163: certificates.v1.ExtraValue */
    {1, 5757, 0, STRING, R},
    /* 164: map of certificates.v1.ExtraValue */
    {1, 0, 0, STRING, 0}, {2, 0, 163, MESSAGE, 0},
    /* 165: certificates.v1.CertificateSigningRequestCondition */
    {1, 453, 0, STRING, 0}, {2, 423, 0, STRING, O}, {3, 555, 0, STRING, O},
    {4, 5763, 96, MESSAGE, 0}, {5, 5672, 96, MESSAGE, 0}, {6, 56, 0, STRING, 0},
    /* 166: batch.v1.JobTemplateSpec */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 106, MESSAGE, 0},
    /* 167: apiextensions.v1.CustomResourceDefinitionNames */
    {1, 5778, 0, STRING, 0}, {2, 5785, 0, STRING, O}, {3, 5794, 0, STRING, R},
    {4, 913, 0, STRING, 0}, {5, 5805, 0, STRING, O}, {6, 5814, 0, STRING, R},
    /* 168: apiextensions.v1.CustomResourceDefinitionVersion */
    {1, 918, 0, STRING, 0}, {2, 5825, 0, BOOL, 0}, {3, 5832, 0, BOOL, 0},
    {4, 5840, 281, MESSAGE, 0}, {5, 5847, 282, MESSAGE, 0}, {6, 5860, 283, MESSAGE, R},
    {7, 5885, 0, BOOL, O}, {8, 5896, 0, STRING, 0}, {9, 5915, 284, MESSAGE, R},
    /* 169: apiextensions.v1.CustomResourceConversion */
    {1, 2168, 0, STRING, 0}, {2, 5932, 285, MESSAGE, 0},
    /* 170: apiextensions.v1.CustomResourceDefinitionCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O}, {6, 1930, 0, INT64, O},
    /* 171: apps.v1.DaemonSetUpdateStrategy */
    {1, 453, 0, STRING, O}, {2, 5940, 286, MESSAGE, 0},
    /* 172: apps.v1.DaemonSetCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 173: apps.v1.DeploymentStrategy */
    {1, 453, 0, STRING, O}, {2, 5940, 287, MESSAGE, 0},
    /* 174: apps.v1.DeploymentCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    {6, 5763, 96, MESSAGE, 0}, {7, 5672, 96, MESSAGE, 0},
    /* 175: discovery.v1.EndpointConditions */
    {1, 3003, 0, BOOL, 0}, {2, 5954, 0, BOOL, 0}, {3, 3023, 0, BOOL, 0},
    /* 176: discovery.v1.EndpointHints */
    {1, 5962, 288, MESSAGE, R}, {2, 5971, 289, MESSAGE, R},
    /* 177: core.v1.EndpointAddress */
    {1, 5980, 0, STRING, 0}, {2, 2315, 65, MESSAGE, 0}, {3, 2306, 0, STRING, O},
    {4, 2344, 0, STRING, 0},
    /* 178: core.v1.EndpointPort */
    {1, 918, 0, STRING, O}, {2, 2373, 0, INT32, 0}, {3, 2364, 0, STRING, O},
    {4, 2378, 0, STRING, 0},
    /* 179: flowcontrol.v1.PriorityLevelConfigurationReference */
    {1, 918, 0, STRING, 0},
    /* 180: flowcontrol.v1.FlowDistinguisherMethod */
    {1, 453, 0, STRING, 0},
    /* 181: flowcontrol.v1.PolicyRulesWithSubjects */
    {1, 149, 290, MESSAGE, R|N}, {2, 5983, 291, MESSAGE, R}, {3, 5997, 292, MESSAGE, R},
    /* 182: flowcontrol.v1.FlowSchemaCondition */
    {1, 453, 0, STRING, O}, {2, 56, 0, STRING, O}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 183: autoscaling.v2.CrossVersionObjectReference */
    {1, 913, 0, STRING, 0}, {2, 918, 0, STRING, 0}, {3, 902, 0, STRING, O},
    /* 184: autoscaling.v2.MetricSpec */
    {1, 453, 0, STRING, 0}, {2, 6014, 293, MESSAGE, 0}, {3, 6021, 294, MESSAGE, 0},
    {4, 6026, 295, MESSAGE, 0}, {5, 6035, 296, MESSAGE, 0}, {7, 6044, 297, MESSAGE, 0},
    /* 185: autoscaling.v2.HorizontalPodAutoscalerBehavior */
    {1, 6062, 298, MESSAGE, 0}, {2, 6070, 298, MESSAGE, 0},
    /* 186: autoscaling.v2.MetricStatus */
    {1, 453, 0, STRING, 0}, {2, 6014, 299, MESSAGE, 0}, {3, 6021, 300, MESSAGE, 0},
    {4, 6026, 301, MESSAGE, 0}, {5, 6035, 302, MESSAGE, 0}, {7, 6044, 303, MESSAGE, 0},
    /* 187: autoscaling.v2.HorizontalPodAutoscalerCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O}, {6, 1930, 0, INT64, 0},
    /* 188: networking.v1.ParentReference */
    {1, 1117, 0, STRING, O}, {2, 6026, 0, STRING, O}, {3, 936, 0, STRING, O},
    {4, 918, 0, STRING, O},
    /* 189: networking.v1.IngressBackend */
    {3, 6026, 227, MESSAGE, 0}, {4, 1109, 304, MESSAGE, 0},
    /* 190: networking.v1.IngressTLS */
    {1, 6080, 0, STRING, R}, {2, 6086, 0, STRING, O},
    /* 191: networking.v1.IngressRule */
    {1, 2449, 0, STRING, O}, {2, 0, 305, MESSAGE, I},
    /* 192: networking.v1.IngressLoadBalancerStatus */
    {1, 3391, 306, MESSAGE, R},
    /* 193: networking.v1.IngressClassParametersReference */
    {1, 1653, 0, STRING, 0}, {2, 913, 0, STRING, 0}, {3, 918, 0, STRING, 0},
    {4, 1853, 0, STRING, N}, {5, 936, 0, STRING, 0},
    /* 194: batch.v1.PodFailurePolicy */
    {1, 127, 307, MESSAGE, R|N},
    /* 195: batch.v1.SuccessPolicy */
    {1, 127, 308, MESSAGE, R|N},
    /* 196: batch.v1.JobSchedulingConfiguration */
    {1, 6097, 309, MESSAGE, 0}, {2, 6114, 310, MESSAGE, 0}, {3, 6136, 311, MESSAGE, 0},
    {4, 4352, 312, MESSAGE, R},
    /* 197: batch.v1.JobCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6151, 96, MESSAGE, 0},
    {4, 5672, 96, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 198: batch.v1.UncountedTerminatedPods */
    {1, 2945, 0, STRING, R}, {2, 2955, 0, STRING, R},
    /* 199: core.v1.LimitRangeItem */
    {1, 453, 0, STRING, 0}, {2, 6165, 214, MESSAGE, M}, {3, 6169, 214, MESSAGE, M},
    {4, 6173, 214, MESSAGE, M}, {5, 6181, 214, MESSAGE, M}, {6, 6196, 214, MESSAGE, M},
    /* 200: admissionregistration.v1.ParamKind */
    {1, 902, 0, STRING, O}, {2, 913, 0, STRING, O},
    /* 201: admissionregistration.v1.MatchResources */
    {1, 3277, 69, MESSAGE, 0}, {2, 3358, 69, MESSAGE, 0}, {3, 5983, 313, MESSAGE, R},
    {4, 6217, 313, MESSAGE, R}, {7, 3346, 0, STRING, 0},
    /* 202: admissionregistration.v1.Variable */
    {1, 918, 0, STRING, 0}, {2, 6238, 0, STRING, 0},
    /* 203: admissionregistration.v1.Mutation */
    {2, 6249, 0, STRING, 0}, {3, 6259, 314, MESSAGE, 0}, {4, 6278, 315, MESSAGE, 0},
    /* 204: admissionregistration.v1.MatchCondition */
    {1, 918, 0, STRING, 0}, {2, 6238, 0, STRING, 0},
    /* 205: admissionregistration.v1.ParamRef */
    {1, 918, 0, STRING, O}, {2, 936, 0, STRING, O}, {3, 1949, 69, MESSAGE, 0},
    {4, 6288, 0, STRING, 0},
    /* 206: admissionregistration.v1.WebhookClientConfig */
    {1, 1109, 316, MESSAGE, 0}, {2, 1153, 0, BYTES, O}, {3, 6312, 0, STRING, 0},
    /* 207: admissionregistration.v1.RuleWithOperations */
    {1, 6316, 0, STRING, R}, {2, 0, 317, MESSAGE, I},
    /* 208: core.v1.NamespaceCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {4, 5672, 96, MESSAGE, 0},
    {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 209: networking.v1.NetworkPolicyIngressRule */
    {1, 335, 318, MESSAGE, R}, {2, 6327, 319, MESSAGE, R},
    /* 210: networking.v1.NetworkPolicyEgressRule */
    {1, 335, 318, MESSAGE, R}, {2, 6332, 319, MESSAGE, R},
    /* 211: core.v1.Taint */
    {1, 5737, 0, STRING, 0}, {2, 642, 0, STRING, O}, {3, 6335, 0, STRING, 0},
    {4, 6342, 96, MESSAGE, 0},
    /* 212: core.v1.NodeConfigSource */
    {2, 6352, 320, MESSAGE, 0},
    /* 213: core.v1.NodePodPreemptionPolicy */
    {1, 6362, 0, STRING, R},
    /* 214: map of api.resource.Quantity */
    {1, 0, 0, STRING, 0}, {2, 0, 70, MESSAGE, 0},
    /* 215: core.v1.NodeCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6386, 96, MESSAGE, 0},
    {4, 5672, 96, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 216: core.v1.NodeAddress */
    {1, 453, 0, STRING, 0}, {2, 6404, 0, STRING, 0},
    /* 217: core.v1.NodeDaemonEndpoints */
    {1, 6412, 321, MESSAGE, 0},
    /* 218: core.v1.NodeSystemInfo */
    {1, 6428, 0, STRING, 0}, {2, 6438, 0, STRING, 0}, {3, 6449, 0, STRING, 0},
    {4, 6456, 0, STRING, 0}, {5, 6470, 0, STRING, 0}, {6, 6478, 0, STRING, 0},
    {7, 6502, 0, STRING, 0}, {8, 6517, 0, STRING, 0}, {9, 6534, 0, STRING, 0},
    {10, 6550, 0, STRING, 0}, {11, 6563, 322, MESSAGE, 0}, {12, 6568, 0, BOOL, 0},
    /* 219: core.v1.ContainerImage */
    {1, 1847, 0, STRING, R|N}, {2, 6591, 0, INT64, O},
    /* 220: core.v1.AttachedVolume */
    {1, 918, 0, STRING, 0}, {2, 6601, 0, STRING, 0},
    /* 221: core.v1.NodeConfigStatus */
    {1, 6612, 212, MESSAGE, 0}, {2, 1804, 212, MESSAGE, 0}, {3, 6621, 212, MESSAGE, 0},
    {4, 6635, 0, STRING, O},
    /* 222: core.v1.NodeRuntimeHandler */
    {1, 918, 0, STRING, 0}, {2, 3607, 323, MESSAGE, 0},
    /* 223: core.v1.NodeFeatures */
    {1, 6641, 0, BOOL, 0},
    /* 224: core.v1.PersistentVolumeSource */
    {1, 6666, 324, MESSAGE, 0}, {2, 6684, 325, MESSAGE, 0}, {3, 6705, 326, MESSAGE, 0},
    {4, 6714, 327, MESSAGE, 0}, {5, 6724, 328, MESSAGE, 0}, {6, 6728, 329, MESSAGE, 0},
    {7, 6732, 330, MESSAGE, 0}, {8, 6738, 331, MESSAGE, 0}, {9, 6745, 332, MESSAGE, 0},
    {10, 6752, 333, MESSAGE, 0}, {11, 6755, 334, MESSAGE, 0}, {12, 6763, 335, MESSAGE, 0},
    {13, 6774, 336, MESSAGE, 0}, {14, 6784, 337, MESSAGE, 0}, {15, 6798, 338, MESSAGE, 0},
    {16, 6806, 339, MESSAGE, 0}, {17, 6816, 340, MESSAGE, 0}, {18, 6837, 341, MESSAGE, 0},
    {19, 6852, 342, MESSAGE, 0}, {20, 6860, 343, MESSAGE, 0}, {21, 6866, 344, MESSAGE, 0},
    {22, 6876, 345, MESSAGE, 0},
    /* 225: core.v1.VolumeNodeAffinity */
    {1, 6880, 346, MESSAGE, 0},
    /* 226: core.v1.VolumeResourceRequirements */
    {1, 3126, 214, MESSAGE, M}, {2, 6889, 214, MESSAGE, M},
    /* 227: core.v1.TypedLocalObjectReference */
    {1, 1653, 0, STRING, N}, {2, 913, 0, STRING, 0}, {3, 918, 0, STRING, 0},
    /* 228: core.v1.TypedObjectReference */
    {1, 1653, 0, STRING, N}, {2, 913, 0, STRING, 0}, {3, 918, 0, STRING, 0}, {4, 936, 0, STRING, 0},
    /* 229: core.v1.PersistentVolumeClaimCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6151, 96, MESSAGE, 0},
    {4, 5672, 96, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 230: core.v1.ModifyVolumeStatus */
    {1, 6898, 0, STRING, O}, {2, 56, 0, STRING, 0},
    /* 231: core.v1.VolumeHealthStatus */
    {1, 5720, 347, MESSAGE, R}, {2, 5672, 96, MESSAGE, 0},
    /* 232: core.v1.Volume */
    {1, 918, 0, STRING, 0}, {2, 0, 348, MESSAGE, I},
    /* 233: core.v1.Container */
    {1, 918, 0, STRING, 0}, {2, 6930, 0, STRING, O}, {3, 6936, 0, STRING, R},
    {4, 6944, 0, STRING, R}, {5, 6949, 0, STRING, O}, {6, 335, 349, MESSAGE, R},
    {7, 6960, 350, MESSAGE, R}, {8, 1592, 245, MESSAGE, 0}, {9, 6964, 351, MESSAGE, R},
    {10, 6977, 352, MESSAGE, 0}, {11, 6991, 352, MESSAGE, 0}, {12, 7006, 353, MESSAGE, 0},
    {13, 7016, 0, STRING, O}, {14, 7039, 0, STRING, O}, {15, 4052, 354, MESSAGE, 0},
    {16, 7055, 0, BOOL, O}, {17, 7061, 0, BOOL, O}, {18, 7071, 0, BOOL, O},
    {19, 7075, 355, MESSAGE, R}, {20, 7083, 0, STRING, O}, {21, 7108, 356, MESSAGE, R},
    {22, 7122, 352, MESSAGE, 0}, {23, 7135, 357, MESSAGE, R}, {24, 3923, 0, STRING, 0},
    {25, 7148, 358, MESSAGE, R},
    /* 234: core.v1.PodSecurityContext */
    {1, 7167, 359, MESSAGE, 0}, {2, 7182, 0, INT64, 0}, {3, 7192, 0, BOOL, 0},
    {4, 7205, 0, INT64, R}, {5, 7224, 0, INT64, 0}, {6, 7232, 0, INT64, 0},
    {7, 7243, 360, MESSAGE, R}, {8, 7251, 361, MESSAGE, 0}, {9, 7266, 0, STRING, 0},
    {10, 7286, 362, MESSAGE, 0}, {11, 7301, 363, MESSAGE, 0}, {12, 6641, 0, STRING, 0},
    {13, 7317, 0, STRING, 0},
    /* 235: core.v1.Affinity */
    {1, 3695, 364, MESSAGE, 0}, {2, 7337, 365, MESSAGE, 0}, {3, 7349, 366, MESSAGE, 0},
    /* 236: core.v1.Toleration */
    {1, 5737, 0, STRING, O}, {2, 5741, 0, STRING, O}, {3, 642, 0, STRING, O},
    {4, 6335, 0, STRING, O}, {5, 7365, 0, INT64, 0},
    /* 237: core.v1.HostAlias */
    {1, 5980, 0, STRING, 0}, {2, 7383, 0, STRING, R},
    /* 238: core.v1.PodDNSConfig */
    {1, 7393, 0, STRING, R}, {2, 7405, 0, STRING, R}, {3, 7414, 367, MESSAGE, R},
    /* 239: core.v1.PodReadinessGate */
    {1, 7422, 0, STRING, 0},
    /* 240: core.v1.TopologySpreadConstraint */
    {1, 7436, 0, INT32, 0}, {2, 7444, 0, STRING, 0}, {3, 7456, 0, STRING, 0},
    {4, 7474, 69, MESSAGE, 0}, {5, 7488, 0, INT32, 0}, {6, 7499, 0, STRING, 0},
    {7, 7518, 0, STRING, 0}, {8, 7535, 0, STRING, R},
    /* 241: core.v1.EphemeralContainer */
    {1, 0, 368, MESSAGE, I}, {2, 7550, 0, STRING, O},
    /* 242: core.v1.PodOS */
    {1, 918, 0, STRING, 0},
    /* 243: core.v1.PodSchedulingGate */
    {1, 918, 0, STRING, 0},
    /* 244: core.v1.PodResourceClaim */
    {1, 918, 0, STRING, 0}, {3, 7570, 0, STRING, 0}, {4, 7588, 0, STRING, 0},
    /* 245: core.v1.ResourceRequirements */
    {1, 3126, 214, MESSAGE, M}, {2, 6889, 214, MESSAGE, M}, {3, 7614, 369, MESSAGE, R},
    /* 246: core.v1.PodSchedulingGroup */
    {1, 7621, 0, STRING, 0},
    /* 247: core.v1.EvictionResponder */
    {1, 918, 0, STRING, 0}, {2, 4167, 0, INT32, N},
    /* 248: core.v1.PodCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6151, 96, MESSAGE, 0},
    {4, 5672, 96, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    {7, 1930, 0, INT64, O},
    /* 249: core.v1.ContainerStatus */
    {1, 918, 0, STRING, 0}, {2, 7634, 370, MESSAGE, 0}, {3, 7640, 370, MESSAGE, 0},
    {4, 3003, 0, BOOL, 0}, {5, 7650, 0, INT32, 0}, {6, 6930, 0, STRING, 0}, {7, 7663, 0, STRING, 0},
    {8, 7671, 0, STRING, O}, {9, 7683, 0, BOOL, 0}, {10, 3794, 214, MESSAGE, M},
    {11, 1592, 245, MESSAGE, 0}, {12, 6964, 371, MESSAGE, R}, {13, 7691, 372, MESSAGE, 0},
    {14, 7696, 373, MESSAGE, R}, {15, 7721, 0, STRING, 0},
    /* 250: core.v1.PodIP */
    {1, 5980, 0, STRING, 0},
    /* 251: core.v1.PodResourceClaimStatus */
    {1, 918, 0, STRING, 0}, {2, 7570, 0, STRING, 0},
    /* 252: core.v1.HostIP */
    {1, 5980, 0, STRING, 0},
    /* 253: core.v1.PodExtendedResourceClaimStatus */
    {1, 7732, 374, MESSAGE, R|N}, {2, 7570, 0, STRING, 0},
    /* 254: core.v1.NodeAllocatableResourceClaimStatus */
    {1, 7570, 0, STRING, 0}, {2, 3912, 0, STRING, R}, {4, 7748, 375, MESSAGE, R},
    {5, 699, 376, MESSAGE, R},
    /* 255: core.v1.PodVolumeHealth */
    {1, 918, 0, STRING, 0}, {2, 5720, 347, MESSAGE, R}, {3, 5672, 96, MESSAGE, 0},
    /* 256: meta.v1.Condition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 1930, 0, INT64, O},
    {4, 5672, 96, MESSAGE, 0}, {5, 423, 0, STRING, 0}, {6, 555, 0, STRING, 0},
    /* 257: util.intstr.IntOrString */
    {1, 453, 0, INT64, 0}, {2, 7756, 0, INT32, 0}, {3, 7763, 0, STRING, 0},
    /* 258: map of meta.v1.Time */
    {1, 0, 0, STRING, 0}, {2, 0, 96, MESSAGE, 0},
    /* 259: flowcontrol.v1.LimitedPriorityLevelConfiguration */
    {1, 7770, 0, INT32, N}, {2, 7795, 377, MESSAGE, 0}, {3, 7809, 0, INT32, 0},
    {4, 7825, 0, INT32, 0},
    /* 260: flowcontrol.v1.ExemptPriorityLevelConfiguration */
    {1, 7770, 0, INT32, 0}, {2, 7809, 0, INT32, 0},
    /* 261: flowcontrol.v1.PriorityLevelConfigurationCondition */
    {1, 453, 0, STRING, O}, {2, 56, 0, STRING, O}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 262: apps.v1.ReplicaSetCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 263: core.v1.ReplicationControllerCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 264: core.v1.ScopeSelector */
    {1, 1474, 378, MESSAGE, R},
    /* 265: core.v1.ServicePort */
    {1, 918, 0, STRING, O}, {2, 2364, 0, STRING, O}, {3, 2373, 0, INT32, 0},
    {4, 7847, 257, MESSAGE, 0}, {5, 7858, 0, INT32, O}, {6, 2378, 0, STRING, 0},
    /* 266: core.v1.SessionAffinityConfig */
    {1, 7867, 379, MESSAGE, 0},
    /* 267: core.v1.LoadBalancerStatus */
    {1, 3391, 380, MESSAGE, R},
    /* 268: apps.v1.StatefulSetUpdateStrategy */
    {1, 453, 0, STRING, O}, {2, 5940, 381, MESSAGE, 0},
    /* 269: apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy */
    {1, 7876, 0, STRING, O}, {2, 7888, 0, STRING, O},
    /* 270: apps.v1.StatefulSetOrdinals */
    {1, 7899, 0, INT32, 0},
    /* 271: apps.v1.StatefulSetCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5672, 96, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 272: core.v1.TopologySelectorLabelRequirement */
    {1, 5737, 0, STRING, 0}, {2, 5750, 0, STRING, R|N},
    /* 273: admissionregistration.v1.Validation */
    {1, 6238, 0, STRING, 0}, {2, 555, 0, STRING, O}, {3, 423, 0, STRING, 0},
    {4, 7905, 0, STRING, O},
    /* 274: admissionregistration.v1.AuditAnnotation */
    {1, 5737, 0, STRING, 0}, {2, 7923, 0, STRING, 0},
    /* 275: admissionregistration.v1.TypeChecking */
    {1, 7939, 382, MESSAGE, R},
    /* 276: storage.v1.VolumeAttachmentSource */
    {1, 7958, 0, STRING, 0}, {2, 7979, 118, MESSAGE, 0},
    /* 277: storage.v1.VolumeError */
    {1, 5635, 96, MESSAGE, 0}, {2, 555, 0, STRING, O}, {3, 7996, 0, INT32, 0},
    /* 278: meta.v1.FieldsV1 */
    {1, 8006, 0, BYTES, 0},
    /* 279: storage.v1.VolumeNodeResources */
    {1, 599, 0, INT32, 0},
    /* 280: storage.v1.StorageHealthCondition */
    {1, 56, 0, STRING, 0}, {2, 423, 0, STRING, 0}, {3, 555, 0, STRING, O}, {4, 8010, 0, STRING, 0},
    {5, 3684, 0, STRING, 0}, {6, 5672, 96, MESSAGE, 0},
    /* 281: apiextensions.v1.CustomResourceValidation */
    {1, 8021, 383, MESSAGE, 0},
    /* 282: apiextensions.v1.CustomResourceSubresources */
    {1, 56, 384, MESSAGE, 0}, {2, 8037, 385, MESSAGE, 0},
    /* 283: apiextensions.v1.CustomResourceColumnDefinition */
    {1, 918, 0, STRING, 0}, {2, 453, 0, STRING, 0}, {3, 8043, 0, STRING, O}, {4, 662, 0, STRING, O},
    {5, 4167, 0, INT32, O}, {6, 8050, 0, STRING, 0},
    /* 284: apiextensions.v1.SelectableField */
    {1, 8050, 0, STRING, 0},
    /* 285: apiextensions.v1.WebhookConversion */
    {2, 3264, 386, MESSAGE, 0}, {3, 8059, 0, STRING, R|N},
    /* 286: apps.v1.RollingUpdateDaemonSet */
    {1, 4818, 257, MESSAGE, 0}, {2, 8084, 257, MESSAGE, 0},
    /* 287: apps.v1.RollingUpdateDeployment */
    {1, 4818, 257, MESSAGE, 0}, {2, 8084, 257, MESSAGE, 0},
    /* 288: discovery.v1.ForZone */
    {1, 918, 0, STRING, 0},
    /* 289: discovery.v1.ForNode */
    {1, 918, 0, STRING, 0},
    /* 290: flowcontrol.v1.Subject */
    {1, 913, 0, STRING, 0}, {2, 7691, 387, MESSAGE, 0}, {3, 1117, 388, MESSAGE, 0},
    {4, 4009, 389, MESSAGE, 0},
    /* 291: flowcontrol.v1.ResourcePolicyRule */
    {1, 1576, 0, STRING, R|N}, {2, 1582, 0, STRING, R|N}, {3, 1592, 0, STRING, R|N},
    {4, 8093, 0, BOOL, O}, {5, 8106, 0, STRING, R|N},
    /* 292: flowcontrol.v1.NonResourcePolicyRule */
    {1, 1576, 0, STRING, R|N}, {6, 1616, 0, STRING, R|N},
    /* 293: autoscaling.v2.ObjectMetricSource */
    {1, 8117, 183, MESSAGE, 0}, {2, 63, 390, MESSAGE, 0}, {3, 8133, 391, MESSAGE, 0},
    /* 294: autoscaling.v2.PodsMetricSource */
    {1, 8133, 391, MESSAGE, 0}, {2, 63, 390, MESSAGE, 0},
    /* 295: autoscaling.v2.ResourceMetricSource */
    {1, 918, 0, STRING, 0}, {2, 63, 390, MESSAGE, 0},
    /* 296: autoscaling.v2.ExternalMetricSource */
    {1, 8133, 391, MESSAGE, 0}, {2, 63, 390, MESSAGE, 0},
    /* 297: autoscaling.v2.ContainerResourceMetricSource */
    {1, 918, 0, STRING, 0}, {2, 63, 390, MESSAGE, 0}, {3, 8140, 0, STRING, 0},
    /* 298: autoscaling.v2.HPAScalingRules */
    {1, 8150, 0, STRING, 0}, {2, 8163, 392, MESSAGE, R}, {3, 8192, 0, INT32, 0},
    {4, 8219, 70, MESSAGE, 0},
    /* 299: autoscaling.v2.ObjectMetricStatus */
    {1, 8133, 391, MESSAGE, 0}, {2, 8229, 393, MESSAGE, 0}, {3, 8117, 183, MESSAGE, 0},
    /* 300: autoscaling.v2.PodsMetricStatus */
    {1, 8133, 391, MESSAGE, 0}, {2, 8229, 393, MESSAGE, 0},
    /* 301: autoscaling.v2.ResourceMetricStatus */
    {1, 918, 0, STRING, 0}, {2, 8229, 393, MESSAGE, 0},
    /* 302: autoscaling.v2.ExternalMetricStatus */
    {1, 8133, 391, MESSAGE, 0}, {2, 8229, 393, MESSAGE, 0},
    /* 303: autoscaling.v2.ContainerResourceMetricStatus */
    {1, 918, 0, STRING, 0}, {2, 8229, 393, MESSAGE, 0}, {3, 8140, 0, STRING, 0},
    /* 304: networking.v1.IngressServiceBackend */
    {1, 918, 0, STRING, 0}, {2, 2373, 394, MESSAGE, 0},
    /* 305: networking.v1.IngressRuleValue */
    {1, 8237, 395, MESSAGE, 0},
    /* 306: networking.v1.IngressLoadBalancerIngress */
    {1, 5980, 0, STRING, O}, {2, 2306, 0, STRING, O}, {4, 335, 396, MESSAGE, R},
    /* 307: batch.v1.PodFailurePolicyRule */
    {1, 416, 0, STRING, 0}, {2, 8242, 397, MESSAGE, 0}, {3, 8254, 398, MESSAGE, R},
    /* 308: batch.v1.SuccessPolicyRule */
    {1, 8270, 0, STRING, 0}, {2, 8287, 0, INT32, 0},
    /* 309: scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy */
    {1, 8302, 399, MESSAGE, 0}, {2, 8308, 400, MESSAGE, 0},
    /* 310: scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints */
    {1, 8313, 401, MESSAGE, R},
    /* 311: scheduling.v1alpha3.WorkloadPodGroupDisruptionMode */
    {1, 8322, 402, MESSAGE, 0}, {2, 8329, 403, MESSAGE, 0},
    /* 312: scheduling.v1alpha3.WorkloadPodGroupResourceClaim */
    {1, 918, 0, STRING, 0}, {2, 7570, 0, STRING, 0}, {3, 7588, 0, STRING, 0},
    /* 313: admissionregistration.v1.NamedRuleWithOperations */
    {1, 1602, 0, STRING, R}, {2, 0, 207, MESSAGE, I},
    /* 314: admissionregistration.v1.ApplyConfiguration */
    {1, 6238, 0, STRING, O},
    /* 315: admissionregistration.v1.JSONPatch */
    {1, 6238, 0, STRING, O},
    /* 316: admissionregistration.v1.ServiceReference */
    {1, 936, 0, STRING, 0}, {2, 918, 0, STRING, 0}, {3, 8333, 0, STRING, 0}, {4, 2373, 0, INT32, 0},
    /* 317: admissionregistration.v1.Rule */
    {1, 1582, 0, STRING, R}, {2, 8338, 0, STRING, R}, {3, 1592, 0, STRING, R},
    {4, 1853, 0, STRING, 0},
    /* 318: networking.v1.NetworkPolicyPort */
    {1, 2364, 0, STRING, 0}, {2, 2373, 257, MESSAGE, 0}, {3, 8350, 0, INT32, 0},
    /* 319: networking.v1.NetworkPolicyPeer */
    {1, 3379, 69, MESSAGE, 0}, {2, 3277, 69, MESSAGE, 0}, {3, 8358, 404, MESSAGE, 0},
    /* 320: core.v1.ConfigMapNodeConfigSource */
    {1, 936, 0, STRING, 0}, {2, 918, 0, STRING, 0}, {3, 955, 0, STRING, O}, {4, 959, 0, STRING, O},
    {5, 8366, 0, STRING, 0},
    /* 321: core.v1.DaemonEndpoint */
    {1, 8383, 0, INT32, 0},
    /* 322: core.v1.NodeSwapStatus */
    {1, 100, 0, INT64, 0},
    /* 323: core.v1.NodeRuntimeHandlerFeatures */
    {1, 8388, 0, BOOL, 0}, {2, 8412, 0, BOOL, 0},
    /* 324: core.v1.GCEPersistentDiskVolumeSource */
    {1, 8427, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8441, 0, INT32, O}, {4, 8451, 0, BOOL, O},
    /* 325: core.v1.AWSElasticBlockStoreVolumeSource */
    {1, 8460, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8441, 0, INT32, O}, {4, 8451, 0, BOOL, O},
    /* 326: core.v1.HostPathVolumeSource */
    {1, 8333, 0, STRING, 0}, {2, 453, 0, STRING, 0},
    /* 327: core.v1.GlusterfsPersistentVolumeSource */
    {1, 325, 0, STRING, 0}, {2, 8333, 0, STRING, 0}, {3, 8451, 0, BOOL, O}, {4, 8469, 0, STRING, 0},
    /* 328: core.v1.NFSVolumeSource */
    {1, 8488, 0, STRING, 0}, {2, 8333, 0, STRING, 0}, {3, 8451, 0, BOOL, O},
    /* 329: core.v1.RBDPersistentVolumeSource */
    {1, 8495, 0, STRING, R|N}, {2, 6930, 0, STRING, 0}, {3, 8434, 0, STRING, O},
    {4, 8504, 0, STRING, O}, {5, 7691, 0, STRING, O}, {6, 8509, 0, STRING, O},
    {7, 8517, 405, MESSAGE, 0}, {8, 8451, 0, BOOL, O},
    /* 330: core.v1.ISCSIPersistentVolumeSource */
    {1, 8527, 0, STRING, 0}, {2, 8540, 0, STRING, 0}, {3, 8544, 0, INT32, 0},
    {4, 8548, 0, STRING, O}, {5, 8434, 0, STRING, O}, {6, 8451, 0, BOOL, O},
    {7, 8563, 0, STRING, R}, {8, 8571, 0, BOOL, O}, {10, 8517, 405, MESSAGE, 0},
    {11, 8589, 0, BOOL, O}, {12, 8605, 0, STRING, 0},
    /* 331: core.v1.CinderPersistentVolumeSource */
    {1, 8460, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8451, 0, BOOL, O},
    {4, 8517, 405, MESSAGE, 0},
    /* 332: core.v1.CephFSPersistentVolumeSource */
    {1, 8495, 0, STRING, R|N}, {2, 8333, 0, STRING, O}, {3, 7691, 0, STRING, O},
    {4, 8619, 0, STRING, O}, {5, 8517, 405, MESSAGE, 0}, {6, 8451, 0, BOOL, O},
    /* 333: core.v1.FCVolumeSource */
    {1, 8630, 0, STRING, R}, {2, 8544, 0, INT32, 0}, {3, 8434, 0, STRING, O}, {4, 8451, 0, BOOL, O},
    {5, 8641, 0, STRING, R},
    /* 334: core.v1.FlockerVolumeSource */
    {1, 8647, 0, STRING, O}, {2, 8659, 0, STRING, O},
    /* 335: core.v1.FlexPersistentVolumeSource */
    {1, 8671, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8517, 405, MESSAGE, 0},
    {4, 8451, 0, BOOL, O}, {5, 7414, 78, MESSAGE, M},
    /* 336: core.v1.AzureFilePersistentVolumeSource */
    {1, 6086, 0, STRING, 0}, {2, 8678, 0, STRING, 0}, {3, 8451, 0, BOOL, O},
    {4, 8688, 0, STRING, N},
    /* 337: core.v1.VsphereVirtualDiskVolumeSource */
    {1, 8704, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8715, 0, STRING, O},
    {4, 8733, 0, STRING, O},
    /* 338: core.v1.QuobyteVolumeSource */
    {1, 8749, 0, STRING, 0}, {2, 8758, 0, STRING, 0}, {3, 8451, 0, BOOL, O},
    {4, 7691, 0, STRING, O}, {5, 1117, 0, STRING, O}, {6, 8765, 0, STRING, O},
    /* 339: core.v1.AzureDiskVolumeSource */
    {1, 8772, 0, STRING, 0}, {2, 8781, 0, STRING, 0}, {3, 8789, 0, STRING, 0},
    {4, 8434, 0, STRING, 0}, {5, 8451, 0, BOOL, 0}, {6, 913, 0, STRING, 0},
    /* 340: core.v1.PhotonPersistentDiskVolumeSource */
    {1, 8801, 0, STRING, 0}, {2, 8434, 0, STRING, O},
    /* 341: core.v1.PortworxVolumeSource */
    {1, 8460, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8451, 0, BOOL, O},
    /* 342: core.v1.ScaleIOPersistentVolumeSource */
    {1, 8806, 0, STRING, 0}, {2, 8814, 0, STRING, 0}, {3, 8517, 405, MESSAGE, N},
    {4, 8821, 0, BOOL, O}, {5, 8832, 0, STRING, O}, {6, 8849, 0, STRING, O},
    {7, 8861, 0, STRING, O}, {8, 3758, 0, STRING, O}, {9, 8434, 0, STRING, O},
    {10, 8451, 0, BOOL, O},
    /* 343: core.v1.LocalVolumeSource */
    {1, 8333, 0, STRING, 0}, {2, 8434, 0, STRING, 0},
    /* 344: core.v1.StorageOSPersistentVolumeSource */
    {1, 3758, 0, STRING, O}, {2, 8873, 0, STRING, O}, {3, 8434, 0, STRING, O},
    {4, 8451, 0, BOOL, O}, {5, 8517, 65, MESSAGE, 0},
    /* 345: core.v1.CSIPersistentVolumeSource */
    {1, 8671, 0, STRING, 0}, {2, 8889, 0, STRING, 0}, {3, 8451, 0, BOOL, O},
    {4, 8434, 0, STRING, O}, {5, 8902, 78, MESSAGE, M}, {6, 8919, 405, MESSAGE, 0},
    {7, 8946, 405, MESSAGE, 0}, {8, 8965, 405, MESSAGE, 0}, {9, 8986, 405, MESSAGE, 0},
    {10, 9012, 405, MESSAGE, 0},
    /* 346: core.v1.NodeSelector */
    {1, 9032, 406, MESSAGE, R|N},
    /* 347: core.v1.VolumeHealthCondition */
    {1, 56, 0, STRING, 0}, {2, 423, 0, STRING, 0}, {3, 555, 0, STRING, O},
    /* 348: core.v1.VolumeSource */
    {1, 6705, 326, MESSAGE, 0}, {2, 9050, 407, MESSAGE, 0}, {3, 6666, 324, MESSAGE, 0},
    {4, 6684, 325, MESSAGE, 0}, {5, 9059, 408, MESSAGE, 0}, {6, 9067, 409, MESSAGE, 0},
    {7, 6724, 328, MESSAGE, 0}, {8, 6732, 410, MESSAGE, 0}, {9, 6714, 411, MESSAGE, 0},
    {10, 9074, 412, MESSAGE, 0}, {11, 6728, 413, MESSAGE, 0}, {12, 6763, 414, MESSAGE, 0},
    {13, 6738, 415, MESSAGE, 0}, {14, 6745, 416, MESSAGE, 0}, {15, 6755, 334, MESSAGE, 0},
    {16, 9096, 417, MESSAGE, 0}, {17, 6752, 333, MESSAGE, 0}, {18, 6774, 418, MESSAGE, 0},
    {19, 6352, 419, MESSAGE, 0}, {20, 6784, 337, MESSAGE, 0}, {21, 6798, 338, MESSAGE, 0},
    {22, 6806, 339, MESSAGE, 0}, {23, 6816, 340, MESSAGE, 0}, {24, 6837, 341, MESSAGE, 0},
    {25, 6852, 420, MESSAGE, 0}, {26, 9108, 421, MESSAGE, 0}, {27, 6866, 422, MESSAGE, 0},
    {28, 6876, 423, MESSAGE, 0}, {29, 9118, 424, MESSAGE, 0}, {30, 6930, 425, MESSAGE, 0},
    /* 349: core.v1.ContainerPort */
    {1, 918, 0, STRING, O}, {2, 9128, 0, INT32, O}, {3, 9137, 0, INT32, 0}, {4, 2364, 0, STRING, O},
    {5, 4419, 0, STRING, O},
    /* 350: core.v1.EnvVar */
    {1, 918, 0, STRING, 0}, {2, 642, 0, STRING, O}, {3, 9151, 426, MESSAGE, 0},
    /* 351: core.v1.VolumeMount */
    {1, 918, 0, STRING, 0}, {2, 8451, 0, BOOL, O}, {3, 9161, 0, STRING, 0}, {4, 9171, 0, STRING, O},
    {5, 9179, 0, STRING, 0}, {6, 9196, 0, STRING, O}, {7, 9208, 0, STRING, 0},
    {8, 9226, 0, STRING, R},
    /* 352: core.v1.Probe */
    {1, 0, 427, MESSAGE, I}, {2, 9243, 0, INT32, O}, {3, 3307, 0, INT32, O}, {4, 9263, 0, INT32, O},
    {5, 9277, 0, INT32, O}, {6, 9294, 0, INT32, O}, {7, 3937, 0, INT64, 0},
    /* 353: core.v1.Lifecycle */
    {1, 9311, 428, MESSAGE, 0}, {2, 9321, 428, MESSAGE, 0}, {3, 7721, 0, STRING, 0},
    /* 354: core.v1.SecurityContext */
    {1, 9329, 429, MESSAGE, 0}, {2, 9342, 0, BOOL, 0}, {3, 7167, 359, MESSAGE, 0},
    {4, 7182, 0, INT64, 0}, {5, 7192, 0, BOOL, 0}, {6, 9353, 0, BOOL, 0}, {7, 9376, 0, BOOL, 0},
    {8, 7232, 0, INT64, 0}, {9, 9401, 0, STRING, 0}, {10, 7251, 361, MESSAGE, 0},
    {11, 7286, 362, MESSAGE, 0}, {12, 7301, 363, MESSAGE, 0},
    /* 355: core.v1.EnvFromSource */
    {1, 9411, 0, STRING, O}, {2, 9418, 430, MESSAGE, 0}, {3, 8517, 431, MESSAGE, 0},
    /* 356: core.v1.VolumeDevice */
    {1, 918, 0, STRING, 0}, {2, 6601, 0, STRING, 0},
    /* 357: core.v1.ContainerResizePolicy */
    {1, 9431, 0, STRING, 0}, {2, 3923, 0, STRING, 0},
    /* 358: core.v1.ContainerRestartRule */
    {1, 416, 0, STRING, O}, {2, 9444, 432, MESSAGE, 0},
    /* 359: core.v1.SELinuxOptions */
    {1, 7691, 0, STRING, O}, {2, 9454, 0, STRING, O}, {3, 453, 0, STRING, O},
    {4, 9459, 0, STRING, O},
    /* 360: core.v1.Sysctl */
    {1, 918, 0, STRING, 0}, {2, 642, 0, STRING, 0},
    /* 361: core.v1.WindowsSecurityContextOptions */
    {1, 9465, 0, STRING, 0}, {2, 9488, 0, STRING, 0}, {3, 9507, 0, STRING, 0},
    {4, 9521, 0, BOOL, 0},
    /* 362: core.v1.SeccompProfile */
    {1, 453, 0, STRING, 0}, {2, 9533, 0, STRING, 0},
    /* 363: core.v1.AppArmorProfile */
    {1, 453, 0, STRING, 0}, {2, 9533, 0, STRING, 0},
    /* 364: core.v1.NodeAffinity */
    {1, 9550, 346, MESSAGE, 0}, {2, 9597, 433, MESSAGE, R},
    /* 365: core.v1.PodAffinity */
    {1, 9550, 434, MESSAGE, R}, {2, 9597, 435, MESSAGE, R},
    /* 366: core.v1.PodAntiAffinity */
    {1, 9550, 434, MESSAGE, R}, {2, 9597, 435, MESSAGE, R},
    /* 367: core.v1.PodDNSConfigOption */
    {1, 918, 0, STRING, O}, {2, 642, 0, STRING, 0},
    /* 368: core.v1.EphemeralContainerCommon */
    {1, 918, 0, STRING, 0}, {2, 6930, 0, STRING, O}, {3, 6936, 0, STRING, R},
    {4, 6944, 0, STRING, R}, {5, 6949, 0, STRING, O}, {6, 335, 349, MESSAGE, R},
    {7, 6960, 350, MESSAGE, R}, {8, 1592, 245, MESSAGE, 0}, {9, 6964, 351, MESSAGE, R},
    {10, 6977, 352, MESSAGE, 0}, {11, 6991, 352, MESSAGE, 0}, {12, 7006, 353, MESSAGE, 0},
    {13, 7016, 0, STRING, O}, {14, 7039, 0, STRING, O}, {15, 4052, 354, MESSAGE, 0},
    {16, 7055, 0, BOOL, O}, {17, 7061, 0, BOOL, O}, {18, 7071, 0, BOOL, O},
    {19, 7075, 355, MESSAGE, R}, {20, 7083, 0, STRING, O}, {21, 7108, 356, MESSAGE, R},
    {22, 7122, 352, MESSAGE, 0}, {23, 7135, 357, MESSAGE, R}, {24, 3923, 0, STRING, 0},
    {25, 7148, 358, MESSAGE, R},
    /* 369: core.v1.ResourceClaim */
    {1, 918, 0, STRING, 0}, {2, 1498, 0, STRING, O},
    /* 370: core.v1.ContainerState */
    {1, 9645, 436, MESSAGE, 0}, {2, 9653, 437, MESSAGE, 0}, {3, 9661, 438, MESSAGE, 0},
    /* 371: core.v1.VolumeMountStatus */
    {1, 918, 0, STRING, 0}, {2, 9161, 0, STRING, 0}, {3, 8451, 0, BOOL, O}, {4, 9208, 0, STRING, 0},
    {5, 9672, 439, MESSAGE, 0},
    /* 372: core.v1.ContainerUser */
    {1, 9685, 440, MESSAGE, 0},
    /* 373: core.v1.ResourceStatus */
    {1, 918, 0, STRING, 0}, {2, 1592, 441, MESSAGE, R},
    /* 374: core.v1.ContainerExtendedResourceRequest */
    {1, 9691, 0, STRING, 0}, {2, 9431, 0, STRING, 0}, {3, 9705, 0, STRING, 0},
    /* 375: core.v1.NodeAllocatableMappedResources */
    {1, 918, 0, STRING, 0}, {2, 9717, 70, MESSAGE, N},
    /* 376: core.v1.NodeAllocatableOverheadResources */
    {1, 918, 0, STRING, 0}, {2, 9726, 70, MESSAGE, 0}, {3, 9733, 70, MESSAGE, 0},
    /* 377: flowcontrol.v1.LimitResponse */
    {1, 453, 0, STRING, 0}, {2, 9746, 442, MESSAGE, 0},
    /* 378: core.v1.ScopedResourceSelectorRequirement */
    {1, 9754, 0, STRING, 0}, {2, 5741, 0, STRING, 0}, {3, 5750, 0, STRING, R},
    /* 379: core.v1.ClientIPConfig */
    {1, 3307, 0, INT32, 0},
    /* 380: core.v1.LoadBalancerIngress */
    {1, 5980, 0, STRING, O}, {2, 2306, 0, STRING, O}, {3, 9764, 0, STRING, 0},
    {4, 335, 443, MESSAGE, R},
    /* 381: apps.v1.RollingUpdateStatefulSetStrategy */
    {1, 8441, 0, INT32, 0}, {2, 4818, 257, MESSAGE, 0},
    /* 382: admissionregistration.v1.ExpressionWarning */
    {2, 9771, 0, STRING, 0}, {3, 9780, 0, STRING, 0},
    /* 383: apiextensions.v1.JSONSchemaProps */
    {1, 9788, 0, STRING, O}, {2, 9791, 0, STRING, O}, {3, 9799, 0, STRING, 0},
    {4, 662, 0, STRING, O}, {5, 453, 0, STRING, O}, {6, 8043, 0, STRING, O},
    {7, 9804, 0, STRING, O}, {8, 6173, 444, MESSAGE, 0}, {9, 9810, 0, DOUBLE, 0},
    {10, 9818, 0, BOOL, O}, {11, 9835, 0, DOUBLE, 0}, {12, 9843, 0, BOOL, O},
    {13, 9860, 0, INT64, 0}, {14, 9870, 0, INT64, 0}, {15, 9880, 0, STRING, O},
    {16, 9888, 0, INT64, 0}, {17, 9897, 0, INT64, 0}, {18, 9906, 0, BOOL, O},
    {19, 9918, 0, DOUBLE, 0}, {20, 9929, 444, MESSAGE, R}, {21, 9934, 0, INT64, 0},
    {22, 9948, 0, INT64, 0}, {23, 6880, 0, STRING, R}, {24, 5757, 445, MESSAGE, 0},
    {25, 9962, 383, MESSAGE, R}, {26, 9968, 383, MESSAGE, R}, {27, 9974, 383, MESSAGE, R},
    {28, 9980, 383, MESSAGE, 0}, {29, 9984, 446, MESSAGE, M}, {30, 9995, 447, MESSAGE, 0},
    {31, 10016, 446, MESSAGE, M}, {32, 10034, 449, MESSAGE, M}, {33, 10047, 447, MESSAGE, 0},
    {34, 10063, 446, MESSAGE, M}, {35, 10075, 450, MESSAGE, 0}, {36, 10088, 444, MESSAGE, 0},
    {37, 10096, 0, BOOL, O}, {38, 10105, 0, BOOL, 0}, {39, 10142, 0, BOOL, O},
    {40, 10173, 0, BOOL, O}, {41, 10200, 0, STRING, R}, {42, 10227, 0, STRING, 0},
    {43, 10250, 0, STRING, 0}, {44, 10272, 451, MESSAGE, R},
    /* 384: apiextensions.v1.CustomResourceSubresourceStatus */
    /* 385: apiextensions.v1.CustomResourceSubresourceScale */
    {1, 10297, 0, STRING, 0}, {2, 10314, 0, STRING, 0}, {3, 10333, 0, STRING, 0},
    /* 386: apiextensions.v1.WebhookClientConfig */
    {1, 1109, 452, MESSAGE, 0}, {2, 1153, 0, BYTES, O}, {3, 6312, 0, STRING, 0},
    /* 387: flowcontrol.v1.UserSubject */
    {1, 918, 0, STRING, 0},
    /* 388: flowcontrol.v1.GroupSubject */
    {1, 918, 0, STRING, 0},
    /* 389: flowcontrol.v1.ServiceAccountSubject */
    {1, 936, 0, STRING, 0}, {2, 918, 0, STRING, 0},
    /* 390: autoscaling.v2.MetricTarget */
    {1, 453, 0, STRING, 0}, {2, 642, 70, MESSAGE, 0}, {3, 10351, 70, MESSAGE, 0},
    {4, 10364, 0, INT32, 0},
    /* 391: autoscaling.v2.MetricIdentifier */
    {1, 918, 0, STRING, 0}, {2, 1949, 69, MESSAGE, 0},
    /* 392: autoscaling.v2.HPAScalingPolicy */
    {1, 453, 0, STRING, 0}, {2, 642, 0, INT32, 0}, {3, 9263, 0, INT32, 0},
    /* 393: autoscaling.v2.MetricValueStatus */
    {1, 642, 70, MESSAGE, 0}, {2, 10351, 70, MESSAGE, 0}, {3, 10364, 0, INT32, 0},
    /* 394: networking.v1.ServiceBackendPort */
    {1, 918, 0, STRING, O}, {2, 10383, 0, INT32, O},
    /* 395: networking.v1.HTTPIngressRuleValue */
    {1, 10390, 453, MESSAGE, R|N},
    /* 396: networking.v1.IngressPortStatus */
    {1, 2373, 0, INT32, 0}, {2, 2364, 0, STRING, 0}, {3, 6635, 0, STRING, 0},
    /* 397: batch.v1.PodFailurePolicyOnExitCodesRequirement */
    {1, 9691, 0, STRING, 0}, {2, 5741, 0, STRING, 0}, {3, 5750, 0, INT32, R|N},
    /* 398: batch.v1.PodFailurePolicyOnPodConditionsPattern */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0},
    /* 399: scheduling.v1alpha3.WorkloadPodGroupBasicSchedulingPolicy */
    /* 400: scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy */
    {1, 10396, 0, INT32, 0},
    /* 401: scheduling.v1alpha3.TopologyConstraint */
    {1, 5737, 0, STRING, 0},
    /* 402: scheduling.v1alpha3.WorkloadPodGroupSingleDisruptionMode */
    /* 403: scheduling.v1alpha3.WorkloadPodGroupAllDisruptionMode */
    /* 404: networking.v1.IPBlock */
    {1, 10405, 0, STRING, 0}, {2, 10410, 0, STRING, R},
    /* 405: core.v1.SecretReference */
    {1, 918, 0, STRING, O}, {2, 936, 0, STRING, O},
    /* 406: core.v1.NodeSelectorTerm */
    {1, 1474, 454, MESSAGE, R}, {2, 10417, 454, MESSAGE, R},
    /* 407: core.v1.EmptyDirVolumeSource */
    {1, 10429, 0, STRING, O}, {2, 10436, 70, MESSAGE, 0}, {3, 10446, 0, INT32, 0},
    /* 408: core.v1.GitRepoVolumeSource */
    {1, 10451, 0, STRING, 0}, {2, 192, 0, STRING, O}, {3, 10462, 0, STRING, O},
    /* 409: core.v1.SecretVolumeSource */
    {1, 6086, 0, STRING, O}, {2, 5757, 455, MESSAGE, R}, {3, 10472, 0, INT32, 0},
    {4, 10484, 0, BOOL, 0}, {5, 10493, 0, INT64, 0},
    /* 410: core.v1.ISCSIVolumeSource */
    {1, 8527, 0, STRING, 0}, {2, 8540, 0, STRING, 0}, {3, 8544, 0, INT32, 0},
    {4, 8548, 0, STRING, O}, {5, 8434, 0, STRING, O}, {6, 8451, 0, BOOL, O},
    {7, 8563, 0, STRING, R}, {8, 8571, 0, BOOL, O}, {10, 8517, 143, MESSAGE, 0},
    {11, 8589, 0, BOOL, O}, {12, 8605, 0, STRING, 0},
    /* 411: core.v1.GlusterfsVolumeSource */
    {1, 325, 0, STRING, 0}, {2, 8333, 0, STRING, 0}, {3, 8451, 0, BOOL, O},
    /* 412: core.v1.PersistentVolumeClaimVolumeSource */
    {1, 10505, 0, STRING, 0}, {2, 8451, 0, BOOL, O},
    /* 413: core.v1.RBDVolumeSource */
    {1, 8495, 0, STRING, R|N}, {2, 6930, 0, STRING, 0}, {3, 8434, 0, STRING, O},
    {4, 8504, 0, STRING, O}, {5, 7691, 0, STRING, O}, {6, 8509, 0, STRING, O},
    {7, 8517, 143, MESSAGE, 0}, {8, 8451, 0, BOOL, O},
    /* 414: core.v1.FlexVolumeSource */
    {1, 8671, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8517, 143, MESSAGE, 0},
    {4, 8451, 0, BOOL, O}, {5, 7414, 78, MESSAGE, M},
    /* 415: core.v1.CinderVolumeSource */
    {1, 8460, 0, STRING, 0}, {2, 8434, 0, STRING, O}, {3, 8451, 0, BOOL, O},
    {4, 8517, 143, MESSAGE, 0},
    /* 416: core.v1.CephFSVolumeSource */
    {1, 8495, 0, STRING, R|N}, {2, 8333, 0, STRING, O}, {3, 7691, 0, STRING, O},
    {4, 8619, 0, STRING, O}, {5, 8517, 143, MESSAGE, 0}, {6, 8451, 0, BOOL, O},
    /* 417: core.v1.DownwardAPIVolumeSource */
    {1, 5757, 456, MESSAGE, R}, {2, 10472, 0, INT32, 0}, {3, 10493, 0, INT64, 0},
    /* 418: core.v1.AzureFileVolumeSource */
    {1, 6086, 0, STRING, 0}, {2, 8678, 0, STRING, 0}, {3, 8451, 0, BOOL, O},
    /* 419: core.v1.ConfigMapVolumeSource */
    {1, 0, 143, MESSAGE, I}, {2, 5757, 455, MESSAGE, R}, {3, 10472, 0, INT32, 0},
    {4, 10484, 0, BOOL, 0}, {5, 10493, 0, INT64, 0},
    /* 420: core.v1.ScaleIOVolumeSource */
    {1, 8806, 0, STRING, 0}, {2, 8814, 0, STRING, 0}, {3, 8517, 143, MESSAGE, N},
    {4, 8821, 0, BOOL, O}, {5, 8832, 0, STRING, O}, {6, 8849, 0, STRING, O},
    {7, 8861, 0, STRING, O}, {8, 3758, 0, STRING, O}, {9, 8434, 0, STRING, O},
    {10, 8451, 0, BOOL, O},
    /* 421: core.v1.ProjectedVolumeSource */
    {1, 10515, 457, MESSAGE, R|N}, {2, 10472, 0, INT32, 0}, {3, 10493, 0, INT64, 0},
    /* 422: core.v1.StorageOSVolumeSource */
    {1, 3758, 0, STRING, O}, {2, 8873, 0, STRING, O}, {3, 8434, 0, STRING, O},
    {4, 8451, 0, BOOL, O}, {5, 8517, 143, MESSAGE, 0},
    /* 423: core.v1.CSIVolumeSource */
    {1, 8671, 0, STRING, 0}, {2, 8451, 0, BOOL, 0}, {3, 8434, 0, STRING, 0},
    {4, 8902, 78, MESSAGE, M}, {5, 8965, 143, MESSAGE, 0},
    /* 424: core.v1.EphemeralVolumeSource */
    {1, 10523, 458, MESSAGE, 0},
    /* 425: core.v1.ImageVolumeSource */
    {1, 10543, 0, STRING, O}, {2, 10553, 0, STRING, O},
    /* 426: core.v1.EnvVarSource */
    {1, 9771, 459, MESSAGE, 0}, {2, 10564, 460, MESSAGE, 0}, {3, 10581, 461, MESSAGE, 0},
    {4, 10597, 462, MESSAGE, 0}, {5, 10610, 463, MESSAGE, 0},
    /* 427: core.v1.ProbeHandler */
    {1, 10621, 464, MESSAGE, 0}, {2, 10626, 465, MESSAGE, 0}, {3, 10634, 466, MESSAGE, 0},
    {4, 10644, 467, MESSAGE, 0},
    /* 428: core.v1.LifecycleHandler */
    {1, 10621, 464, MESSAGE, 0}, {2, 10626, 465, MESSAGE, 0}, {3, 10634, 466, MESSAGE, 0},
    {4, 10649, 468, MESSAGE, 0},
    /* 429: core.v1.Capabilities */
    {1, 10655, 0, STRING, R}, {2, 10659, 0, STRING, R},
    /* 430: core.v1.ConfigMapEnvSource */
    {1, 0, 143, MESSAGE, I}, {2, 10484, 0, BOOL, 0},
    /* 431: core.v1.SecretEnvSource */
    {1, 0, 143, MESSAGE, I}, {2, 10484, 0, BOOL, 0},
    /* 432: core.v1.ContainerRestartRuleOnExitCodes */
    {1, 5741, 0, STRING, O}, {2, 5750, 0, INT32, R},
    /* 433: core.v1.PreferredSchedulingTerm */
    {1, 10664, 0, INT32, 0}, {2, 10671, 406, MESSAGE, 0},
    /* 434: core.v1.PodAffinityTerm */
    {1, 7474, 69, MESSAGE, 0}, {2, 8106, 0, STRING, R}, {3, 7444, 0, STRING, 0},
    {4, 3277, 69, MESSAGE, 0}, {5, 7535, 0, STRING, R}, {6, 10682, 0, STRING, R},
    /* 435: core.v1.WeightedPodAffinityTerm */
    {1, 10664, 0, INT32, 0}, {2, 10700, 434, MESSAGE, 0},
    /* 436: core.v1.ContainerStateWaiting */
    {1, 423, 0, STRING, O}, {2, 555, 0, STRING, O},
    /* 437: core.v1.ContainerStateRunning */
    {1, 10716, 96, MESSAGE, 0},
    /* 438: core.v1.ContainerStateTerminated */
    {1, 10726, 0, INT32, 0}, {2, 10735, 0, INT32, O}, {3, 423, 0, STRING, O},
    {4, 555, 0, STRING, O}, {5, 10716, 96, MESSAGE, 0}, {6, 10742, 96, MESSAGE, 0},
    {7, 7671, 0, STRING, O},
    /* 439: core.v1.VolumeStatus */
    {1, 6930, 469, MESSAGE, 0},
    /* 440: core.v1.LinuxContainerUser */
    {1, 955, 0, INT64, 0}, {2, 10753, 0, INT64, 0}, {3, 7205, 0, INT64, R},
    /* 441: core.v1.ResourceHealth */
    {1, 10757, 0, STRING, 0}, {2, 10768, 0, STRING, O}, {6, 555, 0, STRING, 0},
    /* 442: flowcontrol.v1.QueuingConfiguration */
    {1, 10775, 0, INT32, 0}, {2, 10782, 0, INT32, 0}, {3, 10791, 0, INT32, 0},
    /* 443: core.v1.PortStatus */
    {1, 2373, 0, INT32, 0}, {2, 2364, 0, STRING, 0}, {3, 6635, 0, STRING, 0},
    /* 444: apiextensions.v1.JSON */
    {1, 10, 0, BYTES, 0},
    /* 445: apiextensions.v1.JSONSchemaPropsOrArray */
    {1, 5840, 383, MESSAGE, 0}, {2, 10808, 383, MESSAGE, R},
    /* 446: map of apiextensions.v1.JSONSchemaProps */
    {1, 0, 0, STRING, 0}, {2, 0, 383, MESSAGE, 0},
    /* 447: apiextensions.v1.JSONSchemaPropsOrBool */
    {1, 10820, 0, BOOL, 0}, {2, 5840, 383, MESSAGE, 0},
    /* 448: apiextensions.v1.JSONSchemaPropsOrStringArray */
    {1, 5840, 383, MESSAGE, 0}, {2, 10827, 0, STRING, R},
    /* 449: map of apiextensions.v1.JSONSchemaPropsOrStringArray */
    {1, 0, 0, STRING, 0}, {2, 0, 448, MESSAGE, 0},
    /* 450: apiextensions.v1.ExternalDocumentation */
    {1, 662, 0, STRING, O}, {2, 6312, 0, STRING, O},
    /* 451: apiextensions.v1.ValidationRule */
    {1, 10836, 0, STRING, 0}, {2, 555, 0, STRING, O}, {3, 7905, 0, STRING, O},
    {4, 423, 0, STRING, 0}, {5, 1210, 0, STRING, O}, {6, 10841, 0, BOOL, 0},
    /* 452: apiextensions.v1.ServiceReference */
    {1, 936, 0, STRING, 0}, {2, 918, 0, STRING, 0}, {3, 8333, 0, STRING, 0}, {4, 2373, 0, INT32, 0},
    /* 453: networking.v1.HTTPIngressPath */
    {1, 8333, 0, STRING, O}, {2, 10857, 189, MESSAGE, 0}, {3, 10865, 0, STRING, N},
    /* 454: core.v1.NodeSelectorRequirement */
    {1, 5737, 0, STRING, 0}, {2, 5741, 0, STRING, 0}, {3, 5750, 0, STRING, R},
    /* 455: core.v1.KeyToPath */
    {1, 5737, 0, STRING, 0}, {2, 8333, 0, STRING, 0}, {3, 10446, 0, INT32, 0},
    {4, 7691, 0, INT64, 0},
    /* 456: core.v1.DownwardAPIVolumeFile */
    {1, 8333, 0, STRING, 0}, {2, 9771, 459, MESSAGE, 0}, {3, 10564, 460, MESSAGE, 0},
    {4, 10446, 0, INT32, 0}, {5, 7691, 0, INT64, 0},
    /* 457: core.v1.VolumeProjection */
    {1, 9067, 470, MESSAGE, 0}, {2, 9096, 471, MESSAGE, 0}, {3, 6352, 472, MESSAGE, 0},
    {4, 10874, 473, MESSAGE, 0}, {5, 10894, 474, MESSAGE, 0}, {6, 10913, 475, MESSAGE, 0},
    /* 458: core.v1.PersistentVolumeClaimTemplate */
    {1, 42, 62, MESSAGE, 0}, {2, 51, 120, MESSAGE, 0},
    /* 459: core.v1.ObjectFieldSelector */
    {1, 902, 0, STRING, O}, {2, 1210, 0, STRING, 0},
    /* 460: core.v1.ResourceFieldSelector */
    {1, 9691, 0, STRING, O}, {2, 6026, 0, STRING, 0}, {3, 10928, 70, MESSAGE, 0},
    /* 461: core.v1.ConfigMapKeySelector */
    {1, 0, 143, MESSAGE, I}, {2, 5737, 0, STRING, 0}, {3, 10484, 0, BOOL, 0},
    /* 462: core.v1.SecretKeySelector */
    {1, 0, 143, MESSAGE, I}, {2, 5737, 0, STRING, 0}, {3, 10484, 0, BOOL, 0},
    /* 463: core.v1.FileKeySelector */
    {1, 3758, 0, STRING, 0}, {2, 8333, 0, STRING, 0}, {3, 5737, 0, STRING, 0},
    {4, 10484, 0, BOOL, 0},
    /* 464: core.v1.ExecAction */
    {1, 6936, 0, STRING, R},
    /* 465: core.v1.HTTPGetAction */
    {1, 8333, 0, STRING, O}, {2, 2373, 257, MESSAGE, 0}, {3, 2449, 0, STRING, O},
    {4, 10936, 0, STRING, O}, {5, 10943, 476, MESSAGE, R}, {6, 2364, 0, STRING, 0},
    /* 466: core.v1.TCPSocketAction */
    {1, 2373, 257, MESSAGE, 0}, {2, 2449, 0, STRING, O},
    /* 467: core.v1.GRPCAction */
    {1, 2373, 0, INT32, 0}, {2, 1109, 0, STRING, N}, {3, 10446, 0, STRING, 0},
    /* 468: core.v1.SleepAction */
    {1, 2408, 0, INT64, 0},
    /* 469: core.v1.ImageVolumeStatus */
    {1, 10955, 0, STRING, O},
    /* 470: core.v1.SecretProjection */
    {1, 0, 143, MESSAGE, I}, {2, 5757, 455, MESSAGE, R}, {4, 10484, 0, BOOL, 0},
    /* 471: core.v1.DownwardAPIProjection */
    {1, 5757, 456, MESSAGE, R},
    /* 472: core.v1.ConfigMapProjection */
    {1, 0, 143, MESSAGE, I}, {2, 5757, 455, MESSAGE, R}, {4, 10484, 0, BOOL, 0},
    /* 473: core.v1.ServiceAccountTokenProjection */
    {1, 5691, 0, STRING, O}, {2, 1546, 0, INT64, 0}, {3, 8333, 0, STRING, 0},
    {4, 7691, 0, INT64, 0},
    /* 474: core.v1.ClusterTrustBundleProjection */
    {1, 918, 0, STRING, 0}, {2, 1535, 0, STRING, 0}, {3, 7474, 69, MESSAGE, 0},
    {4, 8333, 0, STRING, 0}, {5, 10484, 0, BOOL, 0}, {6, 7691, 0, INT64, 0},
    /* 475: core.v1.PodCertificateProjection */
    {1, 1535, 0, STRING, O}, {2, 10964, 0, STRING, O}, {3, 4689, 0, INT32, 0},
    {4, 10972, 0, STRING, O}, {5, 10993, 0, STRING, O}, {6, 11001, 0, STRING, O},
    {7, 11022, 78, MESSAGE, M}, {8, 7691, 0, INT64, 0},
    /* 476: core.v1.HTTPHeader */
    {1, 918, 0, STRING, 0}, {2, 642, 0, STRING, 0},
};

const kin__pb_message kin__pb_messages[] = {
    {0, 4, KIN__PB_OBJECT}, {4, 3, KIN__PB_OBJECT}, {7, 2, KIN__PB_OBJECT}, {9, 2, KIN__PB_OBJECT},
    {11, 3, KIN__PB_OBJECT}, {14, 5, KIN__PB_OBJECT}, {19, 3, KIN__PB_OBJECT},
    {22, 3, KIN__PB_OBJECT}, {25, 3, KIN__PB_OBJECT}, {28, 2, KIN__PB_OBJECT},
    {30, 4, KIN__PB_OBJECT}, {34, 3, KIN__PB_OBJECT}, {37, 3, KIN__PB_OBJECT},
    {40, 3, KIN__PB_OBJECT}, {43, 3, KIN__PB_OBJECT}, {46, 6, KIN__PB_OBJECT},
    {52, 3, KIN__PB_OBJECT}, {55, 4, KIN__PB_OBJECT}, {59, 2, KIN__PB_OBJECT},
    {61, 15, KIN__PB_OBJECT}, {76, 15, KIN__PB_OBJECT}, {91, 3, KIN__PB_OBJECT},
    {94, 3, KIN__PB_OBJECT}, {97, 2, KIN__PB_OBJECT}, {99, 3, KIN__PB_OBJECT},
    {102, 2, KIN__PB_OBJECT}, {104, 3, KIN__PB_OBJECT}, {107, 2, KIN__PB_OBJECT},
    {109, 2, KIN__PB_OBJECT}, {111, 2, KIN__PB_OBJECT}, {113, 2, KIN__PB_OBJECT},
    {115, 2, KIN__PB_OBJECT}, {117, 3, KIN__PB_OBJECT}, {120, 2, KIN__PB_OBJECT},
    {122, 3, KIN__PB_OBJECT}, {125, 3, KIN__PB_OBJECT}, {128, 3, KIN__PB_OBJECT},
    {131, 3, KIN__PB_OBJECT}, {134, 3, KIN__PB_OBJECT}, {137, 3, KIN__PB_OBJECT},
    {140, 2, KIN__PB_OBJECT}, {142, 5, KIN__PB_OBJECT}, {147, 3, KIN__PB_OBJECT},
    {150, 3, KIN__PB_OBJECT}, {153, 3, KIN__PB_OBJECT}, {156, 3, KIN__PB_OBJECT},
    {159, 2, KIN__PB_OBJECT}, {161, 3, KIN__PB_OBJECT}, {164, 4, KIN__PB_OBJECT},
    {168, 3, KIN__PB_OBJECT}, {171, 5, KIN__PB_OBJECT}, {176, 3, KIN__PB_OBJECT},
    {179, 4, KIN__PB_OBJECT}, {183, 3, KIN__PB_OBJECT}, {186, 3, KIN__PB_OBJECT},
    {189, 8, KIN__PB_OBJECT}, {197, 3, KIN__PB_OBJECT}, {200, 2, KIN__PB_OBJECT},
    {202, 2, KIN__PB_OBJECT}, {204, 3, KIN__PB_OBJECT}, {207, 3, KIN__PB_OBJECT},
    {210, 2, KIN__PB_OBJECT}, {212, 15, KIN__PB_OBJECT}, {227, 7, KIN__PB_OBJECT},
    {234, 1, KIN__PB_OBJECT}, {235, 7, KIN__PB_OBJECT}, {242, 11, KIN__PB_OBJECT},
    {253, 1, KIN__PB_OBJECT}, {254, 1, KIN__PB_OBJECT}, {255, 2, KIN__PB_OBJECT},
    {257, 1, KIN__PB_CHOICE}, {258, 8, KIN__PB_OBJECT}, {266, 2, KIN__PB_OBJECT},
    {268, 5, KIN__PB_OBJECT}, {273, 1, KIN__PB_OBJECT}, {274, 4, KIN__PB_OBJECT},
    {278, 3, KIN__PB_OBJECT}, {281, 2, KIN__PB_OBJECT}, {283, 2, KIN__PB_ENTRY},
    {285, 2, KIN__PB_ENTRY}, {287, 1, KIN__PB_RAW}, {288, 8, KIN__PB_OBJECT},
    {296, 3, KIN__PB_OBJECT}, {299, 6, KIN__PB_OBJECT}, {305, 4, KIN__PB_OBJECT},
    {309, 5, KIN__PB_OBJECT}, {314, 10, KIN__PB_OBJECT}, {324, 2, KIN__PB_OBJECT},
    {326, 8, KIN__PB_OBJECT}, {334, 9, KIN__PB_OBJECT}, {343, 8, KIN__PB_OBJECT},
    {351, 4, KIN__PB_OBJECT}, {355, 3, KIN__PB_OBJECT}, {358, 2, KIN__PB_MICRO_TIME},
    {360, 2, KIN__PB_OBJECT}, {362, 2, KIN__PB_OBJECT}, {364, 2, KIN__PB_TIME},
    {366, 2, KIN__PB_OBJECT}, {368, 4, KIN__PB_OBJECT}, {372, 1, KIN__PB_OBJECT},
    {373, 5, KIN__PB_OBJECT}, {378, 6, KIN__PB_OBJECT}, {384, 1, KIN__PB_OBJECT},
    {385, 4, KIN__PB_OBJECT}, {389, 1, KIN__PB_OBJECT}, {390, 2, KIN__PB_OBJECT},
    {392, 17, KIN__PB_OBJECT}, {409, 11, KIN__PB_OBJECT}, {420, 7, KIN__PB_OBJECT},
    {427, 1, KIN__PB_OBJECT}, {428, 7, KIN__PB_OBJECT}, {435, 3, KIN__PB_OBJECT},
    {438, 12, KIN__PB_OBJECT}, {450, 1, KIN__PB_OBJECT}, {451, 2, KIN__PB_OBJECT},
    {453, 4, KIN__PB_OBJECT}, {457, 8, KIN__PB_OBJECT}, {465, 14, KIN__PB_OBJECT},
    {479, 10, KIN__PB_OBJECT}, {489, 4, KIN__PB_OBJECT}, {493, 9, KIN__PB_OBJECT},
    {502, 9, KIN__PB_OBJECT}, {511, 43, KIN__PB_OBJECT}, {554, 22, KIN__PB_OBJECT},
    {576, 10, KIN__PB_OBJECT}, {586, 5, KIN__PB_OBJECT}, {591, 4, KIN__PB_OBJECT},
    {595, 7, KIN__PB_OBJECT}, {602, 2, KIN__PB_OBJECT}, {604, 3, KIN__PB_OBJECT},
    {607, 1, KIN__PB_OBJECT}, {608, 4, KIN__PB_OBJECT}, {612, 7, KIN__PB_OBJECT},
    {619, 4, KIN__PB_OBJECT}, {623, 6, KIN__PB_OBJECT}, {629, 3, KIN__PB_OBJECT},
    {632, 2, KIN__PB_OBJECT}, {634, 1, KIN__PB_OBJECT}, {635, 2, KIN__PB_OBJECT},
    {637, 1, KIN__PB_OBJECT}, {638, 2, KIN__PB_OBJECT}, {640, 20, KIN__PB_OBJECT},
    {660, 2, KIN__PB_OBJECT}, {662, 1, KIN__PB_OBJECT}, {663, 1, KIN__PB_OBJECT},
    {664, 1, KIN__PB_OBJECT}, {665, 11, KIN__PB_OBJECT}, {676, 10, KIN__PB_OBJECT},
    {686, 1, KIN__PB_OBJECT}, {687, 7, KIN__PB_OBJECT}, {694, 3, KIN__PB_OBJECT},
    {697, 4, KIN__PB_OBJECT}, {701, 11, KIN__PB_OBJECT}, {712, 3, KIN__PB_OBJECT},
    {715, 4, KIN__PB_OBJECT}, {719, 6, KIN__PB_OBJECT}, {725, 7, KIN__PB_OBJECT},
    {732, 3, KIN__PB_OBJECT}, {735, 5, KIN__PB_OBJECT}, {740, 2, KIN__PB_OBJECT},
    {742, 4, KIN__PB_OBJECT}, {746, 2, KIN__PB_OBJECT}, {748, 3, KIN__PB_OBJECT},
    {751, 1, KIN__PB_CHOICE}, {752, 2, KIN__PB_ENTRY}, {754, 6, KIN__PB_OBJECT},
    {760, 2, KIN__PB_OBJECT}, {762, 6, KIN__PB_OBJECT}, {768, 9, KIN__PB_OBJECT},
    {777, 2, KIN__PB_OBJECT}, {779, 6, KIN__PB_OBJECT}, {785, 2, KIN__PB_OBJECT},
    {787, 5, KIN__PB_OBJECT}, {792, 2, KIN__PB_OBJECT}, {794, 6, KIN__PB_OBJECT},
    {800, 3, KIN__PB_OBJECT}, {803, 2, KIN__PB_OBJECT}, {805, 4, KIN__PB_OBJECT},
    {809, 4, KIN__PB_OBJECT}, {813, 1, KIN__PB_OBJECT}, {814, 1, KIN__PB_OBJECT},
    {815, 3, KIN__PB_OBJECT}, {818, 5, KIN__PB_OBJECT}, {823, 3, KIN__PB_OBJECT},
    {826, 6, KIN__PB_OBJECT}, {832, 2, KIN__PB_OBJECT}, {834, 6, KIN__PB_OBJECT},
    {840, 6, KIN__PB_OBJECT}, {846, 4, KIN__PB_OBJECT}, {850, 2, KIN__PB_OBJECT},
    {852, 2, KIN__PB_OBJECT}, {854, 2, KIN__PB_OBJECT}, {856, 1, KIN__PB_OBJECT},
    {857, 5, KIN__PB_OBJECT}, {862, 1, KIN__PB_OBJECT}, {863, 1, KIN__PB_OBJECT},
    {864, 4, KIN__PB_OBJECT}, {868, 6, KIN__PB_OBJECT}, {874, 2, KIN__PB_OBJECT},
    {876, 6, KIN__PB_OBJECT}, {882, 2, KIN__PB_OBJECT}, {884, 5, KIN__PB_OBJECT},
    {889, 2, KIN__PB_OBJECT}, {891, 3, KIN__PB_OBJECT}, {894, 2, KIN__PB_OBJECT},
    {896, 4, KIN__PB_OBJECT}, {900, 3, KIN__PB_OBJECT}, {903, 2, KIN__PB_OBJECT},
    {905, 5, KIN__PB_OBJECT}, {910, 2, KIN__PB_OBJECT}, {912, 2, KIN__PB_OBJECT},
    {914, 4, KIN__PB_OBJECT}, {918, 1, KIN__PB_OBJECT}, {919, 1, KIN__PB_OBJECT},
    {920, 2, KIN__PB_ENTRY}, {922, 6, KIN__PB_OBJECT}, {928, 2, KIN__PB_OBJECT},
    {930, 1, KIN__PB_OBJECT}, {931, 12, KIN__PB_OBJECT}, {943, 2, KIN__PB_OBJECT},
    {945, 2, KIN__PB_OBJECT}, {947, 4, KIN__PB_OBJECT}, {951, 2, KIN__PB_OBJECT},
    {953, 1, KIN__PB_OBJECT}, {954, 22, KIN__PB_OBJECT}, {976, 1, KIN__PB_OBJECT},
    {977, 2, KIN__PB_OBJECT}, {979, 3, KIN__PB_OBJECT}, {982, 4, KIN__PB_OBJECT},
    {986, 6, KIN__PB_OBJECT}, {992, 2, KIN__PB_OBJECT}, {994, 2, KIN__PB_OBJECT},
    {996, 2, KIN__PB_OBJECT}, {998, 25, KIN__PB_OBJECT}, {1023, 13, KIN__PB_OBJECT},
    {1036, 3, KIN__PB_OBJECT}, {1039, 5, KIN__PB_OBJECT}, {1044, 2, KIN__PB_OBJECT},
    {1046, 3, KIN__PB_OBJECT}, {1049, 1, KIN__PB_OBJECT}, {1050, 8, KIN__PB_OBJECT},
    {1058, 2, KIN__PB_OBJECT}, {1060, 1, KIN__PB_OBJECT}, {1061, 1, KIN__PB_OBJECT},
    {1062, 3, KIN__PB_OBJECT}, {1065, 3, KIN__PB_OBJECT}, {1068, 1, KIN__PB_OBJECT},
    {1069, 2, KIN__PB_OBJECT}, {1071, 7, KIN__PB_OBJECT}, {1078, 15, KIN__PB_OBJECT},
    {1093, 1, KIN__PB_OBJECT}, {1094, 2, KIN__PB_OBJECT}, {1096, 1, KIN__PB_OBJECT},
    {1097, 2, KIN__PB_OBJECT}, {1099, 4, KIN__PB_OBJECT}, {1103, 3, KIN__PB_OBJECT},
    {1106, 6, KIN__PB_OBJECT}, {1112, 3, KIN__PB_INT_OR_STRING}, {1115, 2, KIN__PB_ENTRY},
    {1117, 4, KIN__PB_OBJECT}, {1121, 2, KIN__PB_OBJECT}, {1123, 5, KIN__PB_OBJECT},
    {1128, 5, KIN__PB_OBJECT}, {1133, 5, KIN__PB_OBJECT}, {1138, 1, KIN__PB_OBJECT},
    {1139, 6, KIN__PB_OBJECT}, {1145, 1, KIN__PB_OBJECT}, {1146, 1, KIN__PB_OBJECT},
    {1147, 2, KIN__PB_OBJECT}, {1149, 2, KIN__PB_OBJECT}, {1151, 1, KIN__PB_OBJECT},
    {1152, 5, KIN__PB_OBJECT}, {1157, 2, KIN__PB_OBJECT}, {1159, 4, KIN__PB_OBJECT},
    {1163, 2, KIN__PB_OBJECT}, {1165, 1, KIN__PB_OBJECT}, {1166, 2, KIN__PB_OBJECT},
    {1168, 3, KIN__PB_OBJECT}, {1171, 1, KIN__PB_RAW}, {1172, 1, KIN__PB_OBJECT},
    {1173, 6, KIN__PB_OBJECT}, {1179, 1, KIN__PB_OBJECT}, {1180, 2, KIN__PB_OBJECT},
    {1182, 6, KIN__PB_OBJECT}, {1188, 1, KIN__PB_OBJECT}, {1189, 2, KIN__PB_OBJECT},
    {1191, 2, KIN__PB_OBJECT}, {1193, 2, KIN__PB_OBJECT}, {1195, 1, KIN__PB_OBJECT},
    {1196, 1, KIN__PB_OBJECT}, {1197, 4, KIN__PB_OBJECT}, {1201, 5, KIN__PB_OBJECT},
    {1206, 2, KIN__PB_OBJECT}, {1208, 3, KIN__PB_OBJECT}, {1211, 2, KIN__PB_OBJECT},
    {1213, 2, KIN__PB_OBJECT}, {1215, 2, KIN__PB_OBJECT}, {1217, 3, KIN__PB_OBJECT},
    {1220, 4, KIN__PB_OBJECT}, {1224, 3, KIN__PB_OBJECT}, {1227, 2, KIN__PB_OBJECT},
    {1229, 2, KIN__PB_OBJECT}, {1231, 2, KIN__PB_OBJECT}, {1233, 3, KIN__PB_OBJECT},
    {1236, 2, KIN__PB_OBJECT}, {1238, 1, KIN__PB_OBJECT}, {1239, 3, KIN__PB_OBJECT},
    {1242, 3, KIN__PB_OBJECT}, {1245, 2, KIN__PB_OBJECT}, {1247, 2, KIN__PB_OBJECT},
    {1249, 1, KIN__PB_OBJECT}, {1250, 2, KIN__PB_OBJECT}, {1252, 3, KIN__PB_OBJECT},
    {1255, 2, KIN__PB_OBJECT}, {1257, 1, KIN__PB_OBJECT}, {1258, 1, KIN__PB_OBJECT},
    {1259, 4, KIN__PB_OBJECT}, {1263, 4, KIN__PB_OBJECT}, {1267, 3, KIN__PB_OBJECT},
    {1270, 3, KIN__PB_OBJECT}, {1273, 5, KIN__PB_OBJECT}, {1278, 1, KIN__PB_OBJECT},
    {1279, 1, KIN__PB_OBJECT}, {1280, 2, KIN__PB_OBJECT}, {1282, 4, KIN__PB_OBJECT},
    {1286, 4, KIN__PB_OBJECT}, {1290, 2, KIN__PB_OBJECT}, {1292, 4, KIN__PB_OBJECT},
    {1296, 3, KIN__PB_OBJECT}, {1299, 8, KIN__PB_OBJECT}, {1307, 11, KIN__PB_OBJECT},
    {1318, 4, KIN__PB_OBJECT}, {1322, 6, KIN__PB_OBJECT}, {1328, 5, KIN__PB_OBJECT},
    {1333, 2, KIN__PB_OBJECT}, {1335, 5, KIN__PB_OBJECT}, {1340, 4, KIN__PB_OBJECT},
    {1344, 4, KIN__PB_OBJECT}, {1348, 6, KIN__PB_OBJECT}, {1354, 6, KIN__PB_OBJECT},
    {1360, 2, KIN__PB_OBJECT}, {1362, 3, KIN__PB_OBJECT}, {1365, 10, KIN__PB_OBJECT},
    {1375, 2, KIN__PB_OBJECT}, {1377, 5, KIN__PB_OBJECT}, {1382, 10, KIN__PB_OBJECT},
    {1392, 1, KIN__PB_OBJECT}, {1393, 3, KIN__PB_OBJECT}, {1396, 30, KIN__PB_OBJECT},
    {1426, 5, KIN__PB_OBJECT}, {1431, 3, KIN__PB_OBJECT}, {1434, 8, KIN__PB_OBJECT},
    {1442, 7, KIN__PB_OBJECT}, {1449, 3, KIN__PB_OBJECT}, {1452, 12, KIN__PB_OBJECT},
    {1464, 3, KIN__PB_OBJECT}, {1467, 2, KIN__PB_OBJECT}, {1469, 2, KIN__PB_OBJECT},
    {1471, 2, KIN__PB_OBJECT}, {1473, 4, KIN__PB_OBJECT}, {1477, 2, KIN__PB_OBJECT},
    {1479, 4, KIN__PB_OBJECT}, {1483, 2, KIN__PB_OBJECT}, {1485, 2, KIN__PB_OBJECT},
    {1487, 2, KIN__PB_OBJECT}, {1489, 2, KIN__PB_OBJECT}, {1491, 2, KIN__PB_OBJECT},
    {1493, 2, KIN__PB_OBJECT}, {1495, 25, KIN__PB_OBJECT}, {1520, 2, KIN__PB_OBJECT},
    {1522, 3, KIN__PB_OBJECT}, {1525, 5, KIN__PB_OBJECT}, {1530, 1, KIN__PB_OBJECT},
    {1531, 2, KIN__PB_OBJECT}, {1533, 3, KIN__PB_OBJECT}, {1536, 2, KIN__PB_OBJECT},
    {1538, 3, KIN__PB_OBJECT}, {1541, 2, KIN__PB_OBJECT}, {1543, 3, KIN__PB_OBJECT},
    {1546, 1, KIN__PB_OBJECT}, {1547, 4, KIN__PB_OBJECT}, {1551, 2, KIN__PB_OBJECT},
    {1553, 2, KIN__PB_OBJECT}, {1555, 44, KIN__PB_OBJECT}, {1599, 0, KIN__PB_OBJECT},
    {1599, 3, KIN__PB_OBJECT}, {1602, 3, KIN__PB_OBJECT}, {1605, 1, KIN__PB_OBJECT},
    {1606, 1, KIN__PB_OBJECT}, {1607, 2, KIN__PB_OBJECT}, {1609, 4, KIN__PB_OBJECT},
    {1613, 2, KIN__PB_OBJECT}, {1615, 3, KIN__PB_OBJECT}, {1618, 3, KIN__PB_OBJECT},
    {1621, 2, KIN__PB_OBJECT}, {1623, 1, KIN__PB_OBJECT}, {1624, 3, KIN__PB_OBJECT},
    {1627, 3, KIN__PB_OBJECT}, {1630, 2, KIN__PB_OBJECT}, {1632, 0, KIN__PB_OBJECT},
    {1632, 1, KIN__PB_OBJECT}, {1633, 1, KIN__PB_OBJECT}, {1634, 0, KIN__PB_OBJECT},
    {1634, 0, KIN__PB_OBJECT}, {1634, 2, KIN__PB_OBJECT}, {1636, 2, KIN__PB_OBJECT},
    {1638, 2, KIN__PB_OBJECT}, {1640, 3, KIN__PB_OBJECT}, {1643, 3, KIN__PB_OBJECT},
    {1646, 5, KIN__PB_OBJECT}, {1651, 11, KIN__PB_OBJECT}, {1662, 3, KIN__PB_OBJECT},
    {1665, 2, KIN__PB_OBJECT}, {1667, 8, KIN__PB_OBJECT}, {1675, 5, KIN__PB_OBJECT},
    {1680, 4, KIN__PB_OBJECT}, {1684, 6, KIN__PB_OBJECT}, {1690, 3, KIN__PB_OBJECT},
    {1693, 3, KIN__PB_OBJECT}, {1696, 5, KIN__PB_OBJECT}, {1701, 10, KIN__PB_OBJECT},
    {1711, 3, KIN__PB_OBJECT}, {1714, 5, KIN__PB_OBJECT}, {1719, 5, KIN__PB_OBJECT},
    {1724, 1, KIN__PB_OBJECT}, {1725, 2, KIN__PB_OBJECT}, {1727, 5, KIN__PB_OBJECT},
    {1732, 4, KIN__PB_OBJECT}, {1736, 4, KIN__PB_OBJECT}, {1740, 2, KIN__PB_OBJECT},
    {1742, 2, KIN__PB_OBJECT}, {1744, 2, KIN__PB_OBJECT}, {1746, 2, KIN__PB_OBJECT},
    {1748, 2, KIN__PB_OBJECT}, {1750, 6, KIN__PB_OBJECT}, {1756, 2, KIN__PB_OBJECT},
    {1758, 2, KIN__PB_OBJECT}, {1760, 1, KIN__PB_OBJECT}, {1761, 7, KIN__PB_OBJECT},
    {1768, 1, KIN__PB_OBJECT}, {1769, 3, KIN__PB_OBJECT}, {1772, 3, KIN__PB_OBJECT},
    {1775, 3, KIN__PB_OBJECT}, {1778, 3, KIN__PB_OBJECT}, {1781, 1, KIN__PB_RAW},
    {1782, 2, KIN__PB_CHOICE}, {1784, 2, KIN__PB_ENTRY}, {1786, 2, KIN__PB_CHOICE},
    {1788, 2, KIN__PB_CHOICE}, {1790, 2, KIN__PB_ENTRY}, {1792, 2, KIN__PB_OBJECT},
    {1794, 6, KIN__PB_OBJECT}, {1800, 4, KIN__PB_OBJECT}, {1804, 3, KIN__PB_OBJECT},
    {1807, 3, KIN__PB_OBJECT}, {1810, 4, KIN__PB_OBJECT}, {1814, 5, KIN__PB_OBJECT},
    {1819, 6, KIN__PB_OBJECT}, {1825, 2, KIN__PB_OBJECT}, {1827, 2, KIN__PB_OBJECT},
    {1829, 3, KIN__PB_OBJECT}, {1832, 3, KIN__PB_OBJECT}, {1835, 3, KIN__PB_OBJECT},
    {1838, 4, KIN__PB_OBJECT}, {1842, 1, KIN__PB_OBJECT}, {1843, 6, KIN__PB_OBJECT},
    {1849, 2, KIN__PB_OBJECT}, {1851, 3, KIN__PB_OBJECT}, {1854, 1, KIN__PB_OBJECT},
    {1855, 1, KIN__PB_OBJECT}, {1856, 3, KIN__PB_OBJECT}, {1859, 1, KIN__PB_OBJECT},
    {1860, 3, KIN__PB_OBJECT}, {1863, 4, KIN__PB_OBJECT}, {1867, 6, KIN__PB_OBJECT},
    {1873, 8, KIN__PB_OBJECT}, {1881, 2, KIN__PB_OBJECT},
};

const kin__pb_kind kin__pb_kinds[] = {
    {0, 0, 0}, {11038, 11064, 1}, {11075, 11078, 2}, {11086, 11104, 3}, {11086, 11114, 4},
    {11086, 11122, 5}, {11141, 11164, 6}, {11190, 11219, 7}, {11190, 11231, 8}, {11141, 11250, 9},
    {11075, 11269, 10}, {11279, 11287, 11}, {11306, 11315, 12}, {11323, 11347, 13},
    {11279, 11372, 14}, {0, 11382, 15}, {11279, 11396, 16}, {11407, 11427, 17}, {11075, 11441, 18},
    {11451, 11468, 19}, {11075, 11468, 20}, {11474, 11506, 21}, {11517, 11532, 22},
    {11556, 11577, 23}, {11556, 11587, 24}, {11556, 11595, 25}, {11306, 11608, 26},
    {11612, 11635, 27}, {11075, 11641, 28}, {11652, 11684, 29}, {11652, 11708, 30},
    {11652, 11739, 31}, {11075, 11768, 32}, {11556, 11778, 33}, {11075, 11792, 34},
    {11075, 11797, 35}, {11075, 11814, 36}, {11075, 11836, 37}, {11141, 11840, 38},
    {11862, 11872, 39}, {11075, 11892, 40}, {11904, 11925, 41}, {11474, 11939, 42},
    {11279, 11966, 43}, {11075, 11977, 44}, {11075, 11999, 45}, {11190, 12013, 46},
    {11190, 12018, 47}, {12030, 12045, 48}, {12058, 12073, 49}, {11075, 12079, 50},
    {11075, 12086, 51}, {11075, 12094, 52}, {11556, 12109, 53}, {11279, 12121, 54},
    {11086, 12133, 55}, {11652, 12146, 56}, {11652, 12172, 57}, {11652, 12205, 58},
    {11086, 12236, 59}, {11086, 12253, 60},
};
const size_t kin__pb_n_kinds = 61;
