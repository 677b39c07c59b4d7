/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-controller: a Deployment controller with two workers, until Enter is pressed.
 * Each Deployment gets a ReplicaSet of its own name, and its status says how far that has come. One
 * whose Deployment is gone is deleted; one that is somebody else's is left alone, which is an error.
 * All is read from caches; what differs is written. What fails, conflicts included, is tried again.
 */
#include <kinform.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct kind {
    kin_resource *resource; /* what is written to */
    kin_informer *informer; /* what is read */
};

struct controller {
    kin_client *client;
    kin_factory *factory;
    kin_reconciler *reconciler;
    struct kind deployments, replica_sets;
};

struct field {
    const char *path;
    kin_value value; /* KIN_NONE leaves it as it is */
};

/* Create or update an object so that it has these fields and this owner, if it lacks any of them. */
static int set(struct controller *self, kin_reconcile *call, const struct kind *kind,
               const kin_object *object, const kin_object *owner, const struct field *fields,
               size_t n, const char *subresource, kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    const kin_object *wanted = NULL;
    const kin_object *written = NULL;
    kin_editor *ed = NULL;
    int code = kin_editor_new(&ed, object, err);

    if (code == 0 && owner)
        code = kin_editor_set_controller(ed, owner, err);
    for (size_t i = 0; code == 0 && i < n; i++) {
        if (kin_value_type(fields[i].value) != KIN_NONE &&
            !kin_value_equal(kin_object_find(object, fields[i].path), fields[i].value))
            code = kin_editor_set_value(ed, kin_str_of(fields[i].path), fields[i].value, err);
    }
    if (code == 0)
        code = kin_editor_finish(ed, &wanted, err);
    options.subresource = subresource;
    if (code == 0 && wanted != object)
        code = (kin_object_resource_version(object).len ? kin_client_update : kin_client_create)(
            self->client, &written, kind->resource, NULL, wanted, &options, err);
    /* The key is not looked at again before the cache has that. */
    if (code == 0 && written)
        code = kin_reconcile_wrote(call, kind->informer, written, err);
    kin_object_unref(written);
    kin_object_unref(wanted);
    kin_editor_free(ed);
    return code;
}

static int bring_about(struct controller *self, kin_reconcile *call, const kin_object *deployment,
                       const kin_object *replica_set, kin_error *err)
{
    const struct field spec[] = {
        {"spec.replicas", kin_object_find(deployment, "spec.replicas")},
        {"spec.selector", kin_object_find(deployment, "spec.selector")},
        {"spec.template", kin_object_find(deployment, "spec.template")},
    };
    const struct field status[] = {
        {"status.replicas", kin_object_find(replica_set, "status.replicas")},
        {"status.observedGeneration", kin_object_find(deployment, "metadata.generation")},
    };
    const kin_object *base = kin_object_ref(replica_set);
    int code = 0;

    if (!base)
        code = kin_object_make(&base, err,
                               "{apiVersion: apps/v1, kind: ReplicaSet,"
                               " metadata: {namespace: %" KIN_STR_FMT ", name: %" KIN_STR_FMT "}}",
                               KIN_STR_ARG(kin_object_namespace(deployment)),
                               KIN_STR_ARG(kin_object_name(deployment)));
    if (code == 0)
        code = set(self, call, &self->replica_sets, base, deployment, spec, 3, NULL, err);
    if (code == 0)
        code = set(self, call, &self->deployments, deployment, NULL, status, 2, "status", err);
    kin_object_unref(base);
    return code;
}

/* Only the object with this uid: another one may have its name by now. */
static int delete_replica_set(struct controller *self, kin_namespaced_name key, kin_str uid,
                              kin_error *err)
{
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    char *namespace_ = strndup(key.namespace_.data, key.namespace_.len);
    char *uid_text = strndup(uid.data, uid.len);
    int code = KIN_ENOMEM;

    options.precondition_uid = uid_text;
    if (namespace_ && uid_text)
        code = kin_client_delete(self->client, NULL, self->replica_sets.resource, namespace_,
                                 key.name.data, &options, err);
    free(namespace_);
    free(uid_text);
    return code == KIN_ENOTFOUND ? 0 : code;
}

/* What should be and what is; either may be NULL. */
static int compare(struct controller *self, kin_reconcile *call, const kin_object *deployment,
                   const kin_object *replica_set, kin_error *err)
{
    kin_namespaced_name key = kin_reconcile_name(call);
    kin_owner_reference owner;
    kin_scratch scratch;
    bool is_ours = replica_set && kin_object_controller(&owner, replica_set) == 0 &&
                   kin_str_equal(owner.kind, kin_str_of("Deployment")) &&
                   kin_str_equal(owner.name, key.name);

    /* Its Deployment is gone, and another one may have the name. */
    if (is_ours && (!deployment || !kin_str_equal(owner.uid, kin_object_uid(deployment, &scratch))))
        return delete_replica_set(self, key, kin_object_uid(replica_set, &scratch), err);
    if (!deployment || kin_object_deletion_timestamp(NULL, deployment) == 0)
        return 0;
    if (replica_set && !is_ours)
        return kin_error_set(err, KIN_EEXISTS, "%s is not ours", kin_object_key(replica_set));
    return bring_about(self, call, deployment, replica_set, err);
}

static int reconcile(kin_reconcile *call, void *arg, kin_error *err)
{
    struct controller *self = arg;
    kin_str key = kin_reconcile_key(call);
    const kin_object *deployment = NULL;
    const kin_object *replica_set = NULL;

    kin_store_get(kin_informer_store(self->deployments.informer), &deployment, key, NULL);
    kin_store_get(kin_informer_store(self->replica_sets.informer), &replica_set, key, NULL);
    int code = compare(self, call, deployment, replica_set, err);
    kin_object_unref(deployment);
    kin_object_unref(replica_set);
    return code;
}

static bool open_kind(struct controller *self, struct kind *kind, const char *name, kin_error *err)
{
    return kin_client_resolve(self->client, &kind->resource, name, err) == 0 &&
           kin_factory_informer(self->factory, &kind->informer, name, err) == 0;
}

static bool start(struct controller *self, kin_error *err)
{
    kin_client_options client = KIN_CLIENT_OPTIONS_INIT;
    kin_reconciler_options options = KIN_RECONCILER_OPTIONS_INIT;
    kin_reconciler **ret = &self->reconciler;

    client.qps = -1; /* servers see to it themselves that nobody asks too much */
    options.n_workers = 2;
    return kin_client_new(&self->client, &client, err) == 0 &&
           kin_factory_new(&self->factory, self->client, NULL, err) == 0 &&
           open_kind(self, &self->deployments, "deployments.apps", err) &&
           open_kind(self, &self->replica_sets, "replicasets.apps", err) &&
           kin_reconciler_new(ret, reconcile, self, &options, err) == 0 &&
           kin_reconciler_watch(*ret, self->deployments.informer, NULL, NULL, NULL, err) == 0 &&
           kin_reconciler_watch_owned(*ret, self->replica_sets.informer, "Deployment.apps", NULL,
                                      err) == 0 &&
           kin_factory_start(self->factory, err) == 0 &&
           kin_reconciler_start(*ret, err) == 0; /* waits for the caches */
}

int main(void)
{
    struct controller self = {.client = NULL};
    kin_error err = KIN_ERROR_INIT;

    kin_set_default_log_level(KIN_LOG_WARN, NULL); /* warnings go to standard error */
    if (start(&self, &err)) {
        fputs("running; press Enter\n", stderr);
        getchar();
        kin_reconciler_stop(self.reconciler, KIN_RECONCILER_DRAIN);
        kin_reconciler_wait_stopped(self.reconciler, 10000, &err);
    }
    if (err.code < 0)
        fprintf(stderr, "kinform-controller: %s\n", err.message);
    kin_reconciler_free(self.reconciler);
    kin_factory_free(self.factory);
    kin_resource_unref(self.deployments.resource);
    kin_resource_unref(self.replica_sets.resource);
    kin_client_free(self.client);
    return err.code < 0;
}
