/* SPDX-License-Identifier: Apache-2.0 */
#include "client/encoding.h"

#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/memory.h"
#include "client/client.h"
#include "object/protobuf.h"

enum { NAME_BYTES = 512 };

void kin__json_only_done(kin__json_only *json_only)
{
    for (size_t i = 0; i < json_only->n; i++)
        kin__free(json_only->names[i]);
    kin__free(json_only->names);
}

static void name_of(char name[NAME_BYTES], const kin_resource *resource)
{
    snprintf(name, NAME_BYTES, "%s %s", kin_resource_api_version(resource),
             kin_resource_name(resource));
}

static bool is_json_only_locked(const kin_client *client, const char *name)
{
    for (size_t i = 0; i < client->json_only.n; i++) {
        if (strcmp(client->json_only.names[i], name) == 0)
            return true;
    }
    return false;
}

static bool has_protobuf(const kin_resource *resource, bool metadata_only)
{
    const kin__protobuf_type type = {kin_str_of(kin_resource_api_version(resource)),
                                     kin_str_of(kin_resource_kind(resource))};

    /*
     * Metadata has a kind of its own, also that of custom resources. An aggregated API may lack it in protobuf: JSON is
     * accepted, too, and the type of the answer decides.
     */
    return metadata_only || kin__protobuf_find_kind(&type);
}

int kin__check_encoding(kin_encoding encoding, kin_error *err)
{
    if (encoding < KIN_ENCODING_DEFAULT || encoding > KIN_ENCODING_PROTOBUF)
        return kin_error_set(err, KIN_EINVAL, "an unknown encoding: %d", (int)encoding);
    return 0;
}

bool kin__client_asks_protobuf(kin_client *client, const kin_resource *resource, enum kin_verb verb,
                               const kin_request_options *options)
{
    kin_encoding encoding = options->encoding ? options->encoding : client->encoding;
    char name[NAME_BYTES];
    bool is_json_only;

    if (encoding == KIN_ENCODING_JSON ||
        (verb != KIN_VERB_GET && verb != KIN_VERB_LIST && verb != KIN_VERB_WATCH) ||
        (options->subresource && *options->subresource) ||
        !has_protobuf(resource, options->metadata_only))
        return false;
    name_of(name, resource);
    kin__mutex_lock(&client->lock);
    is_json_only = is_json_only_locked(client, name);
    kin__mutex_unlock(&client->lock);
    return !is_json_only;
}

/* 0, 1: it was there already, or KIN_ENOMEM. */
static int add(kin_client *client, const char *name)
{
    kin__json_only *json_only = &client->json_only;
    int code = 0;

    kin__mutex_lock(&client->lock);
    if (is_json_only_locked(client, name)) {
        code = 1;
    } else {
        char *copy = kin__memdup_str(kin_str_of(name));
        char **names = copy ? kin__grow_array(json_only->names, &json_only->cap, json_only->n + 1,
                                              sizeof(*names))
                            : NULL;

        if (names) {
            json_only->names = names;
            names[json_only->n++] = copy;
        } else {
            kin__free(copy);
            code = KIN_ENOMEM;
        }
    }
    kin__mutex_unlock(&client->lock);
    return code;
}

bool kin__client_use_json(kin_client *client, const kin_resource *resource, const char *why)
{
    char name[NAME_BYTES];

    int code;

    name_of(name, resource);
    code = add(client, name);
    if (code > 0)
        return true;
    const kin_log_field fields[] = {KIN__LOG_S("resource", name), KIN__LOG_S("reason", why)};

    kin_logger_log(client->logger, KIN_LOG_WARN, "client",
                   "the resource is read as JSON from now on, not as protobuf", fields,
                   sizeof(fields) / sizeof(fields[0]));
    return code == 0;
}
