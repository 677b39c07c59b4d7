/* SPDX-License-Identifier: Apache-2.0 */
#include "client/headers.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/memory.h"

void kin__headers_init(kin__headers *headers)
{
    memset(headers, 0, sizeof(*headers));
}

void kin__headers_done(kin__headers *headers)
{
    kin__free(headers->items);
}

/* Whether a byte can stand in the name of a header; a percent sign is what escapes begin with. */
static bool is_name_byte(unsigned char c)
{
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') ||
           (c != '\0' && strchr("!#$&'*+-.^_`|~", c));
}

int kin__headers_extra_name(char **ret, const char *key)
{
    kin__buf buf;
    int code;

    kin__buf_init(&buf, SIZE_MAX - 1);
    kin__buf_append(&buf, kin_str_of("Impersonate-Extra-"));
    for (const char *p = key; *p; p++) {
        if (is_name_byte((unsigned char)*p))
            kin__buf_append_char(&buf, *p);
        else
            kin__buf_appendf(&buf, "%%%02X", (unsigned char)*p);
    }
    code = kin__buf_take(&buf, ret, NULL);
    kin__buf_done(&buf);
    return code;
}

/* Without a value nothing is added. 0 or KIN_ENOMEM. */
static int add(kin__headers *headers, const char *name, const char *value)
{
    kin__header *items;

    if (!value)
        return 0;
    items = kin__grow_array(headers->items, &headers->cap, headers->n + 1, sizeof(*items));
    if (!items)
        return KIN_ENOMEM;
    headers->items = items;
    items[headers->n++] = (kin__header){kin_str_of(name), kin_str_of(value)};
    return 0;
}

static int add_all(kin__headers *headers, const char *name, char *const *values, size_t n)
{
    int code = 0;

    for (size_t i = 0; i < n && code == 0; i++)
        code = add(headers, name, values[i]);
    return code;
}

static int add_impersonation(kin__headers *headers, const kin_client *client)
{
    const kin_config *config = client->config;
    int code = add(headers, "Impersonate-User", config->impersonate_user);

    if (code == 0)
        code = add(headers, "Impersonate-Uid", config->impersonate_uid);
    if (code == 0)
        code = add_all(headers, "Impersonate-Group", config->impersonate_groups,
                       config->n_impersonate_groups);
    for (size_t i = 0; i < config->n_impersonate_extra && code == 0; i++)
        code = add_all(headers, client->extra_names[i], config->impersonate_extra[i].values,
                       config->impersonate_extra[i].n_values);
    return code;
}

int kin__headers_of_call(kin__headers *headers, const kin_client *client, const char *accept,
                         const char *content_type, kin_error *err)
{
    int code = add(headers, "Accept", accept);

    if (code == 0)
        code = add(headers, "Content-Type", content_type);
    if (code == 0)
        code = add(headers, "User-Agent", client->user_agent);
    if (code == 0)
        code = add_impersonation(headers, client);
    return code < 0 ? kin__error_no_memory(err) : 0;
}
