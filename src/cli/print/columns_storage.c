/* SPDX-License-Identifier: Apache-2.0 */
/* What kubectl says of volumes, claims, what makes them, and of devices. */
#include "cli/print/columns_inside.h"
#include "kinform/path.h"

static void add_modes(struct text *out, kin_value modes)
{
    static const struct {
        const char *mode;
        const char *letters;
    } known[] = {
        {"ReadWriteOnce", "RWO"},
        {"ReadOnlyMany", "ROX"},
        {"ReadWriteMany", "RWX"},
        {"ReadWriteOncePod", "RWOP"},
    };
    size_t start = out->len;

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++) {
        kin_iter it;
        bool found = false;

        kin_iter_init(&it, modes);
        while (kin_iter_next(&it))
            found |= cell_equals(it.value, known[i].mode);
        if (found) {
            cell_add_comma(out, start);
            text_add_string(out, known[i].letters);
        }
    }
}

static void phase(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    if (kin_value_type(kin_object_find(object, "metadata.deletionTimestamp")) > KIN_NULL)
        text_add_string(out, "Terminating");
    else
        cell_add_value(out, kin_object_find(object, "status.phase"));
}

/* An old annotation comes before the field. */
static void storage_class(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    if (!cell_add_text(
            out, kin_object_find(
                     object, "metadata.annotations['volume.beta.kubernetes.io/storage-class']")))
        (void)cell_add_text(out, kin_object_find(object, "spec.storageClassName"));
}

static void attributes_class(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(object, "spec.volumeAttributesClassName"), "<unset>");
}

static void volume_mode(struct text *out, const kin_object *object, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(object, "spec.volumeMode"), "<unset>");
}

static void volume_modes(struct text *out, const kin_object *volume, int64_t now)
{
    (void)now;
    add_modes(out, kin_object_find(volume, "spec.accessModes"));
}

static void volume_claim(struct text *out, const kin_object *volume, int64_t now)
{
    kin_value claim = kin_object_find(volume, "spec.claimRef");

    (void)now;
    if (kin_value_type(claim) <= KIN_NULL)
        return;
    cell_add_value(out, cell_find(claim, "namespace"));
    text_add_char(out, '/');
    cell_add_value(out, cell_find(claim, "name"));
}

/* What a claim has got is told once it has a volume. */
static bool has_volume(const kin_object *claim)
{
    kin_scratch scratch;
    kin_str name;

    return kin_value_string(&name, kin_object_find(claim, "spec.volumeName"), &scratch) == 0 &&
           name.len > 0;
}

static void claim_capacity(struct text *out, const kin_object *claim, int64_t now)
{
    (void)now;
    if (has_volume(claim))
        cell_add_or(out, kin_object_find(claim, "status.capacity.storage"), "0");
}

static void claim_modes(struct text *out, const kin_object *claim, int64_t now)
{
    (void)now;
    if (has_volume(claim))
        add_modes(out, kin_object_find(claim, "status.accessModes"));
}

static void mark_default(struct text *out, const kin_object *class, int64_t now)
{
    static const char *const paths[] = {
        "metadata.annotations['storageclass.kubernetes.io/is-default-class']",
        "metadata.annotations['storageclass.beta.kubernetes.io/is-default-class']",
    };

    (void)now;
    for (size_t i = 0; i < 2; i++) {
        if (cell_equals(kin_object_find(class, paths[i]), "true")) {
            text_add_string(out, " (default)");
            return;
        }
    }
}

static void reclaim_policy(struct text *out, const kin_object *class, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(class, "reclaimPolicy"), "Delete");
}

static void binding_mode(struct text *out, const kin_object *class, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(class, "volumeBindingMode"), "Immediate");
}

static void expansion(struct text *out, const kin_object *class, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(class, "allowVolumeExpansion"), "false");
}

static void attached(struct text *out, const kin_object *attachment, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(attachment, "status.attached"), "false");
}

static void csi_drivers(struct text *out, const kin_object *node, int64_t now)
{
    (void)now;
    text_format(out, "%zu", kin_value_len(kin_object_find(node, "spec.drivers")));
}

/* --- drivers --- */

static void attach_required(struct text *out, const kin_object *driver, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(driver, "spec.attachRequired"), "true");
}

static void pod_info(struct text *out, const kin_object *driver, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(driver, "spec.podInfoOnMount"), "false");
}

static void tells_capacity(struct text *out, const kin_object *driver, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(driver, "spec.storageCapacity"), "false");
}

static void token_requests(struct text *out, const kin_object *driver, int64_t now)
{
    kin_value tokens = kin_object_find(driver, "spec.tokenRequests");

    (void)now;
    if (kin_value_len(tokens) == 0)
        text_add_string(out, "<unset>");
    cell_add_members(out, tokens, "audience");
}

static void republish(struct text *out, const kin_object *driver, int64_t now)
{
    (void)now;
    cell_add_or(out, kin_object_find(driver, "spec.requiresRepublish"), "false");
}

static void lifecycles(struct text *out, const kin_object *driver, int64_t now)
{
    (void)now;
    cell_add_items(out, kin_object_find(driver, "spec.volumeLifecycleModes"));
}

/* --- devices --- */

static void claim_state(struct text *out, const kin_object *claim, int64_t now)
{
    bool is_leaving =
        kin_value_type(kin_object_find(claim, "metadata.deletionTimestamp")) > KIN_NULL;
    bool is_allocated = kin_value_type(kin_object_find(claim, "status.allocation")) > KIN_NULL;

    (void)now;
    text_add_string(out, is_leaving ? "deleted" : is_allocated ? "" : "pending");
    if (!is_allocated)
        return;
    text_add_string(out, is_leaving ? ",allocated" : "allocated");
    text_add_string(
        out, kin_value_len(kin_object_find(claim, "status.reservedFor")) > 0 ? ",reserved" : "");
}

/* --- the tables --- */

static const struct column volumes[] = {
    {"CAPACITY", COLUMN_BLANK, "spec.capacity.storage", NULL},
    {"ACCESS MODES", COLUMN_BLANK, NULL, volume_modes},
    {"RECLAIM POLICY", COLUMN_BLANK, "spec.persistentVolumeReclaimPolicy", NULL},
    {"STATUS", COLUMN_BLANK, NULL, phase},
    {"CLAIM", COLUMN_BLANK, NULL, volume_claim},
    {"STORAGECLASS", COLUMN_BLANK, NULL, storage_class},
    {"VOLUMEATTRIBUTESCLASS", 0, NULL, attributes_class},
    {"REASON", COLUMN_BLANK, "status.reason", NULL},
    AGE,
    {"VOLUMEMODE", COLUMN_WIDE, NULL, volume_mode},
};
static const struct column claims[] = {
    {"STATUS", COLUMN_BLANK, NULL, phase},
    {"VOLUME", COLUMN_BLANK, "spec.volumeName", NULL},
    {"CAPACITY", COLUMN_BLANK, NULL, claim_capacity},
    {"ACCESS MODES", COLUMN_BLANK, NULL, claim_modes},
    {"STORAGECLASS", COLUMN_BLANK, NULL, storage_class},
    {"VOLUMEATTRIBUTESCLASS", 0, NULL, attributes_class},
    AGE,
    {"VOLUMEMODE", COLUMN_WIDE, NULL, volume_mode},
};
static const struct column classes[] = {
    {"PROVISIONER", 0, "provisioner", NULL},
    {"RECLAIMPOLICY", 0, NULL, reclaim_policy},
    {"VOLUMEBINDINGMODE", 0, NULL, binding_mode},
    {"ALLOWVOLUMEEXPANSION", 0, NULL, expansion},
    AGE,
};
static const struct column attachments[] = {
    {"ATTACHER", 0, "spec.attacher", NULL},
    {"PV", COLUMN_BLANK, "spec.source.persistentVolumeName", NULL},
    {"NODE", 0, "spec.nodeName", NULL},
    {"ATTACHED", 0, NULL, attached},
    AGE,
};
static const struct column drivers[] = {
    {"ATTACHREQUIRED", 0, NULL, attach_required},
    {"PODINFOONMOUNT", 0, NULL, pod_info},
    {"STORAGECAPACITY", 0, NULL, tells_capacity},
    {"TOKENREQUESTS", 0, NULL, token_requests},
    {"REQUIRESREPUBLISH", 0, NULL, republish},
    {"MODES", 0, NULL, lifecycles},
    AGE,
};
static const struct column capacities[] = {CREATED};
static const struct column attribute_classes[] = {{"DRIVERNAME", 0, "driverName", NULL}, AGE};
static const struct column device_claims[] = {{"STATE", 0, NULL, claim_state}, AGE};
static const struct column device_slices[] = {
    {"NODE", COLUMN_BLANK, "spec.nodeName", NULL},
    {"DRIVER", COLUMN_BLANK, "spec.driver", NULL},
    {"POOL", COLUMN_BLANK, "spec.pool.name", NULL},
    AGE,
};
static const struct column csi_nodes[] = {{"DRIVERS", 0, NULL, csi_drivers}, AGE};

const struct columns columns_storage[] = {
    COLUMNS("", "persistentvolumes", volumes),
    COLUMNS("", "persistentvolumeclaims", claims),
    {"storage.k8s.io", "storageclasses", false, mark_default, classes,
     sizeof(classes) / sizeof(classes[0])},
    COLUMNS("storage.k8s.io", "volumeattachments", attachments),
    COLUMNS("storage.k8s.io", "csinodes", csi_nodes),
    COLUMNS("storage.k8s.io", "csidrivers", drivers),
    COLUMNS("storage.k8s.io", "csistoragecapacities", capacities),
    COLUMNS("storage.k8s.io", "volumeattributesclasses", attribute_classes),
    COLUMNS("resource.k8s.io", "resourceclaims", device_claims),
    COLUMNS("resource.k8s.io", "resourceslices", device_slices),
};
const size_t n_columns_storage = sizeof(columns_storage) / sizeof(columns_storage[0]);
