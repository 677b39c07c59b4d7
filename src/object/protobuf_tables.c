/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Written by tools/protobuf-tables from Kubernetes' modules v0.37.2. Do not edit.
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
#define P KIN__PB_POINTER

const char kin__pb_names[][KIN__PB_NAMES] = {
    "\0" "typeMeta\0" "raw\0" "contentEncoding\0" "contentType\0" "name\0" "versions\0"
    "preferredVersion\0" "serverAddressByClientCIDRs\0" "metadata\0" "groups\0" "groupVersion\0"
    "resources\0" "spec\0" "status\0" "target\0" "nodeTopology\0" "storageClassName\0" "capacity\0"
    "maximumVolumeSize\0" "rules\0" "aggregationRule\0" "subjects\0" "roleRef\0" "conditions\0"
    "data\0" "binaryData\0" "immutable\0" "revision\0" "gracePeriodSeconds\0" "preconditions\0"
    "orphanDependents\0" "propagationPolicy\0" "dryRun\0"
    "ignoreStoreReadErrorWithClusterBreakingPotential\0" "endpoints\0" "ports\0" "addressType\0"
    "subsets\0" "eventTime\0" "series\0" "reportingController\0" "reportingInstance\0" "action\0"
    "reason\0" "regarding\0" "related\0" "note\0" "type\0" "deprecatedSource\0"
    "deprecatedFirstTimestamp\0" "deprecatedLastTimestamp\0" "deprecatedCount\0" "involvedObject\0"
    "message\0" "source\0" "firstTimestamp\0" "lastTimestamp\0" "count\0" "reportingComponent\0"
    "deleteOptions\0" "selfLink\0" "resourceVersion\0" "continue\0" "remainingItemCount\0"
    "shardInfo\0" "webhooks\0" "template\0" "value\0" "globalDefault\0" "description\0"
    "preemptionPolicy\0" "handler\0" "overhead\0" "scheduling\0" "stringData\0" "secrets\0"
    "imagePullSecrets\0" "automountServiceAccountToken\0" "details\0" "code\0" "provisioner\0"
    "parameters\0" "reclaimPolicy\0" "mountOptions\0" "allowVolumeExpansion\0" "volumeBindingMode\0"
    "allowedTopologies\0" "driverName\0" "apiVersion\0" "kind\0" "version\0" "clientCIDR\0"
    "serverAddress\0" "generateName\0" "namespace\0" "uid\0" "generation\0" "creationTimestamp\0"
    "deletionTimestamp\0" "deletionGracePeriodSeconds\0" "labels\0" "annotations\0"
    "ownerReferences\0" "finalizers\0" "managedFields\0" "freshness\0" "namespaced\0" "verbs\0"
    "shortNames\0" "singularName\0" "categories\0" "group\0" "storageVersionHash\0" "service\0"
    "insecureSkipTLSVerify\0" "caBundle\0" "groupPriorityMinimum\0" "versionPriority\0"
    "fieldPath\0" "attachRequired\0" "podInfoOnMount\0" "volumeLifecycleModes\0" "storageCapacity\0"
    "fsGroupPolicy\0" "tokenRequests\0" "requiresRepublish\0" "seLinuxMount\0"
    "nodeAllocatableUpdatePeriodSeconds\0" "serviceAccountTokenInSecrets\0"
    "preventPodSchedulingIfMissing\0" "drivers\0" "storageHealth\0" "matchLabels\0"
    "matchExpressions\0" "string\0" "request\0" "username\0" "usages\0" "extra\0" "signerName\0"
    "expirationSeconds\0" "certificate\0" "apiGroups\0" "resourceNames\0" "nonResourceURLs\0"
    "clusterRoleSelectors\0" "apiGroup\0" "trustBundle\0" "error\0" "parentCompositePodGroupName\0"
    "workloadRef\0" "schedulingPolicy\0" "schedulingConstraints\0" "disruptionMode\0"
    "priorityClassName\0" "priority\0" "schedule\0" "startingDeadlineSeconds\0"
    "concurrencyPolicy\0" "suspend\0" "jobTemplate\0" "successfulJobsHistoryLimit\0"
    "failedJobsHistoryLimit\0" "timeZone\0" "active\0" "lastScheduleTime\0" "lastSuccessfulTime\0"
    "names\0" "scope\0" "conversion\0" "preserveUnknownFields\0" "acceptedNames\0"
    "storedVersions\0" "observedGeneration\0" "validation\0" "subresources\0"
    "additionalPrinterColumns\0" "selectableFields\0" "selector\0" "updateStrategy\0"
    "minReadySeconds\0" "revisionHistoryLimit\0" "currentNumberScheduled\0" "numberMisscheduled\0"
    "desiredNumberScheduled\0" "numberReady\0" "updatedNumberScheduled\0" "numberAvailable\0"
    "numberUnavailable\0" "collisionCount\0" "templateGeneration\0" "replicas\0" "strategy\0"
    "paused\0" "progressDeadlineSeconds\0" "updatedReplicas\0" "availableReplicas\0"
    "unavailableReplicas\0" "readyReplicas\0" "terminatingReplicas\0" "rollbackTo\0" "selectors\0"
    "config\0" "extendedResourceName\0" "deviceSelector\0" "taint\0" "addresses\0" "hostname\0"
    "targetRef\0" "deprecatedTopology\0" "nodeName\0" "zone\0" "hints\0" "protocol\0" "port\0"
    "appProtocol\0" "topology\0" "notReadyAddresses\0" "seconds\0" "nanos\0" "lastObservedTime\0"
    "component\0" "host\0" "requesters\0" "targetResponders\0" "responders\0" "requester\0"
    "intent\0" "priorityLevelConfiguration\0" "matchingPrecedence\0" "distinguisherMethod\0"
    "scaleTargetRef\0" "minReplicas\0" "maxReplicas\0" "targetCPUUtilizationPercentage\0"
    "lastScaleTime\0" "currentReplicas\0" "desiredReplicas\0" "currentCPUUtilizationPercentage\0"
    "metrics\0" "behavior\0" "currentMetrics\0" "parentRef\0" "backend\0" "tls\0"
    "ingressClassName\0" "loadBalancer\0" "defaultBackend\0" "controller\0" "parallelism\0"
    "completions\0" "activeDeadlineSeconds\0" "manualSelector\0" "backoffLimit\0"
    "ttlSecondsAfterFinished\0" "completionMode\0" "podFailurePolicy\0" "backoffLimitPerIndex\0"
    "maxFailedIndexes\0" "podReplacementPolicy\0" "managedBy\0" "successPolicy\0" "startTime\0"
    "completionTime\0" "succeeded\0" "failed\0" "completedIndexes\0" "uncountedTerminatedPods\0"
    "ready\0" "failedIndexes\0" "terminating\0" "holderIdentity\0" "leaseDurationSeconds\0"
    "acquireTime\0" "renewTime\0" "leaseTransitions\0" "preferredHolder\0" "leaseName\0"
    "pingTime\0" "binaryVersion\0" "emulationVersion\0" "limits\0" "resourceAttributes\0"
    "nonResourceAttributes\0" "user\0" "allowed\0" "evaluationError\0" "denied\0" "paramKind\0"
    "matchConstraints\0" "variables\0" "mutations\0" "failurePolicy\0" "matchConditions\0"
    "reinvocationPolicy\0" "policyName\0" "paramRef\0" "matchResources\0" "clientConfig\0"
    "namespaceSelector\0" "sideEffects\0" "timeoutSeconds\0",
    "admissionReviewVersions\0" "matchPolicy\0" "objectSelector\0" "phase\0" "podSelector\0"
    "ingress\0" "egress\0" "policyTypes\0" "podCIDR\0" "externalID\0" "providerID\0"
    "unschedulable\0" "taints\0" "configSource\0" "podCIDRs\0" "podPreemptionPolicy\0"
    "allocatable\0" "daemonEndpoints\0" "nodeInfo\0" "images\0" "volumesInUse\0" "volumesAttached\0"
    "runtimeHandlers\0" "features\0" "declaredFeatures\0" "accessModes\0" "claimRef\0"
    "persistentVolumeReclaimPolicy\0" "volumeMode\0" "nodeAffinity\0" "volumeAttributesClassName\0"
    "lastPhaseTransitionTime\0" "volumeName\0" "dataSource\0" "dataSourceRef\0"
    "allocatedResources\0" "allocatedResourceStatuses\0" "currentVolumeAttributesClassName\0"
    "modifyVolumeStatus\0" "healthStatus\0" "volumes\0" "containers\0" "restartPolicy\0"
    "terminationGracePeriodSeconds\0" "dnsPolicy\0" "nodeSelector\0" "serviceAccountName\0"
    "serviceAccount\0" "hostNetwork\0" "hostPID\0" "hostIPC\0" "securityContext\0" "subdomain\0"
    "affinity\0" "schedulerName\0" "initContainers\0" "tolerations\0" "hostAliases\0" "dnsConfig\0"
    "shareProcessNamespace\0" "readinessGates\0" "runtimeClassName\0" "enableServiceLinks\0"
    "topologySpreadConstraints\0" "ephemeralContainers\0" "setHostnameAsFQDN\0" "os\0" "hostUsers\0"
    "schedulingGates\0" "resourceClaims\0" "hostnameOverride\0" "schedulingGroup\0"
    "evictionResponders\0" "hostIP\0" "podIP\0" "containerStatuses\0" "qosClass\0"
    "initContainerStatuses\0" "nominatedNodeName\0" "podIPs\0" "ephemeralContainerStatuses\0"
    "resize\0" "resourceClaimStatuses\0" "hostIPs\0" "extendedResourceClaimStatus\0"
    "nodeAllocatableResourceClaimStatuses\0" "volumeHealth\0" "podName\0" "podUID\0"
    "serviceAccountUID\0" "nodeUID\0" "maxExpirationSeconds\0" "unverifiedUserAnnotations\0"
    "stubPKCS10Request\0" "certificateChain\0" "notBefore\0" "beginRefreshAt\0" "notAfter\0"
    "pkixPublicKey\0" "proofOfPossession\0" "minAvailable\0" "maxUnavailable\0"
    "unhealthyPodEvictionPolicy\0" "disruptedPods\0" "disruptionsAllowed\0" "currentHealthy\0"
    "desiredHealthy\0" "expectedPods\0" "limited\0" "exempt\0" "fullyLabeledReplicas\0" "devices\0"
    "allocation\0" "reservedFor\0" "driver\0" "poolName\0" "limit\0"
    "defaultPartitionTypeAttribute\0" "pools\0" "poolCount\0" "hard\0" "scopes\0" "scopeSelector\0"
    "used\0" "pool\0" "allNodes\0" "perDeviceNodeSelection\0" "sharedCounters\0"
    "partitionTypeAttribute\0" "skipNodeOperations\0" "podFixed\0" "runtimeHandler\0"
    "targetSelector\0" "userInfo\0" "resourceRules\0" "nonResourceRules\0" "incomplete\0"
    "clusterIP\0" "externalIPs\0" "sessionAffinity\0" "loadBalancerIP\0"
    "loadBalancerSourceRanges\0" "externalName\0" "externalTrafficPolicy\0" "healthCheckNodePort\0"
    "publishNotReadyAddresses\0" "sessionAffinityConfig\0" "ipFamilyPolicy\0" "clusterIPs\0"
    "ipFamilies\0" "allocateLoadBalancerNodePorts\0" "loadBalancerClass\0" "internalTrafficPolicy\0"
    "trafficDistribution\0" "cidrs\0" "volumeClaimTemplates\0" "serviceName\0"
    "podManagementPolicy\0" "persistentVolumeClaimRetentionPolicy\0" "ordinals\0"
    "currentRevision\0" "updateRevision\0" "causes\0" "retryAfterSeconds\0"
    "matchLabelExpressions\0" "storageVersions\0" "commonEncodingVersion\0" "resource\0"
    "audiences\0" "boundObjectRef\0" "attestations\0" "token\0" "expirationTimestamp\0"
    "authenticated\0" "validations\0" "auditAnnotations\0" "typeChecking\0" "validationActions\0"
    "attacher\0" "attached\0" "attachmentMetadata\0" "attachError\0" "detachError\0"
    "controllerRef\0" "podGroupTemplates\0" "compositePodGroupTemplates\0" "blockOwnerDeletion\0"
    "manager\0" "operation\0" "time\0" "fieldsType\0" "fieldsV1\0" "subresource\0" "responseKind\0"
    "singularResource\0" "items\0" "lastTransitionTime\0" "audience\0" "nodeID\0" "topologyKeys\0"
    "healthConditions\0" "key\0" "operator\0" "values\0" "lastUpdateTime\0" "workloadName\0"
    "templateName\0" "basic\0" "gang\0" "single\0" "all\0" "plural\0" "singular\0" "listKind\0"
    "served\0" "storage\0" "schema\0" "deprecated\0" "deprecationWarning\0" "webhook\0"
    "openAPIV3Schema\0" "scale\0" "format\0" "JSONPath\0" "webhookClientConfig\0"
    "conversionReviewVersions\0" "jsonPath\0" "rollingUpdate\0" "cel\0" "device\0" "effect\0"
    "timeAdded\0" "serving\0" "forZones\0" "forNodes\0" "ip\0" "pod\0" "state\0" "heartbeatTime\0"
    "expectedCompletionTime\0" "object\0" "pods\0" "external\0" "containerResource\0" "scaleUp\0"
    "scaleDown\0" "servicePort\0" "hosts\0" "secretName\0" "lastProbeTime\0" "max\0" "min\0"
    "default\0" "defaultRequest\0" "maxLimitRequestRatio\0" "verb\0" "fieldSelector\0"
    "labelSelector\0" "path\0" "excludeResourceRules\0" "expression\0" "patchType\0"
    "applyConfiguration\0" "jsonPatch\0" "parameterNotFoundAction\0" "url\0" "operations\0" "from\0"
    "to\0" "configMap\0" "disableResizePreemption\0" "lastHeartbeatTime\0" "address\0"
    "kubeletEndpoint\0" "machineID\0" "systemUUID\0" "bootID\0" "kernelVersion\0" "osImage\0"
    "containerRuntimeVersion\0" "kubeletVersion\0" "kubeProxyVersion\0" "operatingSystem\0"
    "architecture\0" "swap\0" "runningInUserNamespace\0" "sizeBytes\0" "devicePath\0" "assigned\0"
    "lastKnownGood\0" "supplementalGroupsPolicy\0" "gcePersistentDisk\0" "awsElasticBlockStore\0"
    "hostPath\0" "glusterfs\0" "nfs\0" "rbd\0" "iscsi\0" "cinder\0" "cephfs\0" "fc\0" "flocker\0"
    "flexVolume\0" "azureFile\0" "vsphereVolume\0" "quobyte\0" "azureDisk\0"
    "photonPersistentDisk\0",
    "portworxVolume\0" "scaleIO\0" "local\0" "storageos\0" "csi\0" "required\0" "requests\0"
    "targetVolumeAttributesClassName\0" "image\0" "command\0" "args\0" "workingDir\0" "env\0"
    "volumeMounts\0" "livenessProbe\0" "readinessProbe\0" "lifecycle\0" "terminationMessagePath\0"
    "imagePullPolicy\0" "stdin\0" "stdinOnce\0" "tty\0" "envFrom\0" "terminationMessagePolicy\0"
    "volumeDevices\0" "startupProbe\0" "resizePolicy\0" "restartPolicyRules\0" "seLinuxOptions\0"
    "runAsUser\0" "runAsNonRoot\0" "supplementalGroups\0" "fsGroup\0" "runAsGroup\0" "sysctls\0"
    "windowsOptions\0" "fsGroupChangePolicy\0" "seccompProfile\0" "appArmorProfile\0"
    "seLinuxChangePolicy\0" "podAffinity\0" "podAntiAffinity\0" "tolerationSeconds\0" "hostnames\0"
    "nameservers\0" "searches\0" "options\0" "conditionType\0" "maxSkew\0" "topologyKey\0"
    "whenUnsatisfiable\0" "minDomains\0" "nodeAffinityPolicy\0" "nodeTaintsPolicy\0"
    "matchLabelKeys\0" "targetContainerName\0" "resourceClaimName\0" "resourceClaimTemplateName\0"
    "claims\0" "podGroupName\0" "lastState\0" "restartCount\0" "imageID\0" "containerID\0"
    "started\0" "allocatedResourcesStatus\0" "stopSignal\0" "requestMappings\0" "mapping\0"
    "intVal\0" "strVal\0" "nominalConcurrencyShares\0" "limitResponse\0" "lendablePercent\0"
    "borrowingLimitPercent\0" "assuredConcurrencyShares\0" "constraints\0" "allocationTimestamp\0"
    "networkData\0" "shareID\0" "totalDevices\0" "allocatedDevices\0" "availableDevices\0"
    "unavailableDevices\0" "resourceSliceCount\0" "validationError\0" "partitionSummary\0"
    "shareableSummary\0" "nodeSelectorTerms\0" "attributes\0" "consumesCounters\0" "bindsToNode\0"
    "bindingConditions\0" "bindingFailureConditions\0" "allowMultipleAllocations\0"
    "nodeAllocatableResources\0" "counters\0" "targetPort\0" "nodePort\0" "clientIP\0"
    "whenDeleted\0" "whenScaled\0" "start\0" "field\0" "apiServerID\0" "encodingVersion\0"
    "decodableVersions\0" "servedVersions\0" "messageExpression\0" "valueExpression\0"
    "expressionWarnings\0" "persistentVolumeName\0" "inlineVolumeSpec\0" "errorCode\0" "Raw\0"
    "acceptedTypes\0" "accessMode\0" "minGroupCount\0" "id\0" "$schema\0" "$ref\0" "title\0"
    "maximum\0" "exclusiveMaximum\0" "minimum\0" "exclusiveMinimum\0" "maxLength\0" "minLength\0"
    "pattern\0" "maxItems\0" "minItems\0" "uniqueItems\0" "multipleOf\0" "enum\0" "maxProperties\0"
    "minProperties\0" "allOf\0" "oneOf\0" "anyOf\0" "not\0" "properties\0" "additionalProperties\0"
    "patternProperties\0" "dependencies\0" "additionalItems\0" "definitions\0" "externalDocs\0"
    "example\0" "nullable\0" "x-kubernetes-preserve-unknown-fields\0"
    "x-kubernetes-embedded-resource\0" "x-kubernetes-int-or-string\0" "x-kubernetes-list-map-keys\0"
    "x-kubernetes-list-type\0" "x-kubernetes-map-type\0" "x-kubernetes-validations\0"
    "specReplicasPath\0" "statusReplicasPath\0" "labelSelectorPath\0" "maxSurge\0" "opaque\0"
    "clusterScope\0" "namespaces\0" "describedObject\0" "metric\0" "container\0" "selectPolicy\0"
    "policies\0" "stabilizationWindowSeconds\0" "tolerance\0" "current\0" "http\0" "onExitCodes\0"
    "onPodConditions\0" "succeededIndexes\0" "succeededCount\0" "rawSelector\0" "requirements\0"
    "apiVersions\0" "endPort\0" "ipBlock\0" "kubeletConfigKey\0" "Port\0"
    "recursiveReadOnlyMounts\0" "userNamespaces\0" "pdName\0" "fsType\0" "partition\0" "readOnly\0"
    "volumeID\0" "endpointsNamespace\0" "server\0" "monitors\0" "keyring\0" "secretRef\0"
    "targetPortal\0" "iqn\0" "lun\0" "iscsiInterface\0" "portals\0" "chapAuthDiscovery\0"
    "chapAuthSession\0" "initiatorName\0" "secretFile\0" "targetWWNs\0" "wwids\0" "datasetName\0"
    "datasetUUID\0" "shareName\0" "secretNamespace\0" "volumePath\0" "storagePolicyName\0"
    "storagePolicyID\0" "registry\0" "volume\0" "tenant\0" "diskName\0" "diskURI\0" "cachingMode\0"
    "pdID\0" "gateway\0" "system\0" "sslEnabled\0" "protectionDomain\0" "storagePool\0"
    "storageMode\0" "volumeNamespace\0" "volumeHandle\0" "volumeAttributes\0"
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
    "perContainer\0" "minCount\0" "queuing\0" "exactly\0" "firstAvailable\0" "matchAttribute\0"
    "distinctAttribute\0" "results\0" "interfaceName\0" "ips\0" "hardwareAddress\0"
    "deviceClassName\0" "allocationMode\0" "adminAccess\0" "derivedAttributes\0" "total\0"
    "attribute\0" "fullyAvailableDevices\0" "partiallyAvailableDevices\0" "scopeName\0"
    "matchFields\0" "int\0" "bool\0" "ints\0" "bools\0" "strings\0",
    "requestPolicy\0" "counterSet\0" "compatibilityGroups\0" "ipMode\0" "fieldRef\0" "warning\0"
    "jSONSchemas\0" "allows\0" "property\0" "rule\0" "optionalOldSelf\0" "averageValue\0"
    "averageUtilization\0" "paths\0" "number\0" "cidr\0" "except\0" "medium\0" "sizeLimit\0"
    "mode\0" "repository\0" "directory\0" "defaultMode\0" "optional\0" "defaultUser\0" "claimName\0"
    "sources\0" "volumeClaimTemplate\0" "reference\0" "pullPolicy\0" "resourceFieldRef\0"
    "configMapKeyRef\0" "secretKeyRef\0" "fileKeyRef\0" "exec\0" "httpGet\0" "tcpSocket\0" "grpc\0"
    "sleep\0" "add\0" "drop\0" "weight\0" "preference\0" "mismatchLabelKeys\0" "podAffinityTerm\0"
    "startedAt\0" "exitCode\0" "signal\0" "finishedAt\0" "gid\0" "resourceID\0" "health\0"
    "queues\0" "handSize\0" "queueLengthLimit\0" "consumedCapacity\0" "consumed\0" "available\0"
    "validValues\0" "validRange\0" "capacityKey\0" "capacityMultiplier\0" "deviceMultiplier\0"
    "pathType\0" "serviceAccountToken\0" "clusterTrustBundle\0" "podCertificate\0" "divisor\0"
    "scheme\0" "httpHeaders\0" "imageRef\0" "step\0" "keyType\0" "credentialBundlePath\0"
    "keyPath\0" "certificateChainPath\0" "userAnnotations\0" "v1\0" "APIGroup\0"
    "apidiscovery.k8s.io/v2\0" "APIGroupDiscovery\0" "apidiscovery.k8s.io/v2beta1\0"
    "APIGroupList\0" "APIResourceList\0" "apiregistration.k8s.io/v1\0" "APIService\0"
    "apiregistration.k8s.io/v1beta1\0" "APIVersions\0" "Binding\0" "storage.k8s.io/v1\0"
    "CSIDriver\0" "storage.k8s.io/v1beta1\0" "CSINode\0" "CSIStorageCapacity\0"
    "storage.k8s.io/v1alpha1\0" "certificates.k8s.io/v1\0" "CertificateSigningRequest\0"
    "certificates.k8s.io/v1beta1\0" "rbac.authorization.k8s.io/v1\0" "ClusterRole\0"
    "rbac.authorization.k8s.io/v1alpha1\0" "rbac.authorization.k8s.io/v1beta1\0"
    "ClusterRoleBinding\0" "ClusterTrustBundle\0" "certificates.k8s.io/v1alpha1\0"
    "ComponentStatus\0" "scheduling.k8s.io/v1alpha3\0" "CompositePodGroup\0" "ConfigMap\0"
    "apps/v1\0" "ControllerRevision\0" "apps/v1beta1\0" "apps/v1beta2\0" "batch/v1\0" "CronJob\0"
    "batch/v1beta1\0" "apiextensions.k8s.io/v1\0" "CustomResourceDefinition\0"
    "apiextensions.k8s.io/v1beta1\0" "DaemonSet\0" "extensions/v1beta1\0" "DeleteOptions\0"
    "Deployment\0" "resource.k8s.io/v1\0" "DeviceClass\0" "resource.k8s.io/v1beta1\0"
    "resource.k8s.io/v1beta2\0" "DeviceTaintRule\0" "resource.k8s.io/v1alpha3\0"
    "discovery.k8s.io/v1\0" "EndpointSlice\0" "discovery.k8s.io/v1beta1\0" "Endpoints\0"
    "events.k8s.io/v1\0" "Event\0" "events.k8s.io/v1beta1\0" "lifecycle.k8s.io/v1alpha1\0"
    "Eviction\0" "policy/v1\0" "policy/v1beta1\0" "EvictionRequest\0"
    "flowcontrol.apiserver.k8s.io/v1\0" "FlowSchema\0" "flowcontrol.apiserver.k8s.io/v1beta1\0"
    "flowcontrol.apiserver.k8s.io/v1beta2\0" "flowcontrol.apiserver.k8s.io/v1beta3\0"
    "autoscaling/v1\0" "HorizontalPodAutoscaler\0" "autoscaling/v2\0" "networking.k8s.io/v1\0"
    "IPAddress\0" "networking.k8s.io/v1beta1\0" "Ingress\0" "IngressClass\0" "Job\0"
    "coordination.k8s.io/v1\0" "Lease\0" "coordination.k8s.io/v1beta1\0"
    "coordination.k8s.io/v1alpha2\0" "LeaseCandidate\0" "LimitRange\0" "ListMeta\0"
    "authorization.k8s.io/v1\0" "LocalSubjectAccessReview\0" "authorization.k8s.io/v1beta1\0"
    "admissionregistration.k8s.io/v1\0" "MutatingAdmissionPolicy\0"
    "admissionregistration.k8s.io/v1alpha1\0" "admissionregistration.k8s.io/v1beta1\0"
    "MutatingAdmissionPolicyBinding\0" "MutatingWebhookConfiguration\0" "Namespace\0"
    "NetworkPolicy\0" "Node\0" "meta.k8s.io/v1\0" "PartialObjectMetadata\0" "meta.k8s.io/v1beta1\0"
    "PersistentVolume\0" "PersistentVolumeClaim\0" "Pod\0" "PodCertificateRequest\0"
    "PodDisruptionBudget\0" "PodGroup\0" "scheduling.k8s.io/v1beta1\0" "PodTemplate\0"
    "scheduling.k8s.io/v1\0" "PriorityClass\0" "PriorityLevelConfiguration\0" "ReplicaSet\0"
    "ReplicationController\0" "ResourceClaim\0" "ResourceClaimTemplate\0"
    "ResourcePoolStatusRequest\0" "ResourceQuota\0" "ResourceSlice\0" "Role\0" "RoleBinding\0"
    "node.k8s.io/v1\0" "RuntimeClass\0" "node.k8s.io/v1alpha1\0" "node.k8s.io/v1beta1\0" "Scale\0"
    "Secret\0" "SelfSubjectAccessReview\0" "authentication.k8s.io/v1\0" "SelfSubjectReview\0"
    "authentication.k8s.io/v1alpha1\0" "authentication.k8s.io/v1beta1\0" "SelfSubjectRulesReview\0"
    "Service\0" "ServiceAccount\0" "ServiceCIDR\0" "StatefulSet\0" "Status\0" "StorageClass\0"
    "internal.apiserver.k8s.io/v1alpha1\0" "StorageVersion\0" "storagemigration.k8s.io/v1\0"
    "StorageVersionMigration\0" "storagemigration.k8s.io/v1beta1\0" "SubjectAccessReview\0"
    "TokenRequest\0" "TokenReview\0" "ValidatingAdmissionPolicy\0"
    "ValidatingAdmissionPolicyBinding\0" "ValidatingWebhookConfiguration\0" "VolumeAttachment\0"
    "VolumeAttributesClass\0" "Workload\0",
};

const kin__pb_field kin__pb_fields[] = {
    /* 0: pkg.runtime.Unknown */
    {1, 1, 112, MESSAGE, 0}, {2, 10, 0, BYTES, 0}, {3, 14, 0, STRING, 0}, {4, 30, 0, STRING, 0},
    /* 1: meta.v1.APIGroup */
    {1, 42, 0, STRING, 0}, {2, 47, 113, MESSAGE, R|N}, {3, 56, 113, MESSAGE, 0},
    {4, 73, 114, MESSAGE, R},
    /* 2: apidiscovery.v2.APIGroupDiscovery */
    {1, 100, 115, MESSAGE, 0}, {2, 47, 116, MESSAGE, R},
    /* 3: meta.v1.APIGroupList */
    {1, 109, 1, MESSAGE, R|N},
    /* 4: meta.v1.APIResourceList */
    {1, 116, 0, STRING, 0}, {2, 129, 117, MESSAGE, R|N},
    /* 5: apiregistration.v1.APIService */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 118, MESSAGE, 0}, {3, 144, 119, MESSAGE, 0},
    /* 6: meta.v1.APIVersions */
    {1, 47, 0, STRING, R|N}, {2, 73, 114, MESSAGE, R|N},
    /* 7: core.v1.Binding */
    {1, 100, 115, MESSAGE, 0}, {2, 151, 120, MESSAGE, 0},
    /* 8: storage.v1.CSIDriver */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 121, MESSAGE, 0},
    /* 9: storage.v1.CSINode */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 122, MESSAGE, 0}, {3, 144, 123, MESSAGE, 0},
    /* 10: storage.v1.CSIStorageCapacity */
    {1, 100, 115, MESSAGE, 0}, {2, 158, 124, MESSAGE, 0}, {3, 171, 0, STRING, 0},
    {4, 188, 125, MESSAGE, 0}, {5, 197, 125, MESSAGE, 0},
    /* 11: certificates.v1.CertificateSigningRequest */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 126, MESSAGE, 0}, {3, 144, 127, MESSAGE, 0},
    /* 12: rbac.v1.ClusterRole */
    {1, 100, 115, MESSAGE, 0}, {2, 215, 128, MESSAGE, R|N}, {3, 221, 129, MESSAGE, 0},
    /* 13: rbac.v1alpha1.ClusterRole */
    {1, 100, 115, MESSAGE, 0}, {2, 215, 130, MESSAGE, R|N}, {3, 221, 129, MESSAGE, 0},
    /* 14: rbac.v1.ClusterRoleBinding */
    {1, 100, 115, MESSAGE, 0}, {2, 237, 131, MESSAGE, R}, {3, 246, 132, MESSAGE, 0},
    /* 15: rbac.v1alpha1.ClusterRoleBinding */
    {1, 100, 115, MESSAGE, 0}, {2, 237, 133, MESSAGE, R}, {3, 246, 132, MESSAGE, 0},
    /* 16: certificates.v1.ClusterTrustBundle */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 134, MESSAGE, 0},
    /* 17: core.v1.ComponentStatus */
    {1, 100, 115, MESSAGE, 0}, {2, 254, 135, MESSAGE, R},
    /* 18: scheduling.v1alpha3.CompositePodGroup */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 136, MESSAGE, 0}, {3, 144, 137, MESSAGE, 0},
    /* 19: core.v1.ConfigMap */
    {1, 100, 115, MESSAGE, 0}, {2, 265, 138, MESSAGE, M}, {3, 270, 139, MESSAGE, M},
    {4, 281, 0, BOOL, 0},
    /* 20: apps.v1.ControllerRevision */
    {1, 100, 115, MESSAGE, 0}, {2, 265, 140, MESSAGE, 0}, {3, 291, 0, INT64, 0},
    /* 21: batch.v1.CronJob */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 141, MESSAGE, 0}, {3, 144, 142, MESSAGE, 0},
    /* 22: apiextensions.v1.CustomResourceDefinition */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 143, MESSAGE, 0}, {3, 144, 144, MESSAGE, 0},
    /* 23: apiextensions.v1beta1.CustomResourceDefinition */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 145, MESSAGE, 0}, {3, 144, 144, MESSAGE, 0},
    /* 24: apps.v1.DaemonSet */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 146, MESSAGE, 0}, {3, 144, 147, MESSAGE, 0},
    /* 25: extensions.v1beta1.DaemonSet */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 148, MESSAGE, 0}, {3, 144, 147, MESSAGE, 0},
    /* 26: meta.v1.DeleteOptions */
    {1, 300, 0, INT64, 0}, {2, 319, 149, MESSAGE, 0}, {3, 333, 0, BOOL, 0}, {4, 350, 0, STRING, 0},
    {5, 368, 0, STRING, R}, {6, 375, 0, BOOL, 0},
    /* 27: apps.v1.Deployment */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 150, MESSAGE, 0}, {3, 144, 151, MESSAGE, 0},
    /* 28: apps.v1beta1.Deployment */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 152, MESSAGE, 0}, {3, 144, 151, MESSAGE, 0},
    /* 29: resource.v1.DeviceClass */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 153, MESSAGE, 0},
    /* 30: resource.v1.DeviceTaintRule */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 154, MESSAGE, 0}, {3, 144, 137, MESSAGE, 0},
    /* 31: discovery.v1.EndpointSlice */
    {1, 100, 115, MESSAGE, 0}, {2, 424, 155, MESSAGE, R|N}, {3, 434, 156, MESSAGE, R|N},
    {4, 440, 0, STRING, 0},
    /* 32: discovery.v1beta1.EndpointSlice */
    {1, 100, 115, MESSAGE, 0}, {2, 424, 157, MESSAGE, R|N}, {3, 434, 156, MESSAGE, R|N},
    {4, 440, 0, STRING, 0},
    /* 33: core.v1.Endpoints */
    {1, 100, 115, MESSAGE, 0}, {2, 452, 158, MESSAGE, R},
    /* 34: events.v1.Event */
    {1, 100, 115, MESSAGE, 0}, {2, 460, 159, MESSAGE, 0}, {3, 470, 160, MESSAGE, 0},
    {4, 477, 0, STRING, O}, {5, 497, 0, STRING, O}, {6, 515, 0, STRING, O}, {7, 522, 0, STRING, O},
    {8, 529, 120, MESSAGE, 0}, {9, 539, 120, MESSAGE, 0}, {10, 547, 0, STRING, O},
    {11, 552, 0, STRING, O}, {12, 557, 161, MESSAGE, 0}, {13, 574, 162, MESSAGE, 0},
    {14, 599, 162, MESSAGE, 0}, {15, 623, 0, INT32, O},
    /* 35: core.v1.Event */
    {1, 100, 115, MESSAGE, 0}, {2, 639, 120, MESSAGE, 0}, {3, 522, 0, STRING, O},
    {4, 654, 0, STRING, O}, {5, 662, 161, MESSAGE, 0}, {6, 669, 162, MESSAGE, 0},
    {7, 684, 162, MESSAGE, 0}, {8, 698, 0, INT32, O}, {9, 552, 0, STRING, O},
    {10, 460, 159, MESSAGE, 0}, {11, 470, 163, MESSAGE, 0}, {12, 515, 0, STRING, O},
    {13, 539, 120, MESSAGE, 0}, {14, 704, 0, STRING, 0}, {15, 497, 0, STRING, 0},
    /* 36: lifecycle.v1alpha1.Eviction */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 164, MESSAGE, 0}, {3, 144, 165, MESSAGE, 0},
    /* 37: policy.v1.Eviction */
    {1, 100, 115, MESSAGE, 0}, {2, 723, 26, MESSAGE, 0},
    /* 38: lifecycle.v1alpha1.EvictionRequest */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 166, MESSAGE, 0}, {3, 144, 167, MESSAGE, 0},
    /* 39: flowcontrol.v1.FlowSchema */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 168, MESSAGE, 0}, {3, 144, 169, MESSAGE, 0},
    /* 40: autoscaling.v1.HorizontalPodAutoscaler */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 170, MESSAGE, 0}, {3, 144, 171, MESSAGE, 0},
    /* 41: autoscaling.v2.HorizontalPodAutoscaler */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 172, MESSAGE, 0}, {3, 144, 173, MESSAGE, 0},
    /* 42: networking.v1.IPAddress */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 174, MESSAGE, 0},
    /* 43: extensions.v1beta1.Ingress */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 175, MESSAGE, 0}, {3, 144, 176, MESSAGE, 0},
    /* 44: networking.v1.Ingress */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 177, MESSAGE, 0}, {3, 144, 176, MESSAGE, 0},
    /* 45: networking.v1.IngressClass */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 178, MESSAGE, 0},
    /* 46: batch.v1.Job */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 179, MESSAGE, 0}, {3, 144, 180, MESSAGE, 0},
    /* 47: coordination.v1.Lease */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 181, MESSAGE, 0},
    /* 48: coordination.v1alpha2.LeaseCandidate */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 182, MESSAGE, 0},
    /* 49: core.v1.LimitRange */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 183, MESSAGE, 0},
    /* 50: meta.v1.ListMeta */
    {1, 737, 0, STRING, O}, {2, 746, 0, STRING, O}, {3, 762, 0, STRING, O}, {4, 771, 0, INT64, 0},
    {5, 790, 184, MESSAGE, 0},
    /* 51: authorization.v1.LocalSubjectAccessReview */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 185, MESSAGE, 0}, {3, 144, 186, MESSAGE, 0},
    /* 52: authorization.v1beta1.LocalSubjectAccessReview */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 187, MESSAGE, 0}, {3, 144, 186, MESSAGE, 0},
    /* 53: admissionregistration.v1.MutatingAdmissionPolicy */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 188, MESSAGE, 0},
    /* 54: admissionregistration.v1.MutatingAdmissionPolicyBinding */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 189, MESSAGE, 0},
    /* 55: admissionregistration.v1.MutatingWebhookConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 800, 190, MESSAGE, R},
    /* 56: admissionregistration.v1beta1.MutatingWebhookConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 800, 191, MESSAGE, R},
    /* 57: core.v1.Namespace */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 192, MESSAGE, 0}, {3, 144, 193, MESSAGE, 0},
    /* 58: extensions.v1beta1.NetworkPolicy */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 194, MESSAGE, 0},
    /* 59: core.v1.Node */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 195, MESSAGE, 0}, {3, 144, 196, MESSAGE, 0},
    /* 60: meta.v1.PartialObjectMetadata */
    {1, 100, 115, MESSAGE, 0},
    /* 61: core.v1.PersistentVolume */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 197, MESSAGE, 0}, {3, 144, 198, MESSAGE, 0},
    /* 62: core.v1.PersistentVolumeClaim */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 199, MESSAGE, 0}, {3, 144, 200, MESSAGE, 0},
    /* 63: core.v1.Pod */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 201, MESSAGE, 0}, {3, 144, 202, MESSAGE, 0},
    /* 64: certificates.v1.PodCertificateRequest */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 203, MESSAGE, 0}, {3, 144, 204, MESSAGE, 0},
    /* 65: certificates.v1beta1.PodCertificateRequest */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 205, MESSAGE, 0}, {3, 144, 204, MESSAGE, 0},
    /* 66: policy.v1.PodDisruptionBudget */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 206, MESSAGE, 0}, {3, 144, 207, MESSAGE, 0},
    /* 67: scheduling.v1alpha3.PodGroup */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 208, MESSAGE, 0}, {3, 144, 209, MESSAGE, 0},
    /* 68: core.v1.PodTemplate */
    {1, 100, 115, MESSAGE, 0}, {2, 809, 210, MESSAGE, 0},
    /* 69: scheduling.v1.PriorityClass */
    {1, 100, 115, MESSAGE, 0}, {2, 818, 0, INT32, 0}, {3, 824, 0, BOOL, O}, {4, 838, 0, STRING, O},
    {5, 850, 0, STRING, 0},
    /* 70: flowcontrol.v1.PriorityLevelConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 211, MESSAGE, 0}, {3, 144, 169, MESSAGE, 0},
    /* 71: flowcontrol.v1beta1.PriorityLevelConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 212, MESSAGE, 0}, {3, 144, 169, MESSAGE, 0},
    /* 72: flowcontrol.v1beta3.PriorityLevelConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 213, MESSAGE, 0}, {3, 144, 169, MESSAGE, 0},
    /* 73: apps.v1.ReplicaSet */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 214, MESSAGE, 0}, {3, 144, 215, MESSAGE, 0},
    /* 74: extensions.v1beta1.ReplicaSet */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 216, MESSAGE, 0}, {3, 144, 215, MESSAGE, 0},
    /* 75: core.v1.ReplicationController */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 217, MESSAGE, 0}, {3, 144, 218, MESSAGE, 0},
    /* 76: resource.v1.ResourceClaim */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 219, MESSAGE, 0}, {3, 144, 220, MESSAGE, 0},
    /* 77: resource.v1beta1.ResourceClaim */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 221, MESSAGE, 0}, {3, 144, 220, MESSAGE, 0},
    /* 78: resource.v1.ResourceClaimTemplate */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 222, MESSAGE, 0},
    /* 79: resource.v1beta1.ResourceClaimTemplate */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 223, MESSAGE, 0},
    /* 80: resource.v1alpha3.ResourcePoolStatusRequest */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 224, MESSAGE, 0}, {3, 144, 225, MESSAGE, 0},
    /* 81: core.v1.ResourceQuota */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 226, MESSAGE, 0}, {3, 144, 227, MESSAGE, 0},
    /* 82: resource.v1.ResourceSlice */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 228, MESSAGE, 0},
    /* 83: resource.v1beta1.ResourceSlice */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 229, MESSAGE, 0},
    /* 84: rbac.v1.Role */
    {1, 100, 115, MESSAGE, 0}, {2, 215, 128, MESSAGE, R|N},
    /* 85: rbac.v1alpha1.Role */
    {1, 100, 115, MESSAGE, 0}, {2, 215, 130, MESSAGE, R|N},
    /* 86: node.v1.RuntimeClass */
    {1, 100, 115, MESSAGE, 0}, {2, 867, 0, STRING, 0}, {3, 875, 230, MESSAGE, 0},
    {4, 884, 231, MESSAGE, 0},
    /* 87: node.v1alpha1.RuntimeClass */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 232, MESSAGE, 0},
    /* 88: apps.v1beta1.Scale */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 233, MESSAGE, 0}, {3, 144, 234, MESSAGE, 0},
    /* 89: autoscaling.v1.Scale */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 233, MESSAGE, 0}, {3, 144, 235, MESSAGE, 0},
    /* 90: core.v1.Secret */
    {1, 100, 115, MESSAGE, 0}, {2, 265, 139, MESSAGE, M}, {3, 552, 0, STRING, O},
    {4, 895, 138, MESSAGE, M}, {5, 281, 0, BOOL, 0},
    /* 91: authorization.v1.SelfSubjectAccessReview */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 236, MESSAGE, 0}, {3, 144, 186, MESSAGE, 0},
    /* 92: authentication.v1.SelfSubjectReview */
    {1, 100, 115, MESSAGE, 0}, {2, 144, 237, MESSAGE, 0},
    /* 93: authorization.v1.SelfSubjectRulesReview */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 238, MESSAGE, 0}, {3, 144, 239, MESSAGE, 0},
    /* 94: core.v1.Service */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 240, MESSAGE, 0}, {3, 144, 241, MESSAGE, 0},
    /* 95: core.v1.ServiceAccount */
    {1, 100, 115, MESSAGE, 0}, {2, 906, 120, MESSAGE, R}, {3, 914, 242, MESSAGE, R},
    {4, 931, 0, BOOL, 0},
    /* 96: networking.v1.ServiceCIDR */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 243, MESSAGE, 0}, {3, 144, 137, MESSAGE, 0},
    /* 97: apps.v1.StatefulSet */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 244, MESSAGE, 0}, {3, 144, 245, MESSAGE, 0},
    /* 98: apps.v1beta1.StatefulSet */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 246, MESSAGE, 0}, {3, 144, 247, MESSAGE, 0},
    /* 99: meta.v1.Status */
    {1, 100, 50, MESSAGE, 0}, {2, 144, 0, STRING, O}, {3, 654, 0, STRING, O},
    {4, 522, 0, STRING, O}, {5, 960, 248, MESSAGE, 0}, {6, 968, 0, INT32, O},
    /* 100: storage.v1.StorageClass */
    {1, 100, 115, MESSAGE, 0}, {2, 973, 0, STRING, 0}, {3, 985, 138, MESSAGE, M},
    {4, 996, 0, STRING, 0}, {5, 1010, 0, STRING, R}, {6, 1023, 0, BOOL, 0}, {7, 1044, 0, STRING, 0},
    {8, 1062, 249, MESSAGE, R},
    /* 101: apiserverinternal.v1alpha1.StorageVersion */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 250, MESSAGE, 0}, {3, 144, 251, MESSAGE, 0},
    /* 102: storagemigration.v1.StorageVersionMigration */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 252, MESSAGE, 0}, {3, 144, 253, MESSAGE, 0},
    /* 103: authentication.v1.TokenRequest */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 254, MESSAGE, 0}, {3, 144, 255, MESSAGE, 0},
    /* 104: authentication.v1.TokenReview */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 256, MESSAGE, 0}, {3, 144, 257, MESSAGE, 0},
    /* 105: admissionregistration.v1.ValidatingAdmissionPolicy */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 258, MESSAGE, 0}, {3, 144, 259, MESSAGE, 0},
    /* 106: admissionregistration.v1.ValidatingAdmissionPolicyBinding */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 260, MESSAGE, 0},
    /* 107: admissionregistration.v1.ValidatingWebhookConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 800, 261, MESSAGE, R},
    /* 108: admissionregistration.v1beta1.ValidatingWebhookConfiguration */
    {1, 100, 115, MESSAGE, 0}, {2, 800, 262, MESSAGE, R},
    /* 109: storage.v1.VolumeAttachment */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 263, MESSAGE, 0}, {3, 144, 264, MESSAGE, 0},
    /* 110: storage.v1.VolumeAttributesClass */
    {1, 100, 115, MESSAGE, 0}, {2, 1080, 0, STRING, 0}, {3, 985, 138, MESSAGE, M},
    /* 111: scheduling.v1alpha3.Workload */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 265, MESSAGE, 0},
    /* 112: pkg.runtime.TypeMeta */
    {1, 1091, 0, STRING, O}, {2, 1102, 0, STRING, O},
    /* 113: meta.v1.GroupVersionForDiscovery */
    {1, 116, 0, STRING, 0}, {2, 1107, 0, STRING, 0},
    /* 114: meta.v1.ServerAddressByClientCIDR */
    {1, 1115, 0, STRING, 0}, {2, 1126, 0, STRING, 0},
    /* 115: meta.v1.ObjectMeta */
    {1, 42, 0, STRING, O}, {2, 1140, 0, STRING, O}, {3, 1153, 0, STRING, O}, {4, 737, 0, STRING, O},
    {5, 1163, 0, STRING, O}, {6, 746, 0, STRING, O}, {7, 1167, 0, INT64, O},
    {8, 1178, 162, MESSAGE, O}, {9, 1196, 162, MESSAGE, P}, {10, 1214, 0, INT64, 0},
    {11, 1241, 138, MESSAGE, M}, {12, 1248, 138, MESSAGE, M}, {13, 1260, 266, MESSAGE, R},
    {14, 1276, 0, STRING, R}, {17, 1287, 267, MESSAGE, R},
    /* 116: apidiscovery.v2.APIVersionDiscovery */
    {1, 1107, 0, STRING, 0}, {2, 129, 268, MESSAGE, R}, {3, 1301, 0, STRING, O},
    /* 117: meta.v1.APIResource */
    {1, 42, 0, STRING, 0}, {2, 1311, 0, BOOL, 0}, {3, 1102, 0, STRING, 0},
    {4, 1322, 269, MESSAGE, N}, {5, 1328, 0, STRING, R}, {6, 1339, 0, STRING, 0},
    {7, 1352, 0, STRING, R}, {8, 1363, 0, STRING, O}, {9, 1107, 0, STRING, O},
    {10, 1369, 0, STRING, O},
    /* 118: apiregistration.v1.APIServiceSpec */
    {1, 1388, 270, MESSAGE, 0}, {2, 1363, 0, STRING, O}, {3, 1107, 0, STRING, O},
    {4, 1396, 0, BOOL, O}, {5, 1418, 0, BYTES, O}, {7, 1427, 0, INT32, 0}, {8, 1448, 0, INT32, 0},
    /* 119: apiregistration.v1.APIServiceStatus */
    {1, 254, 271, MESSAGE, R},
    /* 120: core.v1.ObjectReference */
    {1, 1102, 0, STRING, O}, {2, 1153, 0, STRING, O}, {3, 42, 0, STRING, O},
    {4, 1163, 0, STRING, O}, {5, 1091, 0, STRING, O}, {6, 746, 0, STRING, O},
    {7, 1464, 0, STRING, O},
    /* 121: storage.v1.CSIDriverSpec */
    {1, 1474, 0, BOOL, 0}, {2, 1489, 0, BOOL, 0}, {3, 1504, 0, STRING, R}, {4, 1525, 0, BOOL, 0},
    {5, 1541, 0, STRING, 0}, {6, 1555, 272, MESSAGE, R}, {7, 1569, 0, BOOL, 0},
    {8, 1587, 0, BOOL, 0}, {9, 1600, 0, INT64, 0}, {10, 1635, 0, BOOL, 0}, {11, 1664, 0, BOOL, 0},
    /* 122: storage.v1.CSINodeSpec */
    {1, 1694, 273, MESSAGE, R|N},
    /* 123: storage.v1.CSINodeStatus */
    {1, 1702, 274, MESSAGE, R},
    /* 124: meta.v1.LabelSelector */
    {1, 1716, 138, MESSAGE, M}, {2, 1728, 275, MESSAGE, R},
    /* 125: api.resource.Quantity */
    {1, 1745, 0, STRING, 0},
    /* 126: certificates.v1.CertificateSigningRequestSpec */
    {1, 1752, 0, BYTES, N}, {2, 1760, 0, STRING, O}, {3, 1163, 0, STRING, O},
    {4, 109, 0, STRING, R}, {5, 1769, 0, STRING, R}, {6, 1776, 276, MESSAGE, M},
    {7, 1782, 0, STRING, 0}, {8, 1793, 0, INT32, 0},
    /* 127: certificates.v1.CertificateSigningRequestStatus */
    {1, 254, 277, MESSAGE, R}, {2, 1811, 0, BYTES, O},
    /* 128: rbac.v1.PolicyRule */
    {1, 1322, 0, STRING, R|N}, {2, 1823, 0, STRING, R}, {3, 129, 0, STRING, R},
    {4, 1833, 0, STRING, R}, {5, 1847, 0, STRING, R},
    /* 129: rbac.v1.AggregationRule */
    {1, 1863, 124, MESSAGE, R},
    /* 130: rbac.v1alpha1.PolicyRule */
    {1, 1322, 0, STRING, R|N}, {3, 1823, 0, STRING, R}, {4, 129, 0, STRING, R},
    {5, 1833, 0, STRING, R}, {6, 1847, 0, STRING, R},
    /* 131: rbac.v1.Subject */
    {1, 1102, 0, STRING, 0}, {2, 1884, 0, STRING, O}, {3, 42, 0, STRING, 0},
    {4, 1153, 0, STRING, O},
    /* 132: rbac.v1.RoleRef */
    {1, 1884, 0, STRING, 0}, {2, 1102, 0, STRING, 0}, {3, 42, 0, STRING, 0},
    /* 133: rbac.v1alpha1.Subject */
    {1, 1102, 0, STRING, 0}, {2, 1091, 0, STRING, O}, {3, 42, 0, STRING, 0},
    {4, 1153, 0, STRING, O},
    /* 134: certificates.v1.ClusterTrustBundleSpec */
    {1, 1782, 0, STRING, O}, {2, 1893, 0, STRING, 0},
    /* 135: core.v1.ComponentCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 654, 0, STRING, O}, {4, 1905, 0, STRING, O},
    /* 136: scheduling.v1alpha3.CompositePodGroupSpec */
    {1, 1911, 0, STRING, 0}, {2, 1939, 278, MESSAGE, N}, {3, 1951, 279, MESSAGE, 0},
    {4, 1968, 280, MESSAGE, 0}, {5, 1990, 281, MESSAGE, 0}, {6, 2005, 0, STRING, O},
    {7, 2023, 0, INT32, 0}, {8, 850, 0, STRING, 0},
    /* 137: scheduling.v1alpha3.CompositePodGroupStatus */
    {1, 254, 282, MESSAGE, R},
    /* 138: map of string */
    {1, 0, 0, STRING, 0}, {2, 0, 0, STRING, 0},
    /* 139: map of bytes */
    {1, 0, 0, STRING, 0}, {2, 0, 0, BYTES, 0},
    /* 140: pkg.runtime.RawExtension */
    {1, 10, 0, BYTES, 0},
    /* 141: batch.v1.CronJobSpec */
    {1, 2032, 0, STRING, 0}, {2, 2041, 0, INT64, 0}, {3, 2065, 0, STRING, O}, {4, 2083, 0, BOOL, 0},
    {5, 2091, 283, MESSAGE, 0}, {6, 2103, 0, INT32, 0}, {7, 2130, 0, INT32, 0},
    {8, 2153, 0, STRING, 0},
    /* 142: batch.v1.CronJobStatus */
    {1, 2162, 120, MESSAGE, R}, {4, 2169, 162, MESSAGE, P}, {5, 2186, 162, MESSAGE, P},
    /* 143: apiextensions.v1.CustomResourceDefinitionSpec */
    {1, 1363, 0, STRING, 0}, {3, 2205, 284, MESSAGE, 0}, {4, 2211, 0, STRING, 0},
    {7, 47, 285, MESSAGE, R|N}, {9, 2217, 286, MESSAGE, 0}, {10, 2228, 0, BOOL, O},
    /* 144: apiextensions.v1.CustomResourceDefinitionStatus */
    {1, 254, 287, MESSAGE, R|N}, {2, 2250, 284, MESSAGE, 0}, {3, 2264, 0, STRING, R|N},
    {4, 2279, 0, INT64, O},
    /* 145: apiextensions.v1beta1.CustomResourceDefinitionSpec */
    {1, 1363, 0, STRING, 0}, {2, 1107, 0, STRING, O}, {3, 2205, 284, MESSAGE, 0},
    {4, 2211, 0, STRING, 0}, {5, 2298, 288, MESSAGE, 0}, {6, 2309, 289, MESSAGE, 0},
    {7, 47, 290, MESSAGE, R}, {8, 2322, 291, MESSAGE, R}, {9, 2217, 292, MESSAGE, 0},
    {10, 2228, 0, BOOL, 0}, {11, 2347, 293, MESSAGE, R},
    /* 146: apps.v1.DaemonSetSpec */
    {1, 2364, 124, MESSAGE, N}, {2, 809, 210, MESSAGE, 0}, {3, 2373, 294, MESSAGE, 0},
    {4, 2388, 0, INT32, O}, {6, 2404, 0, INT32, 0},
    /* 147: apps.v1.DaemonSetStatus */
    {1, 2425, 0, INT32, 0}, {2, 2448, 0, INT32, 0}, {3, 2467, 0, INT32, 0}, {4, 2490, 0, INT32, 0},
    {5, 2279, 0, INT64, O}, {6, 2502, 0, INT32, O}, {7, 2525, 0, INT32, O}, {8, 2541, 0, INT32, O},
    {9, 2559, 0, INT32, 0}, {10, 254, 271, MESSAGE, R},
    /* 148: extensions.v1beta1.DaemonSetSpec */
    {1, 2364, 124, MESSAGE, 0}, {2, 809, 210, MESSAGE, 0}, {3, 2373, 294, MESSAGE, 0},
    {4, 2388, 0, INT32, O}, {5, 2574, 0, INT64, O}, {6, 2404, 0, INT32, 0},
    /* 149: meta.v1.Preconditions */
    {1, 1163, 0, STRING, 0}, {2, 746, 0, STRING, 0},
    /* 150: apps.v1.DeploymentSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 124, MESSAGE, N}, {3, 809, 210, MESSAGE, 0},
    {4, 2602, 294, MESSAGE, 0}, {5, 2388, 0, INT32, O}, {6, 2404, 0, INT32, 0},
    {7, 2611, 0, BOOL, O}, {9, 2618, 0, INT32, 0},
    /* 151: apps.v1.DeploymentStatus */
    {1, 2279, 0, INT64, O}, {2, 2593, 0, INT32, O}, {3, 2642, 0, INT32, O}, {4, 2658, 0, INT32, O},
    {5, 2676, 0, INT32, O}, {6, 254, 295, MESSAGE, R}, {7, 2696, 0, INT32, O},
    {8, 2559, 0, INT32, 0}, {9, 2710, 0, INT32, 0},
    /* 152: apps.v1beta1.DeploymentSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 124, MESSAGE, 0}, {3, 809, 210, MESSAGE, 0},
    {4, 2602, 294, MESSAGE, 0}, {5, 2388, 0, INT32, O}, {6, 2404, 0, INT32, 0},
    {7, 2611, 0, BOOL, O}, {8, 2730, 296, MESSAGE, 0}, {9, 2618, 0, INT32, 0},
    /* 153: resource.v1.DeviceClassSpec */
    {1, 2741, 297, MESSAGE, R}, {2, 2751, 298, MESSAGE, R}, {4, 2758, 0, STRING, 0},
    /* 154: resource.v1.DeviceTaintRuleSpec */
    {1, 2779, 299, MESSAGE, 0}, {2, 2794, 300, MESSAGE, 0},
    /* 155: discovery.v1.Endpoint */
    {1, 2800, 0, STRING, R|N}, {2, 254, 301, MESSAGE, 0}, {3, 2810, 0, STRING, 0},
    {4, 2819, 120, MESSAGE, 0}, {5, 2829, 138, MESSAGE, M}, {6, 2848, 0, STRING, 0},
    {7, 2857, 0, STRING, 0}, {8, 2862, 302, MESSAGE, 0},
    /* 156: discovery.v1.EndpointPort */
    {1, 42, 0, STRING, 0}, {2, 2868, 0, STRING, 0}, {3, 2877, 0, INT32, 0}, {4, 2882, 0, STRING, 0},
    /* 157: discovery.v1beta1.Endpoint */
    {1, 2800, 0, STRING, R|N}, {2, 254, 301, MESSAGE, 0}, {3, 2810, 0, STRING, 0},
    {4, 2819, 120, MESSAGE, 0}, {5, 2894, 138, MESSAGE, M}, {6, 2848, 0, STRING, 0},
    {7, 2862, 302, MESSAGE, 0},
    /* 158: core.v1.EndpointSubset */
    {1, 2800, 303, MESSAGE, R}, {2, 2903, 303, MESSAGE, R}, {3, 434, 304, MESSAGE, R},
    /* 159: meta.v1.MicroTime */
    {1, 2921, 0, INT64, 0}, {2, 2929, 0, INT32, 0},
    /* 160: events.v1.EventSeries */
    {1, 698, 0, INT32, 0}, {2, 2935, 159, MESSAGE, 0},
    /* 161: core.v1.EventSource */
    {1, 2952, 0, STRING, O}, {2, 2962, 0, STRING, O},
    /* 162: meta.v1.Time */
    {1, 2921, 0, INT64, 0}, {2, 2929, 0, INT32, 0},
    /* 163: core.v1.EventSeries */
    {1, 698, 0, INT32, O}, {2, 2935, 159, MESSAGE, 0},
    /* 164: lifecycle.v1alpha1.EvictionSpec */
    {1, 151, 305, MESSAGE, 0},
    /* 165: lifecycle.v1alpha1.EvictionStatus */
    {1, 254, 282, MESSAGE, R}, {2, 2279, 0, INT64, 0}, {3, 2967, 306, MESSAGE, R},
    {4, 2978, 307, MESSAGE, R}, {5, 2995, 308, MESSAGE, R},
    /* 166: lifecycle.v1alpha1.EvictionRequestSpec */
    {1, 151, 305, MESSAGE, 0}, {2, 3006, 0, STRING, 0}, {3, 3016, 0, STRING, 0},
    /* 167: lifecycle.v1alpha1.EvictionRequestStatus */
    {1, 254, 282, MESSAGE, R}, {2, 2279, 0, INT64, 0},
    /* 168: flowcontrol.v1.FlowSchemaSpec */
    {1, 3023, 309, MESSAGE, 0}, {2, 3050, 0, INT32, 0}, {3, 3069, 310, MESSAGE, 0},
    {4, 215, 311, MESSAGE, R},
    /* 169: flowcontrol.v1.FlowSchemaStatus */
    {1, 254, 312, MESSAGE, R},
    /* 170: autoscaling.v1.HorizontalPodAutoscalerSpec */
    {1, 3089, 313, MESSAGE, 0}, {2, 3104, 0, INT32, 0}, {3, 3116, 0, INT32, 0},
    {4, 3128, 0, INT32, 0},
    /* 171: autoscaling.v1.HorizontalPodAutoscalerStatus */
    {1, 2279, 0, INT64, 0}, {2, 3159, 162, MESSAGE, P}, {3, 3173, 0, INT32, 0},
    {4, 3189, 0, INT32, 0}, {5, 3205, 0, INT32, 0},
    /* 172: autoscaling.v2.HorizontalPodAutoscalerSpec */
    {1, 3089, 313, MESSAGE, 0}, {2, 3104, 0, INT32, 0}, {3, 3116, 0, INT32, 0},
    {4, 3237, 314, MESSAGE, R}, {5, 3245, 315, MESSAGE, 0},
    /* 173: autoscaling.v2.HorizontalPodAutoscalerStatus */
    {1, 2279, 0, INT64, 0}, {2, 3159, 162, MESSAGE, P}, {3, 3173, 0, INT32, O},
    {4, 3189, 0, INT32, 0}, {5, 3254, 316, MESSAGE, R|N}, {6, 254, 317, MESSAGE, R},
    /* 174: networking.v1.IPAddressSpec */
    {1, 3269, 318, MESSAGE, 0},
    /* 175: extensions.v1beta1.IngressSpec */
    {1, 3279, 319, MESSAGE, 0}, {2, 3287, 320, MESSAGE, R}, {3, 215, 321, MESSAGE, R},
    {4, 3291, 0, STRING, 0},
    /* 176: extensions.v1beta1.IngressStatus */
    {1, 3308, 322, MESSAGE, 0},
    /* 177: networking.v1.IngressSpec */
    {1, 3321, 323, MESSAGE, 0}, {2, 3287, 320, MESSAGE, R}, {3, 215, 324, MESSAGE, R},
    {4, 3291, 0, STRING, 0},
    /* 178: networking.v1.IngressClassSpec */
    {1, 3336, 0, STRING, O}, {2, 985, 325, MESSAGE, 0},
    /* 179: batch.v1.JobSpec */
    {1, 3347, 0, INT32, 0}, {2, 3359, 0, INT32, 0}, {3, 3371, 0, INT64, 0},
    {4, 2364, 124, MESSAGE, 0}, {5, 3393, 0, BOOL, 0}, {6, 809, 210, MESSAGE, 0},
    {7, 3408, 0, INT32, 0}, {8, 3421, 0, INT32, 0}, {9, 3445, 0, STRING, 0}, {10, 2083, 0, BOOL, 0},
    {11, 3460, 326, MESSAGE, 0}, {12, 3477, 0, INT32, 0}, {13, 3498, 0, INT32, 0},
    {14, 3515, 0, STRING, 0}, {15, 3536, 0, STRING, 0}, {16, 3546, 327, MESSAGE, 0},
    {17, 884, 328, MESSAGE, 0},
    /* 180: batch.v1.JobStatus */
    {1, 254, 329, MESSAGE, R}, {2, 3560, 162, MESSAGE, P}, {3, 3570, 162, MESSAGE, P},
    {4, 2162, 0, INT32, O}, {5, 3585, 0, INT32, O}, {6, 3595, 0, INT32, O}, {7, 3602, 0, STRING, O},
    {8, 3619, 330, MESSAGE, 0}, {9, 3643, 0, INT32, 0}, {10, 3649, 0, STRING, 0},
    {11, 3663, 0, INT32, 0},
    /* 181: coordination.v1.LeaseSpec */
    {1, 3675, 0, STRING, 0}, {2, 3690, 0, INT32, 0}, {3, 3711, 159, MESSAGE, P},
    {4, 3723, 159, MESSAGE, P}, {5, 3733, 0, INT32, 0}, {6, 2602, 0, STRING, 0},
    {7, 3750, 0, STRING, 0},
    /* 182: coordination.v1alpha2.LeaseCandidateSpec */
    {1, 3766, 0, STRING, 0}, {2, 3776, 159, MESSAGE, P}, {3, 3723, 159, MESSAGE, P},
    {4, 3785, 0, STRING, 0}, {5, 3799, 0, STRING, O}, {6, 2602, 0, STRING, O},
    /* 183: core.v1.LimitRangeSpec */
    {1, 3816, 331, MESSAGE, R|N},
    /* 184: meta.v1.ShardInfo */
    {1, 2364, 0, STRING, 0},
    /* 185: authorization.v1.SubjectAccessReviewSpec */
    {1, 3823, 332, MESSAGE, 0}, {2, 3842, 333, MESSAGE, 0}, {3, 3864, 0, STRING, O},
    {4, 109, 0, STRING, R}, {5, 1776, 276, MESSAGE, M}, {6, 1163, 0, STRING, O},
    /* 186: authorization.v1.SubjectAccessReviewStatus */
    {1, 3869, 0, BOOL, 0}, {2, 522, 0, STRING, O}, {3, 3877, 0, STRING, O}, {4, 3893, 0, BOOL, O},
    /* 187: authorization.v1beta1.SubjectAccessReviewSpec */
    {1, 3823, 332, MESSAGE, 0}, {2, 3842, 333, MESSAGE, 0}, {3, 3864, 0, STRING, O},
    {4, 1363, 0, STRING, R}, {5, 1776, 276, MESSAGE, M}, {6, 1163, 0, STRING, O},
    /* 188: admissionregistration.v1.MutatingAdmissionPolicySpec */
    {1, 3900, 112, MESSAGE, 0}, {2, 3910, 334, MESSAGE, 0}, {3, 3927, 335, MESSAGE, R},
    {4, 3937, 336, MESSAGE, R}, {5, 3947, 0, STRING, 0}, {6, 3961, 335, MESSAGE, R},
    {7, 3977, 0, STRING, O},
    /* 189: admissionregistration.v1.MutatingAdmissionPolicyBindingSpec */
    {1, 3996, 0, STRING, O}, {2, 4007, 337, MESSAGE, 0}, {3, 4016, 334, MESSAGE, 0},
    /* 190: admissionregistration.v1.MutatingWebhook */
    {1, 42, 0, STRING, 0}, {2, 4031, 338, MESSAGE, 0}, {3, 215, 339, MESSAGE, R},
    {4, 3947, 0, STRING, 0}, {5, 4044, 124, MESSAGE, 0}, {6, 4062, 0, STRING, N},
    {7, 4074, 0, INT32, 0}, {8, 4096, 0, STRING, R|N}, {9, 4120, 0, STRING, 0},
    {10, 3977, 0, STRING, 0}, {11, 4132, 124, MESSAGE, 0}, {12, 3961, 335, MESSAGE, R},
    /* 191: admissionregistration.v1beta1.MutatingWebhook */
    {1, 42, 0, STRING, 0}, {2, 4031, 338, MESSAGE, 0}, {3, 215, 339, MESSAGE, R},
    {4, 3947, 0, STRING, 0}, {5, 4044, 124, MESSAGE, 0}, {6, 4062, 0, STRING, 0},
    {7, 4074, 0, INT32, 0}, {8, 4096, 0, STRING, R}, {9, 4120, 0, STRING, 0},
    {10, 3977, 0, STRING, 0}, {11, 4132, 124, MESSAGE, 0}, {12, 3961, 335, MESSAGE, R},
    /* 192: core.v1.NamespaceSpec */
    {1, 1276, 0, STRING, R},
    /* 193: core.v1.NamespaceStatus */
    {1, 4147, 0, STRING, O}, {2, 254, 340, MESSAGE, R},
    /* 194: extensions.v1beta1.NetworkPolicySpec */
    {1, 4153, 124, MESSAGE, 0}, {2, 4165, 341, MESSAGE, R}, {3, 4173, 342, MESSAGE, R},
    {4, 4180, 0, STRING, R},
    /* 195: core.v1.NodeSpec */
    {1, 4192, 0, STRING, O}, {2, 4200, 0, STRING, O}, {3, 4211, 0, STRING, O},
    {4, 4222, 0, BOOL, O}, {5, 4236, 300, MESSAGE, R}, {6, 4243, 343, MESSAGE, 0},
    {7, 4256, 0, STRING, R}, {8, 4265, 344, MESSAGE, 0},
    /* 196: core.v1.NodeStatus */
    {1, 188, 345, MESSAGE, M}, {2, 4285, 345, MESSAGE, M}, {3, 4147, 0, STRING, O},
    {4, 254, 346, MESSAGE, R}, {5, 2800, 347, MESSAGE, R}, {6, 4297, 348, MESSAGE, 0},
    {7, 4313, 349, MESSAGE, 0}, {8, 4322, 350, MESSAGE, R}, {9, 4329, 0, STRING, R},
    {10, 4342, 351, MESSAGE, R}, {11, 2751, 352, MESSAGE, 0}, {12, 4358, 353, MESSAGE, R},
    {13, 4374, 354, MESSAGE, 0}, {14, 4383, 0, STRING, R},
    /* 197: core.v1.PersistentVolumeSpec */
    {1, 188, 345, MESSAGE, M}, {2, 0, 355, MESSAGE, I}, {3, 4400, 0, STRING, R},
    {4, 4412, 120, MESSAGE, 0}, {5, 4421, 0, STRING, O}, {6, 171, 0, STRING, O},
    {7, 1010, 0, STRING, R}, {8, 4451, 0, STRING, 0}, {9, 4462, 356, MESSAGE, 0},
    {10, 4475, 0, STRING, 0},
    /* 198: core.v1.PersistentVolumeStatus */
    {1, 4147, 0, STRING, O}, {2, 654, 0, STRING, O}, {3, 522, 0, STRING, O},
    {4, 4501, 162, MESSAGE, P},
    /* 199: core.v1.PersistentVolumeClaimSpec */
    {1, 4400, 0, STRING, R}, {2, 129, 357, MESSAGE, 0}, {3, 4525, 0, STRING, O},
    {4, 2364, 124, MESSAGE, 0}, {5, 171, 0, STRING, 0}, {6, 4451, 0, STRING, 0},
    {7, 4536, 358, MESSAGE, 0}, {8, 4547, 359, MESSAGE, 0}, {9, 4475, 0, STRING, 0},
    /* 200: core.v1.PersistentVolumeClaimStatus */
    {1, 4147, 0, STRING, O}, {2, 4400, 0, STRING, R}, {3, 188, 345, MESSAGE, M},
    {4, 254, 329, MESSAGE, R}, {5, 4561, 345, MESSAGE, M}, {7, 4580, 138, MESSAGE, M},
    {8, 4606, 0, STRING, 0}, {9, 4639, 360, MESSAGE, 0}, {10, 4658, 361, MESSAGE, 0},
    /* 201: core.v1.PodSpec */
    {1, 4671, 362, MESSAGE, R}, {2, 4679, 363, MESSAGE, R|N}, {3, 4690, 0, STRING, O},
    {4, 4704, 0, INT64, 0}, {5, 3371, 0, INT64, 0}, {6, 4734, 0, STRING, O},
    {7, 4744, 138, MESSAGE, M}, {8, 4757, 0, STRING, O}, {9, 4776, 0, STRING, O},
    {10, 2848, 0, STRING, O}, {11, 4791, 0, BOOL, O}, {12, 4803, 0, BOOL, O},
    {13, 4811, 0, BOOL, O}, {14, 4819, 364, MESSAGE, 0}, {15, 914, 242, MESSAGE, R},
    {16, 2810, 0, STRING, O}, {17, 4835, 0, STRING, O}, {18, 4845, 365, MESSAGE, 0},
    {19, 4854, 0, STRING, O}, {20, 4868, 363, MESSAGE, R}, {21, 931, 0, BOOL, 0},
    {22, 4883, 366, MESSAGE, R}, {23, 4895, 367, MESSAGE, R}, {24, 2005, 0, STRING, O},
    {25, 2023, 0, INT32, 0}, {26, 4907, 368, MESSAGE, 0}, {27, 4917, 0, BOOL, 0},
    {28, 4939, 369, MESSAGE, R}, {29, 4954, 0, STRING, 0}, {30, 4971, 0, BOOL, 0},
    {31, 850, 0, STRING, 0}, {32, 875, 345, MESSAGE, M}, {33, 4990, 370, MESSAGE, R},
    {34, 5016, 371, MESSAGE, R}, {35, 5036, 0, BOOL, 0}, {36, 5054, 309, MESSAGE, 0},
    {37, 5057, 0, BOOL, 0}, {38, 5067, 309, MESSAGE, R}, {39, 5083, 372, MESSAGE, R},
    {40, 129, 373, MESSAGE, 0}, {41, 5098, 0, STRING, 0}, {43, 5115, 374, MESSAGE, 0},
    {44, 5131, 375, MESSAGE, R},
    /* 202: core.v1.PodStatus */
    {1, 4147, 0, STRING, O}, {2, 254, 376, MESSAGE, R}, {3, 654, 0, STRING, O},
    {4, 522, 0, STRING, O}, {5, 5150, 0, STRING, O}, {6, 5157, 0, STRING, O},
    {7, 3560, 162, MESSAGE, P}, {8, 5163, 377, MESSAGE, R}, {9, 5181, 0, STRING, O},
    {10, 5190, 377, MESSAGE, R}, {11, 5212, 0, STRING, O}, {12, 5230, 378, MESSAGE, R},
    {13, 5237, 377, MESSAGE, R}, {14, 5264, 0, STRING, O}, {15, 5271, 379, MESSAGE, R},
    {16, 5293, 378, MESSAGE, R}, {17, 2279, 0, INT64, O}, {18, 5301, 380, MESSAGE, 0},
    {19, 4561, 345, MESSAGE, M}, {20, 129, 373, MESSAGE, 0}, {21, 5329, 381, MESSAGE, R},
    {22, 5366, 382, MESSAGE, R},
    /* 203: certificates.v1.PodCertificateRequestSpec */
    {1, 1782, 0, STRING, 0}, {2, 5379, 0, STRING, 0}, {3, 5387, 0, STRING, 0},
    {4, 4757, 0, STRING, 0}, {5, 5394, 0, STRING, 0}, {6, 2848, 0, STRING, 0},
    {7, 5412, 0, STRING, 0}, {8, 5420, 0, INT32, 0}, {11, 5441, 138, MESSAGE, M},
    {12, 5467, 0, BYTES, N},
    /* 204: certificates.v1.PodCertificateRequestStatus */
    {1, 254, 282, MESSAGE, R}, {2, 5485, 0, STRING, O}, {4, 5502, 162, MESSAGE, P},
    {5, 5512, 162, MESSAGE, P}, {6, 5527, 162, MESSAGE, P},
    /* 205: certificates.v1beta1.PodCertificateRequestSpec */
    {1, 1782, 0, STRING, 0}, {2, 5379, 0, STRING, 0}, {3, 5387, 0, STRING, 0},
    {4, 4757, 0, STRING, 0}, {5, 5394, 0, STRING, 0}, {6, 2848, 0, STRING, 0},
    {7, 5412, 0, STRING, 0}, {8, 5420, 0, INT32, 0}, {9, 5536, 0, BYTES, N},
    {10, 5550, 0, BYTES, N}, {11, 5441, 138, MESSAGE, M}, {12, 5467, 0, BYTES, N},
    /* 206: policy.v1.PodDisruptionBudgetSpec */
    {1, 5568, 383, MESSAGE, 0}, {2, 2364, 124, MESSAGE, 0}, {3, 5581, 383, MESSAGE, 0},
    {4, 5596, 0, STRING, 0},
    /* 207: policy.v1.PodDisruptionBudgetStatus */
    {1, 2279, 0, INT64, O}, {2, 5623, 384, MESSAGE, M}, {3, 5637, 0, INT32, 0},
    {4, 5656, 0, INT32, 0}, {5, 5671, 0, INT32, 0}, {6, 5686, 0, INT32, 0},
    {7, 254, 282, MESSAGE, R},
    /* 208: scheduling.v1alpha3.PodGroupSpec */
    {1, 1911, 0, STRING, 0}, {2, 1939, 278, MESSAGE, 0}, {3, 1951, 385, MESSAGE, 0},
    {4, 1968, 280, MESSAGE, 0}, {5, 5083, 386, MESSAGE, R}, {6, 1990, 281, MESSAGE, 0},
    {7, 2005, 0, STRING, O}, {8, 2023, 0, INT32, 0}, {9, 850, 0, STRING, 0},
    /* 209: scheduling.v1alpha3.PodGroupStatus */
    {1, 254, 282, MESSAGE, R}, {2, 5271, 379, MESSAGE, R},
    /* 210: core.v1.PodTemplateSpec */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 201, MESSAGE, 0},
    /* 211: flowcontrol.v1.PriorityLevelConfigurationSpec */
    {1, 552, 0, STRING, 0}, {2, 5699, 387, MESSAGE, 0}, {3, 5707, 388, MESSAGE, 0},
    /* 212: flowcontrol.v1beta1.PriorityLevelConfigurationSpec */
    {1, 552, 0, STRING, 0}, {2, 5699, 389, MESSAGE, 0}, {3, 5707, 388, MESSAGE, 0},
    /* 213: flowcontrol.v1beta3.PriorityLevelConfigurationSpec */
    {1, 552, 0, STRING, 0}, {2, 5699, 390, MESSAGE, 0}, {3, 5707, 388, MESSAGE, 0},
    /* 214: apps.v1.ReplicaSetSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 124, MESSAGE, N}, {3, 809, 210, MESSAGE, 0},
    {4, 2388, 0, INT32, O},
    /* 215: apps.v1.ReplicaSetStatus */
    {1, 2593, 0, INT32, 0}, {2, 5714, 0, INT32, O}, {3, 2279, 0, INT64, O}, {4, 2696, 0, INT32, O},
    {5, 2658, 0, INT32, O}, {6, 254, 271, MESSAGE, R}, {7, 2710, 0, INT32, 0},
    /* 216: extensions.v1beta1.ReplicaSetSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 124, MESSAGE, 0}, {3, 809, 210, MESSAGE, 0},
    {4, 2388, 0, INT32, O},
    /* 217: core.v1.ReplicationControllerSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 138, MESSAGE, M}, {3, 809, 210, MESSAGE, 0},
    {4, 2388, 0, INT32, O},
    /* 218: core.v1.ReplicationControllerStatus */
    {1, 2593, 0, INT32, 0}, {2, 5714, 0, INT32, O}, {3, 2279, 0, INT64, O}, {4, 2696, 0, INT32, O},
    {5, 2658, 0, INT32, O}, {6, 254, 271, MESSAGE, R},
    /* 219: resource.v1.ResourceClaimSpec */
    {1, 5735, 391, MESSAGE, 0},
    /* 220: resource.v1.ResourceClaimStatus */
    {1, 5743, 392, MESSAGE, 0}, {2, 5754, 393, MESSAGE, R}, {4, 5735, 394, MESSAGE, R},
    /* 221: resource.v1beta1.ResourceClaimSpec */
    {1, 5735, 395, MESSAGE, 0},
    /* 222: resource.v1.ResourceClaimTemplateSpec */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 219, MESSAGE, 0},
    /* 223: resource.v1beta1.ResourceClaimTemplateSpec */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 221, MESSAGE, 0},
    /* 224: resource.v1alpha3.ResourcePoolStatusRequestSpec */
    {1, 5766, 0, STRING, 0}, {2, 5773, 0, STRING, 0}, {3, 5782, 0, INT32, 0},
    {4, 5788, 0, STRING, 0},
    /* 225: resource.v1alpha3.ResourcePoolStatusRequestStatus */
    {2, 5818, 396, MESSAGE, R}, {3, 254, 282, MESSAGE, R}, {6, 5824, 0, INT32, 0},
    /* 226: core.v1.ResourceQuotaSpec */
    {1, 5834, 345, MESSAGE, M}, {2, 5839, 0, STRING, R}, {3, 5846, 397, MESSAGE, 0},
    /* 227: core.v1.ResourceQuotaStatus */
    {1, 5834, 345, MESSAGE, M}, {2, 5860, 345, MESSAGE, M},
    /* 228: resource.v1.ResourceSliceSpec */
    {1, 5766, 0, STRING, 0}, {2, 5865, 398, MESSAGE, 0}, {3, 2848, 0, STRING, 0},
    {4, 4744, 399, MESSAGE, 0}, {5, 5870, 0, BOOL, 0}, {6, 5735, 400, MESSAGE, R},
    {7, 5879, 0, BOOL, 0}, {8, 5902, 401, MESSAGE, R}, {9, 5917, 0, STRING, 0},
    {10, 5940, 0, STRING, R},
    /* 229: resource.v1beta1.ResourceSliceSpec */
    {1, 5766, 0, STRING, 0}, {2, 5865, 398, MESSAGE, 0}, {3, 2848, 0, STRING, O},
    {4, 4744, 399, MESSAGE, 0}, {5, 5870, 0, BOOL, O}, {6, 5735, 402, MESSAGE, R},
    {7, 5879, 0, BOOL, 0}, {8, 5902, 401, MESSAGE, R}, {9, 5917, 0, STRING, 0},
    {10, 5940, 0, STRING, R},
    /* 230: node.v1.Overhead */
    {1, 5959, 345, MESSAGE, M},
    /* 231: node.v1.Scheduling */
    {1, 4744, 138, MESSAGE, M}, {2, 4883, 366, MESSAGE, R},
    /* 232: node.v1alpha1.RuntimeClassSpec */
    {1, 5968, 0, STRING, 0}, {2, 875, 230, MESSAGE, 0}, {3, 884, 231, MESSAGE, 0},
    /* 233: apps.v1beta1.ScaleSpec */
    {1, 2593, 0, INT32, O},
    /* 234: apps.v1beta1.ScaleStatus */
    {1, 2593, 0, INT32, 0}, {2, 2364, 138, MESSAGE, M}, {3, 5983, 0, STRING, O},
    /* 235: autoscaling.v1.ScaleStatus */
    {1, 2593, 0, INT32, 0}, {2, 2364, 0, STRING, O},
    /* 236: authorization.v1.SelfSubjectAccessReviewSpec */
    {1, 3823, 332, MESSAGE, 0}, {2, 3842, 333, MESSAGE, 0},
    /* 237: authentication.v1.SelfSubjectReviewStatus */
    {1, 5998, 403, MESSAGE, 0},
    /* 238: authorization.v1.SelfSubjectRulesReviewSpec */
    {1, 1153, 0, STRING, O},
    /* 239: authorization.v1.SubjectRulesReviewStatus */
    {1, 6007, 404, MESSAGE, R|N}, {2, 6021, 405, MESSAGE, R|N}, {3, 6038, 0, BOOL, 0},
    {4, 3877, 0, STRING, O},
    /* 240: core.v1.ServiceSpec */
    {1, 434, 406, MESSAGE, R}, {2, 2364, 138, MESSAGE, M}, {3, 6049, 0, STRING, O},
    {4, 552, 0, STRING, O}, {5, 6059, 0, STRING, R}, {7, 6071, 0, STRING, O},
    {8, 6087, 0, STRING, O}, {9, 6102, 0, STRING, R}, {10, 6127, 0, STRING, O},
    {11, 6140, 0, STRING, O}, {12, 6162, 0, INT32, O}, {13, 6182, 0, BOOL, O},
    {14, 6207, 407, MESSAGE, 0}, {17, 6229, 0, STRING, 0}, {18, 6244, 0, STRING, R},
    {19, 6255, 0, STRING, R}, {20, 6266, 0, BOOL, 0}, {21, 6296, 0, STRING, 0},
    {22, 6314, 0, STRING, 0}, {23, 6336, 0, STRING, 0},
    /* 241: core.v1.ServiceStatus */
    {1, 3308, 408, MESSAGE, 0}, {2, 254, 282, MESSAGE, R},
    /* 242: core.v1.LocalObjectReference */
    {1, 42, 0, STRING, O},
    /* 243: networking.v1.ServiceCIDRSpec */
    {1, 6356, 0, STRING, R},
    /* 244: apps.v1.StatefulSetSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 124, MESSAGE, N}, {3, 809, 210, MESSAGE, 0},
    {4, 6362, 62, MESSAGE, R}, {5, 6383, 0, STRING, 0}, {6, 6395, 0, STRING, O},
    {7, 2373, 409, MESSAGE, 0}, {8, 2404, 0, INT32, 0}, {9, 2388, 0, INT32, O},
    {10, 6415, 410, MESSAGE, 0}, {11, 6452, 411, MESSAGE, 0},
    /* 245: apps.v1.StatefulSetStatus */
    {1, 2279, 0, INT64, O}, {2, 2593, 0, INT32, 0}, {3, 2696, 0, INT32, O}, {4, 3173, 0, INT32, O},
    {5, 2642, 0, INT32, O}, {6, 6461, 0, STRING, O}, {7, 6477, 0, STRING, O},
    {9, 2559, 0, INT32, 0}, {10, 254, 271, MESSAGE, R}, {11, 2658, 0, INT32, 0},
    /* 246: apps.v1beta1.StatefulSetSpec */
    {1, 2593, 0, INT32, 0}, {2, 2364, 124, MESSAGE, 0}, {3, 809, 210, MESSAGE, 0},
    {4, 6362, 62, MESSAGE, R}, {5, 6383, 0, STRING, 0}, {6, 6395, 0, STRING, O},
    {7, 2373, 409, MESSAGE, 0}, {8, 2404, 0, INT32, 0}, {9, 2388, 0, INT32, O},
    {10, 6415, 410, MESSAGE, 0}, {11, 6452, 411, MESSAGE, 0},
    /* 247: apps.v1beta1.StatefulSetStatus */
    {1, 2279, 0, INT64, 0}, {2, 2593, 0, INT32, 0}, {3, 2696, 0, INT32, O}, {4, 3173, 0, INT32, O},
    {5, 2642, 0, INT32, O}, {6, 6461, 0, STRING, O}, {7, 6477, 0, STRING, O},
    {9, 2559, 0, INT32, 0}, {10, 254, 271, MESSAGE, R}, {11, 2658, 0, INT32, 0},
    /* 248: meta.v1.StatusDetails */
    {1, 42, 0, STRING, O}, {2, 1363, 0, STRING, O}, {3, 1102, 0, STRING, O},
    {4, 6492, 412, MESSAGE, R}, {5, 6499, 0, INT32, O}, {6, 1163, 0, STRING, O},
    /* 249: core.v1.TopologySelectorTerm */
    {1, 6517, 413, MESSAGE, R},
    /* 250: apiserverinternal.v1alpha1.StorageVersionSpec */
    /* 251: apiserverinternal.v1alpha1.StorageVersionStatus */
    {1, 6539, 414, MESSAGE, R}, {2, 6555, 0, STRING, 0}, {3, 254, 415, MESSAGE, R},
    /* 252: storagemigration.v1.StorageVersionMigrationSpec */
    {1, 6577, 416, MESSAGE, 0},
    /* 253: storagemigration.v1.StorageVersionMigrationStatus */
    {1, 254, 282, MESSAGE, R}, {2, 746, 0, STRING, O},
    /* 254: authentication.v1.TokenRequestSpec */
    {1, 6586, 0, STRING, R|N}, {3, 6596, 417, MESSAGE, N}, {4, 1793, 0, INT64, N},
    {5, 6611, 276, MESSAGE, M},
    /* 255: authentication.v1.TokenRequestStatus */
    {1, 6624, 0, STRING, 0}, {2, 6630, 162, MESSAGE, 0},
    /* 256: authentication.v1.TokenReviewSpec */
    {1, 6624, 0, STRING, O}, {2, 6586, 0, STRING, R},
    /* 257: authentication.v1.TokenReviewStatus */
    {1, 6650, 0, BOOL, O}, {2, 3864, 403, MESSAGE, 0}, {3, 1905, 0, STRING, O},
    {4, 6586, 0, STRING, R},
    /* 258: admissionregistration.v1.ValidatingAdmissionPolicySpec */
    {1, 3900, 112, MESSAGE, 0}, {2, 3910, 334, MESSAGE, 0}, {3, 6664, 418, MESSAGE, R},
    {4, 3947, 0, STRING, 0}, {5, 6676, 419, MESSAGE, R}, {6, 3961, 335, MESSAGE, R},
    {7, 3927, 335, MESSAGE, R},
    /* 259: admissionregistration.v1.ValidatingAdmissionPolicyStatus */
    {1, 2279, 0, INT64, O}, {2, 6693, 420, MESSAGE, 0}, {3, 254, 282, MESSAGE, R},
    /* 260: admissionregistration.v1.ValidatingAdmissionPolicyBindingSpec */
    {1, 3996, 0, STRING, O}, {2, 4007, 337, MESSAGE, 0}, {3, 4016, 334, MESSAGE, 0},
    {4, 6706, 0, STRING, R},
    /* 261: admissionregistration.v1.ValidatingWebhook */
    {1, 42, 0, STRING, 0}, {2, 4031, 338, MESSAGE, 0}, {3, 215, 339, MESSAGE, R},
    {4, 3947, 0, STRING, 0}, {5, 4044, 124, MESSAGE, 0}, {6, 4062, 0, STRING, N},
    {7, 4074, 0, INT32, 0}, {8, 4096, 0, STRING, R|N}, {9, 4120, 0, STRING, 0},
    {10, 4132, 124, MESSAGE, 0}, {11, 3961, 335, MESSAGE, R},
    /* 262: admissionregistration.v1beta1.ValidatingWebhook */
    {1, 42, 0, STRING, 0}, {2, 4031, 338, MESSAGE, 0}, {3, 215, 339, MESSAGE, R},
    {4, 3947, 0, STRING, 0}, {5, 4044, 124, MESSAGE, 0}, {6, 4062, 0, STRING, 0},
    {7, 4074, 0, INT32, 0}, {8, 4096, 0, STRING, R}, {9, 4120, 0, STRING, 0},
    {10, 4132, 124, MESSAGE, 0}, {11, 3961, 335, MESSAGE, R},
    /* 263: storage.v1.VolumeAttachmentSpec */
    {1, 6724, 0, STRING, 0}, {2, 662, 421, MESSAGE, 0}, {3, 2848, 0, STRING, 0},
    /* 264: storage.v1.VolumeAttachmentStatus */
    {1, 6733, 0, BOOL, 0}, {2, 6742, 138, MESSAGE, M}, {3, 6761, 422, MESSAGE, 0},
    {4, 6773, 422, MESSAGE, 0},
    /* 265: scheduling.v1alpha3.WorkloadSpec */
    {1, 6785, 423, MESSAGE, 0}, {2, 6799, 424, MESSAGE, R|N}, {3, 6817, 425, MESSAGE, R},
    /* 266: meta.v1.OwnerReference */
    {1, 1102, 0, STRING, 0}, {3, 42, 0, STRING, 0}, {4, 1163, 0, STRING, 0},
    {5, 1091, 0, STRING, 0}, {6, 3336, 0, BOOL, 0}, {7, 6844, 0, BOOL, 0},
    /* 267: meta.v1.ManagedFieldsEntry */
    {1, 6863, 0, STRING, O}, {2, 6871, 0, STRING, O}, {3, 1091, 0, STRING, O},
    {4, 6881, 162, MESSAGE, P}, {6, 6886, 0, STRING, O}, {7, 6897, 426, MESSAGE, 0},
    {8, 6906, 0, STRING, O},
    /* 268: apidiscovery.v2.APIResourceDiscovery */
    {1, 6577, 0, STRING, 0}, {2, 6918, 427, MESSAGE, 0}, {3, 2211, 0, STRING, 0},
    {4, 6931, 0, STRING, 0}, {5, 1322, 0, STRING, R|N}, {6, 1328, 0, STRING, R},
    {7, 1352, 0, STRING, R}, {8, 2309, 428, MESSAGE, R},
    /* 269: meta.v1.Verbs */
    {1, 6948, 0, STRING, R},
    /* 270: apiregistration.v1.ServiceReference */
    {1, 1153, 0, STRING, O}, {2, 42, 0, STRING, O}, {3, 2877, 0, INT32, 0},
    /* 271: apiregistration.v1.APIServiceCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 6954, 162, MESSAGE, 0},
    {4, 522, 0, STRING, O}, {5, 654, 0, STRING, O},
    /* 272: storage.v1.TokenRequest */
    {1, 6973, 0, STRING, 0}, {2, 1793, 0, INT64, 0},
    /* 273: storage.v1.CSINodeDriver */
    {1, 42, 0, STRING, 0}, {2, 6982, 0, STRING, 0}, {3, 6989, 0, STRING, R|N},
    {4, 4285, 429, MESSAGE, 0},
    /* 274: storage.v1.StorageHealth */
    {1, 42, 0, STRING, 0}, {2, 7002, 430, MESSAGE, R},
    /* 275: meta.v1.LabelSelectorRequirement */
    {1, 7019, 0, STRING, 0}, {2, 7023, 0, STRING, 0}, {3, 7032, 0, STRING, R},
    /* 276: map of certificates.v1.ExtraValue */
    {1, 0, 0, STRING, 0}, {2, 0, 269, MESSAGE, 0},
    /* 277: certificates.v1.CertificateSigningRequestCondition */
    {1, 552, 0, STRING, 0}, {2, 522, 0, STRING, O}, {3, 654, 0, STRING, O},
    {4, 7039, 162, MESSAGE, 0}, {5, 6954, 162, MESSAGE, 0}, {6, 144, 0, STRING, 0},
    /* 278: scheduling.v1alpha3.WorkloadReference */
    {1, 7054, 0, STRING, 0}, {2, 7067, 0, STRING, 0},
    /* 279: scheduling.v1alpha3.CompositePodGroupSchedulingPolicy */
    {1, 7080, 250, MESSAGE, 0}, {2, 7086, 431, MESSAGE, 0},
    /* 280: scheduling.v1alpha3.CompositePodGroupSchedulingConstraints */
    {1, 2894, 432, MESSAGE, R},
    /* 281: scheduling.v1alpha3.CompositeDisruptionMode */
    {1, 7091, 250, MESSAGE, 0}, {2, 7098, 250, MESSAGE, 0},
    /* 282: meta.v1.Condition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 2279, 0, INT64, O},
    {4, 6954, 162, MESSAGE, 0}, {5, 522, 0, STRING, 0}, {6, 654, 0, STRING, 0},
    /* 283: batch.v1.JobTemplateSpec */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 179, MESSAGE, 0},
    /* 284: apiextensions.v1.CustomResourceDefinitionNames */
    {1, 7102, 0, STRING, 0}, {2, 7109, 0, STRING, O}, {3, 1328, 0, STRING, R},
    {4, 1102, 0, STRING, 0}, {5, 7118, 0, STRING, O}, {6, 1352, 0, STRING, R},
    /* 285: apiextensions.v1.CustomResourceDefinitionVersion */
    {1, 42, 0, STRING, 0}, {2, 7127, 0, BOOL, 0}, {3, 7134, 0, BOOL, 0}, {4, 7142, 288, MESSAGE, 0},
    {5, 2309, 289, MESSAGE, 0}, {6, 2322, 433, MESSAGE, R}, {7, 7149, 0, BOOL, O},
    {8, 7160, 0, STRING, 0}, {9, 2347, 293, MESSAGE, R},
    /* 286: apiextensions.v1.CustomResourceConversion */
    {1, 2602, 0, STRING, 0}, {2, 7179, 434, MESSAGE, 0},
    /* 287: apiextensions.v1.CustomResourceDefinitionCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 6954, 162, MESSAGE, 0},
    {4, 522, 0, STRING, O}, {5, 654, 0, STRING, O}, {6, 2279, 0, INT64, O},
    /* 288: apiextensions.v1beta1.CustomResourceValidation */
    {1, 7187, 435, MESSAGE, 0},
    /* 289: apiextensions.v1beta1.CustomResourceSubresources */
    {1, 144, 250, MESSAGE, 0}, {2, 7203, 436, MESSAGE, 0},
    /* 290: apiextensions.v1beta1.CustomResourceDefinitionVersion */
    {1, 42, 0, STRING, 0}, {2, 7127, 0, BOOL, 0}, {3, 7134, 0, BOOL, 0}, {4, 7142, 288, MESSAGE, 0},
    {5, 2309, 289, MESSAGE, 0}, {6, 2322, 291, MESSAGE, R}, {7, 7149, 0, BOOL, O},
    {8, 7160, 0, STRING, 0}, {9, 2347, 293, MESSAGE, R},
    /* 291: apiextensions.v1beta1.CustomResourceColumnDefinition */
    {1, 42, 0, STRING, 0}, {2, 552, 0, STRING, 0}, {3, 7209, 0, STRING, O}, {4, 838, 0, STRING, O},
    {5, 2023, 0, INT32, O}, {6, 7216, 0, STRING, 0},
    /* 292: apiextensions.v1beta1.CustomResourceConversion */
    {1, 2602, 0, STRING, 0}, {2, 7225, 338, MESSAGE, 0}, {3, 7245, 0, STRING, R},
    /* 293: apiextensions.v1beta1.SelectableField */
    {1, 7270, 0, STRING, 0},
    /* 294: apps.v1.DaemonSetUpdateStrategy */
    {1, 552, 0, STRING, O}, {2, 7279, 437, MESSAGE, 0},
    /* 295: apps.v1.DeploymentCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {4, 522, 0, STRING, O}, {5, 654, 0, STRING, O},
    {6, 7039, 162, MESSAGE, 0}, {7, 6954, 162, MESSAGE, 0},
    /* 296: apps.v1beta1.RollbackConfig */
    {1, 291, 0, INT64, O},
    /* 297: resource.v1.DeviceSelector */
    {1, 7293, 438, MESSAGE, 0},
    /* 298: resource.v1.DeviceClassConfiguration */
    {1, 0, 439, MESSAGE, I},
    /* 299: resource.v1.DeviceTaintSelector */
    {2, 5766, 0, STRING, 0}, {3, 5865, 0, STRING, 0}, {4, 7297, 0, STRING, 0},
    /* 300: resource.v1.DeviceTaint */
    {1, 7019, 0, STRING, 0}, {2, 818, 0, STRING, O}, {3, 7304, 0, STRING, 0},
    {4, 7311, 162, MESSAGE, P},
    /* 301: discovery.v1.EndpointConditions */
    {1, 3643, 0, BOOL, 0}, {2, 7321, 0, BOOL, 0}, {3, 3663, 0, BOOL, 0},
    /* 302: discovery.v1.EndpointHints */
    {1, 7329, 309, MESSAGE, R}, {2, 7338, 309, MESSAGE, R},
    /* 303: core.v1.EndpointAddress */
    {1, 7347, 0, STRING, 0}, {2, 2819, 120, MESSAGE, 0}, {3, 2810, 0, STRING, O},
    {4, 2848, 0, STRING, 0},
    /* 304: core.v1.EndpointPort */
    {1, 42, 0, STRING, O}, {2, 2877, 0, INT32, 0}, {3, 2868, 0, STRING, O}, {4, 2882, 0, STRING, 0},
    /* 305: lifecycle.v1alpha1.EvictionTarget */
    {1, 7350, 440, MESSAGE, 0},
    /* 306: lifecycle.v1alpha1.Requester */
    {1, 42, 0, STRING, 0}, {2, 3016, 0, STRING, 0},
    /* 307: lifecycle.v1alpha1.TargetResponder */
    {1, 42, 0, STRING, 0}, {2, 2023, 0, INT32, N}, {3, 7354, 0, STRING, 0},
    /* 308: lifecycle.v1alpha1.ResponderStatus */
    {1, 42, 0, STRING, 0}, {2, 3560, 162, MESSAGE, P}, {3, 7360, 162, MESSAGE, P},
    {4, 7374, 162, MESSAGE, P}, {5, 3570, 162, MESSAGE, P}, {6, 654, 0, STRING, 0},
    /* 309: flowcontrol.v1.PriorityLevelConfigurationReference */
    {1, 42, 0, STRING, 0},
    /* 310: flowcontrol.v1.FlowDistinguisherMethod */
    {1, 552, 0, STRING, 0},
    /* 311: flowcontrol.v1.PolicyRulesWithSubjects */
    {1, 237, 441, MESSAGE, R|N}, {2, 6007, 442, MESSAGE, R}, {3, 6021, 443, MESSAGE, R},
    /* 312: flowcontrol.v1.FlowSchemaCondition */
    {1, 552, 0, STRING, O}, {2, 144, 0, STRING, O}, {3, 6954, 162, MESSAGE, 0},
    {4, 522, 0, STRING, O}, {5, 654, 0, STRING, O},
    /* 313: autoscaling.v1.CrossVersionObjectReference */
    {1, 1102, 0, STRING, 0}, {2, 42, 0, STRING, 0}, {3, 1091, 0, STRING, O},
    /* 314: autoscaling.v2.MetricSpec */
    {1, 552, 0, STRING, 0}, {2, 7397, 444, MESSAGE, 0}, {3, 7404, 445, MESSAGE, 0},
    {4, 6577, 446, MESSAGE, 0}, {5, 7409, 445, MESSAGE, 0}, {7, 7418, 447, MESSAGE, 0},
    /* 315: autoscaling.v2.HorizontalPodAutoscalerBehavior */
    {1, 7436, 448, MESSAGE, 0}, {2, 7444, 448, MESSAGE, 0},
    /* 316: autoscaling.v2.MetricStatus */
    {1, 552, 0, STRING, 0}, {2, 7397, 449, MESSAGE, 0}, {3, 7404, 450, MESSAGE, 0},
    {4, 6577, 451, MESSAGE, 0}, {5, 7409, 450, MESSAGE, 0}, {7, 7418, 452, MESSAGE, 0},
    /* 317: autoscaling.v2.HorizontalPodAutoscalerCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 6954, 162, MESSAGE, 0},
    {4, 522, 0, STRING, O}, {5, 654, 0, STRING, O}, {6, 2279, 0, INT64, 0},
    /* 318: networking.v1.ParentReference */
    {1, 1363, 0, STRING, O}, {2, 6577, 0, STRING, O}, {3, 1153, 0, STRING, O},
    {4, 42, 0, STRING, O},
    /* 319: extensions.v1beta1.IngressBackend */
    {1, 6383, 0, STRING, O}, {2, 7454, 383, MESSAGE, 0}, {3, 6577, 358, MESSAGE, 0},
    /* 320: extensions.v1beta1.IngressTLS */
    {1, 7466, 0, STRING, R}, {2, 7472, 0, STRING, O},
    /* 321: extensions.v1beta1.IngressRule */
    {1, 2962, 0, STRING, O}, {2, 0, 453, MESSAGE, I},
    /* 322: extensions.v1beta1.IngressLoadBalancerStatus */
    {1, 4165, 454, MESSAGE, R},
    /* 323: networking.v1.IngressBackend */
    {3, 6577, 358, MESSAGE, 0}, {4, 1388, 455, MESSAGE, 0},
    /* 324: networking.v1.IngressRule */
    {1, 2962, 0, STRING, O}, {2, 0, 456, MESSAGE, I},
    /* 325: networking.v1.IngressClassParametersReference */
    {1, 1884, 0, STRING, 0}, {2, 1102, 0, STRING, 0}, {3, 42, 0, STRING, 0},
    {4, 2211, 0, STRING, N}, {5, 1153, 0, STRING, 0},
    /* 326: batch.v1.PodFailurePolicy */
    {1, 215, 457, MESSAGE, R|N},
    /* 327: batch.v1.SuccessPolicy */
    {1, 215, 458, MESSAGE, R|N},
    /* 328: batch.v1.JobSchedulingConfiguration */
    {1, 1951, 385, MESSAGE, 0}, {2, 1968, 280, MESSAGE, 0}, {3, 1990, 281, MESSAGE, 0},
    {4, 5083, 386, MESSAGE, R},
    /* 329: batch.v1.JobCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 7483, 162, MESSAGE, 0},
    {4, 6954, 162, MESSAGE, 0}, {5, 522, 0, STRING, O}, {6, 654, 0, STRING, O},
    /* 330: batch.v1.UncountedTerminatedPods */
    {1, 3585, 0, STRING, R}, {2, 3595, 0, STRING, R},
    /* 331: core.v1.LimitRangeItem */
    {1, 552, 0, STRING, 0}, {2, 7497, 345, MESSAGE, M}, {3, 7501, 345, MESSAGE, M},
    {4, 7505, 345, MESSAGE, M}, {5, 7513, 345, MESSAGE, M}, {6, 7528, 345, MESSAGE, M},
    /* 332: authorization.v1.ResourceAttributes */
    {1, 1153, 0, STRING, O}, {2, 7549, 0, STRING, O}, {3, 1363, 0, STRING, O},
    {4, 1107, 0, STRING, O}, {5, 6577, 0, STRING, O}, {6, 6906, 0, STRING, O},
    {7, 42, 0, STRING, O}, {8, 7554, 459, MESSAGE, 0}, {9, 7568, 459, MESSAGE, 0},
    /* 333: authorization.v1.NonResourceAttributes */
    {1, 7582, 0, STRING, O}, {2, 7549, 0, STRING, O},
    /* 334: admissionregistration.v1.MatchResources */
    {1, 4044, 124, MESSAGE, 0}, {2, 4132, 124, MESSAGE, 0}, {3, 6007, 460, MESSAGE, R},
    {4, 7587, 460, MESSAGE, R}, {7, 4120, 0, STRING, 0},
    /* 335: admissionregistration.v1.Variable */
    {1, 42, 0, STRING, 0}, {2, 7608, 0, STRING, 0},
    /* 336: admissionregistration.v1.Mutation */
    {2, 7619, 0, STRING, 0}, {3, 7629, 461, MESSAGE, 0}, {4, 7648, 461, MESSAGE, 0},
    /* 337: admissionregistration.v1.ParamRef */
    {1, 42, 0, STRING, O}, {2, 1153, 0, STRING, O}, {3, 2364, 124, MESSAGE, 0},
    {4, 7658, 0, STRING, 0},
    /* 338: admissionregistration.v1.WebhookClientConfig */
    {1, 1388, 462, MESSAGE, 0}, {2, 1418, 0, BYTES, O}, {3, 7682, 0, STRING, 0},
    /* 339: admissionregistration.v1.RuleWithOperations */
    {1, 7686, 0, STRING, R}, {2, 0, 463, MESSAGE, I},
    /* 340: core.v1.NamespaceCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {4, 6954, 162, MESSAGE, 0},
    {5, 522, 0, STRING, O}, {6, 654, 0, STRING, O},
    /* 341: extensions.v1beta1.NetworkPolicyIngressRule */
    {1, 434, 464, MESSAGE, R}, {2, 7697, 465, MESSAGE, R},
    /* 342: extensions.v1beta1.NetworkPolicyEgressRule */
    {1, 434, 464, MESSAGE, R}, {2, 7702, 465, MESSAGE, R},
    /* 343: core.v1.NodeConfigSource */
    {2, 7705, 466, MESSAGE, 0},
    /* 344: core.v1.NodePodPreemptionPolicy */
    {1, 7715, 0, STRING, R},
    /* 345: map of api.resource.Quantity */
    {1, 0, 0, STRING, 0}, {2, 0, 125, MESSAGE, 0},
    /* 346: core.v1.NodeCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 7739, 162, MESSAGE, 0},
    {4, 6954, 162, MESSAGE, 0}, {5, 522, 0, STRING, O}, {6, 654, 0, STRING, O},
    /* 347: core.v1.NodeAddress */
    {1, 552, 0, STRING, 0}, {2, 7757, 0, STRING, 0},
    /* 348: core.v1.NodeDaemonEndpoints */
    {1, 7765, 467, MESSAGE, 0},
    /* 349: core.v1.NodeSystemInfo */
    {1, 7781, 0, STRING, 0}, {2, 7791, 0, STRING, 0}, {3, 7802, 0, STRING, 0},
    {4, 7809, 0, STRING, 0}, {5, 7823, 0, STRING, 0}, {6, 7831, 0, STRING, 0},
    {7, 7855, 0, STRING, 0}, {8, 7870, 0, STRING, 0}, {9, 7887, 0, STRING, 0},
    {10, 7903, 0, STRING, 0}, {11, 7916, 468, MESSAGE, 0}, {12, 7921, 0, BOOL, 0},
    /* 350: core.v1.ContainerImage */
    {1, 2205, 0, STRING, R|N}, {2, 7944, 0, INT64, O},
    /* 351: core.v1.AttachedVolume */
    {1, 42, 0, STRING, 0}, {2, 7954, 0, STRING, 0},
    /* 352: core.v1.NodeConfigStatus */
    {1, 7965, 343, MESSAGE, 0}, {2, 2162, 343, MESSAGE, 0}, {3, 7974, 343, MESSAGE, 0},
    {4, 1905, 0, STRING, O},
    /* 353: core.v1.NodeRuntimeHandler */
    {1, 42, 0, STRING, 0}, {2, 4374, 469, MESSAGE, 0},
    /* 354: core.v1.NodeFeatures */
    {1, 7988, 0, BOOL, 0},
    /* 355: core.v1.PersistentVolumeSource */
    {1, 8013, 470, MESSAGE, 0}, {2, 8031, 471, MESSAGE, 0}, {3, 8052, 472, MESSAGE, 0},
    {4, 8061, 473, MESSAGE, 0}, {5, 8071, 474, MESSAGE, 0}, {6, 8075, 475, MESSAGE, 0},
    {7, 8079, 476, MESSAGE, 0}, {8, 8085, 477, MESSAGE, 0}, {9, 8092, 478, MESSAGE, 0},
    {10, 8099, 479, MESSAGE, 0}, {11, 8102, 480, MESSAGE, 0}, {12, 8110, 481, MESSAGE, 0},
    {13, 8121, 482, MESSAGE, 0}, {14, 8131, 483, MESSAGE, 0}, {15, 8145, 484, MESSAGE, 0},
    {16, 8153, 485, MESSAGE, 0}, {17, 8163, 486, MESSAGE, 0}, {18, 8192, 487, MESSAGE, 0},
    {19, 8207, 488, MESSAGE, 0}, {20, 8215, 489, MESSAGE, 0}, {21, 8221, 490, MESSAGE, 0},
    {22, 8231, 491, MESSAGE, 0},
    /* 356: core.v1.VolumeNodeAffinity */
    {1, 8235, 399, MESSAGE, 0},
    /* 357: core.v1.VolumeResourceRequirements */
    {1, 3816, 345, MESSAGE, M}, {2, 8244, 345, MESSAGE, M},
    /* 358: core.v1.TypedLocalObjectReference */
    {1, 1884, 0, STRING, N}, {2, 1102, 0, STRING, 0}, {3, 42, 0, STRING, 0},
    /* 359: core.v1.TypedObjectReference */
    {1, 1884, 0, STRING, N}, {2, 1102, 0, STRING, 0}, {3, 42, 0, STRING, 0},
    {4, 1153, 0, STRING, 0},
    /* 360: core.v1.ModifyVolumeStatus */
    {1, 8253, 0, STRING, O}, {2, 144, 0, STRING, 0},
    /* 361: core.v1.VolumeHealthStatus */
    {1, 7002, 492, MESSAGE, R}, {2, 6954, 162, MESSAGE, 0},
    /* 362: core.v1.Volume */
    {1, 42, 0, STRING, 0}, {2, 0, 493, MESSAGE, I},
    /* 363: core.v1.Container */
    {1, 42, 0, STRING, 0}, {2, 8285, 0, STRING, O}, {3, 8291, 0, STRING, R},
    {4, 8299, 0, STRING, R}, {5, 8304, 0, STRING, O}, {6, 434, 494, MESSAGE, R},
    {7, 8315, 495, MESSAGE, R}, {8, 129, 373, MESSAGE, 0}, {9, 8319, 496, MESSAGE, R},
    {10, 8332, 497, MESSAGE, 0}, {11, 8346, 497, MESSAGE, 0}, {12, 8361, 498, MESSAGE, 0},
    {13, 8371, 0, STRING, O}, {14, 8394, 0, STRING, O}, {15, 4819, 499, MESSAGE, 0},
    {16, 8410, 0, BOOL, O}, {17, 8416, 0, BOOL, O}, {18, 8426, 0, BOOL, O},
    {19, 8430, 500, MESSAGE, R}, {20, 8438, 0, STRING, O}, {21, 8463, 351, MESSAGE, R},
    {22, 8477, 497, MESSAGE, 0}, {23, 8490, 501, MESSAGE, R}, {24, 4690, 0, STRING, 0},
    {25, 8503, 502, MESSAGE, R},
    /* 364: core.v1.PodSecurityContext */
    {1, 8522, 503, MESSAGE, 0}, {2, 8537, 0, INT64, 0}, {3, 8547, 0, BOOL, 0},
    {4, 8560, 0, INT64, R}, {5, 8579, 0, INT64, 0}, {6, 8587, 0, INT64, 0},
    {7, 8598, 504, MESSAGE, R}, {8, 8606, 505, MESSAGE, 0}, {9, 8621, 0, STRING, 0},
    {10, 8641, 506, MESSAGE, 0}, {11, 8656, 506, MESSAGE, 0}, {12, 7988, 0, STRING, 0},
    {13, 8672, 0, STRING, 0},
    /* 365: core.v1.Affinity */
    {1, 4462, 507, MESSAGE, 0}, {2, 8692, 508, MESSAGE, 0}, {3, 8704, 508, MESSAGE, 0},
    /* 366: core.v1.Toleration */
    {1, 7019, 0, STRING, O}, {2, 7023, 0, STRING, O}, {3, 818, 0, STRING, O},
    {4, 7304, 0, STRING, O}, {5, 8720, 0, INT64, 0},
    /* 367: core.v1.HostAlias */
    {1, 7347, 0, STRING, 0}, {2, 8738, 0, STRING, R},
    /* 368: core.v1.PodDNSConfig */
    {1, 8748, 0, STRING, R}, {2, 8760, 0, STRING, R}, {3, 8769, 509, MESSAGE, R},
    /* 369: core.v1.PodReadinessGate */
    {1, 8777, 0, STRING, 0},
    /* 370: core.v1.TopologySpreadConstraint */
    {1, 8791, 0, INT32, 0}, {2, 8799, 0, STRING, 0}, {3, 8811, 0, STRING, 0},
    {4, 7568, 124, MESSAGE, 0}, {5, 8829, 0, INT32, 0}, {6, 8840, 0, STRING, 0},
    {7, 8859, 0, STRING, 0}, {8, 8876, 0, STRING, R},
    /* 371: core.v1.EphemeralContainer */
    {1, 0, 363, MESSAGE, I}, {2, 8891, 0, STRING, O},
    /* 372: core.v1.PodResourceClaim */
    {1, 42, 0, STRING, 0}, {3, 8911, 0, STRING, 0}, {4, 8929, 0, STRING, 0},
    /* 373: core.v1.ResourceRequirements */
    {1, 3816, 345, MESSAGE, M}, {2, 8244, 345, MESSAGE, M}, {3, 8955, 510, MESSAGE, R},
    /* 374: core.v1.PodSchedulingGroup */
    {1, 8962, 0, STRING, 0},
    /* 375: core.v1.EvictionResponder */
    {1, 42, 0, STRING, 0}, {2, 2023, 0, INT32, N},
    /* 376: core.v1.PodCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 7483, 162, MESSAGE, 0},
    {4, 6954, 162, MESSAGE, 0}, {5, 522, 0, STRING, O}, {6, 654, 0, STRING, O},
    {7, 2279, 0, INT64, O},
    /* 377: core.v1.ContainerStatus */
    {1, 42, 0, STRING, 0}, {2, 7354, 511, MESSAGE, 0}, {3, 8975, 511, MESSAGE, 0},
    {4, 3643, 0, BOOL, 0}, {5, 8985, 0, INT32, 0}, {6, 8285, 0, STRING, 0}, {7, 8998, 0, STRING, 0},
    {8, 9006, 0, STRING, O}, {9, 9018, 0, BOOL, 0}, {10, 4561, 345, MESSAGE, M},
    {11, 129, 373, MESSAGE, 0}, {12, 8319, 512, MESSAGE, R}, {13, 3864, 513, MESSAGE, 0},
    {14, 9026, 514, MESSAGE, R}, {15, 9051, 0, STRING, 0},
    /* 378: core.v1.PodIP */
    {1, 7347, 0, STRING, 0},
    /* 379: core.v1.PodResourceClaimStatus */
    {1, 42, 0, STRING, 0}, {2, 8911, 0, STRING, 0},
    /* 380: core.v1.PodExtendedResourceClaimStatus */
    {1, 9062, 515, MESSAGE, R|N}, {2, 8911, 0, STRING, 0},
    /* 381: core.v1.NodeAllocatableResourceClaimStatus */
    {1, 8911, 0, STRING, 0}, {2, 4679, 0, STRING, R}, {4, 9078, 516, MESSAGE, R},
    {5, 875, 517, MESSAGE, R},
    /* 382: core.v1.PodVolumeHealth */
    {1, 42, 0, STRING, 0}, {2, 7002, 492, MESSAGE, R}, {3, 6954, 162, MESSAGE, 0},
    /* 383: util.intstr.IntOrString */
    {1, 552, 0, INT64, 0}, {2, 9086, 0, INT32, 0}, {3, 9093, 0, STRING, 0},
    /* 384: map of meta.v1.Time */
    {1, 0, 0, STRING, 0}, {2, 0, 162, MESSAGE, 0},
    /* 385: scheduling.v1alpha3.PodGroupSchedulingPolicy */
    {1, 7080, 250, MESSAGE, 0}, {2, 7086, 518, MESSAGE, 0},
    /* 386: scheduling.v1alpha3.PodGroupResourceClaim */
    {1, 42, 0, STRING, 0}, {2, 8911, 0, STRING, 0}, {3, 8929, 0, STRING, 0},
    /* 387: flowcontrol.v1.LimitedPriorityLevelConfiguration */
    {1, 9100, 0, INT32, N}, {2, 9125, 519, MESSAGE, 0}, {3, 9139, 0, INT32, 0},
    {4, 9155, 0, INT32, 0},
    /* 388: flowcontrol.v1.ExemptPriorityLevelConfiguration */
    {1, 9100, 0, INT32, 0}, {2, 9139, 0, INT32, 0},
    /* 389: flowcontrol.v1beta1.LimitedPriorityLevelConfiguration */
    {1, 9177, 0, INT32, 0}, {2, 9125, 519, MESSAGE, 0}, {3, 9139, 0, INT32, 0},
    {4, 9155, 0, INT32, 0},
    /* 390: flowcontrol.v1beta3.LimitedPriorityLevelConfiguration */
    {1, 9100, 0, INT32, 0}, {2, 9125, 519, MESSAGE, 0}, {3, 9139, 0, INT32, 0},
    {4, 9155, 0, INT32, 0},
    /* 391: resource.v1.DeviceClaim */
    {1, 8244, 520, MESSAGE, R|N}, {2, 9202, 521, MESSAGE, R}, {3, 2751, 522, MESSAGE, R},
    /* 392: resource.v1.AllocationResult */
    {1, 5735, 523, MESSAGE, 0}, {3, 4744, 399, MESSAGE, 0}, {5, 9214, 162, MESSAGE, P},
    /* 393: resource.v1.ResourceClaimConsumerReference */
    {1, 1884, 0, STRING, O}, {3, 6577, 0, STRING, 0}, {4, 42, 0, STRING, 0},
    {5, 1163, 0, STRING, 0},
    /* 394: resource.v1.AllocatedDeviceStatus */
    {1, 5766, 0, STRING, 0}, {2, 5865, 0, STRING, 0}, {3, 7297, 0, STRING, 0},
    {4, 254, 282, MESSAGE, R|N}, {5, 265, 140, MESSAGE, 0}, {6, 9234, 524, MESSAGE, 0},
    {7, 9246, 0, STRING, 0},
    /* 395: resource.v1beta1.DeviceClaim */
    {1, 8244, 525, MESSAGE, R|N}, {2, 9202, 521, MESSAGE, R}, {3, 2751, 522, MESSAGE, R},
    /* 396: resource.v1alpha3.PoolStatus */
    {1, 5766, 0, STRING, O}, {2, 5773, 0, STRING, O}, {3, 2848, 0, STRING, 0},
    {4, 9254, 0, INT32, 0}, {5, 9267, 0, INT32, 0}, {6, 9284, 0, INT32, 0}, {7, 9301, 0, INT32, 0},
    {8, 9320, 0, INT32, 0}, {9, 1167, 0, INT64, 0}, {10, 9339, 0, STRING, 0},
    {11, 9355, 526, MESSAGE, R}, {13, 9372, 527, MESSAGE, 0},
    /* 397: core.v1.ScopeSelector */
    {1, 1728, 528, MESSAGE, R},
    /* 398: resource.v1.ResourcePool */
    {1, 42, 0, STRING, 0}, {2, 1167, 0, INT64, 0}, {3, 9320, 0, INT64, 0},
    /* 399: core.v1.NodeSelector */
    {1, 9389, 529, MESSAGE, R|N},
    /* 400: resource.v1.Device */
    {1, 42, 0, STRING, 0}, {2, 9407, 531, MESSAGE, M}, {3, 188, 533, MESSAGE, M},
    {4, 9418, 534, MESSAGE, R}, {5, 2848, 0, STRING, 0}, {6, 4744, 399, MESSAGE, 0},
    {7, 5870, 0, BOOL, 0}, {8, 4236, 300, MESSAGE, R}, {9, 9435, 0, BOOL, 0},
    {10, 9447, 0, STRING, R}, {11, 9465, 0, STRING, R}, {12, 9490, 0, BOOL, 0},
    {14, 9515, 536, MESSAGE, M},
    /* 401: resource.v1.CounterSet */
    {1, 42, 0, STRING, 0}, {2, 9540, 538, MESSAGE, M},
    /* 402: resource.v1beta1.Device */
    {1, 42, 0, STRING, 0}, {2, 7080, 539, MESSAGE, 0},
    /* 403: authentication.v1.UserInfo */
    {1, 1760, 0, STRING, O}, {2, 1163, 0, STRING, O}, {3, 109, 0, STRING, R},
    {4, 1776, 276, MESSAGE, M},
    /* 404: authorization.v1.ResourceRule */
    {1, 1322, 0, STRING, R|N}, {2, 1823, 0, STRING, R}, {3, 129, 0, STRING, R},
    {4, 1833, 0, STRING, R},
    /* 405: authorization.v1.NonResourceRule */
    {1, 1322, 0, STRING, R|N}, {2, 1847, 0, STRING, R},
    /* 406: core.v1.ServicePort */
    {1, 42, 0, STRING, O}, {2, 2868, 0, STRING, O}, {3, 2877, 0, INT32, 0},
    {4, 9549, 383, MESSAGE, 0}, {5, 9560, 0, INT32, O}, {6, 2882, 0, STRING, 0},
    /* 407: core.v1.SessionAffinityConfig */
    {1, 9569, 540, MESSAGE, 0},
    /* 408: core.v1.LoadBalancerStatus */
    {1, 4165, 541, MESSAGE, R},
    /* 409: apps.v1.StatefulSetUpdateStrategy */
    {1, 552, 0, STRING, O}, {2, 7279, 542, MESSAGE, 0},
    /* 410: apps.v1.StatefulSetPersistentVolumeClaimRetentionPolicy */
    {1, 9578, 0, STRING, O}, {2, 9590, 0, STRING, O},
    /* 411: apps.v1.StatefulSetOrdinals */
    {1, 9601, 0, INT32, 0},
    /* 412: meta.v1.StatusCause */
    {1, 522, 0, STRING, O}, {2, 654, 0, STRING, O}, {3, 9607, 0, STRING, O},
    /* 413: core.v1.TopologySelectorLabelRequirement */
    {1, 7019, 0, STRING, 0}, {2, 7032, 0, STRING, R|N},
    /* 414: apiserverinternal.v1alpha1.ServerStorageVersion */
    {1, 9613, 0, STRING, O}, {2, 9625, 0, STRING, O}, {3, 9641, 0, STRING, R},
    {4, 9659, 0, STRING, R},
    /* 415: apiserverinternal.v1alpha1.StorageVersionCondition */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0}, {3, 2279, 0, INT64, O},
    {4, 6954, 162, MESSAGE, 0}, {5, 522, 0, STRING, 0}, {6, 654, 0, STRING, O},
    /* 416: meta.v1.GroupResource */
    {1, 1363, 0, STRING, 0}, {2, 6577, 0, STRING, 0},
    /* 417: authentication.v1.BoundObjectReference */
    {1, 1102, 0, STRING, O}, {2, 1091, 0, STRING, O}, {3, 42, 0, STRING, O},
    {4, 1163, 0, STRING, O},
    /* 418: admissionregistration.v1.Validation */
    {1, 7608, 0, STRING, 0}, {2, 654, 0, STRING, O}, {3, 522, 0, STRING, 0},
    {4, 9674, 0, STRING, O},
    /* 419: admissionregistration.v1.AuditAnnotation */
    {1, 7019, 0, STRING, 0}, {2, 9692, 0, STRING, 0},
    /* 420: admissionregistration.v1.TypeChecking */
    {1, 9708, 543, MESSAGE, R},
    /* 421: storage.v1.VolumeAttachmentSource */
    {1, 9727, 0, STRING, 0}, {2, 9748, 197, MESSAGE, 0},
    /* 422: storage.v1.VolumeError */
    {1, 6881, 162, MESSAGE, 0}, {2, 654, 0, STRING, O}, {3, 9765, 0, INT32, 0},
    /* 423: scheduling.v1alpha3.TypedLocalObjectReference */
    {1, 1884, 0, STRING, O}, {2, 1102, 0, STRING, 0}, {3, 42, 0, STRING, 0},
    /* 424: scheduling.v1alpha3.PodGroupTemplate */
    {1, 42, 0, STRING, 0}, {2, 1951, 385, MESSAGE, 0}, {3, 1968, 280, MESSAGE, N},
    {4, 5083, 386, MESSAGE, R}, {5, 1990, 281, MESSAGE, 0}, {6, 2005, 0, STRING, O},
    {7, 2023, 0, INT32, 0}, {8, 850, 0, STRING, 0},
    /* 425: scheduling.v1alpha3.CompositePodGroupTemplate */
    {1, 42, 0, STRING, 0}, {2, 1951, 279, MESSAGE, 0}, {3, 1968, 280, MESSAGE, 0},
    {4, 1990, 281, MESSAGE, 0}, {5, 2005, 0, STRING, O}, {6, 2023, 0, INT32, 0},
    {7, 850, 0, STRING, 0}, {8, 6799, 424, MESSAGE, R}, {9, 6817, 425, MESSAGE, R},
    /* 426: meta.v1.FieldsV1 */
    {1, 9775, 0, BYTES, 0},
    /* 427: meta.v1.GroupVersionKind */
    {1, 1363, 0, STRING, 0}, {2, 1107, 0, STRING, 0}, {3, 1102, 0, STRING, 0},
    /* 428: apidiscovery.v2.APISubresourceDiscovery */
    {1, 6906, 0, STRING, 0}, {2, 6918, 427, MESSAGE, 0}, {3, 9779, 427, MESSAGE, R},
    {4, 1322, 0, STRING, R|N},
    /* 429: storage.v1.VolumeNodeResources */
    {1, 698, 0, INT32, 0},
    /* 430: storage.v1.StorageHealthCondition */
    {1, 144, 0, STRING, 0}, {2, 522, 0, STRING, 0}, {3, 654, 0, STRING, O}, {4, 9793, 0, STRING, 0},
    {5, 4451, 0, STRING, 0}, {6, 6954, 162, MESSAGE, 0},
    /* 431: scheduling.v1alpha3.CompositeGangSchedulingPolicy */
    {1, 9804, 0, INT32, 0},
    /* 432: scheduling.v1alpha3.TopologyConstraint */
    {1, 7019, 0, STRING, 0},
    /* 433: apiextensions.v1.CustomResourceColumnDefinition */
    {1, 42, 0, STRING, 0}, {2, 552, 0, STRING, 0}, {3, 7209, 0, STRING, O}, {4, 838, 0, STRING, O},
    {5, 2023, 0, INT32, O}, {6, 7270, 0, STRING, 0},
    /* 434: apiextensions.v1.WebhookConversion */
    {2, 4031, 338, MESSAGE, 0}, {3, 7245, 0, STRING, R|N},
    /* 435: apiextensions.v1beta1.JSONSchemaProps */
    {1, 9818, 0, STRING, O}, {2, 9821, 0, STRING, O}, {3, 9829, 0, STRING, 0},
    {4, 838, 0, STRING, O}, {5, 552, 0, STRING, O}, {6, 7209, 0, STRING, O},
    {7, 9834, 0, STRING, O}, {8, 7505, 140, MESSAGE, 0}, {9, 9840, 0, DOUBLE, 0},
    {10, 9848, 0, BOOL, O}, {11, 9865, 0, DOUBLE, 0}, {12, 9873, 0, BOOL, O},
    {13, 9890, 0, INT64, 0}, {14, 9900, 0, INT64, 0}, {15, 9910, 0, STRING, O},
    {16, 9918, 0, INT64, 0}, {17, 9927, 0, INT64, 0}, {18, 9936, 0, BOOL, O},
    {19, 9948, 0, DOUBLE, 0}, {20, 9959, 140, MESSAGE, R}, {21, 9964, 0, INT64, 0},
    {22, 9978, 0, INT64, 0}, {23, 8235, 0, STRING, R}, {24, 6948, 544, MESSAGE, 0},
    {25, 9992, 435, MESSAGE, R}, {26, 9998, 435, MESSAGE, R}, {27, 10004, 435, MESSAGE, R},
    {28, 10010, 435, MESSAGE, 0}, {29, 10014, 545, MESSAGE, M}, {30, 10025, 546, MESSAGE, 0},
    {31, 10046, 545, MESSAGE, M}, {32, 10064, 548, MESSAGE, M}, {33, 10077, 546, MESSAGE, 0},
    {34, 10093, 545, MESSAGE, M}, {35, 10105, 549, MESSAGE, 0}, {36, 10118, 140, MESSAGE, 0},
    {37, 10126, 0, BOOL, O}, {38, 10135, 0, BOOL, 0}, {39, 10172, 0, BOOL, O},
    {40, 10203, 0, BOOL, O}, {41, 10230, 0, STRING, R}, {42, 10257, 0, STRING, 0},
    {43, 10280, 0, STRING, 0}, {44, 10302, 550, MESSAGE, R},
    /* 436: apiextensions.v1beta1.CustomResourceSubresourceScale */
    {1, 10327, 0, STRING, 0}, {2, 10344, 0, STRING, 0}, {3, 10363, 0, STRING, 0},
    /* 437: apps.v1.RollingUpdateDaemonSet */
    {1, 5581, 383, MESSAGE, 0}, {2, 10381, 383, MESSAGE, 0},
    /* 438: resource.v1.CELDeviceSelector */
    {1, 7608, 0, STRING, 0},
    /* 439: resource.v1.DeviceConfiguration */
    {1, 10390, 551, MESSAGE, 0},
    /* 440: lifecycle.v1alpha1.EvictionPodReference */
    {1, 42, 0, STRING, 0}, {2, 1163, 0, STRING, 0},
    /* 441: flowcontrol.v1.Subject */
    {1, 1102, 0, STRING, 0}, {2, 3864, 309, MESSAGE, 0}, {3, 1363, 309, MESSAGE, 0},
    {4, 4776, 552, MESSAGE, 0},
    /* 442: flowcontrol.v1.ResourcePolicyRule */
    {1, 1322, 0, STRING, R|N}, {2, 1823, 0, STRING, R|N}, {3, 129, 0, STRING, R|N},
    {4, 10397, 0, BOOL, O}, {5, 10410, 0, STRING, R|N},
    /* 443: flowcontrol.v1.NonResourcePolicyRule */
    {1, 1322, 0, STRING, R|N}, {6, 1847, 0, STRING, R|N},
    /* 444: autoscaling.v2.ObjectMetricSource */
    {1, 10421, 313, MESSAGE, 0}, {2, 151, 553, MESSAGE, 0}, {3, 10437, 554, MESSAGE, 0},
    /* 445: autoscaling.v2.PodsMetricSource */
    {1, 10437, 554, MESSAGE, 0}, {2, 151, 553, MESSAGE, 0},
    /* 446: autoscaling.v2.ResourceMetricSource */
    {1, 42, 0, STRING, 0}, {2, 151, 553, MESSAGE, 0},
    /* 447: autoscaling.v2.ContainerResourceMetricSource */
    {1, 42, 0, STRING, 0}, {2, 151, 553, MESSAGE, 0}, {3, 10444, 0, STRING, 0},
    /* 448: autoscaling.v2.HPAScalingRules */
    {1, 10454, 0, STRING, 0}, {2, 10467, 555, MESSAGE, R}, {3, 10476, 0, INT32, 0},
    {4, 10503, 125, MESSAGE, 0},
    /* 449: autoscaling.v2.ObjectMetricStatus */
    {1, 10437, 554, MESSAGE, 0}, {2, 10513, 556, MESSAGE, 0}, {3, 10421, 313, MESSAGE, 0},
    /* 450: autoscaling.v2.PodsMetricStatus */
    {1, 10437, 554, MESSAGE, 0}, {2, 10513, 556, MESSAGE, 0},
    /* 451: autoscaling.v2.ResourceMetricStatus */
    {1, 42, 0, STRING, 0}, {2, 10513, 556, MESSAGE, 0},
    /* 452: autoscaling.v2.ContainerResourceMetricStatus */
    {1, 42, 0, STRING, 0}, {2, 10513, 556, MESSAGE, 0}, {3, 10444, 0, STRING, 0},
    /* 453: extensions.v1beta1.IngressRuleValue */
    {1, 10521, 557, MESSAGE, 0},
    /* 454: extensions.v1beta1.IngressLoadBalancerIngress */
    {1, 7347, 0, STRING, O}, {2, 2810, 0, STRING, O}, {4, 434, 558, MESSAGE, R},
    /* 455: networking.v1.IngressServiceBackend */
    {1, 42, 0, STRING, 0}, {2, 2877, 559, MESSAGE, 0},
    /* 456: networking.v1.IngressRuleValue */
    {1, 10521, 560, MESSAGE, 0},
    /* 457: batch.v1.PodFailurePolicyRule */
    {1, 515, 0, STRING, 0}, {2, 10526, 561, MESSAGE, 0}, {3, 10538, 562, MESSAGE, R},
    /* 458: batch.v1.SuccessPolicyRule */
    {1, 10554, 0, STRING, 0}, {2, 10571, 0, INT32, 0},
    /* 459: authorization.v1.FieldSelectorAttributes */
    {1, 10586, 0, STRING, O}, {2, 10598, 275, MESSAGE, R},
    /* 460: admissionregistration.v1.NamedRuleWithOperations */
    {1, 1833, 0, STRING, R}, {2, 0, 339, MESSAGE, I},
    /* 461: admissionregistration.v1.ApplyConfiguration */
    {1, 7608, 0, STRING, O},
    /* 462: admissionregistration.v1.ServiceReference */
    {1, 1153, 0, STRING, 0}, {2, 42, 0, STRING, 0}, {3, 7582, 0, STRING, 0}, {4, 2877, 0, INT32, 0},
    /* 463: admissionregistration.v1.Rule */
    {1, 1823, 0, STRING, R}, {2, 10611, 0, STRING, R}, {3, 129, 0, STRING, R},
    {4, 2211, 0, STRING, 0},
    /* 464: extensions.v1beta1.NetworkPolicyPort */
    {1, 2868, 0, STRING, 0}, {2, 2877, 383, MESSAGE, 0}, {3, 10623, 0, INT32, 0},
    /* 465: extensions.v1beta1.NetworkPolicyPeer */
    {1, 4153, 124, MESSAGE, 0}, {2, 4044, 124, MESSAGE, 0}, {3, 10631, 563, MESSAGE, 0},
    /* 466: core.v1.ConfigMapNodeConfigSource */
    {1, 1153, 0, STRING, 0}, {2, 42, 0, STRING, 0}, {3, 1163, 0, STRING, O}, {4, 746, 0, STRING, O},
    {5, 10639, 0, STRING, 0},
    /* 467: core.v1.DaemonEndpoint */
    {1, 10656, 0, INT32, 0},
    /* 468: core.v1.NodeSwapStatus */
    {1, 188, 0, INT64, 0},
    /* 469: core.v1.NodeRuntimeHandlerFeatures */
    {1, 10661, 0, BOOL, 0}, {2, 10685, 0, BOOL, 0},
    /* 470: core.v1.GCEPersistentDiskVolumeSource */
    {1, 10700, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10714, 0, INT32, O},
    {4, 10724, 0, BOOL, O},
    /* 471: core.v1.AWSElasticBlockStoreVolumeSource */
    {1, 10733, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10714, 0, INT32, O},
    {4, 10724, 0, BOOL, O},
    /* 472: core.v1.HostPathVolumeSource */
    {1, 7582, 0, STRING, 0}, {2, 552, 0, STRING, 0},
    /* 473: core.v1.GlusterfsPersistentVolumeSource */
    {1, 424, 0, STRING, 0}, {2, 7582, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    {4, 10742, 0, STRING, 0},
    /* 474: core.v1.NFSVolumeSource */
    {1, 10761, 0, STRING, 0}, {2, 7582, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    /* 475: core.v1.RBDPersistentVolumeSource */
    {1, 10768, 0, STRING, R|N}, {2, 8285, 0, STRING, 0}, {3, 10707, 0, STRING, O},
    {4, 5865, 0, STRING, O}, {5, 3864, 0, STRING, O}, {6, 10777, 0, STRING, O},
    {7, 10785, 564, MESSAGE, 0}, {8, 10724, 0, BOOL, O},
    /* 476: core.v1.ISCSIPersistentVolumeSource */
    {1, 10795, 0, STRING, 0}, {2, 10808, 0, STRING, 0}, {3, 10812, 0, INT32, 0},
    {4, 10816, 0, STRING, O}, {5, 10707, 0, STRING, O}, {6, 10724, 0, BOOL, O},
    {7, 10831, 0, STRING, R}, {8, 10839, 0, BOOL, O}, {10, 10785, 564, MESSAGE, 0},
    {11, 10857, 0, BOOL, O}, {12, 10873, 0, STRING, 0},
    /* 477: core.v1.CinderPersistentVolumeSource */
    {1, 10733, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10724, 0, BOOL, O},
    {4, 10785, 564, MESSAGE, 0},
    /* 478: core.v1.CephFSPersistentVolumeSource */
    {1, 10768, 0, STRING, R|N}, {2, 7582, 0, STRING, O}, {3, 3864, 0, STRING, O},
    {4, 10887, 0, STRING, O}, {5, 10785, 564, MESSAGE, 0}, {6, 10724, 0, BOOL, O},
    /* 479: core.v1.FCVolumeSource */
    {1, 10898, 0, STRING, R}, {2, 10812, 0, INT32, 0}, {3, 10707, 0, STRING, O},
    {4, 10724, 0, BOOL, O}, {5, 10909, 0, STRING, R},
    /* 480: core.v1.FlockerVolumeSource */
    {1, 10915, 0, STRING, O}, {2, 10927, 0, STRING, O},
    /* 481: core.v1.FlexPersistentVolumeSource */
    {1, 5766, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10785, 564, MESSAGE, 0},
    {4, 10724, 0, BOOL, O}, {5, 8769, 138, MESSAGE, M},
    /* 482: core.v1.AzureFilePersistentVolumeSource */
    {1, 7472, 0, STRING, 0}, {2, 10939, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    {4, 10949, 0, STRING, N},
    /* 483: core.v1.VsphereVirtualDiskVolumeSource */
    {1, 10965, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10976, 0, STRING, O},
    {4, 10994, 0, STRING, O},
    /* 484: core.v1.QuobyteVolumeSource */
    {1, 11010, 0, STRING, 0}, {2, 11019, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    {4, 3864, 0, STRING, O}, {5, 1363, 0, STRING, O}, {6, 11026, 0, STRING, O},
    /* 485: core.v1.AzureDiskVolumeSource */
    {1, 11033, 0, STRING, 0}, {2, 11042, 0, STRING, 0}, {3, 11050, 0, STRING, 0},
    {4, 10707, 0, STRING, 0}, {5, 10724, 0, BOOL, 0}, {6, 1102, 0, STRING, 0},
    /* 486: core.v1.PhotonPersistentDiskVolumeSource */
    {1, 11062, 0, STRING, 0}, {2, 10707, 0, STRING, O},
    /* 487: core.v1.PortworxVolumeSource */
    {1, 10733, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10724, 0, BOOL, O},
    /* 488: core.v1.ScaleIOPersistentVolumeSource */
    {1, 11067, 0, STRING, 0}, {2, 11075, 0, STRING, 0}, {3, 10785, 564, MESSAGE, N},
    {4, 11082, 0, BOOL, O}, {5, 11093, 0, STRING, O}, {6, 11110, 0, STRING, O},
    {7, 11122, 0, STRING, O}, {8, 4525, 0, STRING, O}, {9, 10707, 0, STRING, O},
    {10, 10724, 0, BOOL, O},
    /* 489: core.v1.LocalVolumeSource */
    {1, 7582, 0, STRING, 0}, {2, 10707, 0, STRING, 0},
    /* 490: core.v1.StorageOSPersistentVolumeSource */
    {1, 4525, 0, STRING, O}, {2, 11134, 0, STRING, O}, {3, 10707, 0, STRING, O},
    {4, 10724, 0, BOOL, O}, {5, 10785, 120, MESSAGE, 0},
    /* 491: core.v1.CSIPersistentVolumeSource */
    {1, 5766, 0, STRING, 0}, {2, 11150, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    {4, 10707, 0, STRING, O}, {5, 11163, 138, MESSAGE, M}, {6, 11180, 564, MESSAGE, 0},
    {7, 11207, 564, MESSAGE, 0}, {8, 11226, 564, MESSAGE, 0}, {9, 11247, 564, MESSAGE, 0},
    {10, 11273, 564, MESSAGE, 0},
    /* 492: core.v1.VolumeHealthCondition */
    {1, 144, 0, STRING, 0}, {2, 522, 0, STRING, 0}, {3, 654, 0, STRING, O},
    /* 493: core.v1.VolumeSource */
    {1, 8052, 472, MESSAGE, 0}, {2, 11293, 565, MESSAGE, 0}, {3, 8013, 470, MESSAGE, 0},
    {4, 8031, 471, MESSAGE, 0}, {5, 11302, 566, MESSAGE, 0}, {6, 11310, 567, MESSAGE, 0},
    {7, 8071, 474, MESSAGE, 0}, {8, 8079, 568, MESSAGE, 0}, {9, 8061, 569, MESSAGE, 0},
    {10, 11317, 570, MESSAGE, 0}, {11, 8075, 571, MESSAGE, 0}, {12, 8110, 572, MESSAGE, 0},
    {13, 8085, 573, MESSAGE, 0}, {14, 8092, 574, MESSAGE, 0}, {15, 8102, 480, MESSAGE, 0},
    {16, 11339, 575, MESSAGE, 0}, {17, 8099, 479, MESSAGE, 0}, {18, 8121, 576, MESSAGE, 0},
    {19, 7705, 577, MESSAGE, 0}, {20, 8131, 483, MESSAGE, 0}, {21, 8145, 484, MESSAGE, 0},
    {22, 8153, 485, MESSAGE, 0}, {23, 8163, 486, MESSAGE, 0}, {24, 8192, 487, MESSAGE, 0},
    {25, 8207, 578, MESSAGE, 0}, {26, 11351, 579, MESSAGE, 0}, {27, 8221, 580, MESSAGE, 0},
    {28, 8231, 581, MESSAGE, 0}, {29, 11361, 582, MESSAGE, 0}, {30, 8285, 583, MESSAGE, 0},
    /* 494: core.v1.ContainerPort */
    {1, 42, 0, STRING, O}, {2, 11371, 0, INT32, O}, {3, 11380, 0, INT32, 0},
    {4, 2868, 0, STRING, O}, {5, 5150, 0, STRING, O},
    /* 495: core.v1.EnvVar */
    {1, 42, 0, STRING, 0}, {2, 818, 0, STRING, O}, {3, 11394, 584, MESSAGE, 0},
    /* 496: core.v1.VolumeMount */
    {1, 42, 0, STRING, 0}, {2, 10724, 0, BOOL, O}, {3, 11404, 0, STRING, 0},
    {4, 11414, 0, STRING, O}, {5, 11422, 0, STRING, 0}, {6, 11439, 0, STRING, O},
    {7, 11451, 0, STRING, 0}, {8, 11469, 0, STRING, R},
    /* 497: core.v1.Probe */
    {1, 0, 585, MESSAGE, I}, {2, 11486, 0, INT32, O}, {3, 4074, 0, INT32, O},
    {4, 11506, 0, INT32, O}, {5, 11520, 0, INT32, O}, {6, 11537, 0, INT32, O},
    {7, 4704, 0, INT64, 0},
    /* 498: core.v1.Lifecycle */
    {1, 11554, 586, MESSAGE, 0}, {2, 11564, 586, MESSAGE, 0}, {3, 9051, 0, STRING, 0},
    /* 499: core.v1.SecurityContext */
    {1, 11572, 587, MESSAGE, 0}, {2, 11585, 0, BOOL, 0}, {3, 8522, 503, MESSAGE, 0},
    {4, 8537, 0, INT64, 0}, {5, 8547, 0, BOOL, 0}, {6, 11596, 0, BOOL, 0}, {7, 11619, 0, BOOL, 0},
    {8, 8587, 0, INT64, 0}, {9, 11644, 0, STRING, 0}, {10, 8606, 505, MESSAGE, 0},
    {11, 8641, 506, MESSAGE, 0}, {12, 8656, 506, MESSAGE, 0},
    /* 500: core.v1.EnvFromSource */
    {1, 11654, 0, STRING, O}, {2, 11661, 588, MESSAGE, 0}, {3, 10785, 588, MESSAGE, 0},
    /* 501: core.v1.ContainerResizePolicy */
    {1, 11674, 0, STRING, 0}, {2, 4690, 0, STRING, 0},
    /* 502: core.v1.ContainerRestartRule */
    {1, 515, 0, STRING, O}, {2, 11687, 589, MESSAGE, 0},
    /* 503: core.v1.SELinuxOptions */
    {1, 3864, 0, STRING, O}, {2, 11697, 0, STRING, O}, {3, 552, 0, STRING, O},
    {4, 11702, 0, STRING, O},
    /* 504: core.v1.Sysctl */
    {1, 42, 0, STRING, 0}, {2, 818, 0, STRING, 0},
    /* 505: core.v1.WindowsSecurityContextOptions */
    {1, 11708, 0, STRING, 0}, {2, 11731, 0, STRING, 0}, {3, 11750, 0, STRING, 0},
    {4, 11764, 0, BOOL, 0},
    /* 506: core.v1.SeccompProfile */
    {1, 552, 0, STRING, 0}, {2, 11776, 0, STRING, 0},
    /* 507: core.v1.NodeAffinity */
    {1, 11793, 399, MESSAGE, 0}, {2, 11840, 590, MESSAGE, R},
    /* 508: core.v1.PodAffinity */
    {1, 11793, 591, MESSAGE, R}, {2, 11840, 592, MESSAGE, R},
    /* 509: core.v1.PodDNSConfigOption */
    {1, 42, 0, STRING, O}, {2, 818, 0, STRING, 0},
    /* 510: core.v1.ResourceClaim */
    {1, 42, 0, STRING, 0}, {2, 1752, 0, STRING, O},
    /* 511: core.v1.ContainerState */
    {1, 11888, 593, MESSAGE, 0}, {2, 11896, 594, MESSAGE, 0}, {3, 11904, 595, MESSAGE, 0},
    /* 512: core.v1.VolumeMountStatus */
    {1, 42, 0, STRING, 0}, {2, 11404, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    {4, 11451, 0, STRING, 0}, {5, 11915, 596, MESSAGE, 0},
    /* 513: core.v1.ContainerUser */
    {1, 11928, 597, MESSAGE, 0},
    /* 514: core.v1.ResourceStatus */
    {1, 42, 0, STRING, 0}, {2, 129, 598, MESSAGE, R},
    /* 515: core.v1.ContainerExtendedResourceRequest */
    {1, 11934, 0, STRING, 0}, {2, 11674, 0, STRING, 0}, {3, 11948, 0, STRING, 0},
    /* 516: core.v1.NodeAllocatableMappedResources */
    {1, 42, 0, STRING, 0}, {2, 11960, 125, MESSAGE, N},
    /* 517: core.v1.NodeAllocatableOverheadResources */
    {1, 42, 0, STRING, 0}, {2, 11969, 125, MESSAGE, 0}, {3, 11976, 125, MESSAGE, 0},
    /* 518: scheduling.v1alpha3.GangSchedulingPolicy */
    {1, 11989, 0, INT32, 0},
    /* 519: flowcontrol.v1.LimitResponse */
    {1, 552, 0, STRING, 0}, {2, 11998, 599, MESSAGE, 0},
    /* 520: resource.v1.DeviceRequest */
    {1, 42, 0, STRING, 0}, {2, 12006, 600, MESSAGE, 0}, {3, 12014, 601, MESSAGE, R},
    /* 521: resource.v1.DeviceConstraint */
    {1, 8244, 0, STRING, R}, {2, 12029, 0, STRING, 0}, {3, 12044, 0, STRING, 0},
    /* 522: resource.v1.DeviceClaimConfiguration */
    {1, 8244, 0, STRING, R}, {2, 0, 439, MESSAGE, I},
    /* 523: resource.v1.DeviceAllocationResult */
    {1, 12062, 602, MESSAGE, R}, {2, 2751, 603, MESSAGE, R},
    /* 524: resource.v1.NetworkDeviceData */
    {1, 12070, 0, STRING, O}, {2, 12084, 0, STRING, R}, {3, 12088, 0, STRING, O},
    /* 525: resource.v1beta1.DeviceRequest */
    {1, 42, 0, STRING, 0}, {2, 12104, 0, STRING, 0}, {3, 2741, 297, MESSAGE, R},
    {4, 12120, 0, STRING, O}, {5, 698, 0, INT64, O}, {6, 12135, 0, BOOL, 0},
    {7, 12014, 604, MESSAGE, R}, {8, 4883, 366, MESSAGE, R}, {9, 188, 605, MESSAGE, 0},
    {10, 12147, 335, MESSAGE, R},
    /* 526: resource.v1alpha3.PartitionTypeStatus */
    {1, 552, 0, STRING, O}, {2, 12165, 0, INT32, 0}, {3, 4285, 0, INT32, 0},
    {4, 12171, 0, STRING, O},
    /* 527: resource.v1alpha3.ShareableSummaryStatus */
    {1, 12181, 0, INT32, 0}, {2, 12203, 0, INT32, 0}, {3, 188, 606, MESSAGE, R},
    /* 528: core.v1.ScopedResourceSelectorRequirement */
    {1, 12229, 0, STRING, 0}, {2, 7023, 0, STRING, 0}, {3, 7032, 0, STRING, R},
    /* 529: core.v1.NodeSelectorTerm */
    {1, 1728, 275, MESSAGE, R}, {2, 12239, 275, MESSAGE, R},
    /* 530: resource.v1.DeviceAttribute */
    {2, 12251, 0, INT64, 0}, {3, 12255, 0, BOOL, 0}, {4, 1745, 0, STRING, 0},
    {5, 1107, 0, STRING, 0}, {6, 12260, 0, INT64, R}, {7, 12265, 0, BOOL, R},
    {8, 12271, 0, STRING, R}, {9, 47, 0, STRING, R},
    /* 531: map of resource.v1.DeviceAttribute */
    {1, 0, 0, STRING, 0}, {2, 0, 530, MESSAGE, 0},
    /* 532: resource.v1.DeviceCapacity */
    {1, 818, 125, MESSAGE, 0}, {2, 12288, 607, MESSAGE, 0},
    /* 533: map of resource.v1.DeviceCapacity */
    {1, 0, 0, STRING, 0}, {2, 0, 532, MESSAGE, 0},
    /* 534: resource.v1.DeviceCounterConsumption */
    {1, 12302, 0, STRING, 0}, {2, 9540, 538, MESSAGE, M}, {3, 12313, 0, STRING, R},
    /* 535: resource.v1.NodeAllocatableResource */
    {3, 9078, 608, MESSAGE, 0}, {4, 875, 609, MESSAGE, 0},
    /* 536: map of resource.v1.NodeAllocatableResource */
    {1, 0, 0, STRING, 0}, {2, 0, 535, MESSAGE, 0},
    /* 537: resource.v1.Counter */
    {1, 818, 125, MESSAGE, 0},
    /* 538: map of resource.v1.Counter */
    {1, 0, 0, STRING, 0}, {2, 0, 537, MESSAGE, 0},
    /* 539: resource.v1beta1.BasicDevice */
    {1, 9407, 531, MESSAGE, M}, {2, 188, 533, MESSAGE, M}, {3, 9418, 534, MESSAGE, R},
    {4, 2848, 0, STRING, 0}, {5, 4744, 399, MESSAGE, 0}, {6, 5870, 0, BOOL, 0},
    {7, 4236, 300, MESSAGE, R}, {8, 9435, 0, BOOL, 0}, {9, 9447, 0, STRING, R},
    {10, 9465, 0, STRING, R}, {11, 9490, 0, BOOL, 0}, {14, 9515, 536, MESSAGE, M},
    /* 540: core.v1.ClientIPConfig */
    {1, 4074, 0, INT32, 0},
    /* 541: core.v1.LoadBalancerIngress */
    {1, 7347, 0, STRING, O}, {2, 2810, 0, STRING, O}, {3, 12333, 0, STRING, 0},
    {4, 434, 558, MESSAGE, R},
    /* 542: apps.v1.RollingUpdateStatefulSetStrategy */
    {1, 10714, 0, INT32, 0}, {2, 5581, 383, MESSAGE, 0},
    /* 543: admissionregistration.v1.ExpressionWarning */
    {2, 12340, 0, STRING, 0}, {3, 12349, 0, STRING, 0},
    /* 544: apiextensions.v1beta1.JSONSchemaPropsOrArray */
    {1, 7142, 435, MESSAGE, 0}, {2, 12357, 435, MESSAGE, R},
    /* 545: map of apiextensions.v1beta1.JSONSchemaProps */
    {1, 0, 0, STRING, 0}, {2, 0, 435, MESSAGE, 0},
    /* 546: apiextensions.v1beta1.JSONSchemaPropsOrBool */
    {1, 12369, 0, BOOL, 0}, {2, 7142, 435, MESSAGE, 0},
    /* 547: apiextensions.v1beta1.JSONSchemaPropsOrStringArray */
    {1, 7142, 435, MESSAGE, 0}, {2, 12376, 0, STRING, R},
    /* 548: map of apiextensions.v1beta1.JSONSchemaPropsOrStringArray */
    {1, 0, 0, STRING, 0}, {2, 0, 547, MESSAGE, 0},
    /* 549: apiextensions.v1beta1.ExternalDocumentation */
    {1, 838, 0, STRING, O}, {2, 7682, 0, STRING, O},
    /* 550: apiextensions.v1beta1.ValidationRule */
    {1, 12385, 0, STRING, 0}, {2, 654, 0, STRING, O}, {3, 9674, 0, STRING, O},
    {4, 522, 0, STRING, 0}, {5, 1464, 0, STRING, O}, {6, 12390, 0, BOOL, 0},
    /* 551: resource.v1.OpaqueDeviceConfiguration */
    {1, 5766, 0, STRING, 0}, {2, 985, 140, MESSAGE, 0},
    /* 552: flowcontrol.v1.ServiceAccountSubject */
    {1, 1153, 0, STRING, 0}, {2, 42, 0, STRING, 0},
    /* 553: autoscaling.v2.MetricTarget */
    {1, 552, 0, STRING, 0}, {2, 818, 125, MESSAGE, 0}, {3, 12406, 125, MESSAGE, 0},
    {4, 12419, 0, INT32, 0},
    /* 554: autoscaling.v2.MetricIdentifier */
    {1, 42, 0, STRING, 0}, {2, 2364, 124, MESSAGE, 0},
    /* 555: autoscaling.v2.HPAScalingPolicy */
    {1, 552, 0, STRING, 0}, {2, 818, 0, INT32, 0}, {3, 11506, 0, INT32, 0},
    /* 556: autoscaling.v2.MetricValueStatus */
    {1, 818, 125, MESSAGE, 0}, {2, 12406, 125, MESSAGE, 0}, {3, 12419, 0, INT32, 0},
    /* 557: extensions.v1beta1.HTTPIngressRuleValue */
    {1, 12438, 610, MESSAGE, R|N},
    /* 558: extensions.v1beta1.IngressPortStatus */
    {1, 2877, 0, INT32, 0}, {2, 2868, 0, STRING, 0}, {3, 1905, 0, STRING, 0},
    /* 559: networking.v1.ServiceBackendPort */
    {1, 42, 0, STRING, O}, {2, 12444, 0, INT32, O},
    /* 560: networking.v1.HTTPIngressRuleValue */
    {1, 12438, 611, MESSAGE, R|N},
    /* 561: batch.v1.PodFailurePolicyOnExitCodesRequirement */
    {1, 11934, 0, STRING, 0}, {2, 7023, 0, STRING, 0}, {3, 7032, 0, INT32, R|N},
    /* 562: batch.v1.PodFailurePolicyOnPodConditionsPattern */
    {1, 552, 0, STRING, 0}, {2, 144, 0, STRING, 0},
    /* 563: extensions.v1beta1.IPBlock */
    {1, 12451, 0, STRING, 0}, {2, 12456, 0, STRING, R},
    /* 564: core.v1.SecretReference */
    {1, 42, 0, STRING, O}, {2, 1153, 0, STRING, O},
    /* 565: core.v1.EmptyDirVolumeSource */
    {1, 12463, 0, STRING, O}, {2, 12470, 125, MESSAGE, 0}, {3, 12480, 0, INT32, 0},
    /* 566: core.v1.GitRepoVolumeSource */
    {1, 12485, 0, STRING, 0}, {2, 291, 0, STRING, O}, {3, 12496, 0, STRING, O},
    /* 567: core.v1.SecretVolumeSource */
    {1, 7472, 0, STRING, O}, {2, 6948, 612, MESSAGE, R}, {3, 12506, 0, INT32, 0},
    {4, 12518, 0, BOOL, 0}, {5, 12527, 0, INT64, 0},
    /* 568: core.v1.ISCSIVolumeSource */
    {1, 10795, 0, STRING, 0}, {2, 10808, 0, STRING, 0}, {3, 10812, 0, INT32, 0},
    {4, 10816, 0, STRING, O}, {5, 10707, 0, STRING, O}, {6, 10724, 0, BOOL, O},
    {7, 10831, 0, STRING, R}, {8, 10839, 0, BOOL, O}, {10, 10785, 242, MESSAGE, 0},
    {11, 10857, 0, BOOL, O}, {12, 10873, 0, STRING, 0},
    /* 569: core.v1.GlusterfsVolumeSource */
    {1, 424, 0, STRING, 0}, {2, 7582, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    /* 570: core.v1.PersistentVolumeClaimVolumeSource */
    {1, 12539, 0, STRING, 0}, {2, 10724, 0, BOOL, O},
    /* 571: core.v1.RBDVolumeSource */
    {1, 10768, 0, STRING, R|N}, {2, 8285, 0, STRING, 0}, {3, 10707, 0, STRING, O},
    {4, 5865, 0, STRING, O}, {5, 3864, 0, STRING, O}, {6, 10777, 0, STRING, O},
    {7, 10785, 242, MESSAGE, 0}, {8, 10724, 0, BOOL, O},
    /* 572: core.v1.FlexVolumeSource */
    {1, 5766, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10785, 242, MESSAGE, 0},
    {4, 10724, 0, BOOL, O}, {5, 8769, 138, MESSAGE, M},
    /* 573: core.v1.CinderVolumeSource */
    {1, 10733, 0, STRING, 0}, {2, 10707, 0, STRING, O}, {3, 10724, 0, BOOL, O},
    {4, 10785, 242, MESSAGE, 0},
    /* 574: core.v1.CephFSVolumeSource */
    {1, 10768, 0, STRING, R|N}, {2, 7582, 0, STRING, O}, {3, 3864, 0, STRING, O},
    {4, 10887, 0, STRING, O}, {5, 10785, 242, MESSAGE, 0}, {6, 10724, 0, BOOL, O},
    /* 575: core.v1.DownwardAPIVolumeSource */
    {1, 6948, 613, MESSAGE, R}, {2, 12506, 0, INT32, 0}, {3, 12527, 0, INT64, 0},
    /* 576: core.v1.AzureFileVolumeSource */
    {1, 7472, 0, STRING, 0}, {2, 10939, 0, STRING, 0}, {3, 10724, 0, BOOL, O},
    /* 577: core.v1.ConfigMapVolumeSource */
    {1, 0, 242, MESSAGE, I}, {2, 6948, 612, MESSAGE, R}, {3, 12506, 0, INT32, 0},
    {4, 12518, 0, BOOL, 0}, {5, 12527, 0, INT64, 0},
    /* 578: core.v1.ScaleIOVolumeSource */
    {1, 11067, 0, STRING, 0}, {2, 11075, 0, STRING, 0}, {3, 10785, 242, MESSAGE, N},
    {4, 11082, 0, BOOL, O}, {5, 11093, 0, STRING, O}, {6, 11110, 0, STRING, O},
    {7, 11122, 0, STRING, O}, {8, 4525, 0, STRING, O}, {9, 10707, 0, STRING, O},
    {10, 10724, 0, BOOL, O},
    /* 579: core.v1.ProjectedVolumeSource */
    {1, 12549, 614, MESSAGE, R|N}, {2, 12506, 0, INT32, 0}, {3, 12527, 0, INT64, 0},
    /* 580: core.v1.StorageOSVolumeSource */
    {1, 4525, 0, STRING, O}, {2, 11134, 0, STRING, O}, {3, 10707, 0, STRING, O},
    {4, 10724, 0, BOOL, O}, {5, 10785, 242, MESSAGE, 0},
    /* 581: core.v1.CSIVolumeSource */
    {1, 5766, 0, STRING, 0}, {2, 10724, 0, BOOL, 0}, {3, 10707, 0, STRING, 0},
    {4, 11163, 138, MESSAGE, M}, {5, 11226, 242, MESSAGE, 0},
    /* 582: core.v1.EphemeralVolumeSource */
    {1, 12557, 615, MESSAGE, 0},
    /* 583: core.v1.ImageVolumeSource */
    {1, 12577, 0, STRING, O}, {2, 12587, 0, STRING, O},
    /* 584: core.v1.EnvVarSource */
    {1, 12340, 616, MESSAGE, 0}, {2, 12598, 617, MESSAGE, 0}, {3, 12615, 618, MESSAGE, 0},
    {4, 12631, 618, MESSAGE, 0}, {5, 12644, 619, MESSAGE, 0},
    /* 585: core.v1.ProbeHandler */
    {1, 12655, 620, MESSAGE, 0}, {2, 12660, 621, MESSAGE, 0}, {3, 12668, 622, MESSAGE, 0},
    {4, 12678, 623, MESSAGE, 0},
    /* 586: core.v1.LifecycleHandler */
    {1, 12655, 620, MESSAGE, 0}, {2, 12660, 621, MESSAGE, 0}, {3, 12668, 622, MESSAGE, 0},
    {4, 12683, 624, MESSAGE, 0},
    /* 587: core.v1.Capabilities */
    {1, 12689, 0, STRING, R}, {2, 12693, 0, STRING, R},
    /* 588: core.v1.ConfigMapEnvSource */
    {1, 0, 242, MESSAGE, I}, {2, 12518, 0, BOOL, 0},
    /* 589: core.v1.ContainerRestartRuleOnExitCodes */
    {1, 7023, 0, STRING, O}, {2, 7032, 0, INT32, R},
    /* 590: core.v1.PreferredSchedulingTerm */
    {1, 12698, 0, INT32, 0}, {2, 12705, 529, MESSAGE, 0},
    /* 591: core.v1.PodAffinityTerm */
    {1, 7568, 124, MESSAGE, 0}, {2, 10410, 0, STRING, R}, {3, 8799, 0, STRING, 0},
    {4, 4044, 124, MESSAGE, 0}, {5, 8876, 0, STRING, R}, {6, 12716, 0, STRING, R},
    /* 592: core.v1.WeightedPodAffinityTerm */
    {1, 12698, 0, INT32, 0}, {2, 12734, 591, MESSAGE, 0},
    /* 593: core.v1.ContainerStateWaiting */
    {1, 522, 0, STRING, O}, {2, 654, 0, STRING, O},
    /* 594: core.v1.ContainerStateRunning */
    {1, 12750, 162, MESSAGE, 0},
    /* 595: core.v1.ContainerStateTerminated */
    {1, 12760, 0, INT32, 0}, {2, 12769, 0, INT32, O}, {3, 522, 0, STRING, O},
    {4, 654, 0, STRING, O}, {5, 12750, 162, MESSAGE, 0}, {6, 12776, 162, MESSAGE, 0},
    {7, 9006, 0, STRING, O},
    /* 596: core.v1.VolumeStatus */
    {1, 8285, 625, MESSAGE, 0},
    /* 597: core.v1.LinuxContainerUser */
    {1, 1163, 0, INT64, 0}, {2, 12787, 0, INT64, 0}, {3, 8560, 0, INT64, R},
    /* 598: core.v1.ResourceHealth */
    {1, 12791, 0, STRING, 0}, {2, 12802, 0, STRING, O}, {6, 654, 0, STRING, 0},
    /* 599: flowcontrol.v1.QueuingConfiguration */
    {1, 12809, 0, INT32, 0}, {2, 12816, 0, INT32, 0}, {3, 12825, 0, INT32, 0},
    /* 600: resource.v1.ExactDeviceRequest */
    {1, 12104, 0, STRING, 0}, {2, 2741, 297, MESSAGE, R}, {3, 12120, 0, STRING, O},
    {4, 698, 0, INT64, O}, {5, 12135, 0, BOOL, 0}, {6, 4883, 366, MESSAGE, R},
    {7, 188, 605, MESSAGE, 0}, {8, 12147, 335, MESSAGE, R},
    /* 601: resource.v1.DeviceSubRequest */
    {1, 42, 0, STRING, 0}, {2, 12104, 0, STRING, 0}, {3, 2741, 297, MESSAGE, R},
    {4, 12120, 0, STRING, O}, {5, 698, 0, INT64, O}, {6, 4883, 366, MESSAGE, R},
    {7, 188, 605, MESSAGE, 0}, {8, 12147, 335, MESSAGE, R},
    /* 602: resource.v1.DeviceRequestAllocationResult */
    {1, 1752, 0, STRING, 0}, {2, 5766, 0, STRING, 0}, {3, 5865, 0, STRING, 0},
    {4, 7297, 0, STRING, 0}, {5, 12135, 0, BOOL, 0}, {6, 4883, 366, MESSAGE, R},
    {7, 9447, 0, STRING, R}, {8, 9465, 0, STRING, R}, {9, 9246, 0, STRING, 0},
    {10, 12842, 345, MESSAGE, M}, {11, 5940, 0, STRING, R},
    /* 603: resource.v1.DeviceAllocationConfiguration */
    {1, 662, 0, STRING, 0}, {2, 8244, 0, STRING, R}, {3, 0, 439, MESSAGE, I},
    /* 604: resource.v1beta1.DeviceSubRequest */
    {1, 42, 0, STRING, 0}, {2, 12104, 0, STRING, 0}, {3, 2741, 297, MESSAGE, R},
    {4, 12120, 0, STRING, O}, {5, 698, 0, INT64, O}, {7, 4883, 366, MESSAGE, R},
    {8, 188, 605, MESSAGE, 0}, {9, 12147, 335, MESSAGE, R},
    /* 605: resource.v1beta1.CapacityRequirements */
    {1, 8244, 345, MESSAGE, M},
    /* 606: resource.v1alpha3.ShareableCapacityStatus */
    {1, 42, 0, STRING, O}, {2, 12165, 125, MESSAGE, 0}, {3, 12859, 125, MESSAGE, 0},
    {4, 12868, 125, MESSAGE, 0},
    /* 607: resource.v1.CapacityRequestPolicy */
    {1, 7505, 125, MESSAGE, N}, {3, 12878, 125, MESSAGE, R}, {4, 12890, 626, MESSAGE, 0},
    /* 608: resource.v1.NodeAllocatableMapping */
    {1, 12901, 0, STRING, 0}, {2, 12913, 125, MESSAGE, 0}, {3, 12932, 125, MESSAGE, 0},
    /* 609: resource.v1.NodeAllocatableOverhead */
    {1, 11969, 125, MESSAGE, 0}, {2, 11976, 125, MESSAGE, 0},
    /* 610: extensions.v1beta1.HTTPIngressPath */
    {1, 7582, 0, STRING, O}, {2, 3279, 319, MESSAGE, 0}, {3, 12949, 0, STRING, 0},
    /* 611: networking.v1.HTTPIngressPath */
    {1, 7582, 0, STRING, O}, {2, 3279, 323, MESSAGE, 0}, {3, 12949, 0, STRING, N},
    /* 612: core.v1.KeyToPath */
    {1, 7019, 0, STRING, 0}, {2, 7582, 0, STRING, 0}, {3, 12480, 0, INT32, 0},
    {4, 3864, 0, INT64, 0},
    /* 613: core.v1.DownwardAPIVolumeFile */
    {1, 7582, 0, STRING, 0}, {2, 12340, 616, MESSAGE, 0}, {3, 12598, 617, MESSAGE, 0},
    {4, 12480, 0, INT32, 0}, {5, 3864, 0, INT64, 0},
    /* 614: core.v1.VolumeProjection */
    {1, 11310, 627, MESSAGE, 0}, {2, 11339, 628, MESSAGE, 0}, {3, 7705, 627, MESSAGE, 0},
    {4, 12958, 629, MESSAGE, 0}, {5, 12978, 630, MESSAGE, 0}, {6, 12997, 631, MESSAGE, 0},
    /* 615: core.v1.PersistentVolumeClaimTemplate */
    {1, 100, 115, MESSAGE, 0}, {2, 139, 199, MESSAGE, 0},
    /* 616: core.v1.ObjectFieldSelector */
    {1, 1091, 0, STRING, O}, {2, 1464, 0, STRING, 0},
    /* 617: core.v1.ResourceFieldSelector */
    {1, 11934, 0, STRING, O}, {2, 6577, 0, STRING, 0}, {3, 13012, 125, MESSAGE, 0},
    /* 618: core.v1.ConfigMapKeySelector */
    {1, 0, 242, MESSAGE, I}, {2, 7019, 0, STRING, 0}, {3, 12518, 0, BOOL, 0},
    /* 619: core.v1.FileKeySelector */
    {1, 4525, 0, STRING, 0}, {2, 7582, 0, STRING, 0}, {3, 7019, 0, STRING, 0},
    {4, 12518, 0, BOOL, 0},
    /* 620: core.v1.ExecAction */
    {1, 8291, 0, STRING, R},
    /* 621: core.v1.HTTPGetAction */
    {1, 7582, 0, STRING, O}, {2, 2877, 383, MESSAGE, 0}, {3, 2962, 0, STRING, O},
    {4, 13020, 0, STRING, O}, {5, 13027, 504, MESSAGE, R}, {6, 2868, 0, STRING, 0},
    /* 622: core.v1.TCPSocketAction */
    {1, 2877, 383, MESSAGE, 0}, {2, 2962, 0, STRING, O},
    /* 623: core.v1.GRPCAction */
    {1, 2877, 0, INT32, 0}, {2, 1388, 0, STRING, N}, {3, 12480, 0, STRING, 0},
    /* 624: core.v1.SleepAction */
    {1, 2921, 0, INT64, 0},
    /* 625: core.v1.ImageVolumeStatus */
    {1, 13039, 0, STRING, O},
    /* 626: resource.v1.CapacityRequestPolicyRange */
    {1, 7501, 125, MESSAGE, 0}, {2, 7497, 125, MESSAGE, 0}, {3, 13048, 125, MESSAGE, 0},
    /* 627: core.v1.SecretProjection */
    {1, 0, 242, MESSAGE, I}, {2, 6948, 612, MESSAGE, R}, {4, 12518, 0, BOOL, 0},
    /* 628: core.v1.DownwardAPIProjection */
    {1, 6948, 613, MESSAGE, R},
    /* 629: core.v1.ServiceAccountTokenProjection */
    {1, 6973, 0, STRING, O}, {2, 1793, 0, INT64, 0}, {3, 7582, 0, STRING, 0},
    {4, 3864, 0, INT64, 0},
    /* 630: core.v1.ClusterTrustBundleProjection */
    {1, 42, 0, STRING, 0}, {2, 1782, 0, STRING, 0}, {3, 7568, 124, MESSAGE, 0},
    {4, 7582, 0, STRING, 0}, {5, 12518, 0, BOOL, 0}, {6, 3864, 0, INT64, 0},
    /* 631: core.v1.PodCertificateProjection */
    {1, 1782, 0, STRING, O}, {2, 13053, 0, STRING, O}, {3, 5420, 0, INT32, 0},
    {4, 13061, 0, STRING, O}, {5, 13082, 0, STRING, O}, {6, 13090, 0, STRING, O},
    {7, 13111, 138, MESSAGE, M}, {8, 3864, 0, INT64, 0},
};

const kin__pb_message kin__pb_messages[] = {
    {0, 4, KIN__PB_OBJECT, 0}, {4, 4, KIN__PB_OBJECT, 1}, {8, 2, KIN__PB_OBJECT, 0},
    {10, 1, KIN__PB_OBJECT, 1}, {11, 2, KIN__PB_OBJECT, 1}, {13, 3, KIN__PB_OBJECT, 0},
    {16, 2, KIN__PB_OBJECT, 1}, {18, 2, KIN__PB_OBJECT, 0}, {20, 2, KIN__PB_OBJECT, 0},
    {22, 3, KIN__PB_OBJECT, 0}, {25, 5, KIN__PB_OBJECT, 0}, {30, 3, KIN__PB_OBJECT, 0},
    {33, 3, KIN__PB_OBJECT, 1}, {36, 3, KIN__PB_OBJECT, 1}, {39, 3, KIN__PB_OBJECT, 0},
    {42, 3, KIN__PB_OBJECT, 0}, {45, 2, KIN__PB_OBJECT, 0}, {47, 2, KIN__PB_OBJECT, 0},
    {49, 3, KIN__PB_OBJECT, 0}, {52, 4, KIN__PB_OBJECT, 0}, {56, 3, KIN__PB_OBJECT, 0},
    {59, 3, KIN__PB_OBJECT, 0}, {62, 3, KIN__PB_OBJECT, 0}, {65, 3, KIN__PB_OBJECT, 0},
    {68, 3, KIN__PB_OBJECT, 0}, {71, 3, KIN__PB_OBJECT, 0}, {74, 6, KIN__PB_OBJECT, 0},
    {80, 3, KIN__PB_OBJECT, 0}, {83, 3, KIN__PB_OBJECT, 0}, {86, 2, KIN__PB_OBJECT, 0},
    {88, 3, KIN__PB_OBJECT, 0}, {91, 4, KIN__PB_OBJECT, 1}, {95, 4, KIN__PB_OBJECT, 1},
    {99, 2, KIN__PB_OBJECT, 0}, {101, 15, KIN__PB_OBJECT, 0}, {116, 15, KIN__PB_OBJECT, 0},
    {131, 3, KIN__PB_OBJECT, 0}, {134, 2, KIN__PB_OBJECT, 0}, {136, 3, KIN__PB_OBJECT, 0},
    {139, 3, KIN__PB_OBJECT, 0}, {142, 3, KIN__PB_OBJECT, 0}, {145, 3, KIN__PB_OBJECT, 0},
    {148, 2, KIN__PB_OBJECT, 0}, {150, 3, KIN__PB_OBJECT, 0}, {153, 3, KIN__PB_OBJECT, 0},
    {156, 2, KIN__PB_OBJECT, 0}, {158, 3, KIN__PB_OBJECT, 0}, {161, 2, KIN__PB_OBJECT, 0},
    {163, 2, KIN__PB_OBJECT, 0}, {165, 2, KIN__PB_OBJECT, 0}, {167, 5, KIN__PB_OBJECT, 0},
    {172, 3, KIN__PB_OBJECT, 0}, {175, 3, KIN__PB_OBJECT, 0}, {178, 2, KIN__PB_OBJECT, 0},
    {180, 2, KIN__PB_OBJECT, 0}, {182, 2, KIN__PB_OBJECT, 0}, {184, 2, KIN__PB_OBJECT, 0},
    {186, 3, KIN__PB_OBJECT, 0}, {189, 2, KIN__PB_OBJECT, 0}, {191, 3, KIN__PB_OBJECT, 0},
    {194, 1, KIN__PB_OBJECT, 0}, {195, 3, KIN__PB_OBJECT, 0}, {198, 3, KIN__PB_OBJECT, 0},
    {201, 3, KIN__PB_OBJECT, 0}, {204, 3, KIN__PB_OBJECT, 0}, {207, 3, KIN__PB_OBJECT, 0},
    {210, 3, KIN__PB_OBJECT, 0}, {213, 3, KIN__PB_OBJECT, 0}, {216, 2, KIN__PB_OBJECT, 0},
    {218, 5, KIN__PB_OBJECT, 0}, {223, 3, KIN__PB_OBJECT, 0}, {226, 3, KIN__PB_OBJECT, 0},
    {229, 3, KIN__PB_OBJECT, 0}, {232, 3, KIN__PB_OBJECT, 0}, {235, 3, KIN__PB_OBJECT, 0},
    {238, 3, KIN__PB_OBJECT, 0}, {241, 3, KIN__PB_OBJECT, 0}, {244, 3, KIN__PB_OBJECT, 0},
    {247, 2, KIN__PB_OBJECT, 0}, {249, 2, KIN__PB_OBJECT, 0}, {251, 3, KIN__PB_OBJECT, 0},
    {254, 3, KIN__PB_OBJECT, 0}, {257, 2, KIN__PB_OBJECT, 0}, {259, 2, KIN__PB_OBJECT, 0},
    {261, 2, KIN__PB_OBJECT, 1}, {263, 2, KIN__PB_OBJECT, 1}, {265, 4, KIN__PB_OBJECT, 0},
    {269, 2, KIN__PB_OBJECT, 0}, {271, 3, KIN__PB_OBJECT, 0}, {274, 3, KIN__PB_OBJECT, 0},
    {277, 5, KIN__PB_OBJECT, 0}, {282, 3, KIN__PB_OBJECT, 0}, {285, 2, KIN__PB_OBJECT, 0},
    {287, 3, KIN__PB_OBJECT, 0}, {290, 3, KIN__PB_OBJECT, 0}, {293, 4, KIN__PB_OBJECT, 0},
    {297, 3, KIN__PB_OBJECT, 0}, {300, 3, KIN__PB_OBJECT, 0}, {303, 3, KIN__PB_OBJECT, 0},
    {306, 6, KIN__PB_OBJECT, 0}, {312, 8, KIN__PB_OBJECT, 0}, {320, 3, KIN__PB_OBJECT, 0},
    {323, 3, KIN__PB_OBJECT, 0}, {326, 3, KIN__PB_OBJECT, 0}, {329, 3, KIN__PB_OBJECT, 0},
    {332, 3, KIN__PB_OBJECT, 0}, {335, 2, KIN__PB_OBJECT, 0}, {337, 2, KIN__PB_OBJECT, 0},
    {339, 2, KIN__PB_OBJECT, 0}, {341, 3, KIN__PB_OBJECT, 0}, {344, 3, KIN__PB_OBJECT, 0},
    {347, 2, KIN__PB_OBJECT, 0}, {349, 2, KIN__PB_OBJECT, 0}, {351, 2, KIN__PB_OBJECT, 0},
    {353, 2, KIN__PB_OBJECT, 0}, {355, 15, KIN__PB_OBJECT, 0}, {370, 3, KIN__PB_OBJECT, 0},
    {373, 10, KIN__PB_OBJECT, 1}, {383, 7, KIN__PB_OBJECT, 0}, {390, 1, KIN__PB_OBJECT, 0},
    {391, 7, KIN__PB_OBJECT, 0}, {398, 11, KIN__PB_OBJECT, 0}, {409, 1, KIN__PB_OBJECT, 1},
    {410, 1, KIN__PB_OBJECT, 0}, {411, 2, KIN__PB_OBJECT, 0}, {413, 1, KIN__PB_CHOICE, 0},
    {414, 8, KIN__PB_OBJECT, 1}, {422, 2, KIN__PB_OBJECT, 0}, {424, 5, KIN__PB_OBJECT, 1},
    {429, 1, KIN__PB_OBJECT, 0}, {430, 5, KIN__PB_OBJECT, 1}, {435, 4, KIN__PB_OBJECT, 0},
    {439, 3, KIN__PB_OBJECT, 0}, {442, 4, KIN__PB_OBJECT, 0}, {446, 2, KIN__PB_OBJECT, 0},
    {448, 4, KIN__PB_OBJECT, 0}, {452, 8, KIN__PB_OBJECT, 1}, {460, 1, KIN__PB_OBJECT, 0},
    {461, 2, KIN__PB_ENTRY, 0}, {463, 2, KIN__PB_ENTRY, 0}, {465, 1, KIN__PB_RAW, 0},
    {466, 8, KIN__PB_OBJECT, 0}, {474, 3, KIN__PB_OBJECT, 0}, {477, 6, KIN__PB_OBJECT, 1},
    {483, 4, KIN__PB_OBJECT, 1}, {487, 11, KIN__PB_OBJECT, 0}, {498, 5, KIN__PB_OBJECT, 1},
    {503, 10, KIN__PB_OBJECT, 0}, {513, 6, KIN__PB_OBJECT, 0}, {519, 2, KIN__PB_OBJECT, 0},
    {521, 8, KIN__PB_OBJECT, 1}, {529, 9, KIN__PB_OBJECT, 0}, {538, 9, KIN__PB_OBJECT, 0},
    {547, 3, KIN__PB_OBJECT, 0}, {550, 2, KIN__PB_OBJECT, 0}, {552, 8, KIN__PB_OBJECT, 1},
    {560, 4, KIN__PB_OBJECT, 0}, {564, 7, KIN__PB_OBJECT, 1}, {571, 3, KIN__PB_OBJECT, 0},
    {574, 2, KIN__PB_MICRO_TIME, 0}, {576, 2, KIN__PB_OBJECT, 0}, {578, 2, KIN__PB_OBJECT, 0},
    {580, 2, KIN__PB_TIME, 0}, {582, 2, KIN__PB_OBJECT, 0}, {584, 1, KIN__PB_OBJECT, 0},
    {585, 5, KIN__PB_OBJECT, 0}, {590, 3, KIN__PB_OBJECT, 0}, {593, 2, KIN__PB_OBJECT, 0},
    {595, 4, KIN__PB_OBJECT, 0}, {599, 1, KIN__PB_OBJECT, 0}, {600, 4, KIN__PB_OBJECT, 0},
    {604, 5, KIN__PB_OBJECT, 0}, {609, 5, KIN__PB_OBJECT, 0}, {614, 6, KIN__PB_OBJECT, 1},
    {620, 1, KIN__PB_OBJECT, 0}, {621, 4, KIN__PB_OBJECT, 0}, {625, 1, KIN__PB_OBJECT, 0},
    {626, 4, KIN__PB_OBJECT, 0}, {630, 2, KIN__PB_OBJECT, 0}, {632, 17, KIN__PB_OBJECT, 0},
    {649, 11, KIN__PB_OBJECT, 0}, {660, 7, KIN__PB_OBJECT, 0}, {667, 6, KIN__PB_OBJECT, 0},
    {673, 1, KIN__PB_OBJECT, 1}, {674, 1, KIN__PB_OBJECT, 0}, {675, 6, KIN__PB_OBJECT, 0},
    {681, 4, KIN__PB_OBJECT, 0}, {685, 6, KIN__PB_OBJECT, 0}, {691, 7, KIN__PB_OBJECT, 0},
    {698, 3, KIN__PB_OBJECT, 0}, {701, 12, KIN__PB_OBJECT, 1}, {713, 12, KIN__PB_OBJECT, 0},
    {725, 1, KIN__PB_OBJECT, 0}, {726, 2, KIN__PB_OBJECT, 0}, {728, 4, KIN__PB_OBJECT, 0},
    {732, 8, KIN__PB_OBJECT, 0}, {740, 14, KIN__PB_OBJECT, 0}, {754, 10, KIN__PB_OBJECT, 0},
    {764, 4, KIN__PB_OBJECT, 0}, {768, 9, KIN__PB_OBJECT, 0}, {777, 9, KIN__PB_OBJECT, 0},
    {786, 43, KIN__PB_OBJECT, 1}, {829, 22, KIN__PB_OBJECT, 0}, {851, 10, KIN__PB_OBJECT, 1},
    {861, 5, KIN__PB_OBJECT, 0}, {866, 12, KIN__PB_OBJECT, 1}, {878, 4, KIN__PB_OBJECT, 0},
    {882, 7, KIN__PB_OBJECT, 0}, {889, 9, KIN__PB_OBJECT, 0}, {898, 2, KIN__PB_OBJECT, 0},
    {900, 2, KIN__PB_OBJECT, 0}, {902, 3, KIN__PB_OBJECT, 0}, {905, 3, KIN__PB_OBJECT, 0},
    {908, 3, KIN__PB_OBJECT, 0}, {911, 4, KIN__PB_OBJECT, 1}, {915, 7, KIN__PB_OBJECT, 0},
    {922, 4, KIN__PB_OBJECT, 0}, {926, 4, KIN__PB_OBJECT, 0}, {930, 6, KIN__PB_OBJECT, 0},
    {936, 1, KIN__PB_OBJECT, 0}, {937, 3, KIN__PB_OBJECT, 0}, {940, 1, KIN__PB_OBJECT, 0},
    {941, 2, KIN__PB_OBJECT, 0}, {943, 2, KIN__PB_OBJECT, 0}, {945, 4, KIN__PB_OBJECT, 0},
    {949, 3, KIN__PB_OBJECT, 0}, {952, 3, KIN__PB_OBJECT, 0}, {955, 2, KIN__PB_OBJECT, 0},
    {957, 10, KIN__PB_OBJECT, 0}, {967, 10, KIN__PB_OBJECT, 0}, {977, 1, KIN__PB_OBJECT, 0},
    {978, 2, KIN__PB_OBJECT, 0}, {980, 3, KIN__PB_OBJECT, 0}, {983, 1, KIN__PB_OBJECT, 0},
    {984, 3, KIN__PB_OBJECT, 0}, {987, 2, KIN__PB_OBJECT, 0}, {989, 2, KIN__PB_OBJECT, 0},
    {991, 1, KIN__PB_OBJECT, 0}, {992, 1, KIN__PB_OBJECT, 0}, {993, 4, KIN__PB_OBJECT, 1},
    {997, 20, KIN__PB_OBJECT, 0}, {1017, 2, KIN__PB_OBJECT, 0}, {1019, 1, KIN__PB_OBJECT, 0},
    {1020, 1, KIN__PB_OBJECT, 0}, {1021, 11, KIN__PB_OBJECT, 1}, {1032, 10, KIN__PB_OBJECT, 0},
    {1042, 11, KIN__PB_OBJECT, 0}, {1053, 10, KIN__PB_OBJECT, 0}, {1063, 6, KIN__PB_OBJECT, 0},
    {1069, 1, KIN__PB_OBJECT, 0}, {1070, 0, KIN__PB_OBJECT, 0}, {1070, 3, KIN__PB_OBJECT, 0},
    {1073, 1, KIN__PB_OBJECT, 0}, {1074, 2, KIN__PB_OBJECT, 0}, {1076, 4, KIN__PB_OBJECT, 1},
    {1080, 2, KIN__PB_OBJECT, 0}, {1082, 2, KIN__PB_OBJECT, 0}, {1084, 4, KIN__PB_OBJECT, 0},
    {1088, 7, KIN__PB_OBJECT, 0}, {1095, 3, KIN__PB_OBJECT, 0}, {1098, 4, KIN__PB_OBJECT, 0},
    {1102, 11, KIN__PB_OBJECT, 1}, {1113, 11, KIN__PB_OBJECT, 0}, {1124, 3, KIN__PB_OBJECT, 0},
    {1127, 4, KIN__PB_OBJECT, 0}, {1131, 3, KIN__PB_OBJECT, 1}, {1134, 6, KIN__PB_OBJECT, 0},
    {1140, 7, KIN__PB_OBJECT, 0}, {1147, 8, KIN__PB_OBJECT, 1}, {1155, 1, KIN__PB_CHOICE, 0},
    {1156, 3, KIN__PB_OBJECT, 0}, {1159, 5, KIN__PB_OBJECT, 0}, {1164, 2, KIN__PB_OBJECT, 0},
    {1166, 4, KIN__PB_OBJECT, 1}, {1170, 2, KIN__PB_OBJECT, 0}, {1172, 3, KIN__PB_OBJECT, 0},
    {1175, 2, KIN__PB_ENTRY, 0}, {1177, 6, KIN__PB_OBJECT, 0}, {1183, 2, KIN__PB_OBJECT, 0},
    {1185, 2, KIN__PB_OBJECT, 0}, {1187, 1, KIN__PB_OBJECT, 0}, {1188, 2, KIN__PB_OBJECT, 0},
    {1190, 6, KIN__PB_OBJECT, 0}, {1196, 2, KIN__PB_OBJECT, 0}, {1198, 6, KIN__PB_OBJECT, 0},
    {1204, 9, KIN__PB_OBJECT, 0}, {1213, 2, KIN__PB_OBJECT, 0}, {1215, 6, KIN__PB_OBJECT, 0},
    {1221, 1, KIN__PB_OBJECT, 0}, {1222, 2, KIN__PB_OBJECT, 0}, {1224, 9, KIN__PB_OBJECT, 0},
    {1233, 6, KIN__PB_OBJECT, 0}, {1239, 3, KIN__PB_OBJECT, 0}, {1242, 1, KIN__PB_OBJECT, 0},
    {1243, 2, KIN__PB_OBJECT, 0}, {1245, 6, KIN__PB_OBJECT, 0}, {1251, 1, KIN__PB_OBJECT, 0},
    {1252, 1, KIN__PB_OBJECT, 0}, {1253, 1, KIN__PB_OBJECT, 0}, {1254, 3, KIN__PB_OBJECT, 0},
    {1257, 4, KIN__PB_OBJECT, 0}, {1261, 3, KIN__PB_OBJECT, 0}, {1264, 2, KIN__PB_OBJECT, 0},
    {1266, 4, KIN__PB_OBJECT, 0}, {1270, 4, KIN__PB_OBJECT, 0}, {1274, 1, KIN__PB_OBJECT, 0},
    {1275, 2, KIN__PB_OBJECT, 0}, {1277, 3, KIN__PB_OBJECT, 1}, {1280, 6, KIN__PB_OBJECT, 0},
    {1286, 1, KIN__PB_OBJECT, 0}, {1287, 1, KIN__PB_OBJECT, 0}, {1288, 3, KIN__PB_OBJECT, 1},
    {1291, 5, KIN__PB_OBJECT, 0}, {1296, 3, KIN__PB_OBJECT, 0}, {1299, 6, KIN__PB_OBJECT, 0},
    {1305, 2, KIN__PB_OBJECT, 0}, {1307, 6, KIN__PB_OBJECT, 0}, {1313, 6, KIN__PB_OBJECT, 0},
    {1319, 4, KIN__PB_OBJECT, 0}, {1323, 3, KIN__PB_OBJECT, 0}, {1326, 2, KIN__PB_OBJECT, 0},
    {1328, 2, KIN__PB_OBJECT, 0}, {1330, 1, KIN__PB_OBJECT, 0}, {1331, 2, KIN__PB_OBJECT, 0},
    {1333, 2, KIN__PB_OBJECT, 0}, {1335, 5, KIN__PB_OBJECT, 1}, {1340, 1, KIN__PB_OBJECT, 1},
    {1341, 1, KIN__PB_OBJECT, 1}, {1342, 4, KIN__PB_OBJECT, 0}, {1346, 6, KIN__PB_OBJECT, 0},
    {1352, 2, KIN__PB_OBJECT, 0}, {1354, 6, KIN__PB_OBJECT, 0}, {1360, 9, KIN__PB_OBJECT, 0},
    {1369, 2, KIN__PB_OBJECT, 0}, {1371, 5, KIN__PB_OBJECT, 0}, {1376, 2, KIN__PB_OBJECT, 0},
    {1378, 3, KIN__PB_OBJECT, 0}, {1381, 4, KIN__PB_OBJECT, 0}, {1385, 3, KIN__PB_OBJECT, 0},
    {1388, 2, KIN__PB_OBJECT, 0}, {1390, 5, KIN__PB_OBJECT, 0}, {1395, 2, KIN__PB_OBJECT, 0},
    {1397, 2, KIN__PB_OBJECT, 0}, {1399, 1, KIN__PB_OBJECT, 0}, {1400, 1, KIN__PB_OBJECT, 0},
    {1401, 2, KIN__PB_ENTRY, 0}, {1403, 6, KIN__PB_OBJECT, 0}, {1409, 2, KIN__PB_OBJECT, 0},
    {1411, 1, KIN__PB_OBJECT, 0}, {1412, 12, KIN__PB_OBJECT, 0}, {1424, 2, KIN__PB_OBJECT, 1},
    {1426, 2, KIN__PB_OBJECT, 0}, {1428, 4, KIN__PB_OBJECT, 0}, {1432, 2, KIN__PB_OBJECT, 0},
    {1434, 1, KIN__PB_OBJECT, 0}, {1435, 22, KIN__PB_OBJECT, 0}, {1457, 1, KIN__PB_OBJECT, 0},
    {1458, 2, KIN__PB_OBJECT, 0}, {1460, 3, KIN__PB_OBJECT, 1}, {1463, 4, KIN__PB_OBJECT, 1},
    {1467, 2, KIN__PB_OBJECT, 0}, {1469, 2, KIN__PB_OBJECT, 0}, {1471, 2, KIN__PB_OBJECT, 0},
    {1473, 25, KIN__PB_OBJECT, 0}, {1498, 13, KIN__PB_OBJECT, 0}, {1511, 3, KIN__PB_OBJECT, 0},
    {1514, 5, KIN__PB_OBJECT, 0}, {1519, 2, KIN__PB_OBJECT, 0}, {1521, 3, KIN__PB_OBJECT, 0},
    {1524, 1, KIN__PB_OBJECT, 0}, {1525, 8, KIN__PB_OBJECT, 0}, {1533, 2, KIN__PB_OBJECT, 0},
    {1535, 3, KIN__PB_OBJECT, 0}, {1538, 3, KIN__PB_OBJECT, 0}, {1541, 1, KIN__PB_OBJECT, 0},
    {1542, 2, KIN__PB_OBJECT, 1}, {1544, 7, KIN__PB_OBJECT, 0}, {1551, 15, KIN__PB_OBJECT, 0},
    {1566, 1, KIN__PB_OBJECT, 0}, {1567, 2, KIN__PB_OBJECT, 0}, {1569, 2, KIN__PB_OBJECT, 1},
    {1571, 4, KIN__PB_OBJECT, 0}, {1575, 3, KIN__PB_OBJECT, 0}, {1578, 3, KIN__PB_INT_OR_STRING, 0},
    {1581, 2, KIN__PB_ENTRY, 0}, {1583, 2, KIN__PB_OBJECT, 0}, {1585, 3, KIN__PB_OBJECT, 0},
    {1588, 4, KIN__PB_OBJECT, 1}, {1592, 2, KIN__PB_OBJECT, 0}, {1594, 4, KIN__PB_OBJECT, 0},
    {1598, 4, KIN__PB_OBJECT, 0}, {1602, 3, KIN__PB_OBJECT, 1}, {1605, 3, KIN__PB_OBJECT, 0},
    {1608, 4, KIN__PB_OBJECT, 0}, {1612, 7, KIN__PB_OBJECT, 1}, {1619, 3, KIN__PB_OBJECT, 1},
    {1622, 12, KIN__PB_OBJECT, 0}, {1634, 1, KIN__PB_OBJECT, 0}, {1635, 3, KIN__PB_OBJECT, 0},
    {1638, 1, KIN__PB_OBJECT, 1}, {1639, 13, KIN__PB_OBJECT, 0}, {1652, 2, KIN__PB_OBJECT, 0},
    {1654, 2, KIN__PB_OBJECT, 0}, {1656, 4, KIN__PB_OBJECT, 0}, {1660, 4, KIN__PB_OBJECT, 1},
    {1664, 2, KIN__PB_OBJECT, 1}, {1666, 6, KIN__PB_OBJECT, 0}, {1672, 1, KIN__PB_OBJECT, 0},
    {1673, 1, KIN__PB_OBJECT, 0}, {1674, 2, KIN__PB_OBJECT, 0}, {1676, 2, KIN__PB_OBJECT, 0},
    {1678, 1, KIN__PB_OBJECT, 0}, {1679, 3, KIN__PB_OBJECT, 0}, {1682, 2, KIN__PB_OBJECT, 1},
    {1684, 4, KIN__PB_OBJECT, 0}, {1688, 6, KIN__PB_OBJECT, 0}, {1694, 2, KIN__PB_OBJECT, 0},
    {1696, 4, KIN__PB_OBJECT, 0}, {1700, 4, KIN__PB_OBJECT, 0}, {1704, 2, KIN__PB_OBJECT, 0},
    {1706, 1, KIN__PB_OBJECT, 0}, {1707, 2, KIN__PB_OBJECT, 0}, {1709, 3, KIN__PB_OBJECT, 0},
    {1712, 3, KIN__PB_OBJECT, 0}, {1715, 8, KIN__PB_OBJECT, 1}, {1723, 9, KIN__PB_OBJECT, 0},
    {1732, 1, KIN__PB_RAW, 0}, {1733, 3, KIN__PB_OBJECT, 0}, {1736, 4, KIN__PB_OBJECT, 1},
    {1740, 1, KIN__PB_OBJECT, 0}, {1741, 6, KIN__PB_OBJECT, 0}, {1747, 1, KIN__PB_OBJECT, 0},
    {1748, 1, KIN__PB_OBJECT, 0}, {1749, 6, KIN__PB_OBJECT, 0}, {1755, 2, KIN__PB_OBJECT, 1},
    {1757, 44, KIN__PB_OBJECT, 0}, {1801, 3, KIN__PB_OBJECT, 0}, {1804, 2, KIN__PB_OBJECT, 0},
    {1806, 1, KIN__PB_OBJECT, 0}, {1807, 1, KIN__PB_OBJECT, 0}, {1808, 2, KIN__PB_OBJECT, 0},
    {1810, 4, KIN__PB_OBJECT, 0}, {1814, 5, KIN__PB_OBJECT, 1}, {1819, 2, KIN__PB_OBJECT, 1},
    {1821, 3, KIN__PB_OBJECT, 0}, {1824, 2, KIN__PB_OBJECT, 0}, {1826, 2, KIN__PB_OBJECT, 0},
    {1828, 3, KIN__PB_OBJECT, 0}, {1831, 4, KIN__PB_OBJECT, 0}, {1835, 3, KIN__PB_OBJECT, 0},
    {1838, 2, KIN__PB_OBJECT, 0}, {1840, 2, KIN__PB_OBJECT, 0}, {1842, 3, KIN__PB_OBJECT, 0},
    {1845, 1, KIN__PB_OBJECT, 0}, {1846, 3, KIN__PB_OBJECT, 0}, {1849, 2, KIN__PB_OBJECT, 0},
    {1851, 1, KIN__PB_OBJECT, 0}, {1852, 3, KIN__PB_OBJECT, 0}, {1855, 2, KIN__PB_OBJECT, 0},
    {1857, 2, KIN__PB_OBJECT, 0}, {1859, 2, KIN__PB_OBJECT, 0}, {1861, 1, KIN__PB_OBJECT, 0},
    {1862, 4, KIN__PB_OBJECT, 0}, {1866, 4, KIN__PB_OBJECT, 0}, {1870, 3, KIN__PB_OBJECT, 0},
    {1873, 3, KIN__PB_OBJECT, 0}, {1876, 5, KIN__PB_OBJECT, 0}, {1881, 1, KIN__PB_OBJECT, 0},
    {1882, 1, KIN__PB_OBJECT, 0}, {1883, 2, KIN__PB_OBJECT, 0}, {1885, 4, KIN__PB_OBJECT, 0},
    {1889, 4, KIN__PB_OBJECT, 0}, {1893, 2, KIN__PB_OBJECT, 0}, {1895, 4, KIN__PB_OBJECT, 0},
    {1899, 3, KIN__PB_OBJECT, 0}, {1902, 8, KIN__PB_OBJECT, 1}, {1910, 11, KIN__PB_OBJECT, 0},
    {1921, 4, KIN__PB_OBJECT, 0}, {1925, 6, KIN__PB_OBJECT, 1}, {1931, 5, KIN__PB_OBJECT, 0},
    {1936, 2, KIN__PB_OBJECT, 0}, {1938, 5, KIN__PB_OBJECT, 0}, {1943, 4, KIN__PB_OBJECT, 1},
    {1947, 4, KIN__PB_OBJECT, 0}, {1951, 6, KIN__PB_OBJECT, 0}, {1957, 6, KIN__PB_OBJECT, 0},
    {1963, 2, KIN__PB_OBJECT, 0}, {1965, 3, KIN__PB_OBJECT, 0}, {1968, 10, KIN__PB_OBJECT, 1},
    {1978, 2, KIN__PB_OBJECT, 0}, {1980, 5, KIN__PB_OBJECT, 0}, {1985, 10, KIN__PB_OBJECT, 0},
    {1995, 3, KIN__PB_OBJECT, 0}, {1998, 30, KIN__PB_OBJECT, 0}, {2028, 5, KIN__PB_OBJECT, 0},
    {2033, 3, KIN__PB_OBJECT, 0}, {2036, 8, KIN__PB_OBJECT, 0}, {2044, 7, KIN__PB_OBJECT, 0},
    {2051, 3, KIN__PB_OBJECT, 0}, {2054, 12, KIN__PB_OBJECT, 0}, {2066, 3, KIN__PB_OBJECT, 0},
    {2069, 2, KIN__PB_OBJECT, 0}, {2071, 2, KIN__PB_OBJECT, 0}, {2073, 4, KIN__PB_OBJECT, 0},
    {2077, 2, KIN__PB_OBJECT, 0}, {2079, 4, KIN__PB_OBJECT, 0}, {2083, 2, KIN__PB_OBJECT, 0},
    {2085, 2, KIN__PB_OBJECT, 0}, {2087, 2, KIN__PB_OBJECT, 0}, {2089, 2, KIN__PB_OBJECT, 0},
    {2091, 2, KIN__PB_OBJECT, 0}, {2093, 3, KIN__PB_OBJECT, 0}, {2096, 5, KIN__PB_OBJECT, 0},
    {2101, 1, KIN__PB_OBJECT, 0}, {2102, 2, KIN__PB_OBJECT, 0}, {2104, 3, KIN__PB_OBJECT, 0},
    {2107, 2, KIN__PB_OBJECT, 1}, {2109, 3, KIN__PB_OBJECT, 0}, {2112, 1, KIN__PB_OBJECT, 0},
    {2113, 2, KIN__PB_OBJECT, 0}, {2115, 3, KIN__PB_OBJECT, 0}, {2118, 3, KIN__PB_OBJECT, 0},
    {2121, 2, KIN__PB_OBJECT, 0}, {2123, 2, KIN__PB_OBJECT, 0}, {2125, 3, KIN__PB_OBJECT, 0},
    {2128, 10, KIN__PB_OBJECT, 0}, {2138, 4, KIN__PB_OBJECT, 0}, {2142, 3, KIN__PB_OBJECT, 0},
    {2145, 3, KIN__PB_OBJECT, 0}, {2148, 2, KIN__PB_OBJECT, 0}, {2150, 8, KIN__PB_OBJECT, 0},
    {2158, 2, KIN__PB_ENTRY, 0}, {2160, 2, KIN__PB_OBJECT, 0}, {2162, 2, KIN__PB_ENTRY, 0},
    {2164, 3, KIN__PB_OBJECT, 0}, {2167, 2, KIN__PB_OBJECT, 0}, {2169, 2, KIN__PB_ENTRY, 0},
    {2171, 1, KIN__PB_OBJECT, 0}, {2172, 2, KIN__PB_ENTRY, 0}, {2174, 12, KIN__PB_OBJECT, 0},
    {2186, 1, KIN__PB_OBJECT, 0}, {2187, 4, KIN__PB_OBJECT, 0}, {2191, 2, KIN__PB_OBJECT, 0},
    {2193, 2, KIN__PB_OBJECT, 0}, {2195, 2, KIN__PB_CHOICE, 0}, {2197, 2, KIN__PB_ENTRY, 0},
    {2199, 2, KIN__PB_CHOICE, 0}, {2201, 2, KIN__PB_CHOICE, 0}, {2203, 2, KIN__PB_ENTRY, 0},
    {2205, 2, KIN__PB_OBJECT, 0}, {2207, 6, KIN__PB_OBJECT, 0}, {2213, 2, KIN__PB_OBJECT, 0},
    {2215, 2, KIN__PB_OBJECT, 0}, {2217, 4, KIN__PB_OBJECT, 0}, {2221, 2, KIN__PB_OBJECT, 0},
    {2223, 3, KIN__PB_OBJECT, 0}, {2226, 3, KIN__PB_OBJECT, 0}, {2229, 1, KIN__PB_OBJECT, 1},
    {2230, 3, KIN__PB_OBJECT, 0}, {2233, 2, KIN__PB_OBJECT, 0}, {2235, 1, KIN__PB_OBJECT, 1},
    {2236, 3, KIN__PB_OBJECT, 1}, {2239, 2, KIN__PB_OBJECT, 0}, {2241, 2, KIN__PB_OBJECT, 0},
    {2243, 2, KIN__PB_OBJECT, 0}, {2245, 3, KIN__PB_OBJECT, 0}, {2248, 3, KIN__PB_OBJECT, 0},
    {2251, 5, KIN__PB_OBJECT, 0}, {2256, 11, KIN__PB_OBJECT, 0}, {2267, 3, KIN__PB_OBJECT, 0},
    {2270, 2, KIN__PB_OBJECT, 0}, {2272, 8, KIN__PB_OBJECT, 1}, {2280, 5, KIN__PB_OBJECT, 0},
    {2285, 4, KIN__PB_OBJECT, 0}, {2289, 6, KIN__PB_OBJECT, 1}, {2295, 3, KIN__PB_OBJECT, 0},
    {2298, 3, KIN__PB_OBJECT, 0}, {2301, 5, KIN__PB_OBJECT, 0}, {2306, 10, KIN__PB_OBJECT, 1},
    {2316, 3, KIN__PB_OBJECT, 1}, {2319, 5, KIN__PB_OBJECT, 0}, {2324, 5, KIN__PB_OBJECT, 0},
    {2329, 1, KIN__PB_OBJECT, 0}, {2330, 2, KIN__PB_OBJECT, 0}, {2332, 5, KIN__PB_OBJECT, 0},
    {2337, 4, KIN__PB_OBJECT, 0}, {2341, 4, KIN__PB_OBJECT, 0}, {2345, 2, KIN__PB_OBJECT, 0},
    {2347, 2, KIN__PB_OBJECT, 0}, {2349, 2, KIN__PB_OBJECT, 0}, {2351, 2, KIN__PB_OBJECT, 0},
    {2353, 6, KIN__PB_OBJECT, 0}, {2359, 2, KIN__PB_OBJECT, 0}, {2361, 2, KIN__PB_OBJECT, 0},
    {2363, 1, KIN__PB_OBJECT, 0}, {2364, 7, KIN__PB_OBJECT, 0}, {2371, 1, KIN__PB_OBJECT, 0},
    {2372, 3, KIN__PB_OBJECT, 0}, {2375, 3, KIN__PB_OBJECT, 0}, {2378, 3, KIN__PB_OBJECT, 0},
    {2381, 8, KIN__PB_OBJECT, 0}, {2389, 8, KIN__PB_OBJECT, 0}, {2397, 11, KIN__PB_OBJECT, 0},
    {2408, 3, KIN__PB_OBJECT, 0}, {2411, 8, KIN__PB_OBJECT, 0}, {2419, 1, KIN__PB_OBJECT, 0},
    {2420, 4, KIN__PB_OBJECT, 0}, {2424, 3, KIN__PB_OBJECT, 1}, {2427, 3, KIN__PB_OBJECT, 0},
    {2430, 2, KIN__PB_OBJECT, 0}, {2432, 3, KIN__PB_OBJECT, 0}, {2435, 3, KIN__PB_OBJECT, 1},
    {2438, 4, KIN__PB_OBJECT, 0}, {2442, 5, KIN__PB_OBJECT, 0}, {2447, 6, KIN__PB_OBJECT, 0},
    {2453, 2, KIN__PB_OBJECT, 0}, {2455, 2, KIN__PB_OBJECT, 0}, {2457, 3, KIN__PB_OBJECT, 0},
    {2460, 3, KIN__PB_OBJECT, 0}, {2463, 4, KIN__PB_OBJECT, 0}, {2467, 1, KIN__PB_OBJECT, 0},
    {2468, 6, KIN__PB_OBJECT, 0}, {2474, 2, KIN__PB_OBJECT, 0}, {2476, 3, KIN__PB_OBJECT, 1},
    {2479, 1, KIN__PB_OBJECT, 0}, {2480, 1, KIN__PB_OBJECT, 0}, {2481, 3, KIN__PB_OBJECT, 0},
    {2484, 3, KIN__PB_OBJECT, 0}, {2487, 1, KIN__PB_OBJECT, 0}, {2488, 4, KIN__PB_OBJECT, 0},
    {2492, 6, KIN__PB_OBJECT, 0}, {2498, 8, KIN__PB_OBJECT, 0},
};

const kin__pb_kind kin__pb_kinds[] = {
    {0, 0, 0}, {13127, 13130, 1}, {13139, 13162, 2}, {13180, 13162, 2}, {13127, 13208, 3},
    {13127, 13221, 4}, {13237, 13263, 5}, {13274, 13263, 5}, {13127, 13305, 6}, {13127, 13317, 7},
    {13325, 13343, 8}, {13353, 13343, 8}, {13325, 13376, 9}, {13353, 13376, 9}, {13325, 13384, 10},
    {13403, 13384, 10}, {13353, 13384, 10}, {13427, 13450, 11}, {13476, 13450, 11},
    {13504, 13533, 12}, {13545, 13533, 13}, {13580, 13533, 12}, {13504, 13614, 14},
    {13545, 13614, 15}, {13580, 13614, 14}, {13427, 13633, 16}, {13652, 13633, 16},
    {13476, 13633, 16}, {13127, 13681, 17}, {13697, 13724, 18}, {13127, 13742, 19},
    {13752, 13760, 20}, {13779, 13760, 20}, {13792, 13760, 20}, {13805, 13814, 21},
    {13822, 13814, 21}, {13836, 13860, 22}, {13885, 13860, 23}, {13752, 13914, 24},
    {13792, 13914, 24}, {13924, 13914, 25}, {0, 13943, 26}, {13752, 13957, 27}, {13779, 13957, 28},
    {13792, 13957, 27}, {13924, 13957, 28}, {13968, 13987, 29}, {13999, 13987, 29},
    {14023, 13987, 29}, {13968, 14047, 30}, {14063, 14047, 30}, {14023, 14047, 30},
    {14088, 14108, 31}, {14122, 14108, 32}, {13127, 14147, 33}, {14157, 14174, 34},
    {14180, 14174, 34}, {13127, 14174, 35}, {14202, 14228, 36}, {14237, 14228, 37},
    {14247, 14228, 37}, {14202, 14262, 38}, {14278, 14310, 39}, {14321, 14310, 39},
    {14358, 14310, 39}, {14395, 14310, 39}, {14432, 14447, 40}, {14471, 14447, 41},
    {14486, 14507, 42}, {14517, 14507, 42}, {13924, 14543, 43}, {14486, 14543, 44},
    {14517, 14543, 43}, {14486, 14551, 45}, {14517, 14551, 45}, {13805, 14564, 46},
    {14568, 14591, 47}, {14597, 14591, 47}, {14625, 14654, 48}, {14597, 14654, 48},
    {13127, 14669, 49}, {0, 14680, 50}, {14689, 14713, 51}, {14738, 14713, 52}, {14767, 14799, 53},
    {14823, 14799, 53}, {14861, 14799, 53}, {14767, 14898, 54}, {14823, 14898, 54},
    {14861, 14898, 54}, {14767, 14929, 55}, {14861, 14929, 56}, {13127, 14958, 57},
    {13924, 14968, 58}, {14486, 14968, 58}, {13127, 14982, 59}, {14987, 15002, 60},
    {15024, 15002, 60}, {13127, 15044, 61}, {13127, 15061, 62}, {13127, 15083, 63},
    {13427, 15087, 64}, {13476, 15087, 65}, {14237, 15109, 66}, {14247, 15109, 66},
    {13697, 15129, 67}, {15138, 15129, 67}, {13127, 15164, 68}, {15176, 15197, 69},
    {15138, 15197, 69}, {14278, 15211, 70}, {14321, 15211, 71}, {14358, 15211, 71},
    {14395, 15211, 72}, {13752, 15238, 73}, {13792, 15238, 73}, {13924, 15238, 74},
    {13127, 15249, 75}, {13968, 15271, 76}, {13999, 15271, 77}, {14023, 15271, 76},
    {13968, 15285, 78}, {13999, 15285, 79}, {14023, 15285, 78}, {14063, 15307, 80},
    {13127, 15333, 81}, {13968, 15347, 82}, {13999, 15347, 83}, {14023, 15347, 82},
    {13504, 15361, 84}, {13545, 15361, 85}, {13580, 15361, 84}, {13504, 15366, 14},
    {13545, 15366, 15}, {13580, 15366, 14}, {15378, 15393, 86}, {15406, 15393, 87},
    {15427, 15393, 86}, {13779, 15447, 88}, {13792, 15447, 88}, {14432, 15447, 89},
    {13924, 15447, 88}, {13127, 15453, 90}, {14689, 15460, 91}, {14738, 15460, 91},
    {15484, 15509, 92}, {15527, 15509, 92}, {15558, 15509, 92}, {14689, 15588, 93},
    {14738, 15588, 93}, {13127, 15611, 94}, {13127, 15619, 95}, {14486, 15634, 96},
    {14517, 15634, 96}, {13752, 15646, 97}, {13779, 15646, 98}, {13792, 15646, 97},
    {13127, 15658, 99}, {13325, 15665, 100}, {13353, 15665, 100}, {15678, 15713, 101},
    {15728, 15755, 102}, {15779, 15755, 102}, {14689, 15811, 51}, {14738, 15811, 52},
    {15484, 15831, 103}, {15484, 15844, 104}, {15558, 15844, 104}, {14767, 15856, 105},
    {14823, 15856, 105}, {14861, 15856, 105}, {14767, 15882, 106}, {14823, 15882, 106},
    {14861, 15882, 106}, {14767, 15915, 107}, {14861, 15915, 108}, {13325, 15946, 109},
    {13403, 15946, 109}, {13353, 15946, 109}, {13325, 15963, 110}, {13403, 15963, 110},
    {13353, 15963, 110}, {13697, 15985, 111}, {15138, 15985, 111},
};
const size_t kin__pb_n_kinds = 184;
