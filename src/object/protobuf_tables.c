/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Made by tools/protobuf-tables of Kubernetes' modules v0.37.2; not to be changed by hand.
 */
#include "object/protobuf_tables.h"

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
    "deleteOptions\0" "webhooks\0" "template\0" "value\0" "globalDefault\0" "description\0"
    "preemptionPolicy\0" "handler\0" "overhead\0" "scheduling\0" "stringData\0" "secrets\0"
    "imagePullSecrets\0" "automountServiceAccountToken\0" "provisioner\0" "parameters\0"
    "reclaimPolicy\0" "mountOptions\0" "allowVolumeExpansion\0" "volumeBindingMode\0"
    "allowedTopologies\0" "driverName\0" "apiVersion\0" "kind\0" "name\0" "generateName\0"
    "namespace\0" "selfLink\0" "uid\0" "resourceVersion\0" "generation\0" "creationTimestamp\0"
    "deletionTimestamp\0" "deletionGracePeriodSeconds\0" "labels\0" "annotations\0"
    "ownerReferences\0" "finalizers\0" "managedFields\0" "service\0" "group\0" "version\0"
    "insecureSkipTLSVerify\0" "caBundle\0" "groupPriorityMinimum\0" "versionPriority\0"
    "conditions\0" "fieldPath\0" "attachRequired\0" "podInfoOnMount\0" "volumeLifecycleModes\0"
    "storageCapacity\0" "fsGroupPolicy\0" "tokenRequests\0" "requiresRepublish\0" "seLinuxMount\0"
    "nodeAllocatableUpdatePeriodSeconds\0" "serviceAccountTokenInSecrets\0"
    "preventPodSchedulingIfMissing\0" "drivers\0" "storageHealth\0" "matchLabels\0"
    "matchExpressions\0" "string\0" "request\0" "username\0" "groups\0" "usages\0" "extra\0"
    "signerName\0" "expirationSeconds\0" "certificate\0" "verbs\0" "apiGroups\0" "resources\0"
    "resourceNames\0" "nonResourceURLs\0" "clusterRoleSelectors\0" "apiGroup\0" "schedule\0"
    "startingDeadlineSeconds\0" "concurrencyPolicy\0" "suspend\0" "jobTemplate\0"
    "successfulJobsHistoryLimit\0" "failedJobsHistoryLimit\0" "timeZone\0" "active\0"
    "lastScheduleTime\0" "lastSuccessfulTime\0" "names\0" "scope\0" "versions\0" "conversion\0"
    "preserveUnknownFields\0" "acceptedNames\0" "storedVersions\0" "observedGeneration\0"
    "selector\0" "updateStrategy\0" "minReadySeconds\0" "revisionHistoryLimit\0"
    "currentNumberScheduled\0" "numberMisscheduled\0" "desiredNumberScheduled\0" "numberReady\0"
    "updatedNumberScheduled\0" "numberAvailable\0" "numberUnavailable\0" "collisionCount\0"
    "replicas\0" "strategy\0" "paused\0" "progressDeadlineSeconds\0" "updatedReplicas\0"
    "availableReplicas\0" "unavailableReplicas\0" "readyReplicas\0" "terminatingReplicas\0"
    "selectors\0" "config\0" "extendedResourceName\0" "addresses\0" "hostname\0" "targetRef\0"
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
    "nodeInfo\0" "images\0" "volumesInUse\0" "volumesAttached\0" "runtimeHandlers\0" "features\0"
    "declaredFeatures\0" "accessModes\0" "claimRef\0" "persistentVolumeReclaimPolicy\0"
    "volumeMode\0" "nodeAffinity\0" "volumeAttributesClassName\0" "lastPhaseTransitionTime\0"
    "volumeName\0" "dataSource\0" "dataSourceRef\0" "allocatedResources\0"
    "allocatedResourceStatuses\0" "currentVolumeAttributesClassName\0" "modifyVolumeStatus\0"
    "healthStatus\0" "volumes\0" "containers\0" "restartPolicy\0" "terminationGracePeriodSeconds\0"
    "dnsPolicy\0" "nodeSelector\0" "serviceAccountName\0" "serviceAccount\0" "hostNetwork\0"
    "hostPID\0" "hostIPC\0",
    "securityContext\0" "subdomain\0" "affinity\0" "schedulerName\0" "initContainers\0"
    "tolerations\0" "hostAliases\0" "priorityClassName\0" "priority\0" "dnsConfig\0"
    "shareProcessNamespace\0" "readinessGates\0" "runtimeClassName\0" "enableServiceLinks\0"
    "topologySpreadConstraints\0" "ephemeralContainers\0" "setHostnameAsFQDN\0" "os\0" "hostUsers\0"
    "schedulingGates\0" "resourceClaims\0" "hostnameOverride\0" "schedulingGroup\0"
    "evictionResponders\0" "hostIP\0" "podIP\0" "containerStatuses\0" "qosClass\0"
    "initContainerStatuses\0" "nominatedNodeName\0" "podIPs\0" "ephemeralContainerStatuses\0"
    "resize\0" "resourceClaimStatuses\0" "hostIPs\0" "extendedResourceClaimStatus\0"
    "nodeAllocatableResourceClaimStatuses\0" "volumeHealth\0" "minAvailable\0" "maxUnavailable\0"
    "unhealthyPodEvictionPolicy\0" "disruptedPods\0" "disruptionsAllowed\0" "currentHealthy\0"
    "desiredHealthy\0" "expectedPods\0" "limited\0" "exempt\0" "fullyLabeledReplicas\0" "devices\0"
    "allocation\0" "reservedFor\0" "hard\0" "scopes\0" "scopeSelector\0" "used\0" "driver\0"
    "pool\0" "allNodes\0" "perDeviceNodeSelection\0" "sharedCounters\0" "partitionTypeAttribute\0"
    "skipNodeOperations\0" "podFixed\0" "clusterIP\0" "externalIPs\0" "sessionAffinity\0"
    "loadBalancerIP\0" "loadBalancerSourceRanges\0" "externalName\0" "externalTrafficPolicy\0"
    "healthCheckNodePort\0" "publishNotReadyAddresses\0" "sessionAffinityConfig\0"
    "ipFamilyPolicy\0" "clusterIPs\0" "ipFamilies\0" "allocateLoadBalancerNodePorts\0"
    "loadBalancerClass\0" "internalTrafficPolicy\0" "trafficDistribution\0" "cidrs\0"
    "volumeClaimTemplates\0" "serviceName\0" "podManagementPolicy\0"
    "persistentVolumeClaimRetentionPolicy\0" "ordinals\0" "currentRevision\0" "updateRevision\0"
    "matchLabelExpressions\0" "validations\0" "auditAnnotations\0" "typeChecking\0"
    "validationActions\0" "attacher\0" "attached\0" "attachmentMetadata\0" "attachError\0"
    "detachError\0" "blockOwnerDeletion\0" "manager\0" "operation\0" "time\0" "fieldsType\0"
    "fieldsV1\0" "subresource\0" "lastTransitionTime\0" "audience\0" "nodeID\0" "topologyKeys\0"
    "healthConditions\0" "key\0" "operator\0" "values\0" "items\0" "lastUpdateTime\0" "plural\0"
    "singular\0" "shortNames\0" "listKind\0" "categories\0" "served\0" "storage\0" "schema\0"
    "subresources\0" "additionalPrinterColumns\0" "deprecated\0" "deprecationWarning\0"
    "selectableFields\0" "webhook\0" "rollingUpdate\0" "cel\0" "serving\0" "forZones\0" "forNodes\0"
    "ip\0" "resourceRules\0" "nonResourceRules\0" "object\0" "pods\0" "resource\0" "external\0"
    "containerResource\0" "scaleUp\0" "scaleDown\0" "hosts\0" "secretName\0" "schedulingPolicy\0"
    "schedulingConstraints\0" "disruptionMode\0" "lastProbeTime\0" "max\0" "min\0" "default\0"
    "defaultRequest\0" "maxLimitRequestRatio\0" "excludeResourceRules\0" "expression\0"
    "patchType\0" "applyConfiguration\0" "jsonPatch\0" "parameterNotFoundAction\0" "url\0"
    "operations\0" "from\0" "to\0" "effect\0" "timeAdded\0" "configMap\0"
    "disableResizePreemption\0" "lastHeartbeatTime\0" "address\0" "kubeletEndpoint\0" "machineID\0"
    "systemUUID\0" "bootID\0" "kernelVersion\0" "osImage\0" "containerRuntimeVersion\0"
    "kubeletVersion\0" "kubeProxyVersion\0" "operatingSystem\0" "architecture\0" "swap\0"
    "runningInUserNamespace\0" "sizeBytes\0" "devicePath\0" "assigned\0" "lastKnownGood\0" "error\0"
    "supplementalGroupsPolicy\0" "gcePersistentDisk\0" "awsElasticBlockStore\0" "hostPath\0"
    "glusterfs\0" "nfs\0" "rbd\0" "iscsi\0" "cinder\0" "cephfs\0" "fc\0" "flocker\0" "flexVolume\0"
    "azureFile\0" "vsphereVolume\0" "quobyte\0" "azureDisk\0" "photonPersistentDisk\0"
    "portworxVolume\0" "scaleIO\0" "local\0" "storageos\0" "csi\0" "required\0" "requests\0"
    "targetVolumeAttributesClassName\0" "image\0" "command\0" "args\0" "workingDir\0" "env\0"
    "volumeMounts\0" "livenessProbe\0" "readinessProbe\0" "lifecycle\0" "terminationMessagePath\0"
    "imagePullPolicy\0" "stdin\0" "stdinOnce\0" "tty\0" "envFrom\0" "terminationMessagePolicy\0"
    "volumeDevices\0" "startupProbe\0" "resizePolicy\0" "restartPolicyRules\0" "seLinuxOptions\0"
    "runAsUser\0" "runAsNonRoot\0" "supplementalGroups\0" "fsGroup\0" "runAsGroup\0" "sysctls\0"
    "windowsOptions\0" "fsGroupChangePolicy\0" "seccompProfile\0" "appArmorProfile\0"
    "seLinuxChangePolicy\0" "podAffinity\0" "podAntiAffinity\0" "tolerationSeconds\0" "hostnames\0"
    "nameservers\0" "searches\0" "options\0" "conditionType\0" "maxSkew\0" "topologyKey\0"
    "whenUnsatisfiable\0" "labelSelector\0" "minDomains\0" "nodeAffinityPolicy\0"
    "nodeTaintsPolicy\0" "matchLabelKeys\0" "targetContainerName\0" "resourceClaimName\0"
    "resourceClaimTemplateName\0" "claims\0" "podGroupName\0" "state\0" "lastState\0"
    "restartCount\0" "imageID\0" "containerID\0" "started\0" "user\0" "allocatedResourcesStatus\0"
    "stopSignal\0" "requestMappings\0" "mapping\0" "intVal\0" "strVal\0"
    "nominalConcurrencyShares\0" "limitResponse\0" "lendablePercent\0" "borrowingLimitPercent\0"
    "constraints\0" "allocationTimestamp\0" "device\0" "networkData\0" "shareID\0"
    "resourceSliceCount\0" "nodeSelectorTerms\0" "attributes\0" "consumesCounters\0" "bindsToNode\0"
    "bindingConditions\0" "bindingFailureConditions\0" "allowMultipleAllocations\0"
    "nodeAllocatableResources\0" "counters\0" "targetPort\0" "nodePort\0" "clientIP\0"
    "whenDeleted\0" "whenScaled\0" "start\0" "messageExpression\0" "valueExpression\0",
    "expressionWarnings\0" "persistentVolumeName\0" "inlineVolumeSpec\0" "errorCode\0" "Raw\0"
    "accessMode\0" "openAPIV3Schema\0" "scale\0" "format\0" "jsonPath\0"
    "conversionReviewVersions\0" "maxSurge\0" "opaque\0" "clusterScope\0" "namespaces\0"
    "describedObject\0" "metric\0" "container\0" "selectPolicy\0" "policies\0"
    "stabilizationWindowSeconds\0" "tolerance\0" "current\0" "http\0" "onExitCodes\0"
    "onPodConditions\0" "succeededIndexes\0" "succeededCount\0" "basic\0" "gang\0" "topology\0"
    "single\0" "all\0" "path\0" "apiVersions\0" "endPort\0" "ipBlock\0" "kubeletConfigKey\0"
    "Port\0" "recursiveReadOnlyMounts\0" "userNamespaces\0" "pdName\0" "fsType\0" "partition\0"
    "readOnly\0" "volumeID\0" "endpointsNamespace\0" "server\0" "monitors\0" "keyring\0"
    "secretRef\0" "targetPortal\0" "iqn\0" "lun\0" "iscsiInterface\0" "portals\0"
    "chapAuthDiscovery\0" "chapAuthSession\0" "initiatorName\0" "secretFile\0" "targetWWNs\0"
    "wwids\0" "datasetName\0" "datasetUUID\0" "shareName\0" "secretNamespace\0" "volumePath\0"
    "storagePolicyName\0" "storagePolicyID\0" "registry\0" "volume\0" "tenant\0" "diskName\0"
    "diskURI\0" "cachingMode\0" "pdID\0" "gateway\0" "system\0" "sslEnabled\0" "protectionDomain\0"
    "storagePool\0" "storageMode\0" "volumeNamespace\0" "volumeHandle\0" "volumeAttributes\0"
    "controllerPublishSecretRef\0" "nodeStageSecretRef\0" "nodePublishSecretRef\0"
    "controllerExpandSecretRef\0" "nodeExpandSecretRef\0" "emptyDir\0" "gitRepo\0" "secret\0"
    "persistentVolumeClaim\0" "downwardAPI\0" "projected\0" "ephemeral\0" "hostPort\0"
    "containerPort\0" "valueFrom\0" "mountPath\0" "subPath\0" "mountPropagation\0" "subPathExpr\0"
    "recursiveReadOnly\0" "bindMountOptions\0" "initialDelaySeconds\0" "periodSeconds\0"
    "successThreshold\0" "failureThreshold\0" "postStart\0" "preStop\0" "capabilities\0"
    "privileged\0" "readOnlyRootFilesystem\0" "allowPrivilegeEscalation\0" "procMount\0" "prefix\0"
    "configMapRef\0" "resourceName\0" "exitCodes\0" "role\0" "level\0" "gmsaCredentialSpecName\0"
    "gmsaCredentialSpec\0" "runAsUserName\0" "hostProcess\0" "localhostProfile\0"
    "requiredDuringSchedulingIgnoredDuringExecution\0"
    "preferredDuringSchedulingIgnoredDuringExecution\0" "waiting\0" "running\0" "terminated\0"
    "volumeStatus\0" "linux\0" "containerName\0" "requestName\0" "quantity\0" "perPod\0"
    "perContainer\0" "queuing\0" "exactly\0" "firstAvailable\0" "matchAttribute\0"
    "distinctAttribute\0" "results\0" "interfaceName\0" "ips\0" "hardwareAddress\0" "scopeName\0"
    "matchFields\0" "int\0" "bool\0" "ints\0" "bools\0" "strings\0" "requestPolicy\0" "counterSet\0"
    "compatibilityGroups\0" "ipMode\0" "fieldRef\0" "warning\0" "id\0" "$schema\0" "$ref\0"
    "title\0" "maximum\0" "exclusiveMaximum\0" "minimum\0" "exclusiveMinimum\0" "maxLength\0"
    "minLength\0" "pattern\0" "maxItems\0" "minItems\0" "uniqueItems\0" "multipleOf\0" "enum\0"
    "maxProperties\0" "minProperties\0" "allOf\0" "oneOf\0" "anyOf\0" "not\0" "properties\0"
    "additionalProperties\0" "patternProperties\0" "dependencies\0" "additionalItems\0"
    "definitions\0" "externalDocs\0" "example\0" "nullable\0"
    "x-kubernetes-preserve-unknown-fields\0" "x-kubernetes-embedded-resource\0"
    "x-kubernetes-int-or-string\0" "x-kubernetes-list-map-keys\0" "x-kubernetes-list-type\0"
    "x-kubernetes-map-type\0" "x-kubernetes-validations\0" "specReplicasPath\0"
    "statusReplicasPath\0" "labelSelectorPath\0" "averageValue\0" "averageUtilization\0" "number\0"
    "paths\0" "minCount\0" "cidr\0" "except\0" "medium\0" "sizeLimit\0" "mode\0" "repository\0"
    "directory\0" "defaultMode\0" "optional\0" "defaultUser\0" "claimName\0" "sources\0"
    "volumeClaimTemplate\0" "reference\0" "pullPolicy\0" "resourceFieldRef\0" "configMapKeyRef\0"
    "secretKeyRef\0" "fileKeyRef\0" "exec\0" "httpGet\0" "tcpSocket\0" "grpc\0" "sleep\0" "add\0"
    "drop\0" "weight\0" "preference\0" "mismatchLabelKeys\0" "podAffinityTerm\0" "startedAt\0"
    "exitCode\0" "signal\0" "finishedAt\0" "gid\0" "resourceID\0" "health\0" "queues\0" "handSize\0"
    "queueLengthLimit\0" "deviceClassName\0" "allocationMode\0" "adminAccess\0"
    "derivedAttributes\0" "consumedCapacity\0" "validValues\0" "validRange\0" "capacityKey\0"
    "capacityMultiplier\0" "deviceMultiplier\0" "jSONSchemas\0" "allows\0" "property\0" "rule\0"
    "optionalOldSelf\0" "backend\0" "pathType\0" "serviceAccountToken\0" "clusterTrustBundle\0"
    "podCertificate\0" "divisor\0" "scheme\0" "httpHeaders\0" "imageRef\0" "step\0" "keyType\0"
    "maxExpirationSeconds\0" "credentialBundlePath\0" "keyPath\0" "certificateChainPath\0"
    "userAnnotations\0" "apiregistration.k8s.io/v1\0" "APIService\0" "v1\0" "Binding\0"
    "storage.k8s.io/v1\0" "CSIDriver\0" "CSINode\0" "CSIStorageCapacity\0"
    "certificates.k8s.io/v1\0" "CertificateSigningRequest\0" "rbac.authorization.k8s.io/v1\0"
    "ClusterRole\0" "ClusterRoleBinding\0" "ConfigMap\0" "apps/v1\0" "ControllerRevision\0"
    "batch/v1\0" "CronJob\0" "apiextensions.k8s.io/v1\0" "CustomResourceDefinition\0" "DaemonSet\0"
    "DeleteOptions\0" "Deployment\0" "resource.k8s.io/v1\0" "DeviceClass\0" "discovery.k8s.io/v1\0"
    "EndpointSlice\0" "Endpoints\0" "events.k8s.io/v1\0" "Event\0" "policy/v1\0" "Eviction\0"
    "flowcontrol.apiserver.k8s.io/v1\0" "FlowSchema\0" "autoscaling/v2\0"
    "HorizontalPodAutoscaler\0" "networking.k8s.io/v1\0" "IPAddress\0" "Ingress\0" "IngressClass\0"
    "Job\0" "coordination.k8s.io/v1\0" "Lease\0" "LimitRange\0" "admissionregistration.k8s.io/v1\0",
    "MutatingAdmissionPolicy\0" "MutatingAdmissionPolicyBinding\0" "MutatingWebhookConfiguration\0"
    "Namespace\0" "NetworkPolicy\0" "Node\0" "PersistentVolume\0" "PersistentVolumeClaim\0" "Pod\0"
    "PodDisruptionBudget\0" "PodTemplate\0" "scheduling.k8s.io/v1\0" "PriorityClass\0"
    "PriorityLevelConfiguration\0" "ReplicaSet\0" "ReplicationController\0" "ResourceClaim\0"
    "ResourceClaimTemplate\0" "ResourceQuota\0" "ResourceSlice\0" "Role\0" "RoleBinding\0"
    "node.k8s.io/v1\0" "RuntimeClass\0" "autoscaling/v1\0" "Scale\0" "Secret\0" "Service\0"
    "ServiceAccount\0" "ServiceCIDR\0" "StatefulSet\0" "StorageClass\0"
    "ValidatingAdmissionPolicy\0" "ValidatingAdmissionPolicyBinding\0"
    "ValidatingWebhookConfiguration\0" "VolumeAttachment\0" "VolumeAttributesClass\0",
};

const kin__pb_field kin__pb_fields[] = {
    /* 0: pkg.runtime.Unknown */
    {1, 1, 64, MESSAGE, 0}, {2, 10, 0, BYTES, 0}, {3, 14, 0, STRING, 0}, {4, 30, 0, STRING, 0},
    /* 1: apiregistration.v1.APIService */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 66, MESSAGE, 0}, {3, 56, 67, MESSAGE, 0},
    /* 2: core.v1.Binding */
    {1, 42, 65, MESSAGE, 0}, {2, 63, 68, MESSAGE, 0},
    /* 3: storage.v1.CSIDriver */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 69, MESSAGE, 0},
    /* 4: storage.v1.CSINode */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 70, MESSAGE, 0}, {3, 56, 71, MESSAGE, 0},
    /* 5: storage.v1.CSIStorageCapacity */
    {1, 42, 65, MESSAGE, 0}, {2, 70, 72, MESSAGE, 0}, {3, 83, 0, STRING, 0},
    {4, 100, 73, MESSAGE, 0}, {5, 109, 73, MESSAGE, 0},
    /* 6: certificates.v1.CertificateSigningRequest */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 74, MESSAGE, 0}, {3, 56, 75, MESSAGE, 0},
    /* 7: rbac.v1.ClusterRole */
    {1, 42, 65, MESSAGE, 0}, {2, 127, 76, MESSAGE, R|N}, {3, 133, 77, MESSAGE, 0},
    /* 8: rbac.v1.ClusterRoleBinding */
    {1, 42, 65, MESSAGE, 0}, {2, 149, 78, MESSAGE, R}, {3, 158, 79, MESSAGE, 0},
    /* 9: core.v1.ConfigMap */
    {1, 42, 65, MESSAGE, 0}, {2, 166, 80, MESSAGE, M}, {3, 171, 81, MESSAGE, M},
    {4, 182, 0, BOOL, 0},
    /* 10: apps.v1.ControllerRevision */
    {1, 42, 65, MESSAGE, 0}, {2, 166, 82, MESSAGE, 0}, {3, 192, 0, INT64, 0},
    /* 11: batch.v1.CronJob */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 83, MESSAGE, 0}, {3, 56, 84, MESSAGE, 0},
    /* 12: apiextensions.v1.CustomResourceDefinition */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 85, MESSAGE, 0}, {3, 56, 86, MESSAGE, 0},
    /* 13: apps.v1.DaemonSet */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 87, MESSAGE, 0}, {3, 56, 88, MESSAGE, 0},
    /* 14: meta.v1.DeleteOptions */
    {1, 201, 0, INT64, 0}, {2, 220, 89, MESSAGE, 0}, {3, 234, 0, BOOL, 0}, {4, 251, 0, STRING, 0},
    {5, 269, 0, STRING, R}, {6, 276, 0, BOOL, 0},
    /* 15: apps.v1.Deployment */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 90, MESSAGE, 0}, {3, 56, 91, MESSAGE, 0},
    /* 16: resource.v1.DeviceClass */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 92, MESSAGE, 0},
    /* 17: discovery.v1.EndpointSlice */
    {1, 42, 65, MESSAGE, 0}, {2, 325, 93, MESSAGE, R|N}, {3, 335, 94, MESSAGE, R|N},
    {4, 341, 0, STRING, 0},
    /* 18: core.v1.Endpoints */
    {1, 42, 65, MESSAGE, 0}, {2, 353, 95, MESSAGE, R},
    /* 19: events.v1.Event */
    {1, 42, 65, MESSAGE, 0}, {2, 361, 96, MESSAGE, 0}, {3, 371, 97, MESSAGE, 0},
    {4, 378, 0, STRING, O}, {5, 398, 0, STRING, O}, {6, 416, 0, STRING, O}, {7, 423, 0, STRING, O},
    {8, 430, 68, MESSAGE, 0}, {9, 440, 68, MESSAGE, 0}, {10, 448, 0, STRING, O},
    {11, 453, 0, STRING, O}, {12, 458, 98, MESSAGE, 0}, {13, 475, 99, MESSAGE, 0},
    {14, 500, 99, MESSAGE, 0}, {15, 524, 0, INT32, O},
    /* 20: core.v1.Event */
    {1, 42, 65, MESSAGE, 0}, {2, 540, 68, MESSAGE, 0}, {3, 423, 0, STRING, O},
    {4, 555, 0, STRING, O}, {5, 563, 98, MESSAGE, 0}, {6, 570, 99, MESSAGE, 0},
    {7, 585, 99, MESSAGE, 0}, {8, 599, 0, INT32, O}, {9, 453, 0, STRING, O},
    {10, 361, 96, MESSAGE, 0}, {11, 371, 100, MESSAGE, 0}, {12, 416, 0, STRING, O},
    {13, 440, 68, MESSAGE, 0}, {14, 605, 0, STRING, 0}, {15, 398, 0, STRING, 0},
    /* 21: policy.v1.Eviction */
    {1, 42, 65, MESSAGE, 0}, {2, 624, 14, MESSAGE, 0},
    /* 22: flowcontrol.v1.FlowSchema */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 101, MESSAGE, 0}, {3, 56, 102, MESSAGE, 0},
    /* 23: autoscaling.v2.HorizontalPodAutoscaler */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 103, MESSAGE, 0}, {3, 56, 104, MESSAGE, 0},
    /* 24: networking.v1.IPAddress */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 105, MESSAGE, 0},
    /* 25: networking.v1.Ingress */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 106, MESSAGE, 0}, {3, 56, 107, MESSAGE, 0},
    /* 26: networking.v1.IngressClass */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 108, MESSAGE, 0},
    /* 27: batch.v1.Job */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 109, MESSAGE, 0}, {3, 56, 110, MESSAGE, 0},
    /* 28: coordination.v1.Lease */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 111, MESSAGE, 0},
    /* 29: core.v1.LimitRange */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 112, MESSAGE, 0},
    /* 30: admissionregistration.v1.MutatingAdmissionPolicy */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 113, MESSAGE, 0},
    /* 31: admissionregistration.v1.MutatingAdmissionPolicyBinding */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 114, MESSAGE, 0},
    /* 32: admissionregistration.v1.MutatingWebhookConfiguration */
    {1, 42, 65, MESSAGE, 0}, {2, 638, 115, MESSAGE, R},
    /* 33: core.v1.Namespace */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 116, MESSAGE, 0}, {3, 56, 117, MESSAGE, 0},
    /* 34: networking.v1.NetworkPolicy */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 118, MESSAGE, 0},
    /* 35: core.v1.Node */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 119, MESSAGE, 0}, {3, 56, 120, MESSAGE, 0},
    /* 36: core.v1.PersistentVolume */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 121, MESSAGE, 0}, {3, 56, 122, MESSAGE, 0},
    /* 37: core.v1.PersistentVolumeClaim */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 123, MESSAGE, 0}, {3, 56, 124, MESSAGE, 0},
    /* 38: core.v1.Pod */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 125, MESSAGE, 0}, {3, 56, 126, MESSAGE, 0},
    /* 39: policy.v1.PodDisruptionBudget */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 127, MESSAGE, 0}, {3, 56, 128, MESSAGE, 0},
    /* 40: core.v1.PodTemplate */
    {1, 42, 65, MESSAGE, 0}, {2, 647, 129, MESSAGE, 0},
    /* 41: scheduling.v1.PriorityClass */
    {1, 42, 65, MESSAGE, 0}, {2, 656, 0, INT32, 0}, {3, 662, 0, BOOL, O}, {4, 676, 0, STRING, O},
    {5, 688, 0, STRING, 0},
    /* 42: flowcontrol.v1.PriorityLevelConfiguration */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 130, MESSAGE, 0}, {3, 56, 131, MESSAGE, 0},
    /* 43: apps.v1.ReplicaSet */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 132, MESSAGE, 0}, {3, 56, 133, MESSAGE, 0},
    /* 44: core.v1.ReplicationController */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 134, MESSAGE, 0}, {3, 56, 135, MESSAGE, 0},
    /* 45: resource.v1.ResourceClaim */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 136, MESSAGE, 0}, {3, 56, 137, MESSAGE, 0},
    /* 46: resource.v1.ResourceClaimTemplate */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 138, MESSAGE, 0},
    /* 47: core.v1.ResourceQuota */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 139, MESSAGE, 0}, {3, 56, 140, MESSAGE, 0},
    /* 48: resource.v1.ResourceSlice */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 141, MESSAGE, 0},
    /* 49: rbac.v1.Role */
    {1, 42, 65, MESSAGE, 0}, {2, 127, 76, MESSAGE, R|N},
    /* 50: rbac.v1.RoleBinding */
    {1, 42, 65, MESSAGE, 0}, {2, 149, 78, MESSAGE, R}, {3, 158, 79, MESSAGE, 0},
    /* 51: node.v1.RuntimeClass */
    {1, 42, 65, MESSAGE, 0}, {2, 705, 0, STRING, 0}, {3, 713, 142, MESSAGE, 0},
    {4, 722, 143, MESSAGE, 0},
    /* 52: autoscaling.v1.Scale */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 144, MESSAGE, 0}, {3, 56, 145, MESSAGE, 0},
    /* 53: core.v1.Secret */
    {1, 42, 65, MESSAGE, 0}, {2, 166, 81, MESSAGE, M}, {3, 453, 0, STRING, O},
    {4, 733, 80, MESSAGE, M}, {5, 182, 0, BOOL, 0},
    /* 54: core.v1.Service */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 146, MESSAGE, 0}, {3, 56, 147, MESSAGE, 0},
    /* 55: core.v1.ServiceAccount */
    {1, 42, 65, MESSAGE, 0}, {2, 744, 68, MESSAGE, R}, {3, 752, 148, MESSAGE, R},
    {4, 769, 0, BOOL, 0},
    /* 56: networking.v1.ServiceCIDR */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 149, MESSAGE, 0}, {3, 56, 150, MESSAGE, 0},
    /* 57: apps.v1.StatefulSet */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 151, MESSAGE, 0}, {3, 56, 152, MESSAGE, 0},
    /* 58: storage.v1.StorageClass */
    {1, 42, 65, MESSAGE, 0}, {2, 798, 0, STRING, 0}, {3, 810, 80, MESSAGE, M},
    {4, 821, 0, STRING, 0}, {5, 835, 0, STRING, R}, {6, 848, 0, BOOL, 0}, {7, 869, 0, STRING, 0},
    {8, 887, 153, MESSAGE, R},
    /* 59: admissionregistration.v1.ValidatingAdmissionPolicy */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 154, MESSAGE, 0}, {3, 56, 155, MESSAGE, 0},
    /* 60: admissionregistration.v1.ValidatingAdmissionPolicyBinding */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 156, MESSAGE, 0},
    /* 61: admissionregistration.v1.ValidatingWebhookConfiguration */
    {1, 42, 65, MESSAGE, 0}, {2, 638, 157, MESSAGE, R},
    /* 62: storage.v1.VolumeAttachment */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 158, MESSAGE, 0}, {3, 56, 159, MESSAGE, 0},
    /* 63: storage.v1.VolumeAttributesClass */
    {1, 42, 65, MESSAGE, 0}, {2, 905, 0, STRING, 0}, {3, 810, 80, MESSAGE, M},
    /* 64: pkg.runtime.TypeMeta */
    {1, 916, 0, STRING, O}, {2, 927, 0, STRING, O},
    /* 65: meta.v1.ObjectMeta */
    {1, 932, 0, STRING, O}, {2, 937, 0, STRING, O}, {3, 950, 0, STRING, O}, {4, 960, 0, STRING, O},
    {5, 969, 0, STRING, O}, {6, 973, 0, STRING, O}, {7, 989, 0, INT64, O},
    {8, 1000, 99, MESSAGE, O}, {9, 1018, 99, MESSAGE, 0}, {10, 1036, 0, INT64, 0},
    {11, 1063, 80, MESSAGE, M}, {12, 1070, 80, MESSAGE, M}, {13, 1082, 160, MESSAGE, R},
    {14, 1098, 0, STRING, R}, {17, 1109, 161, MESSAGE, R},
    /* 66: apiregistration.v1.APIServiceSpec */
    {1, 1123, 162, MESSAGE, 0}, {2, 1131, 0, STRING, O}, {3, 1137, 0, STRING, O},
    {4, 1145, 0, BOOL, O}, {5, 1167, 0, BYTES, O}, {7, 1176, 0, INT32, 0}, {8, 1197, 0, INT32, 0},
    /* 67: apiregistration.v1.APIServiceStatus */
    {1, 1213, 163, MESSAGE, R},
    /* 68: core.v1.ObjectReference */
    {1, 927, 0, STRING, O}, {2, 950, 0, STRING, O}, {3, 932, 0, STRING, O}, {4, 969, 0, STRING, O},
    {5, 916, 0, STRING, O}, {6, 973, 0, STRING, O}, {7, 1224, 0, STRING, O},
    /* 69: storage.v1.CSIDriverSpec */
    {1, 1234, 0, BOOL, 0}, {2, 1249, 0, BOOL, 0}, {3, 1264, 0, STRING, R}, {4, 1285, 0, BOOL, 0},
    {5, 1301, 0, STRING, 0}, {6, 1315, 164, MESSAGE, R}, {7, 1329, 0, BOOL, 0},
    {8, 1347, 0, BOOL, 0}, {9, 1360, 0, INT64, 0}, {10, 1395, 0, BOOL, 0}, {11, 1424, 0, BOOL, 0},
    /* 70: storage.v1.CSINodeSpec */
    {1, 1454, 165, MESSAGE, R|N},
    /* 71: storage.v1.CSINodeStatus */
    {1, 1462, 166, MESSAGE, R},
    /* 72: meta.v1.LabelSelector */
    {1, 1476, 80, MESSAGE, M}, {2, 1488, 167, MESSAGE, R},
    /* 73: api.resource.Quantity */
    {1, 1505, 0, STRING, 0},
    /* 74: certificates.v1.CertificateSigningRequestSpec */
    {1, 1512, 0, BYTES, N}, {2, 1520, 0, STRING, O}, {3, 969, 0, STRING, O},
    {4, 1529, 0, STRING, R}, {5, 1536, 0, STRING, R}, {6, 1543, 169, MESSAGE, M},
    {7, 1549, 0, STRING, 0}, {8, 1560, 0, INT32, 0},
    /* 75: certificates.v1.CertificateSigningRequestStatus */
    {1, 1213, 170, MESSAGE, R}, {2, 1578, 0, BYTES, O},
    /* 76: rbac.v1.PolicyRule */
    {1, 1590, 0, STRING, R|N}, {2, 1596, 0, STRING, R}, {3, 1606, 0, STRING, R},
    {4, 1616, 0, STRING, R}, {5, 1630, 0, STRING, R},
    /* 77: rbac.v1.AggregationRule */
    {1, 1646, 72, MESSAGE, R},
    /* 78: rbac.v1.Subject */
    {1, 927, 0, STRING, 0}, {2, 1667, 0, STRING, O}, {3, 932, 0, STRING, 0}, {4, 950, 0, STRING, O},
    /* 79: rbac.v1.RoleRef */
    {1, 1667, 0, STRING, 0}, {2, 927, 0, STRING, 0}, {3, 932, 0, STRING, 0},
    /* 80: map of string */
    {1, 0, 0, STRING, 0}, {2, 0, 0, STRING, 0},
    /* 81: map of bytes */
    {1, 0, 0, STRING, 0}, {2, 0, 0, BYTES, 0},
    /* 82: pkg.runtime.RawExtension */
    {1, 10, 0, BYTES, 0},
    /* 83: batch.v1.CronJobSpec */
    {1, 1676, 0, STRING, 0}, {2, 1685, 0, INT64, 0}, {3, 1709, 0, STRING, O}, {4, 1727, 0, BOOL, 0},
    {5, 1735, 171, MESSAGE, 0}, {6, 1747, 0, INT32, 0}, {7, 1774, 0, INT32, 0},
    {8, 1797, 0, STRING, 0},
    /* 84: batch.v1.CronJobStatus */
    {1, 1806, 68, MESSAGE, R}, {4, 1813, 99, MESSAGE, 0}, {5, 1830, 99, MESSAGE, 0},
    /* 85: apiextensions.v1.CustomResourceDefinitionSpec */
    {1, 1131, 0, STRING, 0}, {3, 1849, 172, MESSAGE, 0}, {4, 1855, 0, STRING, 0},
    {7, 1861, 173, MESSAGE, R|N}, {9, 1870, 174, MESSAGE, 0}, {10, 1881, 0, BOOL, O},
    /* 86: apiextensions.v1.CustomResourceDefinitionStatus */
    {1, 1213, 175, MESSAGE, R|N}, {2, 1903, 172, MESSAGE, 0}, {3, 1917, 0, STRING, R|N},
    {4, 1932, 0, INT64, O},
    /* 87: apps.v1.DaemonSetSpec */
    {1, 1951, 72, MESSAGE, N}, {2, 647, 129, MESSAGE, 0}, {3, 1960, 176, MESSAGE, 0},
    {4, 1975, 0, INT32, O}, {6, 1991, 0, INT32, 0},
    /* 88: apps.v1.DaemonSetStatus */
    {1, 2012, 0, INT32, 0}, {2, 2035, 0, INT32, 0}, {3, 2054, 0, INT32, 0}, {4, 2077, 0, INT32, 0},
    {5, 1932, 0, INT64, O}, {6, 2089, 0, INT32, O}, {7, 2112, 0, INT32, O}, {8, 2128, 0, INT32, O},
    {9, 2146, 0, INT32, 0}, {10, 1213, 177, MESSAGE, R},
    /* 89: meta.v1.Preconditions */
    {1, 969, 0, STRING, 0}, {2, 973, 0, STRING, 0},
    /* 90: apps.v1.DeploymentSpec */
    {1, 2161, 0, INT32, 0}, {2, 1951, 72, MESSAGE, N}, {3, 647, 129, MESSAGE, 0},
    {4, 2170, 178, MESSAGE, 0}, {5, 1975, 0, INT32, O}, {6, 1991, 0, INT32, 0},
    {7, 2179, 0, BOOL, O}, {9, 2186, 0, INT32, 0},
    /* 91: apps.v1.DeploymentStatus */
    {1, 1932, 0, INT64, O}, {2, 2161, 0, INT32, O}, {3, 2210, 0, INT32, O}, {4, 2226, 0, INT32, O},
    {5, 2244, 0, INT32, O}, {6, 1213, 179, MESSAGE, R}, {7, 2264, 0, INT32, O},
    {8, 2146, 0, INT32, 0}, {9, 2278, 0, INT32, 0},
    /* 92: resource.v1.DeviceClassSpec */
    {1, 2298, 180, MESSAGE, R}, {2, 2308, 181, MESSAGE, R}, {4, 2315, 0, STRING, 0},
    /* 93: discovery.v1.Endpoint */
    {1, 2336, 0, STRING, R|N}, {2, 1213, 182, MESSAGE, 0}, {3, 2346, 0, STRING, 0},
    {4, 2355, 68, MESSAGE, 0}, {5, 2365, 80, MESSAGE, M}, {6, 2384, 0, STRING, 0},
    {7, 2393, 0, STRING, 0}, {8, 2398, 183, MESSAGE, 0},
    /* 94: discovery.v1.EndpointPort */
    {1, 932, 0, STRING, 0}, {2, 2404, 0, STRING, 0}, {3, 2413, 0, INT32, 0},
    {4, 2418, 0, STRING, 0},
    /* 95: core.v1.EndpointSubset */
    {1, 2336, 184, MESSAGE, R}, {2, 2430, 184, MESSAGE, R}, {3, 335, 185, MESSAGE, R},
    /* 96: meta.v1.MicroTime */
    {1, 2448, 0, INT64, 0}, {2, 2456, 0, INT32, 0},
    /* 97: events.v1.EventSeries */
    {1, 599, 0, INT32, 0}, {2, 2462, 96, MESSAGE, 0},
    /* 98: core.v1.EventSource */
    {1, 2479, 0, STRING, O}, {2, 2489, 0, STRING, O},
    /* 99: meta.v1.Time */
    {1, 2448, 0, INT64, 0}, {2, 2456, 0, INT32, 0},
    /* 100: core.v1.EventSeries */
    {1, 599, 0, INT32, O}, {2, 2462, 96, MESSAGE, 0},
    /* 101: flowcontrol.v1.FlowSchemaSpec */
    {1, 2494, 186, MESSAGE, 0}, {2, 2521, 0, INT32, 0}, {3, 2540, 187, MESSAGE, 0},
    {4, 127, 188, MESSAGE, R},
    /* 102: flowcontrol.v1.FlowSchemaStatus */
    {1, 1213, 189, MESSAGE, R},
    /* 103: autoscaling.v2.HorizontalPodAutoscalerSpec */
    {1, 2560, 190, MESSAGE, 0}, {2, 2575, 0, INT32, 0}, {3, 2587, 0, INT32, 0},
    {4, 2599, 191, MESSAGE, R}, {5, 2607, 192, MESSAGE, 0},
    /* 104: autoscaling.v2.HorizontalPodAutoscalerStatus */
    {1, 1932, 0, INT64, 0}, {2, 2616, 99, MESSAGE, 0}, {3, 2630, 0, INT32, O},
    {4, 2646, 0, INT32, 0}, {5, 2662, 193, MESSAGE, R|N}, {6, 1213, 194, MESSAGE, R},
    /* 105: networking.v1.IPAddressSpec */
    {1, 2677, 195, MESSAGE, 0},
    /* 106: networking.v1.IngressSpec */
    {1, 2687, 196, MESSAGE, 0}, {2, 2702, 197, MESSAGE, R}, {3, 127, 198, MESSAGE, R},
    {4, 2706, 0, STRING, 0},
    /* 107: networking.v1.IngressStatus */
    {1, 2723, 199, MESSAGE, 0},
    /* 108: networking.v1.IngressClassSpec */
    {1, 2736, 0, STRING, O}, {2, 810, 200, MESSAGE, 0},
    /* 109: batch.v1.JobSpec */
    {1, 2747, 0, INT32, 0}, {2, 2759, 0, INT32, 0}, {3, 2771, 0, INT64, 0},
    {4, 1951, 72, MESSAGE, 0}, {5, 2793, 0, BOOL, 0}, {6, 647, 129, MESSAGE, 0},
    {7, 2808, 0, INT32, 0}, {8, 2821, 0, INT32, 0}, {9, 2845, 0, STRING, 0}, {10, 1727, 0, BOOL, 0},
    {11, 2860, 201, MESSAGE, 0}, {12, 2877, 0, INT32, 0}, {13, 2898, 0, INT32, 0},
    {14, 2915, 0, STRING, 0}, {15, 2936, 0, STRING, 0}, {16, 2946, 202, MESSAGE, 0},
    {17, 722, 203, MESSAGE, 0},
    /* 110: batch.v1.JobStatus */
    {1, 1213, 204, MESSAGE, R}, {2, 2960, 99, MESSAGE, 0}, {3, 2970, 99, MESSAGE, 0},
    {4, 1806, 0, INT32, O}, {5, 2985, 0, INT32, O}, {6, 2995, 0, INT32, O}, {7, 3002, 0, STRING, O},
    {8, 3019, 205, MESSAGE, 0}, {9, 3043, 0, INT32, 0}, {10, 3049, 0, STRING, 0},
    {11, 3063, 0, INT32, 0},
    /* 111: coordination.v1.LeaseSpec */
    {1, 3075, 0, STRING, 0}, {2, 3090, 0, INT32, 0}, {3, 3111, 96, MESSAGE, 0},
    {4, 3123, 96, MESSAGE, 0}, {5, 3133, 0, INT32, 0}, {6, 2170, 0, STRING, 0},
    {7, 3150, 0, STRING, 0},
    /* 112: core.v1.LimitRangeSpec */
    {1, 3166, 206, MESSAGE, R|N},
    /* 113: admissionregistration.v1.MutatingAdmissionPolicySpec */
    {1, 3173, 207, MESSAGE, 0}, {2, 3183, 208, MESSAGE, 0}, {3, 3200, 209, MESSAGE, R},
    {4, 3210, 210, MESSAGE, R}, {5, 3220, 0, STRING, 0}, {6, 3234, 211, MESSAGE, R},
    {7, 3250, 0, STRING, O},
    /* 114: admissionregistration.v1.MutatingAdmissionPolicyBindingSpec */
    {1, 3269, 0, STRING, O}, {2, 3280, 212, MESSAGE, 0}, {3, 3289, 208, MESSAGE, 0},
    /* 115: admissionregistration.v1.MutatingWebhook */
    {1, 932, 0, STRING, 0}, {2, 3304, 213, MESSAGE, 0}, {3, 127, 214, MESSAGE, R},
    {4, 3220, 0, STRING, 0}, {5, 3317, 72, MESSAGE, 0}, {6, 3335, 0, STRING, N},
    {7, 3347, 0, INT32, 0}, {8, 3362, 0, STRING, R|N}, {9, 3386, 0, STRING, 0},
    {10, 3250, 0, STRING, 0}, {11, 3398, 72, MESSAGE, 0}, {12, 3234, 211, MESSAGE, R},
    /* 116: core.v1.NamespaceSpec */
    {1, 1098, 0, STRING, R},
    /* 117: core.v1.NamespaceStatus */
    {1, 3413, 0, STRING, O}, {2, 1213, 215, MESSAGE, R},
    /* 118: networking.v1.NetworkPolicySpec */
    {1, 3419, 72, MESSAGE, 0}, {2, 3431, 216, MESSAGE, R}, {3, 3439, 217, MESSAGE, R},
    {4, 3446, 0, STRING, R},
    /* 119: core.v1.NodeSpec */
    {1, 3458, 0, STRING, O}, {2, 3466, 0, STRING, O}, {3, 3477, 0, STRING, O},
    {4, 3488, 0, BOOL, O}, {5, 3502, 218, MESSAGE, R}, {6, 3509, 219, MESSAGE, 0},
    {7, 3522, 0, STRING, R}, {8, 3531, 220, MESSAGE, 0},
    /* 120: core.v1.NodeStatus */
    {1, 100, 221, MESSAGE, M}, {2, 3551, 221, MESSAGE, M}, {3, 3413, 0, STRING, O},
    {4, 1213, 222, MESSAGE, R}, {5, 2336, 223, MESSAGE, R}, {6, 3563, 224, MESSAGE, 0},
    {7, 3579, 225, MESSAGE, 0}, {8, 3588, 226, MESSAGE, R}, {9, 3595, 0, STRING, R},
    {10, 3608, 227, MESSAGE, R}, {11, 2308, 228, MESSAGE, 0}, {12, 3624, 229, MESSAGE, R},
    {13, 3640, 230, MESSAGE, 0}, {14, 3649, 0, STRING, R},
    /* 121: core.v1.PersistentVolumeSpec */
    {1, 100, 221, MESSAGE, M}, {2, 0, 231, MESSAGE, I}, {3, 3666, 0, STRING, R},
    {4, 3678, 68, MESSAGE, 0}, {5, 3687, 0, STRING, O}, {6, 83, 0, STRING, O},
    {7, 835, 0, STRING, R}, {8, 3717, 0, STRING, 0}, {9, 3728, 232, MESSAGE, 0},
    {10, 3741, 0, STRING, 0},
    /* 122: core.v1.PersistentVolumeStatus */
    {1, 3413, 0, STRING, O}, {2, 555, 0, STRING, O}, {3, 423, 0, STRING, O},
    {4, 3767, 99, MESSAGE, 0},
    /* 123: core.v1.PersistentVolumeClaimSpec */
    {1, 3666, 0, STRING, R}, {2, 1606, 233, MESSAGE, 0}, {3, 3791, 0, STRING, O},
    {4, 1951, 72, MESSAGE, 0}, {5, 83, 0, STRING, 0}, {6, 3717, 0, STRING, 0},
    {7, 3802, 234, MESSAGE, 0}, {8, 3813, 235, MESSAGE, 0}, {9, 3741, 0, STRING, 0},
    /* 124: core.v1.PersistentVolumeClaimStatus */
    {1, 3413, 0, STRING, O}, {2, 3666, 0, STRING, R}, {3, 100, 221, MESSAGE, M},
    {4, 1213, 236, MESSAGE, R}, {5, 3827, 221, MESSAGE, M}, {7, 3846, 80, MESSAGE, M},
    {8, 3872, 0, STRING, 0}, {9, 3905, 237, MESSAGE, 0}, {10, 3924, 238, MESSAGE, 0},
    /* 125: core.v1.PodSpec */
    {1, 3937, 239, MESSAGE, R}, {2, 3945, 240, MESSAGE, R|N}, {3, 3956, 0, STRING, O},
    {4, 3970, 0, INT64, 0}, {5, 2771, 0, INT64, 0}, {6, 4000, 0, STRING, O},
    {7, 4010, 80, MESSAGE, M}, {8, 4023, 0, STRING, O}, {9, 4042, 0, STRING, O},
    {10, 2384, 0, STRING, O}, {11, 4057, 0, BOOL, O}, {12, 4069, 0, BOOL, O},
    {13, 4077, 0, BOOL, O}, {14, 4096, 241, MESSAGE, 0}, {15, 752, 148, MESSAGE, R},
    {16, 2346, 0, STRING, O}, {17, 4112, 0, STRING, O}, {18, 4122, 242, MESSAGE, 0},
    {19, 4131, 0, STRING, O}, {20, 4145, 240, MESSAGE, R}, {21, 769, 0, BOOL, 0},
    {22, 4160, 243, MESSAGE, R}, {23, 4172, 244, MESSAGE, R}, {24, 4184, 0, STRING, O},
    {25, 4202, 0, INT32, 0}, {26, 4211, 245, MESSAGE, 0}, {27, 4221, 0, BOOL, 0},
    {28, 4243, 246, MESSAGE, R}, {29, 4258, 0, STRING, 0}, {30, 4275, 0, BOOL, 0},
    {31, 688, 0, STRING, 0}, {32, 713, 221, MESSAGE, M}, {33, 4294, 247, MESSAGE, R},
    {34, 4320, 248, MESSAGE, R}, {35, 4340, 0, BOOL, 0}, {36, 4358, 249, MESSAGE, 0},
    {37, 4361, 0, BOOL, 0}, {38, 4371, 250, MESSAGE, R}, {39, 4387, 251, MESSAGE, R},
    {40, 1606, 252, MESSAGE, 0}, {41, 4402, 0, STRING, 0}, {43, 4419, 253, MESSAGE, 0},
    {44, 4435, 254, MESSAGE, R},
    /* 126: core.v1.PodStatus */
    {1, 3413, 0, STRING, O}, {2, 1213, 255, MESSAGE, R}, {3, 555, 0, STRING, O},
    {4, 423, 0, STRING, O}, {5, 4454, 0, STRING, O}, {6, 4461, 0, STRING, O},
    {7, 2960, 99, MESSAGE, 0}, {8, 4467, 256, MESSAGE, R}, {9, 4485, 0, STRING, O},
    {10, 4494, 256, MESSAGE, R}, {11, 4516, 0, STRING, O}, {12, 4534, 257, MESSAGE, R},
    {13, 4541, 256, MESSAGE, R}, {14, 4568, 0, STRING, O}, {15, 4575, 258, MESSAGE, R},
    {16, 4597, 259, MESSAGE, R}, {17, 1932, 0, INT64, O}, {18, 4605, 260, MESSAGE, 0},
    {19, 3827, 221, MESSAGE, M}, {20, 1606, 252, MESSAGE, 0}, {21, 4633, 261, MESSAGE, R},
    {22, 4670, 262, MESSAGE, R},
    /* 127: policy.v1.PodDisruptionBudgetSpec */
    {1, 4683, 263, MESSAGE, 0}, {2, 1951, 72, MESSAGE, 0}, {3, 4696, 263, MESSAGE, 0},
    {4, 4711, 0, STRING, 0},
    /* 128: policy.v1.PodDisruptionBudgetStatus */
    {1, 1932, 0, INT64, O}, {2, 4738, 264, MESSAGE, M}, {3, 4752, 0, INT32, 0},
    {4, 4771, 0, INT32, 0}, {5, 4786, 0, INT32, 0}, {6, 4801, 0, INT32, 0},
    {7, 1213, 265, MESSAGE, R},
    /* 129: core.v1.PodTemplateSpec */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 125, MESSAGE, 0},
    /* 130: flowcontrol.v1.PriorityLevelConfigurationSpec */
    {1, 453, 0, STRING, 0}, {2, 4814, 266, MESSAGE, 0}, {3, 4822, 267, MESSAGE, 0},
    /* 131: flowcontrol.v1.PriorityLevelConfigurationStatus */
    {1, 1213, 268, MESSAGE, R},
    /* 132: apps.v1.ReplicaSetSpec */
    {1, 2161, 0, INT32, 0}, {2, 1951, 72, MESSAGE, N}, {3, 647, 129, MESSAGE, 0},
    {4, 1975, 0, INT32, O},
    /* 133: apps.v1.ReplicaSetStatus */
    {1, 2161, 0, INT32, 0}, {2, 4829, 0, INT32, O}, {3, 1932, 0, INT64, O}, {4, 2264, 0, INT32, O},
    {5, 2226, 0, INT32, O}, {6, 1213, 269, MESSAGE, R}, {7, 2278, 0, INT32, 0},
    /* 134: core.v1.ReplicationControllerSpec */
    {1, 2161, 0, INT32, 0}, {2, 1951, 80, MESSAGE, M}, {3, 647, 129, MESSAGE, 0},
    {4, 1975, 0, INT32, O},
    /* 135: core.v1.ReplicationControllerStatus */
    {1, 2161, 0, INT32, 0}, {2, 4829, 0, INT32, O}, {3, 1932, 0, INT64, O}, {4, 2264, 0, INT32, O},
    {5, 2226, 0, INT32, O}, {6, 1213, 270, MESSAGE, R},
    /* 136: resource.v1.ResourceClaimSpec */
    {1, 4850, 271, MESSAGE, 0},
    /* 137: resource.v1.ResourceClaimStatus */
    {1, 4858, 272, MESSAGE, 0}, {2, 4869, 273, MESSAGE, R}, {4, 4850, 274, MESSAGE, R},
    /* 138: resource.v1.ResourceClaimTemplateSpec */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 136, MESSAGE, 0},
    /* 139: core.v1.ResourceQuotaSpec */
    {1, 4881, 221, MESSAGE, M}, {2, 4886, 0, STRING, R}, {3, 4893, 275, MESSAGE, 0},
    /* 140: core.v1.ResourceQuotaStatus */
    {1, 4881, 221, MESSAGE, M}, {2, 4907, 221, MESSAGE, M},
    /* 141: resource.v1.ResourceSliceSpec */
    {1, 4912, 0, STRING, 0}, {2, 4919, 276, MESSAGE, 0}, {3, 2384, 0, STRING, 0},
    {4, 4010, 277, MESSAGE, 0}, {5, 4924, 0, BOOL, 0}, {6, 4850, 278, MESSAGE, R},
    {7, 4933, 0, BOOL, 0}, {8, 4956, 279, MESSAGE, R}, {9, 4971, 0, STRING, 0},
    {10, 4994, 0, STRING, R},
    /* 142: node.v1.Overhead */
    {1, 5013, 221, MESSAGE, M},
    /* 143: node.v1.Scheduling */
    {1, 4010, 80, MESSAGE, M}, {2, 4160, 243, MESSAGE, R},
    /* 144: autoscaling.v1.ScaleSpec */
    {1, 2161, 0, INT32, O},
    /* 145: autoscaling.v1.ScaleStatus */
    {1, 2161, 0, INT32, 0}, {2, 1951, 0, STRING, O},
    /* 146: core.v1.ServiceSpec */
    {1, 335, 280, MESSAGE, R}, {2, 1951, 80, MESSAGE, M}, {3, 5022, 0, STRING, O},
    {4, 453, 0, STRING, O}, {5, 5032, 0, STRING, R}, {7, 5044, 0, STRING, O},
    {8, 5060, 0, STRING, O}, {9, 5075, 0, STRING, R}, {10, 5100, 0, STRING, O},
    {11, 5113, 0, STRING, O}, {12, 5135, 0, INT32, O}, {13, 5155, 0, BOOL, O},
    {14, 5180, 281, MESSAGE, 0}, {17, 5202, 0, STRING, 0}, {18, 5217, 0, STRING, R},
    {19, 5228, 0, STRING, R}, {20, 5239, 0, BOOL, 0}, {21, 5269, 0, STRING, 0},
    {22, 5287, 0, STRING, 0}, {23, 5309, 0, STRING, 0},
    /* 147: core.v1.ServiceStatus */
    {1, 2723, 282, MESSAGE, 0}, {2, 1213, 265, MESSAGE, R},
    /* 148: core.v1.LocalObjectReference */
    {1, 932, 0, STRING, O},
    /* 149: networking.v1.ServiceCIDRSpec */
    {1, 5329, 0, STRING, R},
    /* 150: networking.v1.ServiceCIDRStatus */
    {1, 1213, 265, MESSAGE, R},
    /* 151: apps.v1.StatefulSetSpec */
    {1, 2161, 0, INT32, 0}, {2, 1951, 72, MESSAGE, N}, {3, 647, 129, MESSAGE, 0},
    {4, 5335, 37, MESSAGE, R}, {5, 5356, 0, STRING, 0}, {6, 5368, 0, STRING, O},
    {7, 1960, 283, MESSAGE, 0}, {8, 1991, 0, INT32, 0}, {9, 1975, 0, INT32, O},
    {10, 5388, 284, MESSAGE, 0}, {11, 5425, 285, MESSAGE, 0},
    /* 152: apps.v1.StatefulSetStatus */
    {1, 1932, 0, INT64, O}, {2, 2161, 0, INT32, 0}, {3, 2264, 0, INT32, O}, {4, 2630, 0, INT32, O},
    {5, 2210, 0, INT32, O}, {6, 5434, 0, STRING, O}, {7, 5450, 0, STRING, O},
    {9, 2146, 0, INT32, 0}, {10, 1213, 286, MESSAGE, R}, {11, 2226, 0, INT32, 0},
    /* 153: core.v1.TopologySelectorTerm */
    {1, 5465, 287, MESSAGE, R},
    /* 154: admissionregistration.v1.ValidatingAdmissionPolicySpec */
    {1, 3173, 207, MESSAGE, 0}, {2, 3183, 208, MESSAGE, 0}, {3, 5487, 288, MESSAGE, R},
    {4, 3220, 0, STRING, 0}, {5, 5499, 289, MESSAGE, R}, {6, 3234, 211, MESSAGE, R},
    {7, 3200, 209, MESSAGE, R},
    /* 155: admissionregistration.v1.ValidatingAdmissionPolicyStatus */
    {1, 1932, 0, INT64, O}, {2, 5516, 290, MESSAGE, 0}, {3, 1213, 265, MESSAGE, R},
    /* 156: admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec */
    {1, 3269, 0, STRING, O}, {2, 3280, 212, MESSAGE, 0}, {3, 3289, 208, MESSAGE, 0},
    {4, 5529, 0, STRING, R},
    /* 157: admissionregistration.v1.ValidatingWebhook */
    {1, 932, 0, STRING, 0}, {2, 3304, 213, MESSAGE, 0}, {3, 127, 214, MESSAGE, R},
    {4, 3220, 0, STRING, 0}, {5, 3317, 72, MESSAGE, 0}, {6, 3335, 0, STRING, N},
    {7, 3347, 0, INT32, 0}, {8, 3362, 0, STRING, R|N}, {9, 3386, 0, STRING, 0},
    {10, 3398, 72, MESSAGE, 0}, {11, 3234, 211, MESSAGE, R},
    /* 158: storage.v1.VolumeAttachmentSpec */
    {1, 5547, 0, STRING, 0}, {2, 563, 291, MESSAGE, 0}, {3, 2384, 0, STRING, 0},
    /* 159: storage.v1.VolumeAttachmentStatus */
    {1, 5556, 0, BOOL, 0}, {2, 5565, 80, MESSAGE, M}, {3, 5584, 292, MESSAGE, 0},
    {4, 5596, 292, MESSAGE, 0},
    /* 160: meta.v1.OwnerReference */
    {1, 927, 0, STRING, 0}, {3, 932, 0, STRING, 0}, {4, 969, 0, STRING, 0}, {5, 916, 0, STRING, 0},
    {6, 2736, 0, BOOL, 0}, {7, 5608, 0, BOOL, 0},
    /* 161: meta.v1.ManagedFieldsEntry */
    {1, 5627, 0, STRING, O}, {2, 5635, 0, STRING, O}, {3, 916, 0, STRING, O},
    {4, 5645, 99, MESSAGE, 0}, {6, 5650, 0, STRING, O}, {7, 5661, 293, MESSAGE, 0},
    {8, 5670, 0, STRING, O},
    /* 162: apiregistration.v1.ServiceReference */
    {1, 950, 0, STRING, O}, {2, 932, 0, STRING, O}, {3, 2413, 0, INT32, 0},
    /* 163: apiregistration.v1.APIServiceCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 164: storage.v1.TokenRequest */
    {1, 5701, 0, STRING, 0}, {2, 1560, 0, INT64, 0},
    /* 165: storage.v1.CSINodeDriver */
    {1, 932, 0, STRING, 0}, {2, 5710, 0, STRING, 0}, {3, 5717, 0, STRING, R|N},
    {4, 3551, 294, MESSAGE, 0},
    /* 166: storage.v1.StorageHealth */
    {1, 932, 0, STRING, 0}, {2, 5730, 295, MESSAGE, R},
    /* 167: meta.v1.LabelSelectorRequirement */
    {1, 5747, 0, STRING, 0}, {2, 5751, 0, STRING, 0}, {3, 5760, 0, STRING, R},
    /* 168: certificates.v1.ExtraValue */
    {1, 5767, 0, STRING, R},
    /* 169: map of certificates.v1.ExtraValue */
    {1, 0, 0, STRING, 0}, {2, 0, 168, MESSAGE, 0},
    /* 170: certificates.v1.CertificateSigningRequestCondition */
    {1, 453, 0, STRING, 0}, {2, 423, 0, STRING, O}, {3, 555, 0, STRING, O},
    {4, 5773, 99, MESSAGE, 0}, {5, 5682, 99, MESSAGE, 0}, {6, 56, 0, STRING, 0},
    /* 171: batch.v1.JobTemplateSpec */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 109, MESSAGE, 0},
    /* 172: apiextensions.v1.CustomResourceDefinitionNames */
    {1, 5788, 0, STRING, 0}, {2, 5795, 0, STRING, O}, {3, 5804, 0, STRING, R},
    {4, 927, 0, STRING, 0}, {5, 5815, 0, STRING, O}, {6, 5824, 0, STRING, R},
    /* 173: apiextensions.v1.CustomResourceDefinitionVersion */
    {1, 932, 0, STRING, 0}, {2, 5835, 0, BOOL, 0}, {3, 5842, 0, BOOL, 0},
    {4, 5850, 296, MESSAGE, 0}, {5, 5857, 297, MESSAGE, 0}, {6, 5870, 298, MESSAGE, R},
    {7, 5895, 0, BOOL, O}, {8, 5906, 0, STRING, 0}, {9, 5925, 299, MESSAGE, R},
    /* 174: apiextensions.v1.CustomResourceConversion */
    {1, 2170, 0, STRING, 0}, {2, 5942, 300, MESSAGE, 0},
    /* 175: apiextensions.v1.CustomResourceDefinitionCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O}, {6, 1932, 0, INT64, O},
    /* 176: apps.v1.DaemonSetUpdateStrategy */
    {1, 453, 0, STRING, O}, {2, 5950, 301, MESSAGE, 0},
    /* 177: apps.v1.DaemonSetCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 178: apps.v1.DeploymentStrategy */
    {1, 453, 0, STRING, O}, {2, 5950, 302, MESSAGE, 0},
    /* 179: apps.v1.DeploymentCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    {6, 5773, 99, MESSAGE, 0}, {7, 5682, 99, MESSAGE, 0},
    /* 180: resource.v1.DeviceSelector */
    {1, 5964, 303, MESSAGE, 0},
    /* 181: resource.v1.DeviceClassConfiguration */
    {1, 0, 304, MESSAGE, I},
    /* 182: discovery.v1.EndpointConditions */
    {1, 3043, 0, BOOL, 0}, {2, 5968, 0, BOOL, 0}, {3, 3063, 0, BOOL, 0},
    /* 183: discovery.v1.EndpointHints */
    {1, 5976, 305, MESSAGE, R}, {2, 5985, 306, MESSAGE, R},
    /* 184: core.v1.EndpointAddress */
    {1, 5994, 0, STRING, 0}, {2, 2355, 68, MESSAGE, 0}, {3, 2346, 0, STRING, O},
    {4, 2384, 0, STRING, 0},
    /* 185: core.v1.EndpointPort */
    {1, 932, 0, STRING, O}, {2, 2413, 0, INT32, 0}, {3, 2404, 0, STRING, O},
    {4, 2418, 0, STRING, 0},
    /* 186: flowcontrol.v1.PriorityLevelConfigurationReference */
    {1, 932, 0, STRING, 0},
    /* 187: flowcontrol.v1.FlowDistinguisherMethod */
    {1, 453, 0, STRING, 0},
    /* 188: flowcontrol.v1.PolicyRulesWithSubjects */
    {1, 149, 307, MESSAGE, R|N}, {2, 5997, 308, MESSAGE, R}, {3, 6011, 309, MESSAGE, R},
    /* 189: flowcontrol.v1.FlowSchemaCondition */
    {1, 453, 0, STRING, O}, {2, 56, 0, STRING, O}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 190: autoscaling.v2.CrossVersionObjectReference */
    {1, 927, 0, STRING, 0}, {2, 932, 0, STRING, 0}, {3, 916, 0, STRING, O},
    /* 191: autoscaling.v2.MetricSpec */
    {1, 453, 0, STRING, 0}, {2, 6028, 310, MESSAGE, 0}, {3, 6035, 311, MESSAGE, 0},
    {4, 6040, 312, MESSAGE, 0}, {5, 6049, 313, MESSAGE, 0}, {7, 6058, 314, MESSAGE, 0},
    /* 192: autoscaling.v2.HorizontalPodAutoscalerBehavior */
    {1, 6076, 315, MESSAGE, 0}, {2, 6084, 315, MESSAGE, 0},
    /* 193: autoscaling.v2.MetricStatus */
    {1, 453, 0, STRING, 0}, {2, 6028, 316, MESSAGE, 0}, {3, 6035, 317, MESSAGE, 0},
    {4, 6040, 318, MESSAGE, 0}, {5, 6049, 319, MESSAGE, 0}, {7, 6058, 320, MESSAGE, 0},
    /* 194: autoscaling.v2.HorizontalPodAutoscalerCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O}, {6, 1932, 0, INT64, 0},
    /* 195: networking.v1.ParentReference */
    {1, 1131, 0, STRING, O}, {2, 6040, 0, STRING, O}, {3, 950, 0, STRING, O},
    {4, 932, 0, STRING, O},
    /* 196: networking.v1.IngressBackend */
    {3, 6040, 234, MESSAGE, 0}, {4, 1123, 321, MESSAGE, 0},
    /* 197: networking.v1.IngressTLS */
    {1, 6094, 0, STRING, R}, {2, 6100, 0, STRING, O},
    /* 198: networking.v1.IngressRule */
    {1, 2489, 0, STRING, O}, {2, 0, 322, MESSAGE, I},
    /* 199: networking.v1.IngressLoadBalancerStatus */
    {1, 3431, 323, MESSAGE, R},
    /* 200: networking.v1.IngressClassParametersReference */
    {1, 1667, 0, STRING, 0}, {2, 927, 0, STRING, 0}, {3, 932, 0, STRING, 0},
    {4, 1855, 0, STRING, N}, {5, 950, 0, STRING, 0},
    /* 201: batch.v1.PodFailurePolicy */
    {1, 127, 324, MESSAGE, R|N},
    /* 202: batch.v1.SuccessPolicy */
    {1, 127, 325, MESSAGE, R|N},
    /* 203: batch.v1.JobSchedulingConfiguration */
    {1, 6111, 326, MESSAGE, 0}, {2, 6128, 327, MESSAGE, 0}, {3, 6150, 328, MESSAGE, 0},
    {4, 4387, 329, MESSAGE, R},
    /* 204: batch.v1.JobCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6165, 99, MESSAGE, 0},
    {4, 5682, 99, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 205: batch.v1.UncountedTerminatedPods */
    {1, 2985, 0, STRING, R}, {2, 2995, 0, STRING, R},
    /* 206: core.v1.LimitRangeItem */
    {1, 453, 0, STRING, 0}, {2, 6179, 221, MESSAGE, M}, {3, 6183, 221, MESSAGE, M},
    {4, 6187, 221, MESSAGE, M}, {5, 6195, 221, MESSAGE, M}, {6, 6210, 221, MESSAGE, M},
    /* 207: admissionregistration.v1.ParamKind */
    {1, 916, 0, STRING, O}, {2, 927, 0, STRING, O},
    /* 208: admissionregistration.v1.MatchResources */
    {1, 3317, 72, MESSAGE, 0}, {2, 3398, 72, MESSAGE, 0}, {3, 5997, 330, MESSAGE, R},
    {4, 6231, 330, MESSAGE, R}, {7, 3386, 0, STRING, 0},
    /* 209: admissionregistration.v1.Variable */
    {1, 932, 0, STRING, 0}, {2, 6252, 0, STRING, 0},
    /* 210: admissionregistration.v1.Mutation */
    {2, 6263, 0, STRING, 0}, {3, 6273, 331, MESSAGE, 0}, {4, 6292, 332, MESSAGE, 0},
    /* 211: admissionregistration.v1.MatchCondition */
    {1, 932, 0, STRING, 0}, {2, 6252, 0, STRING, 0},
    /* 212: admissionregistration.v1.ParamRef */
    {1, 932, 0, STRING, O}, {2, 950, 0, STRING, O}, {3, 1951, 72, MESSAGE, 0},
    {4, 6302, 0, STRING, 0},
    /* 213: admissionregistration.v1.WebhookClientConfig */
    {1, 1123, 333, MESSAGE, 0}, {2, 1167, 0, BYTES, O}, {3, 6326, 0, STRING, 0},
    /* 214: admissionregistration.v1.RuleWithOperations */
    {1, 6330, 0, STRING, R}, {2, 0, 334, MESSAGE, I},
    /* 215: core.v1.NamespaceCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {4, 5682, 99, MESSAGE, 0},
    {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 216: networking.v1.NetworkPolicyIngressRule */
    {1, 335, 335, MESSAGE, R}, {2, 6341, 336, MESSAGE, R},
    /* 217: networking.v1.NetworkPolicyEgressRule */
    {1, 335, 335, MESSAGE, R}, {2, 6346, 336, MESSAGE, R},
    /* 218: core.v1.Taint */
    {1, 5747, 0, STRING, 0}, {2, 656, 0, STRING, O}, {3, 6349, 0, STRING, 0},
    {4, 6356, 99, MESSAGE, 0},
    /* 219: core.v1.NodeConfigSource */
    {2, 6366, 337, MESSAGE, 0},
    /* 220: core.v1.NodePodPreemptionPolicy */
    {1, 6376, 0, STRING, R},
    /* 221: map of api.resource.Quantity */
    {1, 0, 0, STRING, 0}, {2, 0, 73, MESSAGE, 0},
    /* 222: core.v1.NodeCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6400, 99, MESSAGE, 0},
    {4, 5682, 99, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 223: core.v1.NodeAddress */
    {1, 453, 0, STRING, 0}, {2, 6418, 0, STRING, 0},
    /* 224: core.v1.NodeDaemonEndpoints */
    {1, 6426, 338, MESSAGE, 0},
    /* 225: core.v1.NodeSystemInfo */
    {1, 6442, 0, STRING, 0}, {2, 6452, 0, STRING, 0}, {3, 6463, 0, STRING, 0},
    {4, 6470, 0, STRING, 0}, {5, 6484, 0, STRING, 0}, {6, 6492, 0, STRING, 0},
    {7, 6516, 0, STRING, 0}, {8, 6531, 0, STRING, 0}, {9, 6548, 0, STRING, 0},
    {10, 6564, 0, STRING, 0}, {11, 6577, 339, MESSAGE, 0}, {12, 6582, 0, BOOL, 0},
    /* 226: core.v1.ContainerImage */
    {1, 1849, 0, STRING, R|N}, {2, 6605, 0, INT64, O},
    /* 227: core.v1.AttachedVolume */
    {1, 932, 0, STRING, 0}, {2, 6615, 0, STRING, 0},
    /* 228: core.v1.NodeConfigStatus */
    {1, 6626, 219, MESSAGE, 0}, {2, 1806, 219, MESSAGE, 0}, {3, 6635, 219, MESSAGE, 0},
    {4, 6649, 0, STRING, O},
    /* 229: core.v1.NodeRuntimeHandler */
    {1, 932, 0, STRING, 0}, {2, 3640, 340, MESSAGE, 0},
    /* 230: core.v1.NodeFeatures */
    {1, 6655, 0, BOOL, 0},
    /* 231: core.v1.PersistentVolumeSource */
    {1, 6680, 341, MESSAGE, 0}, {2, 6698, 342, MESSAGE, 0}, {3, 6719, 343, MESSAGE, 0},
    {4, 6728, 344, MESSAGE, 0}, {5, 6738, 345, MESSAGE, 0}, {6, 6742, 346, MESSAGE, 0},
    {7, 6746, 347, MESSAGE, 0}, {8, 6752, 348, MESSAGE, 0}, {9, 6759, 349, MESSAGE, 0},
    {10, 6766, 350, MESSAGE, 0}, {11, 6769, 351, MESSAGE, 0}, {12, 6777, 352, MESSAGE, 0},
    {13, 6788, 353, MESSAGE, 0}, {14, 6798, 354, MESSAGE, 0}, {15, 6812, 355, MESSAGE, 0},
    {16, 6820, 356, MESSAGE, 0}, {17, 6830, 357, MESSAGE, 0}, {18, 6851, 358, MESSAGE, 0},
    {19, 6866, 359, MESSAGE, 0}, {20, 6874, 360, MESSAGE, 0}, {21, 6880, 361, MESSAGE, 0},
    {22, 6890, 362, MESSAGE, 0},
    /* 232: core.v1.VolumeNodeAffinity */
    {1, 6894, 277, MESSAGE, 0},
    /* 233: core.v1.VolumeResourceRequirements */
    {1, 3166, 221, MESSAGE, M}, {2, 6903, 221, MESSAGE, M},
    /* 234: core.v1.TypedLocalObjectReference */
    {1, 1667, 0, STRING, N}, {2, 927, 0, STRING, 0}, {3, 932, 0, STRING, 0},
    /* 235: core.v1.TypedObjectReference */
    {1, 1667, 0, STRING, N}, {2, 927, 0, STRING, 0}, {3, 932, 0, STRING, 0}, {4, 950, 0, STRING, 0},
    /* 236: core.v1.PersistentVolumeClaimCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6165, 99, MESSAGE, 0},
    {4, 5682, 99, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    /* 237: core.v1.ModifyVolumeStatus */
    {1, 6912, 0, STRING, O}, {2, 56, 0, STRING, 0},
    /* 238: core.v1.VolumeHealthStatus */
    {1, 5730, 363, MESSAGE, R}, {2, 5682, 99, MESSAGE, 0},
    /* 239: core.v1.Volume */
    {1, 932, 0, STRING, 0}, {2, 0, 364, MESSAGE, I},
    /* 240: core.v1.Container */
    {1, 932, 0, STRING, 0}, {2, 6944, 0, STRING, O}, {3, 6950, 0, STRING, R},
    {4, 6958, 0, STRING, R}, {5, 6963, 0, STRING, O}, {6, 335, 365, MESSAGE, R},
    {7, 6974, 366, MESSAGE, R}, {8, 1606, 252, MESSAGE, 0}, {9, 6978, 367, MESSAGE, R},
    {10, 6991, 368, MESSAGE, 0}, {11, 7005, 368, MESSAGE, 0}, {12, 7020, 369, MESSAGE, 0},
    {13, 7030, 0, STRING, O}, {14, 7053, 0, STRING, O}, {15, 4096, 370, MESSAGE, 0},
    {16, 7069, 0, BOOL, O}, {17, 7075, 0, BOOL, O}, {18, 7085, 0, BOOL, O},
    {19, 7089, 371, MESSAGE, R}, {20, 7097, 0, STRING, O}, {21, 7122, 372, MESSAGE, R},
    {22, 7136, 368, MESSAGE, 0}, {23, 7149, 373, MESSAGE, R}, {24, 3956, 0, STRING, 0},
    {25, 7162, 374, MESSAGE, R},
    /* 241: core.v1.PodSecurityContext */
    {1, 7181, 375, MESSAGE, 0}, {2, 7196, 0, INT64, 0}, {3, 7206, 0, BOOL, 0},
    {4, 7219, 0, INT64, R}, {5, 7238, 0, INT64, 0}, {6, 7246, 0, INT64, 0},
    {7, 7257, 376, MESSAGE, R}, {8, 7265, 377, MESSAGE, 0}, {9, 7280, 0, STRING, 0},
    {10, 7300, 378, MESSAGE, 0}, {11, 7315, 379, MESSAGE, 0}, {12, 6655, 0, STRING, 0},
    {13, 7331, 0, STRING, 0},
    /* 242: core.v1.Affinity */
    {1, 3728, 380, MESSAGE, 0}, {2, 7351, 381, MESSAGE, 0}, {3, 7363, 382, MESSAGE, 0},
    /* 243: core.v1.Toleration */
    {1, 5747, 0, STRING, O}, {2, 5751, 0, STRING, O}, {3, 656, 0, STRING, O},
    {4, 6349, 0, STRING, O}, {5, 7379, 0, INT64, 0},
    /* 244: core.v1.HostAlias */
    {1, 5994, 0, STRING, 0}, {2, 7397, 0, STRING, R},
    /* 245: core.v1.PodDNSConfig */
    {1, 7407, 0, STRING, R}, {2, 7419, 0, STRING, R}, {3, 7428, 383, MESSAGE, R},
    /* 246: core.v1.PodReadinessGate */
    {1, 7436, 0, STRING, 0},
    /* 247: core.v1.TopologySpreadConstraint */
    {1, 7450, 0, INT32, 0}, {2, 7458, 0, STRING, 0}, {3, 7470, 0, STRING, 0},
    {4, 7488, 72, MESSAGE, 0}, {5, 7502, 0, INT32, 0}, {6, 7513, 0, STRING, 0},
    {7, 7532, 0, STRING, 0}, {8, 7549, 0, STRING, R},
    /* 248: core.v1.EphemeralContainer */
    {1, 0, 384, MESSAGE, I}, {2, 7564, 0, STRING, O},
    /* 249: core.v1.PodOS */
    {1, 932, 0, STRING, 0},
    /* 250: core.v1.PodSchedulingGate */
    {1, 932, 0, STRING, 0},
    /* 251: core.v1.PodResourceClaim */
    {1, 932, 0, STRING, 0}, {3, 7584, 0, STRING, 0}, {4, 7602, 0, STRING, 0},
    /* 252: core.v1.ResourceRequirements */
    {1, 3166, 221, MESSAGE, M}, {2, 6903, 221, MESSAGE, M}, {3, 7628, 385, MESSAGE, R},
    /* 253: core.v1.PodSchedulingGroup */
    {1, 7635, 0, STRING, 0},
    /* 254: core.v1.EvictionResponder */
    {1, 932, 0, STRING, 0}, {2, 4202, 0, INT32, N},
    /* 255: core.v1.PodCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 6165, 99, MESSAGE, 0},
    {4, 5682, 99, MESSAGE, 0}, {5, 423, 0, STRING, O}, {6, 555, 0, STRING, O},
    {7, 1932, 0, INT64, O},
    /* 256: core.v1.ContainerStatus */
    {1, 932, 0, STRING, 0}, {2, 7648, 386, MESSAGE, 0}, {3, 7654, 386, MESSAGE, 0},
    {4, 3043, 0, BOOL, 0}, {5, 7664, 0, INT32, 0}, {6, 6944, 0, STRING, 0}, {7, 7677, 0, STRING, 0},
    {8, 7685, 0, STRING, O}, {9, 7697, 0, BOOL, 0}, {10, 3827, 221, MESSAGE, M},
    {11, 1606, 252, MESSAGE, 0}, {12, 6978, 387, MESSAGE, R}, {13, 7705, 388, MESSAGE, 0},
    {14, 7710, 389, MESSAGE, R}, {15, 7735, 0, STRING, 0},
    /* 257: core.v1.PodIP */
    {1, 5994, 0, STRING, 0},
    /* 258: core.v1.PodResourceClaimStatus */
    {1, 932, 0, STRING, 0}, {2, 7584, 0, STRING, 0},
    /* 259: core.v1.HostIP */
    {1, 5994, 0, STRING, 0},
    /* 260: core.v1.PodExtendedResourceClaimStatus */
    {1, 7746, 390, MESSAGE, R|N}, {2, 7584, 0, STRING, 0},
    /* 261: core.v1.NodeAllocatableResourceClaimStatus */
    {1, 7584, 0, STRING, 0}, {2, 3945, 0, STRING, R}, {4, 7762, 391, MESSAGE, R},
    {5, 713, 392, MESSAGE, R},
    /* 262: core.v1.PodVolumeHealth */
    {1, 932, 0, STRING, 0}, {2, 5730, 363, MESSAGE, R}, {3, 5682, 99, MESSAGE, 0},
    /* 263: util.intstr.IntOrString */
    {1, 453, 0, INT64, 0}, {2, 7770, 0, INT32, 0}, {3, 7777, 0, STRING, 0},
    /* 264: map of meta.v1.Time */
    {1, 0, 0, STRING, 0}, {2, 0, 99, MESSAGE, 0},
    /* 265: meta.v1.Condition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 1932, 0, INT64, O},
    {4, 5682, 99, MESSAGE, 0}, {5, 423, 0, STRING, 0}, {6, 555, 0, STRING, 0},
    /* 266: flowcontrol.v1.LimitedPriorityLevelConfiguration */
    {1, 7784, 0, INT32, N}, {2, 7809, 393, MESSAGE, 0}, {3, 7823, 0, INT32, 0},
    {4, 7839, 0, INT32, 0},
    /* 267: flowcontrol.v1.ExemptPriorityLevelConfiguration */
    {1, 7784, 0, INT32, 0}, {2, 7823, 0, INT32, 0},
    /* 268: flowcontrol.v1.PriorityLevelConfigurationCondition */
    {1, 453, 0, STRING, O}, {2, 56, 0, STRING, O}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 269: apps.v1.ReplicaSetCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 270: core.v1.ReplicationControllerCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 271: resource.v1.DeviceClaim */
    {1, 6903, 394, MESSAGE, R|N}, {2, 7861, 395, MESSAGE, R}, {3, 2308, 396, MESSAGE, R},
    /* 272: resource.v1.AllocationResult */
    {1, 4850, 397, MESSAGE, 0}, {3, 4010, 277, MESSAGE, 0}, {5, 7873, 99, MESSAGE, 0},
    /* 273: resource.v1.ResourceClaimConsumerReference */
    {1, 1667, 0, STRING, O}, {3, 6040, 0, STRING, 0}, {4, 932, 0, STRING, 0},
    {5, 969, 0, STRING, 0},
    /* 274: resource.v1.AllocatedDeviceStatus */
    {1, 4912, 0, STRING, 0}, {2, 4919, 0, STRING, 0}, {3, 7893, 0, STRING, 0},
    {4, 1213, 265, MESSAGE, R|N}, {5, 166, 82, MESSAGE, 0}, {6, 7900, 398, MESSAGE, 0},
    {7, 7912, 0, STRING, 0},
    /* 275: core.v1.ScopeSelector */
    {1, 1488, 399, MESSAGE, R},
    /* 276: resource.v1.ResourcePool */
    {1, 932, 0, STRING, 0}, {2, 989, 0, INT64, 0}, {3, 7920, 0, INT64, 0},
    /* 277: core.v1.NodeSelector */
    {1, 7939, 400, MESSAGE, R|N},
    /* 278: resource.v1.Device */
    {1, 932, 0, STRING, 0}, {2, 7957, 402, MESSAGE, M}, {3, 100, 404, MESSAGE, M},
    {4, 7968, 405, MESSAGE, R}, {5, 2384, 0, STRING, 0}, {6, 4010, 277, MESSAGE, 0},
    {7, 4924, 0, BOOL, 0}, {8, 3502, 406, MESSAGE, R}, {9, 7985, 0, BOOL, 0},
    {10, 7997, 0, STRING, R}, {11, 8015, 0, STRING, R}, {12, 8040, 0, BOOL, 0},
    {14, 8065, 408, MESSAGE, M},
    /* 279: resource.v1.CounterSet */
    {1, 932, 0, STRING, 0}, {2, 8090, 410, MESSAGE, M},
    /* 280: core.v1.ServicePort */
    {1, 932, 0, STRING, O}, {2, 2404, 0, STRING, O}, {3, 2413, 0, INT32, 0},
    {4, 8099, 263, MESSAGE, 0}, {5, 8110, 0, INT32, O}, {6, 2418, 0, STRING, 0},
    /* 281: core.v1.SessionAffinityConfig */
    {1, 8119, 411, MESSAGE, 0},
    /* 282: core.v1.LoadBalancerStatus */
    {1, 3431, 412, MESSAGE, R},
    /* 283: apps.v1.StatefulSetUpdateStrategy */
    {1, 453, 0, STRING, O}, {2, 5950, 413, MESSAGE, 0},
    /* 284: apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy */
    {1, 8128, 0, STRING, O}, {2, 8140, 0, STRING, O},
    /* 285: apps.v1.StatefulSetOrdinals */
    {1, 8151, 0, INT32, 0},
    /* 286: apps.v1.StatefulSetCondition */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0}, {3, 5682, 99, MESSAGE, 0},
    {4, 423, 0, STRING, O}, {5, 555, 0, STRING, O},
    /* 287: core.v1.TopologySelectorLabelRequirement */
    {1, 5747, 0, STRING, 0}, {2, 5760, 0, STRING, R|N},
    /* 288: admissionregistration.v1.Validation */
    {1, 6252, 0, STRING, 0}, {2, 555, 0, STRING, O}, {3, 423, 0, STRING, 0},
    {4, 8157, 0, STRING, O},
    /* 289: admissionregistration.v1.AuditAnnotation */
    {1, 5747, 0, STRING, 0}, {2, 8175, 0, STRING, 0},
    /* 290: admissionregistration.v1.TypeChecking */
    {1, 8192, 414, MESSAGE, R},
    /* 291: storage.v1.VolumeAttachmentSource */
    {1, 8211, 0, STRING, 0}, {2, 8232, 121, MESSAGE, 0},
    /* 292: storage.v1.VolumeError */
    {1, 5645, 99, MESSAGE, 0}, {2, 555, 0, STRING, O}, {3, 8249, 0, INT32, 0},
    /* 293: meta.v1.FieldsV1 */
    {1, 8259, 0, BYTES, 0},
    /* 294: storage.v1.VolumeNodeResources */
    {1, 599, 0, INT32, 0},
    /* 295: storage.v1.StorageHealthCondition */
    {1, 56, 0, STRING, 0}, {2, 423, 0, STRING, 0}, {3, 555, 0, STRING, O}, {4, 8263, 0, STRING, 0},
    {5, 3717, 0, STRING, 0}, {6, 5682, 99, MESSAGE, 0},
    /* 296: apiextensions.v1.CustomResourceValidation */
    {1, 8274, 415, MESSAGE, 0},
    /* 297: apiextensions.v1.CustomResourceSubresources */
    {1, 56, 416, MESSAGE, 0}, {2, 8290, 417, MESSAGE, 0},
    /* 298: apiextensions.v1.CustomResourceColumnDefinition */
    {1, 932, 0, STRING, 0}, {2, 453, 0, STRING, 0}, {3, 8296, 0, STRING, O}, {4, 676, 0, STRING, O},
    {5, 4202, 0, INT32, O}, {6, 8303, 0, STRING, 0},
    /* 299: apiextensions.v1.SelectableField */
    {1, 8303, 0, STRING, 0},
    /* 300: apiextensions.v1.WebhookConversion */
    {2, 3304, 418, MESSAGE, 0}, {3, 8312, 0, STRING, R|N},
    /* 301: apps.v1.RollingUpdateDaemonSet */
    {1, 4696, 263, MESSAGE, 0}, {2, 8337, 263, MESSAGE, 0},
    /* 302: apps.v1.RollingUpdateDeployment */
    {1, 4696, 263, MESSAGE, 0}, {2, 8337, 263, MESSAGE, 0},
    /* 303: resource.v1.CELDeviceSelector */
    {1, 6252, 0, STRING, 0},
    /* 304: resource.v1.DeviceConfiguration */
    {1, 8346, 419, MESSAGE, 0},
    /* 305: discovery.v1.ForZone */
    {1, 932, 0, STRING, 0},
    /* 306: discovery.v1.ForNode */
    {1, 932, 0, STRING, 0},
    /* 307: flowcontrol.v1.Subject */
    {1, 927, 0, STRING, 0}, {2, 7705, 420, MESSAGE, 0}, {3, 1131, 421, MESSAGE, 0},
    {4, 4042, 422, MESSAGE, 0},
    /* 308: flowcontrol.v1.ResourcePolicyRule */
    {1, 1590, 0, STRING, R|N}, {2, 1596, 0, STRING, R|N}, {3, 1606, 0, STRING, R|N},
    {4, 8353, 0, BOOL, O}, {5, 8366, 0, STRING, R|N},
    /* 309: flowcontrol.v1.NonResourcePolicyRule */
    {1, 1590, 0, STRING, R|N}, {6, 1630, 0, STRING, R|N},
    /* 310: autoscaling.v2.ObjectMetricSource */
    {1, 8377, 190, MESSAGE, 0}, {2, 63, 423, MESSAGE, 0}, {3, 8393, 424, MESSAGE, 0},
    /* 311: autoscaling.v2.PodsMetricSource */
    {1, 8393, 424, MESSAGE, 0}, {2, 63, 423, MESSAGE, 0},
    /* 312: autoscaling.v2.ResourceMetricSource */
    {1, 932, 0, STRING, 0}, {2, 63, 423, MESSAGE, 0},
    /* 313: autoscaling.v2.ExternalMetricSource */
    {1, 8393, 424, MESSAGE, 0}, {2, 63, 423, MESSAGE, 0},
    /* 314: autoscaling.v2.ContainerResourceMetricSource */
    {1, 932, 0, STRING, 0}, {2, 63, 423, MESSAGE, 0}, {3, 8400, 0, STRING, 0},
    /* 315: autoscaling.v2.HPAScalingRules */
    {1, 8410, 0, STRING, 0}, {2, 8423, 425, MESSAGE, R}, {3, 8432, 0, INT32, 0},
    {4, 8459, 73, MESSAGE, 0},
    /* 316: autoscaling.v2.ObjectMetricStatus */
    {1, 8393, 424, MESSAGE, 0}, {2, 8469, 426, MESSAGE, 0}, {3, 8377, 190, MESSAGE, 0},
    /* 317: autoscaling.v2.PodsMetricStatus */
    {1, 8393, 424, MESSAGE, 0}, {2, 8469, 426, MESSAGE, 0},
    /* 318: autoscaling.v2.ResourceMetricStatus */
    {1, 932, 0, STRING, 0}, {2, 8469, 426, MESSAGE, 0},
    /* 319: autoscaling.v2.ExternalMetricStatus */
    {1, 8393, 424, MESSAGE, 0}, {2, 8469, 426, MESSAGE, 0},
    /* 320: autoscaling.v2.ContainerResourceMetricStatus */
    {1, 932, 0, STRING, 0}, {2, 8469, 426, MESSAGE, 0}, {3, 8400, 0, STRING, 0},
    /* 321: networking.v1.IngressServiceBackend */
    {1, 932, 0, STRING, 0}, {2, 2413, 427, MESSAGE, 0},
    /* 322: networking.v1.IngressRuleValue */
    {1, 8477, 428, MESSAGE, 0},
    /* 323: networking.v1.IngressLoadBalancerIngress */
    {1, 5994, 0, STRING, O}, {2, 2346, 0, STRING, O}, {4, 335, 429, MESSAGE, R},
    /* 324: batch.v1.PodFailurePolicyRule */
    {1, 416, 0, STRING, 0}, {2, 8482, 430, MESSAGE, 0}, {3, 8494, 431, MESSAGE, R},
    /* 325: batch.v1.SuccessPolicyRule */
    {1, 8510, 0, STRING, 0}, {2, 8527, 0, INT32, 0},
    /* 326: scheduling.v1alpha3.WorkloadPodGroupSchedulingPolicy */
    {1, 8542, 432, MESSAGE, 0}, {2, 8548, 433, MESSAGE, 0},
    /* 327: scheduling.v1alpha3.WorkloadPodGroupSchedulingConstraints */
    {1, 8553, 434, MESSAGE, R},
    /* 328: scheduling.v1alpha3.WorkloadPodGroupDisruptionMode */
    {1, 8562, 435, MESSAGE, 0}, {2, 8569, 436, MESSAGE, 0},
    /* 329: scheduling.v1alpha3.WorkloadPodGroupResourceClaim */
    {1, 932, 0, STRING, 0}, {2, 7584, 0, STRING, 0}, {3, 7602, 0, STRING, 0},
    /* 330: admissionregistration.v1.NamedRuleWithOperations */
    {1, 1616, 0, STRING, R}, {2, 0, 214, MESSAGE, I},
    /* 331: admissionregistration.v1.ApplyConfiguration */
    {1, 6252, 0, STRING, O},
    /* 332: admissionregistration.v1.JSONPatch */
    {1, 6252, 0, STRING, O},
    /* 333: admissionregistration.v1.ServiceReference */
    {1, 950, 0, STRING, 0}, {2, 932, 0, STRING, 0}, {3, 8573, 0, STRING, 0}, {4, 2413, 0, INT32, 0},
    /* 334: admissionregistration.v1.Rule */
    {1, 1596, 0, STRING, R}, {2, 8578, 0, STRING, R}, {3, 1606, 0, STRING, R},
    {4, 1855, 0, STRING, 0},
    /* 335: networking.v1.NetworkPolicyPort */
    {1, 2404, 0, STRING, 0}, {2, 2413, 263, MESSAGE, 0}, {3, 8590, 0, INT32, 0},
    /* 336: networking.v1.NetworkPolicyPeer */
    {1, 3419, 72, MESSAGE, 0}, {2, 3317, 72, MESSAGE, 0}, {3, 8598, 437, MESSAGE, 0},
    /* 337: core.v1.ConfigMapNodeConfigSource */
    {1, 950, 0, STRING, 0}, {2, 932, 0, STRING, 0}, {3, 969, 0, STRING, O}, {4, 973, 0, STRING, O},
    {5, 8606, 0, STRING, 0},
    /* 338: core.v1.DaemonEndpoint */
    {1, 8623, 0, INT32, 0},
    /* 339: core.v1.NodeSwapStatus */
    {1, 100, 0, INT64, 0},
    /* 340: core.v1.NodeRuntimeHandlerFeatures */
    {1, 8628, 0, BOOL, 0}, {2, 8652, 0, BOOL, 0},
    /* 341: core.v1.GCEPersistentDiskVolumeSource */
    {1, 8667, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8681, 0, INT32, O}, {4, 8691, 0, BOOL, O},
    /* 342: core.v1.AWSElasticBlockStoreVolumeSource */
    {1, 8700, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8681, 0, INT32, O}, {4, 8691, 0, BOOL, O},
    /* 343: core.v1.HostPathVolumeSource */
    {1, 8573, 0, STRING, 0}, {2, 453, 0, STRING, 0},
    /* 344: core.v1.GlusterfsPersistentVolumeSource */
    {1, 325, 0, STRING, 0}, {2, 8573, 0, STRING, 0}, {3, 8691, 0, BOOL, O}, {4, 8709, 0, STRING, 0},
    /* 345: core.v1.NFSVolumeSource */
    {1, 8728, 0, STRING, 0}, {2, 8573, 0, STRING, 0}, {3, 8691, 0, BOOL, O},
    /* 346: core.v1.RBDPersistentVolumeSource */
    {1, 8735, 0, STRING, R|N}, {2, 6944, 0, STRING, 0}, {3, 8674, 0, STRING, O},
    {4, 4919, 0, STRING, O}, {5, 7705, 0, STRING, O}, {6, 8744, 0, STRING, O},
    {7, 8752, 438, MESSAGE, 0}, {8, 8691, 0, BOOL, O},
    /* 347: core.v1.ISCSIPersistentVolumeSource */
    {1, 8762, 0, STRING, 0}, {2, 8775, 0, STRING, 0}, {3, 8779, 0, INT32, 0},
    {4, 8783, 0, STRING, O}, {5, 8674, 0, STRING, O}, {6, 8691, 0, BOOL, O},
    {7, 8798, 0, STRING, R}, {8, 8806, 0, BOOL, O}, {10, 8752, 438, MESSAGE, 0},
    {11, 8824, 0, BOOL, O}, {12, 8840, 0, STRING, 0},
    /* 348: core.v1.CinderPersistentVolumeSource */
    {1, 8700, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8691, 0, BOOL, O},
    {4, 8752, 438, MESSAGE, 0},
    /* 349: core.v1.CephFSPersistentVolumeSource */
    {1, 8735, 0, STRING, R|N}, {2, 8573, 0, STRING, O}, {3, 7705, 0, STRING, O},
    {4, 8854, 0, STRING, O}, {5, 8752, 438, MESSAGE, 0}, {6, 8691, 0, BOOL, O},
    /* 350: core.v1.FCVolumeSource */
    {1, 8865, 0, STRING, R}, {2, 8779, 0, INT32, 0}, {3, 8674, 0, STRING, O}, {4, 8691, 0, BOOL, O},
    {5, 8876, 0, STRING, R},
    /* 351: core.v1.FlockerVolumeSource */
    {1, 8882, 0, STRING, O}, {2, 8894, 0, STRING, O},
    /* 352: core.v1.FlexPersistentVolumeSource */
    {1, 4912, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8752, 438, MESSAGE, 0},
    {4, 8691, 0, BOOL, O}, {5, 7428, 80, MESSAGE, M},
    /* 353: core.v1.AzureFilePersistentVolumeSource */
    {1, 6100, 0, STRING, 0}, {2, 8906, 0, STRING, 0}, {3, 8691, 0, BOOL, O},
    {4, 8916, 0, STRING, N},
    /* 354: core.v1.VsphereVirtualDiskVolumeSource */
    {1, 8932, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8943, 0, STRING, O},
    {4, 8961, 0, STRING, O},
    /* 355: core.v1.QuobyteVolumeSource */
    {1, 8977, 0, STRING, 0}, {2, 8986, 0, STRING, 0}, {3, 8691, 0, BOOL, O},
    {4, 7705, 0, STRING, O}, {5, 1131, 0, STRING, O}, {6, 8993, 0, STRING, O},
    /* 356: core.v1.AzureDiskVolumeSource */
    {1, 9000, 0, STRING, 0}, {2, 9009, 0, STRING, 0}, {3, 9017, 0, STRING, 0},
    {4, 8674, 0, STRING, 0}, {5, 8691, 0, BOOL, 0}, {6, 927, 0, STRING, 0},
    /* 357: core.v1.PhotonPersistentDiskVolumeSource */
    {1, 9029, 0, STRING, 0}, {2, 8674, 0, STRING, O},
    /* 358: core.v1.PortworxVolumeSource */
    {1, 8700, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8691, 0, BOOL, O},
    /* 359: core.v1.ScaleIOPersistentVolumeSource */
    {1, 9034, 0, STRING, 0}, {2, 9042, 0, STRING, 0}, {3, 8752, 438, MESSAGE, N},
    {4, 9049, 0, BOOL, O}, {5, 9060, 0, STRING, O}, {6, 9077, 0, STRING, O},
    {7, 9089, 0, STRING, O}, {8, 3791, 0, STRING, O}, {9, 8674, 0, STRING, O},
    {10, 8691, 0, BOOL, O},
    /* 360: core.v1.LocalVolumeSource */
    {1, 8573, 0, STRING, 0}, {2, 8674, 0, STRING, 0},
    /* 361: core.v1.StorageOSPersistentVolumeSource */
    {1, 3791, 0, STRING, O}, {2, 9101, 0, STRING, O}, {3, 8674, 0, STRING, O},
    {4, 8691, 0, BOOL, O}, {5, 8752, 68, MESSAGE, 0},
    /* 362: core.v1.CSIPersistentVolumeSource */
    {1, 4912, 0, STRING, 0}, {2, 9117, 0, STRING, 0}, {3, 8691, 0, BOOL, O},
    {4, 8674, 0, STRING, O}, {5, 9130, 80, MESSAGE, M}, {6, 9147, 438, MESSAGE, 0},
    {7, 9174, 438, MESSAGE, 0}, {8, 9193, 438, MESSAGE, 0}, {9, 9214, 438, MESSAGE, 0},
    {10, 9240, 438, MESSAGE, 0},
    /* 363: core.v1.VolumeHealthCondition */
    {1, 56, 0, STRING, 0}, {2, 423, 0, STRING, 0}, {3, 555, 0, STRING, O},
    /* 364: core.v1.VolumeSource */
    {1, 6719, 343, MESSAGE, 0}, {2, 9260, 439, MESSAGE, 0}, {3, 6680, 341, MESSAGE, 0},
    {4, 6698, 342, MESSAGE, 0}, {5, 9269, 440, MESSAGE, 0}, {6, 9277, 441, MESSAGE, 0},
    {7, 6738, 345, MESSAGE, 0}, {8, 6746, 442, MESSAGE, 0}, {9, 6728, 443, MESSAGE, 0},
    {10, 9284, 444, MESSAGE, 0}, {11, 6742, 445, MESSAGE, 0}, {12, 6777, 446, MESSAGE, 0},
    {13, 6752, 447, MESSAGE, 0}, {14, 6759, 448, MESSAGE, 0}, {15, 6769, 351, MESSAGE, 0},
    {16, 9306, 449, MESSAGE, 0}, {17, 6766, 350, MESSAGE, 0}, {18, 6788, 450, MESSAGE, 0},
    {19, 6366, 451, MESSAGE, 0}, {20, 6798, 354, MESSAGE, 0}, {21, 6812, 355, MESSAGE, 0},
    {22, 6820, 356, MESSAGE, 0}, {23, 6830, 357, MESSAGE, 0}, {24, 6851, 358, MESSAGE, 0},
    {25, 6866, 452, MESSAGE, 0}, {26, 9318, 453, MESSAGE, 0}, {27, 6880, 454, MESSAGE, 0},
    {28, 6890, 455, MESSAGE, 0}, {29, 9328, 456, MESSAGE, 0}, {30, 6944, 457, MESSAGE, 0},
    /* 365: core.v1.ContainerPort */
    {1, 932, 0, STRING, O}, {2, 9338, 0, INT32, O}, {3, 9347, 0, INT32, 0}, {4, 2404, 0, STRING, O},
    {5, 4454, 0, STRING, O},
    /* 366: core.v1.EnvVar */
    {1, 932, 0, STRING, 0}, {2, 656, 0, STRING, O}, {3, 9361, 458, MESSAGE, 0},
    /* 367: core.v1.VolumeMount */
    {1, 932, 0, STRING, 0}, {2, 8691, 0, BOOL, O}, {3, 9371, 0, STRING, 0}, {4, 9381, 0, STRING, O},
    {5, 9389, 0, STRING, 0}, {6, 9406, 0, STRING, O}, {7, 9418, 0, STRING, 0},
    {8, 9436, 0, STRING, R},
    /* 368: core.v1.Probe */
    {1, 0, 459, MESSAGE, I}, {2, 9453, 0, INT32, O}, {3, 3347, 0, INT32, O}, {4, 9473, 0, INT32, O},
    {5, 9487, 0, INT32, O}, {6, 9504, 0, INT32, O}, {7, 3970, 0, INT64, 0},
    /* 369: core.v1.Lifecycle */
    {1, 9521, 460, MESSAGE, 0}, {2, 9531, 460, MESSAGE, 0}, {3, 7735, 0, STRING, 0},
    /* 370: core.v1.SecurityContext */
    {1, 9539, 461, MESSAGE, 0}, {2, 9552, 0, BOOL, 0}, {3, 7181, 375, MESSAGE, 0},
    {4, 7196, 0, INT64, 0}, {5, 7206, 0, BOOL, 0}, {6, 9563, 0, BOOL, 0}, {7, 9586, 0, BOOL, 0},
    {8, 7246, 0, INT64, 0}, {9, 9611, 0, STRING, 0}, {10, 7265, 377, MESSAGE, 0},
    {11, 7300, 378, MESSAGE, 0}, {12, 7315, 379, MESSAGE, 0},
    /* 371: core.v1.EnvFromSource */
    {1, 9621, 0, STRING, O}, {2, 9628, 462, MESSAGE, 0}, {3, 8752, 463, MESSAGE, 0},
    /* 372: core.v1.VolumeDevice */
    {1, 932, 0, STRING, 0}, {2, 6615, 0, STRING, 0},
    /* 373: core.v1.ContainerResizePolicy */
    {1, 9641, 0, STRING, 0}, {2, 3956, 0, STRING, 0},
    /* 374: core.v1.ContainerRestartRule */
    {1, 416, 0, STRING, O}, {2, 9654, 464, MESSAGE, 0},
    /* 375: core.v1.SELinuxOptions */
    {1, 7705, 0, STRING, O}, {2, 9664, 0, STRING, O}, {3, 453, 0, STRING, O},
    {4, 9669, 0, STRING, O},
    /* 376: core.v1.Sysctl */
    {1, 932, 0, STRING, 0}, {2, 656, 0, STRING, 0},
    /* 377: core.v1.WindowsSecurityContextOptions */
    {1, 9675, 0, STRING, 0}, {2, 9698, 0, STRING, 0}, {3, 9717, 0, STRING, 0},
    {4, 9731, 0, BOOL, 0},
    /* 378: core.v1.SeccompProfile */
    {1, 453, 0, STRING, 0}, {2, 9743, 0, STRING, 0},
    /* 379: core.v1.AppArmorProfile */
    {1, 453, 0, STRING, 0}, {2, 9743, 0, STRING, 0},
    /* 380: core.v1.NodeAffinity */
    {1, 9760, 277, MESSAGE, 0}, {2, 9807, 465, MESSAGE, R},
    /* 381: core.v1.PodAffinity */
    {1, 9760, 466, MESSAGE, R}, {2, 9807, 467, MESSAGE, R},
    /* 382: core.v1.PodAntiAffinity */
    {1, 9760, 466, MESSAGE, R}, {2, 9807, 467, MESSAGE, R},
    /* 383: core.v1.PodDNSConfigOption */
    {1, 932, 0, STRING, O}, {2, 656, 0, STRING, 0},
    /* 384: core.v1.EphemeralContainerCommon */
    {1, 932, 0, STRING, 0}, {2, 6944, 0, STRING, O}, {3, 6950, 0, STRING, R},
    {4, 6958, 0, STRING, R}, {5, 6963, 0, STRING, O}, {6, 335, 365, MESSAGE, R},
    {7, 6974, 366, MESSAGE, R}, {8, 1606, 252, MESSAGE, 0}, {9, 6978, 367, MESSAGE, R},
    {10, 6991, 368, MESSAGE, 0}, {11, 7005, 368, MESSAGE, 0}, {12, 7020, 369, MESSAGE, 0},
    {13, 7030, 0, STRING, O}, {14, 7053, 0, STRING, O}, {15, 4096, 370, MESSAGE, 0},
    {16, 7069, 0, BOOL, O}, {17, 7075, 0, BOOL, O}, {18, 7085, 0, BOOL, O},
    {19, 7089, 371, MESSAGE, R}, {20, 7097, 0, STRING, O}, {21, 7122, 372, MESSAGE, R},
    {22, 7136, 368, MESSAGE, 0}, {23, 7149, 373, MESSAGE, R}, {24, 3956, 0, STRING, 0},
    {25, 7162, 374, MESSAGE, R},
    /* 385: core.v1.ResourceClaim */
    {1, 932, 0, STRING, 0}, {2, 1512, 0, STRING, O},
    /* 386: core.v1.ContainerState */
    {1, 9855, 468, MESSAGE, 0}, {2, 9863, 469, MESSAGE, 0}, {3, 9871, 470, MESSAGE, 0},
    /* 387: core.v1.VolumeMountStatus */
    {1, 932, 0, STRING, 0}, {2, 9371, 0, STRING, 0}, {3, 8691, 0, BOOL, O}, {4, 9418, 0, STRING, 0},
    {5, 9882, 471, MESSAGE, 0},
    /* 388: core.v1.ContainerUser */
    {1, 9895, 472, MESSAGE, 0},
    /* 389: core.v1.ResourceStatus */
    {1, 932, 0, STRING, 0}, {2, 1606, 473, MESSAGE, R},
    /* 390: core.v1.ContainerExtendedResourceRequest */
    {1, 9901, 0, STRING, 0}, {2, 9641, 0, STRING, 0}, {3, 9915, 0, STRING, 0},
    /* 391: core.v1.NodeAllocatableMappedResources */
    {1, 932, 0, STRING, 0}, {2, 9927, 73, MESSAGE, N},
    /* 392: core.v1.NodeAllocatableOverheadResources */
    {1, 932, 0, STRING, 0}, {2, 9936, 73, MESSAGE, 0}, {3, 9943, 73, MESSAGE, 0},
    /* 393: flowcontrol.v1.LimitResponse */
    {1, 453, 0, STRING, 0}, {2, 9956, 474, MESSAGE, 0},
    /* 394: resource.v1.DeviceRequest */
    {1, 932, 0, STRING, 0}, {2, 9964, 475, MESSAGE, 0}, {3, 9972, 476, MESSAGE, R},
    /* 395: resource.v1.DeviceConstraint */
    {1, 6903, 0, STRING, R}, {2, 9987, 0, STRING, 0}, {3, 10002, 0, STRING, 0},
    /* 396: resource.v1.DeviceClaimConfiguration */
    {1, 6903, 0, STRING, R}, {2, 0, 304, MESSAGE, I},
    /* 397: resource.v1.DeviceAllocationResult */
    {1, 10020, 477, MESSAGE, R}, {2, 2308, 478, MESSAGE, R},
    /* 398: resource.v1.NetworkDeviceData */
    {1, 10028, 0, STRING, O}, {2, 10042, 0, STRING, R}, {3, 10046, 0, STRING, O},
    /* 399: core.v1.ScopedResourceSelectorRequirement */
    {1, 10062, 0, STRING, 0}, {2, 5751, 0, STRING, 0}, {3, 5760, 0, STRING, R},
    /* 400: core.v1.NodeSelectorTerm */
    {1, 1488, 479, MESSAGE, R}, {2, 10072, 479, MESSAGE, R},
    /* 401: resource.v1.DeviceAttribute */
    {2, 10084, 0, INT64, 0}, {3, 10088, 0, BOOL, 0}, {4, 1505, 0, STRING, 0},
    {5, 1137, 0, STRING, 0}, {6, 10093, 0, INT64, R}, {7, 10098, 0, BOOL, R},
    {8, 10104, 0, STRING, R}, {9, 1861, 0, STRING, R},
    /* 402: map of resource.v1.DeviceAttribute */
    {1, 0, 0, STRING, 0}, {2, 0, 401, MESSAGE, 0},
    /* 403: resource.v1.DeviceCapacity */
    {1, 656, 73, MESSAGE, 0}, {2, 10112, 480, MESSAGE, 0},
    /* 404: map of resource.v1.DeviceCapacity */
    {1, 0, 0, STRING, 0}, {2, 0, 403, MESSAGE, 0},
    /* 405: resource.v1.DeviceCounterConsumption */
    {1, 10126, 0, STRING, 0}, {2, 8090, 410, MESSAGE, M}, {3, 10137, 0, STRING, R},
    /* 406: resource.v1.DeviceTaint */
    {1, 5747, 0, STRING, 0}, {2, 656, 0, STRING, O}, {3, 6349, 0, STRING, 0},
    {4, 6356, 99, MESSAGE, 0},
    /* 407: resource.v1.NodeAllocatableResource */
    {3, 7762, 481, MESSAGE, 0}, {4, 713, 482, MESSAGE, 0},
    /* 408: map of resource.v1.NodeAllocatableResource */
    {1, 0, 0, STRING, 0}, {2, 0, 407, MESSAGE, 0},
    /* 409: resource.v1.Counter */
    {1, 656, 73, MESSAGE, 0},
    /* 410: map of resource.v1.Counter */
    {1, 0, 0, STRING, 0}, {2, 0, 409, MESSAGE, 0},
    /* 411: core.v1.ClientIPConfig */
    {1, 3347, 0, INT32, 0},
    /* 412: core.v1.LoadBalancerIngress */
    {1, 5994, 0, STRING, O}, {2, 2346, 0, STRING, O}, {3, 10157, 0, STRING, 0},
    {4, 335, 483, MESSAGE, R},
    /* 413: apps.v1.RollingUpdateStatefulSetStrategy */
    {1, 8681, 0, INT32, 0}, {2, 4696, 263, MESSAGE, 0},
    /* 414: admissionregistration.v1.ExpressionWarning */
    {2, 10164, 0, STRING, 0}, {3, 10173, 0, STRING, 0},
    /* 415: apiextensions.v1.JSONSchemaProps */
    {1, 10181, 0, STRING, O}, {2, 10184, 0, STRING, O}, {3, 10192, 0, STRING, 0},
    {4, 676, 0, STRING, O}, {5, 453, 0, STRING, O}, {6, 8296, 0, STRING, O},
    {7, 10197, 0, STRING, O}, {8, 6187, 484, MESSAGE, 0}, {9, 10203, 0, DOUBLE, 0},
    {10, 10211, 0, BOOL, O}, {11, 10228, 0, DOUBLE, 0}, {12, 10236, 0, BOOL, O},
    {13, 10253, 0, INT64, 0}, {14, 10263, 0, INT64, 0}, {15, 10273, 0, STRING, O},
    {16, 10281, 0, INT64, 0}, {17, 10290, 0, INT64, 0}, {18, 10299, 0, BOOL, O},
    {19, 10311, 0, DOUBLE, 0}, {20, 10322, 484, MESSAGE, R}, {21, 10327, 0, INT64, 0},
    {22, 10341, 0, INT64, 0}, {23, 6894, 0, STRING, R}, {24, 5767, 485, MESSAGE, 0},
    {25, 10355, 415, MESSAGE, R}, {26, 10361, 415, MESSAGE, R}, {27, 10367, 415, MESSAGE, R},
    {28, 10373, 415, MESSAGE, 0}, {29, 10377, 486, MESSAGE, M}, {30, 10388, 487, MESSAGE, 0},
    {31, 10409, 486, MESSAGE, M}, {32, 10427, 489, MESSAGE, M}, {33, 10440, 487, MESSAGE, 0},
    {34, 10456, 486, MESSAGE, M}, {35, 10468, 490, MESSAGE, 0}, {36, 10481, 484, MESSAGE, 0},
    {37, 10489, 0, BOOL, O}, {38, 10498, 0, BOOL, 0}, {39, 10535, 0, BOOL, O},
    {40, 10566, 0, BOOL, O}, {41, 10593, 0, STRING, R}, {42, 10620, 0, STRING, 0},
    {43, 10643, 0, STRING, 0}, {44, 10665, 491, MESSAGE, R},
    /* 416: apiextensions.v1.CustomResourceSubresourceStatus */
    /* 417: apiextensions.v1.CustomResourceSubresourceScale */
    {1, 10690, 0, STRING, 0}, {2, 10707, 0, STRING, 0}, {3, 10726, 0, STRING, 0},
    /* 418: apiextensions.v1.WebhookClientConfig */
    {1, 1123, 492, MESSAGE, 0}, {2, 1167, 0, BYTES, O}, {3, 6326, 0, STRING, 0},
    /* 419: resource.v1.OpaqueDeviceConfiguration */
    {1, 4912, 0, STRING, 0}, {2, 810, 82, MESSAGE, 0},
    /* 420: flowcontrol.v1.UserSubject */
    {1, 932, 0, STRING, 0},
    /* 421: flowcontrol.v1.GroupSubject */
    {1, 932, 0, STRING, 0},
    /* 422: flowcontrol.v1.ServiceAccountSubject */
    {1, 950, 0, STRING, 0}, {2, 932, 0, STRING, 0},
    /* 423: autoscaling.v2.MetricTarget */
    {1, 453, 0, STRING, 0}, {2, 656, 73, MESSAGE, 0}, {3, 10744, 73, MESSAGE, 0},
    {4, 10757, 0, INT32, 0},
    /* 424: autoscaling.v2.MetricIdentifier */
    {1, 932, 0, STRING, 0}, {2, 1951, 72, MESSAGE, 0},
    /* 425: autoscaling.v2.HPAScalingPolicy */
    {1, 453, 0, STRING, 0}, {2, 656, 0, INT32, 0}, {3, 9473, 0, INT32, 0},
    /* 426: autoscaling.v2.MetricValueStatus */
    {1, 656, 73, MESSAGE, 0}, {2, 10744, 73, MESSAGE, 0}, {3, 10757, 0, INT32, 0},
    /* 427: networking.v1.ServiceBackendPort */
    {1, 932, 0, STRING, O}, {2, 10776, 0, INT32, O},
    /* 428: networking.v1.HTTPIngressRuleValue */
    {1, 10783, 493, MESSAGE, R|N},
    /* 429: networking.v1.IngressPortStatus */
    {1, 2413, 0, INT32, 0}, {2, 2404, 0, STRING, 0}, {3, 6649, 0, STRING, 0},
    /* 430: batch.v1.PodFailurePolicyOnExitCodesRequirement */
    {1, 9901, 0, STRING, 0}, {2, 5751, 0, STRING, 0}, {3, 5760, 0, INT32, R|N},
    /* 431: batch.v1.PodFailurePolicyOnPodConditionsPattern */
    {1, 453, 0, STRING, 0}, {2, 56, 0, STRING, 0},
    /* 432: scheduling.v1alpha3.WorkloadPodGroupBasicSchedulingPolicy */
    /* 433: scheduling.v1alpha3.WorkloadPodGroupGangSchedulingPolicy */
    {1, 10789, 0, INT32, 0},
    /* 434: scheduling.v1alpha3.TopologyConstraint */
    {1, 5747, 0, STRING, 0},
    /* 435: scheduling.v1alpha3.WorkloadPodGroupSingleDisruptionMode */
    /* 436: scheduling.v1alpha3.WorkloadPodGroupAllDisruptionMode */
    /* 437: networking.v1.IPBlock */
    {1, 10798, 0, STRING, 0}, {2, 10803, 0, STRING, R},
    /* 438: core.v1.SecretReference */
    {1, 932, 0, STRING, O}, {2, 950, 0, STRING, O},
    /* 439: core.v1.EmptyDirVolumeSource */
    {1, 10810, 0, STRING, O}, {2, 10817, 73, MESSAGE, 0}, {3, 10827, 0, INT32, 0},
    /* 440: core.v1.GitRepoVolumeSource */
    {1, 10832, 0, STRING, 0}, {2, 192, 0, STRING, O}, {3, 10843, 0, STRING, O},
    /* 441: core.v1.SecretVolumeSource */
    {1, 6100, 0, STRING, O}, {2, 5767, 494, MESSAGE, R}, {3, 10853, 0, INT32, 0},
    {4, 10865, 0, BOOL, 0}, {5, 10874, 0, INT64, 0},
    /* 442: core.v1.ISCSIVolumeSource */
    {1, 8762, 0, STRING, 0}, {2, 8775, 0, STRING, 0}, {3, 8779, 0, INT32, 0},
    {4, 8783, 0, STRING, O}, {5, 8674, 0, STRING, O}, {6, 8691, 0, BOOL, O},
    {7, 8798, 0, STRING, R}, {8, 8806, 0, BOOL, O}, {10, 8752, 148, MESSAGE, 0},
    {11, 8824, 0, BOOL, O}, {12, 8840, 0, STRING, 0},
    /* 443: core.v1.GlusterfsVolumeSource */
    {1, 325, 0, STRING, 0}, {2, 8573, 0, STRING, 0}, {3, 8691, 0, BOOL, O},
    /* 444: core.v1.PersistentVolumeClaimVolumeSource */
    {1, 10886, 0, STRING, 0}, {2, 8691, 0, BOOL, O},
    /* 445: core.v1.RBDVolumeSource */
    {1, 8735, 0, STRING, R|N}, {2, 6944, 0, STRING, 0}, {3, 8674, 0, STRING, O},
    {4, 4919, 0, STRING, O}, {5, 7705, 0, STRING, O}, {6, 8744, 0, STRING, O},
    {7, 8752, 148, MESSAGE, 0}, {8, 8691, 0, BOOL, O},
    /* 446: core.v1.FlexVolumeSource */
    {1, 4912, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8752, 148, MESSAGE, 0},
    {4, 8691, 0, BOOL, O}, {5, 7428, 80, MESSAGE, M},
    /* 447: core.v1.CinderVolumeSource */
    {1, 8700, 0, STRING, 0}, {2, 8674, 0, STRING, O}, {3, 8691, 0, BOOL, O},
    {4, 8752, 148, MESSAGE, 0},
    /* 448: core.v1.CephFSVolumeSource */
    {1, 8735, 0, STRING, R|N}, {2, 8573, 0, STRING, O}, {3, 7705, 0, STRING, O},
    {4, 8854, 0, STRING, O}, {5, 8752, 148, MESSAGE, 0}, {6, 8691, 0, BOOL, O},
    /* 449: core.v1.DownwardAPIVolumeSource */
    {1, 5767, 495, MESSAGE, R}, {2, 10853, 0, INT32, 0}, {3, 10874, 0, INT64, 0},
    /* 450: core.v1.AzureFileVolumeSource */
    {1, 6100, 0, STRING, 0}, {2, 8906, 0, STRING, 0}, {3, 8691, 0, BOOL, O},
    /* 451: core.v1.ConfigMapVolumeSource */
    {1, 0, 148, MESSAGE, I}, {2, 5767, 494, MESSAGE, R}, {3, 10853, 0, INT32, 0},
    {4, 10865, 0, BOOL, 0}, {5, 10874, 0, INT64, 0},
    /* 452: core.v1.ScaleIOVolumeSource */
    {1, 9034, 0, STRING, 0}, {2, 9042, 0, STRING, 0}, {3, 8752, 148, MESSAGE, N},
    {4, 9049, 0, BOOL, O}, {5, 9060, 0, STRING, O}, {6, 9077, 0, STRING, O},
    {7, 9089, 0, STRING, O}, {8, 3791, 0, STRING, O}, {9, 8674, 0, STRING, O},
    {10, 8691, 0, BOOL, O},
    /* 453: core.v1.ProjectedVolumeSource */
    {1, 10896, 496, MESSAGE, R|N}, {2, 10853, 0, INT32, 0}, {3, 10874, 0, INT64, 0},
    /* 454: core.v1.StorageOSVolumeSource */
    {1, 3791, 0, STRING, O}, {2, 9101, 0, STRING, O}, {3, 8674, 0, STRING, O},
    {4, 8691, 0, BOOL, O}, {5, 8752, 148, MESSAGE, 0},
    /* 455: core.v1.CSIVolumeSource */
    {1, 4912, 0, STRING, 0}, {2, 8691, 0, BOOL, 0}, {3, 8674, 0, STRING, 0},
    {4, 9130, 80, MESSAGE, M}, {5, 9193, 148, MESSAGE, 0},
    /* 456: core.v1.EphemeralVolumeSource */
    {1, 10904, 497, MESSAGE, 0},
    /* 457: core.v1.ImageVolumeSource */
    {1, 10924, 0, STRING, O}, {2, 10934, 0, STRING, O},
    /* 458: core.v1.EnvVarSource */
    {1, 10164, 498, MESSAGE, 0}, {2, 10945, 499, MESSAGE, 0}, {3, 10962, 500, MESSAGE, 0},
    {4, 10978, 501, MESSAGE, 0}, {5, 10991, 502, MESSAGE, 0},
    /* 459: core.v1.ProbeHandler */
    {1, 11002, 503, MESSAGE, 0}, {2, 11007, 504, MESSAGE, 0}, {3, 11015, 505, MESSAGE, 0},
    {4, 11025, 506, MESSAGE, 0},
    /* 460: core.v1.LifecycleHandler */
    {1, 11002, 503, MESSAGE, 0}, {2, 11007, 504, MESSAGE, 0}, {3, 11015, 505, MESSAGE, 0},
    {4, 11030, 507, MESSAGE, 0},
    /* 461: core.v1.Capabilities */
    {1, 11036, 0, STRING, R}, {2, 11040, 0, STRING, R},
    /* 462: core.v1.ConfigMapEnvSource */
    {1, 0, 148, MESSAGE, I}, {2, 10865, 0, BOOL, 0},
    /* 463: core.v1.SecretEnvSource */
    {1, 0, 148, MESSAGE, I}, {2, 10865, 0, BOOL, 0},
    /* 464: core.v1.ContainerRestartRuleOnExitCodes */
    {1, 5751, 0, STRING, O}, {2, 5760, 0, INT32, R},
    /* 465: core.v1.PreferredSchedulingTerm */
    {1, 11045, 0, INT32, 0}, {2, 11052, 400, MESSAGE, 0},
    /* 466: core.v1.PodAffinityTerm */
    {1, 7488, 72, MESSAGE, 0}, {2, 8366, 0, STRING, R}, {3, 7458, 0, STRING, 0},
    {4, 3317, 72, MESSAGE, 0}, {5, 7549, 0, STRING, R}, {6, 11063, 0, STRING, R},
    /* 467: core.v1.WeightedPodAffinityTerm */
    {1, 11045, 0, INT32, 0}, {2, 11081, 466, MESSAGE, 0},
    /* 468: core.v1.ContainerStateWaiting */
    {1, 423, 0, STRING, O}, {2, 555, 0, STRING, O},
    /* 469: core.v1.ContainerStateRunning */
    {1, 11097, 99, MESSAGE, 0},
    /* 470: core.v1.ContainerStateTerminated */
    {1, 11107, 0, INT32, 0}, {2, 11116, 0, INT32, O}, {3, 423, 0, STRING, O},
    {4, 555, 0, STRING, O}, {5, 11097, 99, MESSAGE, 0}, {6, 11123, 99, MESSAGE, 0},
    {7, 7685, 0, STRING, O},
    /* 471: core.v1.VolumeStatus */
    {1, 6944, 508, MESSAGE, 0},
    /* 472: core.v1.LinuxContainerUser */
    {1, 969, 0, INT64, 0}, {2, 11134, 0, INT64, 0}, {3, 7219, 0, INT64, R},
    /* 473: core.v1.ResourceHealth */
    {1, 11138, 0, STRING, 0}, {2, 11149, 0, STRING, O}, {6, 555, 0, STRING, 0},
    /* 474: flowcontrol.v1.QueuingConfiguration */
    {1, 11156, 0, INT32, 0}, {2, 11163, 0, INT32, 0}, {3, 11172, 0, INT32, 0},
    /* 475: resource.v1.ExactDeviceRequest */
    {1, 11189, 0, STRING, 0}, {2, 2298, 180, MESSAGE, R}, {3, 11205, 0, STRING, O},
    {4, 599, 0, INT64, O}, {5, 11220, 0, BOOL, 0}, {6, 4160, 509, MESSAGE, R},
    {7, 100, 510, MESSAGE, 0}, {8, 11232, 511, MESSAGE, R},
    /* 476: resource.v1.DeviceSubRequest */
    {1, 932, 0, STRING, 0}, {2, 11189, 0, STRING, 0}, {3, 2298, 180, MESSAGE, R},
    {4, 11205, 0, STRING, O}, {5, 599, 0, INT64, O}, {6, 4160, 509, MESSAGE, R},
    {7, 100, 510, MESSAGE, 0}, {8, 11232, 511, MESSAGE, R},
    /* 477: resource.v1.DeviceRequestAllocationResult */
    {1, 1512, 0, STRING, 0}, {2, 4912, 0, STRING, 0}, {3, 4919, 0, STRING, 0},
    {4, 7893, 0, STRING, 0}, {5, 11220, 0, BOOL, 0}, {6, 4160, 509, MESSAGE, R},
    {7, 7997, 0, STRING, R}, {8, 8015, 0, STRING, R}, {9, 7912, 0, STRING, 0},
    {10, 11250, 221, MESSAGE, M}, {11, 4994, 0, STRING, R},
    /* 478: resource.v1.DeviceAllocationConfiguration */
    {1, 563, 0, STRING, 0}, {2, 6903, 0, STRING, R}, {3, 0, 304, MESSAGE, I},
    /* 479: core.v1.NodeSelectorRequirement */
    {1, 5747, 0, STRING, 0}, {2, 5751, 0, STRING, 0}, {3, 5760, 0, STRING, R},
    /* 480: resource.v1.CapacityRequestPolicy */
    {1, 6187, 73, MESSAGE, N}, {3, 11267, 73, MESSAGE, R}, {4, 11279, 512, MESSAGE, 0},
    /* 481: resource.v1.NodeAllocatableMapping */
    {1, 11290, 0, STRING, 0}, {2, 11302, 73, MESSAGE, 0}, {3, 11321, 73, MESSAGE, 0},
    /* 482: resource.v1.NodeAllocatableOverhead */
    {1, 9936, 73, MESSAGE, 0}, {2, 9943, 73, MESSAGE, 0},
    /* 483: core.v1.PortStatus */
    {1, 2413, 0, INT32, 0}, {2, 2404, 0, STRING, 0}, {3, 6649, 0, STRING, 0},
    /* 484: apiextensions.v1.JSON */
    {1, 10, 0, BYTES, 0},
    /* 485: apiextensions.v1.JSONSchemaPropsOrArray */
    {1, 5850, 415, MESSAGE, 0}, {2, 11338, 415, MESSAGE, R},
    /* 486: map of apiextensions.v1.JSONSchemaProps */
    {1, 0, 0, STRING, 0}, {2, 0, 415, MESSAGE, 0},
    /* 487: apiextensions.v1.JSONSchemaPropsOrBool */
    {1, 11350, 0, BOOL, 0}, {2, 5850, 415, MESSAGE, 0},
    /* 488: apiextensions.v1.JSONSchemaPropsOrStringArray */
    {1, 5850, 415, MESSAGE, 0}, {2, 11357, 0, STRING, R},
    /* 489: map of apiextensions.v1.JSONSchemaPropsOrStringArray */
    {1, 0, 0, STRING, 0}, {2, 0, 488, MESSAGE, 0},
    /* 490: apiextensions.v1.ExternalDocumentation */
    {1, 676, 0, STRING, O}, {2, 6326, 0, STRING, O},
    /* 491: apiextensions.v1.ValidationRule */
    {1, 11366, 0, STRING, 0}, {2, 555, 0, STRING, O}, {3, 8157, 0, STRING, O},
    {4, 423, 0, STRING, 0}, {5, 1224, 0, STRING, O}, {6, 11371, 0, BOOL, 0},
    /* 492: apiextensions.v1.ServiceReference */
    {1, 950, 0, STRING, 0}, {2, 932, 0, STRING, 0}, {3, 8573, 0, STRING, 0}, {4, 2413, 0, INT32, 0},
    /* 493: networking.v1.HTTPIngressPath */
    {1, 8573, 0, STRING, O}, {2, 11387, 196, MESSAGE, 0}, {3, 11395, 0, STRING, N},
    /* 494: core.v1.KeyToPath */
    {1, 5747, 0, STRING, 0}, {2, 8573, 0, STRING, 0}, {3, 10827, 0, INT32, 0},
    {4, 7705, 0, INT64, 0},
    /* 495: core.v1.DownwardAPIVolumeFile */
    {1, 8573, 0, STRING, 0}, {2, 10164, 498, MESSAGE, 0}, {3, 10945, 499, MESSAGE, 0},
    {4, 10827, 0, INT32, 0}, {5, 7705, 0, INT64, 0},
    /* 496: core.v1.VolumeProjection */
    {1, 9277, 513, MESSAGE, 0}, {2, 9306, 514, MESSAGE, 0}, {3, 6366, 515, MESSAGE, 0},
    {4, 11404, 516, MESSAGE, 0}, {5, 11424, 517, MESSAGE, 0}, {6, 11443, 518, MESSAGE, 0},
    /* 497: core.v1.PersistentVolumeClaimTemplate */
    {1, 42, 65, MESSAGE, 0}, {2, 51, 123, MESSAGE, 0},
    /* 498: core.v1.ObjectFieldSelector */
    {1, 916, 0, STRING, O}, {2, 1224, 0, STRING, 0},
    /* 499: core.v1.ResourceFieldSelector */
    {1, 9901, 0, STRING, O}, {2, 6040, 0, STRING, 0}, {3, 11458, 73, MESSAGE, 0},
    /* 500: core.v1.ConfigMapKeySelector */
    {1, 0, 148, MESSAGE, I}, {2, 5747, 0, STRING, 0}, {3, 10865, 0, BOOL, 0},
    /* 501: core.v1.SecretKeySelector */
    {1, 0, 148, MESSAGE, I}, {2, 5747, 0, STRING, 0}, {3, 10865, 0, BOOL, 0},
    /* 502: core.v1.FileKeySelector */
    {1, 3791, 0, STRING, 0}, {2, 8573, 0, STRING, 0}, {3, 5747, 0, STRING, 0},
    {4, 10865, 0, BOOL, 0},
    /* 503: core.v1.ExecAction */
    {1, 6950, 0, STRING, R},
    /* 504: core.v1.HTTPGetAction */
    {1, 8573, 0, STRING, O}, {2, 2413, 263, MESSAGE, 0}, {3, 2489, 0, STRING, O},
    {4, 11466, 0, STRING, O}, {5, 11473, 519, MESSAGE, R}, {6, 2404, 0, STRING, 0},
    /* 505: core.v1.TCPSocketAction */
    {1, 2413, 263, MESSAGE, 0}, {2, 2489, 0, STRING, O},
    /* 506: core.v1.GRPCAction */
    {1, 2413, 0, INT32, 0}, {2, 1123, 0, STRING, N}, {3, 10827, 0, STRING, 0},
    /* 507: core.v1.SleepAction */
    {1, 2448, 0, INT64, 0},
    /* 508: core.v1.ImageVolumeStatus */
    {1, 11485, 0, STRING, O},
    /* 509: resource.v1.DeviceToleration */
    {1, 5747, 0, STRING, O}, {2, 5751, 0, STRING, O}, {3, 656, 0, STRING, O},
    {4, 6349, 0, STRING, O}, {5, 7379, 0, INT64, 0},
    /* 510: resource.v1.CapacityRequirements */
    {1, 6903, 221, MESSAGE, M},
    /* 511: resource.v1.DeviceDerivedAttribute */
    {1, 932, 0, STRING, 0}, {2, 6252, 0, STRING, 0},
    /* 512: resource.v1.CapacityRequestPolicyRange */
    {1, 6183, 73, MESSAGE, 0}, {2, 6179, 73, MESSAGE, 0}, {3, 11494, 73, MESSAGE, 0},
    /* 513: core.v1.SecretProjection */
    {1, 0, 148, MESSAGE, I}, {2, 5767, 494, MESSAGE, R}, {4, 10865, 0, BOOL, 0},
    /* 514: core.v1.DownwardAPIProjection */
    {1, 5767, 495, MESSAGE, R},
    /* 515: core.v1.ConfigMapProjection */
    {1, 0, 148, MESSAGE, I}, {2, 5767, 494, MESSAGE, R}, {4, 10865, 0, BOOL, 0},
    /* 516: core.v1.ServiceAccountTokenProjection */
    {1, 5701, 0, STRING, O}, {2, 1560, 0, INT64, 0}, {3, 8573, 0, STRING, 0},
    {4, 7705, 0, INT64, 0},
    /* 517: core.v1.ClusterTrustBundleProjection */
    {1, 932, 0, STRING, 0}, {2, 1549, 0, STRING, 0}, {3, 7488, 72, MESSAGE, 0},
    {4, 8573, 0, STRING, 0}, {5, 10865, 0, BOOL, 0}, {6, 7705, 0, INT64, 0},
    /* 518: core.v1.PodCertificateProjection */
    {1, 1549, 0, STRING, O}, {2, 11499, 0, STRING, O}, {3, 11507, 0, INT32, 0},
    {4, 11528, 0, STRING, O}, {5, 11549, 0, STRING, O}, {6, 11557, 0, STRING, O},
    {7, 11578, 80, MESSAGE, M}, {8, 7705, 0, INT64, 0},
    /* 519: core.v1.HTTPHeader */
    {1, 932, 0, STRING, 0}, {2, 656, 0, STRING, 0},
};

const kin__pb_message kin__pb_messages[] = {
    {0, 4, KIN__PB_OBJECT}, {4, 3, KIN__PB_OBJECT}, {7, 2, KIN__PB_OBJECT}, {9, 2, KIN__PB_OBJECT},
    {11, 3, KIN__PB_OBJECT}, {14, 5, KIN__PB_OBJECT}, {19, 3, KIN__PB_OBJECT},
    {22, 3, KIN__PB_OBJECT}, {25, 3, KIN__PB_OBJECT}, {28, 4, KIN__PB_OBJECT},
    {32, 3, KIN__PB_OBJECT}, {35, 3, KIN__PB_OBJECT}, {38, 3, KIN__PB_OBJECT},
    {41, 3, KIN__PB_OBJECT}, {44, 6, KIN__PB_OBJECT}, {50, 3, KIN__PB_OBJECT},
    {53, 2, KIN__PB_OBJECT}, {55, 4, KIN__PB_OBJECT}, {59, 2, KIN__PB_OBJECT},
    {61, 15, KIN__PB_OBJECT}, {76, 15, KIN__PB_OBJECT}, {91, 2, KIN__PB_OBJECT},
    {93, 3, KIN__PB_OBJECT}, {96, 3, KIN__PB_OBJECT}, {99, 2, KIN__PB_OBJECT},
    {101, 3, KIN__PB_OBJECT}, {104, 2, KIN__PB_OBJECT}, {106, 3, KIN__PB_OBJECT},
    {109, 2, KIN__PB_OBJECT}, {111, 2, KIN__PB_OBJECT}, {113, 2, KIN__PB_OBJECT},
    {115, 2, KIN__PB_OBJECT}, {117, 2, KIN__PB_OBJECT}, {119, 3, KIN__PB_OBJECT},
    {122, 2, KIN__PB_OBJECT}, {124, 3, KIN__PB_OBJECT}, {127, 3, KIN__PB_OBJECT},
    {130, 3, KIN__PB_OBJECT}, {133, 3, KIN__PB_OBJECT}, {136, 3, KIN__PB_OBJECT},
    {139, 2, KIN__PB_OBJECT}, {141, 5, KIN__PB_OBJECT}, {146, 3, KIN__PB_OBJECT},
    {149, 3, KIN__PB_OBJECT}, {152, 3, KIN__PB_OBJECT}, {155, 3, KIN__PB_OBJECT},
    {158, 2, KIN__PB_OBJECT}, {160, 3, KIN__PB_OBJECT}, {163, 2, KIN__PB_OBJECT},
    {165, 2, KIN__PB_OBJECT}, {167, 3, KIN__PB_OBJECT}, {170, 4, KIN__PB_OBJECT},
    {174, 3, KIN__PB_OBJECT}, {177, 5, KIN__PB_OBJECT}, {182, 3, KIN__PB_OBJECT},
    {185, 4, KIN__PB_OBJECT}, {189, 3, KIN__PB_OBJECT}, {192, 3, KIN__PB_OBJECT},
    {195, 8, KIN__PB_OBJECT}, {203, 3, KIN__PB_OBJECT}, {206, 2, KIN__PB_OBJECT},
    {208, 2, KIN__PB_OBJECT}, {210, 3, KIN__PB_OBJECT}, {213, 3, KIN__PB_OBJECT},
    {216, 2, KIN__PB_OBJECT}, {218, 15, KIN__PB_OBJECT}, {233, 7, KIN__PB_OBJECT},
    {240, 1, KIN__PB_OBJECT}, {241, 7, KIN__PB_OBJECT}, {248, 11, KIN__PB_OBJECT},
    {259, 1, KIN__PB_OBJECT}, {260, 1, KIN__PB_OBJECT}, {261, 2, KIN__PB_OBJECT},
    {263, 1, KIN__PB_CHOICE}, {264, 8, KIN__PB_OBJECT}, {272, 2, KIN__PB_OBJECT},
    {274, 5, KIN__PB_OBJECT}, {279, 1, KIN__PB_OBJECT}, {280, 4, KIN__PB_OBJECT},
    {284, 3, KIN__PB_OBJECT}, {287, 2, KIN__PB_ENTRY}, {289, 2, KIN__PB_ENTRY},
    {291, 1, KIN__PB_RAW}, {292, 8, KIN__PB_OBJECT}, {300, 3, KIN__PB_OBJECT},
    {303, 6, KIN__PB_OBJECT}, {309, 4, KIN__PB_OBJECT}, {313, 5, KIN__PB_OBJECT},
    {318, 10, KIN__PB_OBJECT}, {328, 2, KIN__PB_OBJECT}, {330, 8, KIN__PB_OBJECT},
    {338, 9, KIN__PB_OBJECT}, {347, 3, KIN__PB_OBJECT}, {350, 8, KIN__PB_OBJECT},
    {358, 4, KIN__PB_OBJECT}, {362, 3, KIN__PB_OBJECT}, {365, 2, KIN__PB_MICRO_TIME},
    {367, 2, KIN__PB_OBJECT}, {369, 2, KIN__PB_OBJECT}, {371, 2, KIN__PB_TIME},
    {373, 2, KIN__PB_OBJECT}, {375, 4, KIN__PB_OBJECT}, {379, 1, KIN__PB_OBJECT},
    {380, 5, KIN__PB_OBJECT}, {385, 6, KIN__PB_OBJECT}, {391, 1, KIN__PB_OBJECT},
    {392, 4, KIN__PB_OBJECT}, {396, 1, KIN__PB_OBJECT}, {397, 2, KIN__PB_OBJECT},
    {399, 17, KIN__PB_OBJECT}, {416, 11, KIN__PB_OBJECT}, {427, 7, KIN__PB_OBJECT},
    {434, 1, KIN__PB_OBJECT}, {435, 7, KIN__PB_OBJECT}, {442, 3, KIN__PB_OBJECT},
    {445, 12, KIN__PB_OBJECT}, {457, 1, KIN__PB_OBJECT}, {458, 2, KIN__PB_OBJECT},
    {460, 4, KIN__PB_OBJECT}, {464, 8, KIN__PB_OBJECT}, {472, 14, KIN__PB_OBJECT},
    {486, 10, KIN__PB_OBJECT}, {496, 4, KIN__PB_OBJECT}, {500, 9, KIN__PB_OBJECT},
    {509, 9, KIN__PB_OBJECT}, {518, 43, KIN__PB_OBJECT}, {561, 22, KIN__PB_OBJECT},
    {583, 4, KIN__PB_OBJECT}, {587, 7, KIN__PB_OBJECT}, {594, 2, KIN__PB_OBJECT},
    {596, 3, KIN__PB_OBJECT}, {599, 1, KIN__PB_OBJECT}, {600, 4, KIN__PB_OBJECT},
    {604, 7, KIN__PB_OBJECT}, {611, 4, KIN__PB_OBJECT}, {615, 6, KIN__PB_OBJECT},
    {621, 1, KIN__PB_OBJECT}, {622, 3, KIN__PB_OBJECT}, {625, 2, KIN__PB_OBJECT},
    {627, 3, KIN__PB_OBJECT}, {630, 2, KIN__PB_OBJECT}, {632, 10, KIN__PB_OBJECT},
    {642, 1, KIN__PB_OBJECT}, {643, 2, KIN__PB_OBJECT}, {645, 1, KIN__PB_OBJECT},
    {646, 2, KIN__PB_OBJECT}, {648, 20, KIN__PB_OBJECT}, {668, 2, KIN__PB_OBJECT},
    {670, 1, KIN__PB_OBJECT}, {671, 1, KIN__PB_OBJECT}, {672, 1, KIN__PB_OBJECT},
    {673, 11, KIN__PB_OBJECT}, {684, 10, KIN__PB_OBJECT}, {694, 1, KIN__PB_OBJECT},
    {695, 7, KIN__PB_OBJECT}, {702, 3, KIN__PB_OBJECT}, {705, 4, KIN__PB_OBJECT},
    {709, 11, KIN__PB_OBJECT}, {720, 3, KIN__PB_OBJECT}, {723, 4, KIN__PB_OBJECT},
    {727, 6, KIN__PB_OBJECT}, {733, 7, KIN__PB_OBJECT}, {740, 3, KIN__PB_OBJECT},
    {743, 5, KIN__PB_OBJECT}, {748, 2, KIN__PB_OBJECT}, {750, 4, KIN__PB_OBJECT},
    {754, 2, KIN__PB_OBJECT}, {756, 3, KIN__PB_OBJECT}, {759, 1, KIN__PB_CHOICE},
    {760, 2, KIN__PB_ENTRY}, {762, 6, KIN__PB_OBJECT}, {768, 2, KIN__PB_OBJECT},
    {770, 6, KIN__PB_OBJECT}, {776, 9, KIN__PB_OBJECT}, {785, 2, KIN__PB_OBJECT},
    {787, 6, KIN__PB_OBJECT}, {793, 2, KIN__PB_OBJECT}, {795, 5, KIN__PB_OBJECT},
    {800, 2, KIN__PB_OBJECT}, {802, 6, KIN__PB_OBJECT}, {808, 1, KIN__PB_OBJECT},
    {809, 1, KIN__PB_OBJECT}, {810, 3, KIN__PB_OBJECT}, {813, 2, KIN__PB_OBJECT},
    {815, 4, KIN__PB_OBJECT}, {819, 4, KIN__PB_OBJECT}, {823, 1, KIN__PB_OBJECT},
    {824, 1, KIN__PB_OBJECT}, {825, 3, KIN__PB_OBJECT}, {828, 5, KIN__PB_OBJECT},
    {833, 3, KIN__PB_OBJECT}, {836, 6, KIN__PB_OBJECT}, {842, 2, KIN__PB_OBJECT},
    {844, 6, KIN__PB_OBJECT}, {850, 6, KIN__PB_OBJECT}, {856, 4, KIN__PB_OBJECT},
    {860, 2, KIN__PB_OBJECT}, {862, 2, KIN__PB_OBJECT}, {864, 2, KIN__PB_OBJECT},
    {866, 1, KIN__PB_OBJECT}, {867, 5, KIN__PB_OBJECT}, {872, 1, KIN__PB_OBJECT},
    {873, 1, KIN__PB_OBJECT}, {874, 4, KIN__PB_OBJECT}, {878, 6, KIN__PB_OBJECT},
    {884, 2, KIN__PB_OBJECT}, {886, 6, KIN__PB_OBJECT}, {892, 2, KIN__PB_OBJECT},
    {894, 5, KIN__PB_OBJECT}, {899, 2, KIN__PB_OBJECT}, {901, 3, KIN__PB_OBJECT},
    {904, 2, KIN__PB_OBJECT}, {906, 4, KIN__PB_OBJECT}, {910, 3, KIN__PB_OBJECT},
    {913, 2, KIN__PB_OBJECT}, {915, 5, KIN__PB_OBJECT}, {920, 2, KIN__PB_OBJECT},
    {922, 2, KIN__PB_OBJECT}, {924, 4, KIN__PB_OBJECT}, {928, 1, KIN__PB_OBJECT},
    {929, 1, KIN__PB_OBJECT}, {930, 2, KIN__PB_ENTRY}, {932, 6, KIN__PB_OBJECT},
    {938, 2, KIN__PB_OBJECT}, {940, 1, KIN__PB_OBJECT}, {941, 12, KIN__PB_OBJECT},
    {953, 2, KIN__PB_OBJECT}, {955, 2, KIN__PB_OBJECT}, {957, 4, KIN__PB_OBJECT},
    {961, 2, KIN__PB_OBJECT}, {963, 1, KIN__PB_OBJECT}, {964, 22, KIN__PB_OBJECT},
    {986, 1, KIN__PB_OBJECT}, {987, 2, KIN__PB_OBJECT}, {989, 3, KIN__PB_OBJECT},
    {992, 4, KIN__PB_OBJECT}, {996, 6, KIN__PB_OBJECT}, {1002, 2, KIN__PB_OBJECT},
    {1004, 2, KIN__PB_OBJECT}, {1006, 2, KIN__PB_OBJECT}, {1008, 25, KIN__PB_OBJECT},
    {1033, 13, KIN__PB_OBJECT}, {1046, 3, KIN__PB_OBJECT}, {1049, 5, KIN__PB_OBJECT},
    {1054, 2, KIN__PB_OBJECT}, {1056, 3, KIN__PB_OBJECT}, {1059, 1, KIN__PB_OBJECT},
    {1060, 8, KIN__PB_OBJECT}, {1068, 2, KIN__PB_OBJECT}, {1070, 1, KIN__PB_OBJECT},
    {1071, 1, KIN__PB_OBJECT}, {1072, 3, KIN__PB_OBJECT}, {1075, 3, KIN__PB_OBJECT},
    {1078, 1, KIN__PB_OBJECT}, {1079, 2, KIN__PB_OBJECT}, {1081, 7, KIN__PB_OBJECT},
    {1088, 15, KIN__PB_OBJECT}, {1103, 1, KIN__PB_OBJECT}, {1104, 2, KIN__PB_OBJECT},
    {1106, 1, KIN__PB_OBJECT}, {1107, 2, KIN__PB_OBJECT}, {1109, 4, KIN__PB_OBJECT},
    {1113, 3, KIN__PB_OBJECT}, {1116, 3, KIN__PB_INT_OR_STRING}, {1119, 2, KIN__PB_ENTRY},
    {1121, 6, KIN__PB_OBJECT}, {1127, 4, KIN__PB_OBJECT}, {1131, 2, KIN__PB_OBJECT},
    {1133, 5, KIN__PB_OBJECT}, {1138, 5, KIN__PB_OBJECT}, {1143, 5, KIN__PB_OBJECT},
    {1148, 3, KIN__PB_OBJECT}, {1151, 3, KIN__PB_OBJECT}, {1154, 4, KIN__PB_OBJECT},
    {1158, 7, KIN__PB_OBJECT}, {1165, 1, KIN__PB_OBJECT}, {1166, 3, KIN__PB_OBJECT},
    {1169, 1, KIN__PB_OBJECT}, {1170, 13, KIN__PB_OBJECT}, {1183, 2, KIN__PB_OBJECT},
    {1185, 6, KIN__PB_OBJECT}, {1191, 1, KIN__PB_OBJECT}, {1192, 1, KIN__PB_OBJECT},
    {1193, 2, KIN__PB_OBJECT}, {1195, 2, KIN__PB_OBJECT}, {1197, 1, KIN__PB_OBJECT},
    {1198, 5, KIN__PB_OBJECT}, {1203, 2, KIN__PB_OBJECT}, {1205, 4, KIN__PB_OBJECT},
    {1209, 2, KIN__PB_OBJECT}, {1211, 1, KIN__PB_OBJECT}, {1212, 2, KIN__PB_OBJECT},
    {1214, 3, KIN__PB_OBJECT}, {1217, 1, KIN__PB_RAW}, {1218, 1, KIN__PB_OBJECT},
    {1219, 6, KIN__PB_OBJECT}, {1225, 1, KIN__PB_OBJECT}, {1226, 2, KIN__PB_OBJECT},
    {1228, 6, KIN__PB_OBJECT}, {1234, 1, KIN__PB_OBJECT}, {1235, 2, KIN__PB_OBJECT},
    {1237, 2, KIN__PB_OBJECT}, {1239, 2, KIN__PB_OBJECT}, {1241, 1, KIN__PB_OBJECT},
    {1242, 1, KIN__PB_OBJECT}, {1243, 1, KIN__PB_OBJECT}, {1244, 1, KIN__PB_OBJECT},
    {1245, 4, KIN__PB_OBJECT}, {1249, 5, KIN__PB_OBJECT}, {1254, 2, KIN__PB_OBJECT},
    {1256, 3, KIN__PB_OBJECT}, {1259, 2, KIN__PB_OBJECT}, {1261, 2, KIN__PB_OBJECT},
    {1263, 2, KIN__PB_OBJECT}, {1265, 3, KIN__PB_OBJECT}, {1268, 4, KIN__PB_OBJECT},
    {1272, 3, KIN__PB_OBJECT}, {1275, 2, KIN__PB_OBJECT}, {1277, 2, KIN__PB_OBJECT},
    {1279, 2, KIN__PB_OBJECT}, {1281, 3, KIN__PB_OBJECT}, {1284, 2, KIN__PB_OBJECT},
    {1286, 1, KIN__PB_OBJECT}, {1287, 3, KIN__PB_OBJECT}, {1290, 3, KIN__PB_OBJECT},
    {1293, 2, KIN__PB_OBJECT}, {1295, 2, KIN__PB_OBJECT}, {1297, 1, KIN__PB_OBJECT},
    {1298, 2, KIN__PB_OBJECT}, {1300, 3, KIN__PB_OBJECT}, {1303, 2, KIN__PB_OBJECT},
    {1305, 1, KIN__PB_OBJECT}, {1306, 1, KIN__PB_OBJECT}, {1307, 4, KIN__PB_OBJECT},
    {1311, 4, KIN__PB_OBJECT}, {1315, 3, KIN__PB_OBJECT}, {1318, 3, KIN__PB_OBJECT},
    {1321, 5, KIN__PB_OBJECT}, {1326, 1, KIN__PB_OBJECT}, {1327, 1, KIN__PB_OBJECT},
    {1328, 2, KIN__PB_OBJECT}, {1330, 4, KIN__PB_OBJECT}, {1334, 4, KIN__PB_OBJECT},
    {1338, 2, KIN__PB_OBJECT}, {1340, 4, KIN__PB_OBJECT}, {1344, 3, KIN__PB_OBJECT},
    {1347, 8, KIN__PB_OBJECT}, {1355, 11, KIN__PB_OBJECT}, {1366, 4, KIN__PB_OBJECT},
    {1370, 6, KIN__PB_OBJECT}, {1376, 5, KIN__PB_OBJECT}, {1381, 2, KIN__PB_OBJECT},
    {1383, 5, KIN__PB_OBJECT}, {1388, 4, KIN__PB_OBJECT}, {1392, 4, KIN__PB_OBJECT},
    {1396, 6, KIN__PB_OBJECT}, {1402, 6, KIN__PB_OBJECT}, {1408, 2, KIN__PB_OBJECT},
    {1410, 3, KIN__PB_OBJECT}, {1413, 10, KIN__PB_OBJECT}, {1423, 2, KIN__PB_OBJECT},
    {1425, 5, KIN__PB_OBJECT}, {1430, 10, KIN__PB_OBJECT}, {1440, 3, KIN__PB_OBJECT},
    {1443, 30, KIN__PB_OBJECT}, {1473, 5, KIN__PB_OBJECT}, {1478, 3, KIN__PB_OBJECT},
    {1481, 8, KIN__PB_OBJECT}, {1489, 7, KIN__PB_OBJECT}, {1496, 3, KIN__PB_OBJECT},
    {1499, 12, KIN__PB_OBJECT}, {1511, 3, KIN__PB_OBJECT}, {1514, 2, KIN__PB_OBJECT},
    {1516, 2, KIN__PB_OBJECT}, {1518, 2, KIN__PB_OBJECT}, {1520, 4, KIN__PB_OBJECT},
    {1524, 2, KIN__PB_OBJECT}, {1526, 4, KIN__PB_OBJECT}, {1530, 2, KIN__PB_OBJECT},
    {1532, 2, KIN__PB_OBJECT}, {1534, 2, KIN__PB_OBJECT}, {1536, 2, KIN__PB_OBJECT},
    {1538, 2, KIN__PB_OBJECT}, {1540, 2, KIN__PB_OBJECT}, {1542, 25, KIN__PB_OBJECT},
    {1567, 2, KIN__PB_OBJECT}, {1569, 3, KIN__PB_OBJECT}, {1572, 5, KIN__PB_OBJECT},
    {1577, 1, KIN__PB_OBJECT}, {1578, 2, KIN__PB_OBJECT}, {1580, 3, KIN__PB_OBJECT},
    {1583, 2, KIN__PB_OBJECT}, {1585, 3, KIN__PB_OBJECT}, {1588, 2, KIN__PB_OBJECT},
    {1590, 3, KIN__PB_OBJECT}, {1593, 3, KIN__PB_OBJECT}, {1596, 2, KIN__PB_OBJECT},
    {1598, 2, KIN__PB_OBJECT}, {1600, 3, KIN__PB_OBJECT}, {1603, 3, KIN__PB_OBJECT},
    {1606, 2, KIN__PB_OBJECT}, {1608, 8, KIN__PB_OBJECT}, {1616, 2, KIN__PB_ENTRY},
    {1618, 2, KIN__PB_OBJECT}, {1620, 2, KIN__PB_ENTRY}, {1622, 3, KIN__PB_OBJECT},
    {1625, 4, KIN__PB_OBJECT}, {1629, 2, KIN__PB_OBJECT}, {1631, 2, KIN__PB_ENTRY},
    {1633, 1, KIN__PB_OBJECT}, {1634, 2, KIN__PB_ENTRY}, {1636, 1, KIN__PB_OBJECT},
    {1637, 4, KIN__PB_OBJECT}, {1641, 2, KIN__PB_OBJECT}, {1643, 2, KIN__PB_OBJECT},
    {1645, 44, KIN__PB_OBJECT}, {1689, 0, KIN__PB_OBJECT}, {1689, 3, KIN__PB_OBJECT},
    {1692, 3, KIN__PB_OBJECT}, {1695, 2, KIN__PB_OBJECT}, {1697, 1, KIN__PB_OBJECT},
    {1698, 1, KIN__PB_OBJECT}, {1699, 2, KIN__PB_OBJECT}, {1701, 4, KIN__PB_OBJECT},
    {1705, 2, KIN__PB_OBJECT}, {1707, 3, KIN__PB_OBJECT}, {1710, 3, KIN__PB_OBJECT},
    {1713, 2, KIN__PB_OBJECT}, {1715, 1, KIN__PB_OBJECT}, {1716, 3, KIN__PB_OBJECT},
    {1719, 3, KIN__PB_OBJECT}, {1722, 2, KIN__PB_OBJECT}, {1724, 0, KIN__PB_OBJECT},
    {1724, 1, KIN__PB_OBJECT}, {1725, 1, KIN__PB_OBJECT}, {1726, 0, KIN__PB_OBJECT},
    {1726, 0, KIN__PB_OBJECT}, {1726, 2, KIN__PB_OBJECT}, {1728, 2, KIN__PB_OBJECT},
    {1730, 3, KIN__PB_OBJECT}, {1733, 3, KIN__PB_OBJECT}, {1736, 5, KIN__PB_OBJECT},
    {1741, 11, KIN__PB_OBJECT}, {1752, 3, KIN__PB_OBJECT}, {1755, 2, KIN__PB_OBJECT},
    {1757, 8, KIN__PB_OBJECT}, {1765, 5, KIN__PB_OBJECT}, {1770, 4, KIN__PB_OBJECT},
    {1774, 6, KIN__PB_OBJECT}, {1780, 3, KIN__PB_OBJECT}, {1783, 3, KIN__PB_OBJECT},
    {1786, 5, KIN__PB_OBJECT}, {1791, 10, KIN__PB_OBJECT}, {1801, 3, KIN__PB_OBJECT},
    {1804, 5, KIN__PB_OBJECT}, {1809, 5, KIN__PB_OBJECT}, {1814, 1, KIN__PB_OBJECT},
    {1815, 2, KIN__PB_OBJECT}, {1817, 5, KIN__PB_OBJECT}, {1822, 4, KIN__PB_OBJECT},
    {1826, 4, KIN__PB_OBJECT}, {1830, 2, KIN__PB_OBJECT}, {1832, 2, KIN__PB_OBJECT},
    {1834, 2, KIN__PB_OBJECT}, {1836, 2, KIN__PB_OBJECT}, {1838, 2, KIN__PB_OBJECT},
    {1840, 6, KIN__PB_OBJECT}, {1846, 2, KIN__PB_OBJECT}, {1848, 2, KIN__PB_OBJECT},
    {1850, 1, KIN__PB_OBJECT}, {1851, 7, KIN__PB_OBJECT}, {1858, 1, KIN__PB_OBJECT},
    {1859, 3, KIN__PB_OBJECT}, {1862, 3, KIN__PB_OBJECT}, {1865, 3, KIN__PB_OBJECT},
    {1868, 8, KIN__PB_OBJECT}, {1876, 8, KIN__PB_OBJECT}, {1884, 11, KIN__PB_OBJECT},
    {1895, 3, KIN__PB_OBJECT}, {1898, 3, KIN__PB_OBJECT}, {1901, 3, KIN__PB_OBJECT},
    {1904, 3, KIN__PB_OBJECT}, {1907, 2, KIN__PB_OBJECT}, {1909, 3, KIN__PB_OBJECT},
    {1912, 1, KIN__PB_RAW}, {1913, 2, KIN__PB_CHOICE}, {1915, 2, KIN__PB_ENTRY},
    {1917, 2, KIN__PB_CHOICE}, {1919, 2, KIN__PB_CHOICE}, {1921, 2, KIN__PB_ENTRY},
    {1923, 2, KIN__PB_OBJECT}, {1925, 6, KIN__PB_OBJECT}, {1931, 4, KIN__PB_OBJECT},
    {1935, 3, KIN__PB_OBJECT}, {1938, 4, KIN__PB_OBJECT}, {1942, 5, KIN__PB_OBJECT},
    {1947, 6, KIN__PB_OBJECT}, {1953, 2, KIN__PB_OBJECT}, {1955, 2, KIN__PB_OBJECT},
    {1957, 3, KIN__PB_OBJECT}, {1960, 3, KIN__PB_OBJECT}, {1963, 3, KIN__PB_OBJECT},
    {1966, 4, KIN__PB_OBJECT}, {1970, 1, KIN__PB_OBJECT}, {1971, 6, KIN__PB_OBJECT},
    {1977, 2, KIN__PB_OBJECT}, {1979, 3, KIN__PB_OBJECT}, {1982, 1, KIN__PB_OBJECT},
    {1983, 1, KIN__PB_OBJECT}, {1984, 5, KIN__PB_OBJECT}, {1989, 1, KIN__PB_OBJECT},
    {1990, 2, KIN__PB_OBJECT}, {1992, 3, KIN__PB_OBJECT}, {1995, 3, KIN__PB_OBJECT},
    {1998, 1, KIN__PB_OBJECT}, {1999, 3, KIN__PB_OBJECT}, {2002, 4, KIN__PB_OBJECT},
    {2006, 6, KIN__PB_OBJECT}, {2012, 8, KIN__PB_OBJECT}, {2020, 2, KIN__PB_OBJECT},
};

const kin__pb_kind kin__pb_kinds[] = {
    {0, 0, 0}, {11594, 11620, 1}, {11631, 11634, 2}, {11642, 11660, 3}, {11642, 11670, 4},
    {11642, 11678, 5}, {11697, 11720, 6}, {11746, 11775, 7}, {11746, 11787, 8}, {11631, 11806, 9},
    {11816, 11824, 10}, {11843, 11852, 11}, {11860, 11884, 12}, {11816, 11909, 13}, {0, 11919, 14},
    {11816, 11933, 15}, {11944, 11963, 16}, {11975, 11995, 17}, {11631, 12009, 18},
    {12019, 12036, 19}, {11631, 12036, 20}, {12042, 12052, 21}, {12061, 12093, 22},
    {12104, 12119, 23}, {12143, 12164, 24}, {12143, 12174, 25}, {12143, 12182, 26},
    {11843, 12195, 27}, {12199, 12222, 28}, {11631, 12228, 29}, {12239, 12288, 30},
    {12239, 12312, 31}, {12239, 12343, 32}, {11631, 12372, 33}, {12143, 12382, 34},
    {11631, 12396, 35}, {11631, 12401, 36}, {11631, 12418, 37}, {11631, 12440, 38},
    {12042, 12444, 39}, {11631, 12464, 40}, {12476, 12497, 41}, {12061, 12511, 42},
    {11816, 12538, 43}, {11631, 12549, 44}, {11944, 12571, 45}, {11944, 12585, 46},
    {11631, 12607, 47}, {11944, 12621, 48}, {11746, 12635, 49}, {11746, 12640, 50},
    {12652, 12667, 51}, {12680, 12695, 52}, {11631, 12701, 53}, {11631, 12708, 54},
    {11631, 12716, 55}, {12143, 12731, 56}, {11816, 12743, 57}, {11642, 12755, 58},
    {12239, 12768, 59}, {12239, 12794, 60}, {12239, 12827, 61}, {11642, 12858, 62},
    {11642, 12875, 63},
};
const size_t kin__pb_n_kinds = 64;
