/* SPDX-License-Identifier: Apache-2.0 */
#include "replayer.h"

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/str.h"
#include "kinform/json.h"
#include "kinform/path.h"

void kin_test_replayer_init(kin_test_replayer *replayer)
{
    memset(replayer, 0, sizeof(*replayer));
}

static kin_str text_of(kin_value value, kin_scratch *scratch)
{
    kin_str text = {"", 0};

    kin_value_string(&text, value, scratch);
    return text;
}

static kin_str text_at(kin_value value, const char *path, kin_scratch *scratch)
{
    kin_value found = {NULL, NULL};

    kin_value_find(&found, value, kin_str_of(path), NULL);
    return text_of(found, scratch);
}

/* "namespace/name@" of an object, and how long that is. */
static size_t print_key(kin_value object, char *ret, size_t size)
{
    kin_scratch scratch[2];
    kin_str space = text_at(object, "metadata.namespace", &scratch[0]);
    kin_str name = text_at(object, "metadata.name", &scratch[1]);

    return (size_t)snprintf(ret, size, "%" KIN_STR_FMT "/%" KIN_STR_FMT "@", KIN_STR_ARG(space),
                            KIN_STR_ARG(name));
}

static void print_object(kin_value object, char *ret, size_t size)
{
    kin_scratch scratch;
    kin_str version = text_at(object, "metadata.resourceVersion", &scratch);
    size_t len = print_key(object, ret, size);

    snprintf(ret + len, size - len, "%" KIN_STR_FMT, KIN_STR_ARG(version));
}

static size_t find(const kin_test_replayer *r, const char *key)
{
    size_t i = 0;

    while (i < r->n && strncmp(r->lines[i], key, strlen(key)) != 0)
        i++;
    return i;
}

static void blame(kin_test_replayer *r, const char *what, const char *line)
{
    if (!r->defect[0])
        snprintf(r->defect, sizeof(r->defect), "%s: %s behind %llu", what, line,
                 (unsigned long long)r->version);
}

static void take_version(kin_test_replayer *r, kin_value object, const char *line)
{
    kin_scratch scratch;
    uint64_t version = 0;

    kin__str_to_u64(&version, text_at(object, "metadata.resourceVersion", &scratch));
    if (r->is_behind_initial && version < r->version)
        blame(r, "a version goes back", line);
    if (version > r->version)
        r->version = version;
}

static void take_change(kin_test_replayer *r, kin_str type, kin_value object)
{
    char key[96];
    char line[96];
    size_t at;

    print_key(object, key, sizeof(key));
    print_object(object, line, sizeof(line));
    at = find(r, key);
    if (kin_str_equal(type, kin_str_of("ADDED")) != (at == r->n))
        blame(r, "out of step", line);
    if (kin_str_equal(type, kin_str_of("DELETED"))) {
        if (at < r->n)
            memcpy(r->lines[at], r->lines[--r->n], sizeof(line));
    } else {
        if (at == r->n)
            r->n++;
        memcpy(r->lines[at], line, sizeof(line));
    }
    take_version(r, object, line);
}

static void take_line(kin_test_replayer *r, kin_str text)
{
    const kin_object *event = NULL;
    kin_scratch scratch;
    kin_str type;
    kin_value object;

    if (kin_object_from_json(&event, text, NULL, NULL) < 0) {
        blame(r, "no JSON", "");
        return;
    }
    type = text_at(kin_object_root(event), "type", &scratch);
    object = kin_object_find(event, "object");
    if (kin_str_equal(type, kin_str_of("ERROR")))
        r->has_error = true;
    else if (kin_str_equal(type, kin_str_of("BOOKMARK"))) {
        take_version(r, object, "bookmark");
        r->is_behind_initial = true;
    } else {
        take_change(r, type, object);
    }
    kin_object_unref(event);
}

size_t kin_test_replayer_read(kin_test_replayer *replayer, kin_str text)
{
    size_t done = 0;

    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != '\n')
            continue;
        take_line(replayer, kin_str_make(text.data + done, i - done));
        done = i + 1;
    }
    return done;
}

static int compare(const void *a, const void *b)
{
    return strcmp(a, b);
}

static void print_lines(char lines[][96], size_t n, char *ret, size_t size)
{
    size_t len = 0;

    qsort(lines, n, sizeof(lines[0]), compare);
    ret[0] = '\0';
    for (size_t i = 0; i < n && len < size; i++)
        len += (size_t)snprintf(ret + len, size - len, "%s\n", lines[i]);
}

void kin_test_replayer_print(kin_test_replayer *replayer, char *ret, size_t size)
{
    print_lines(replayer->lines, replayer->n, ret, size);
}

void kin_test_list_print(kin_str list, char *ret, size_t size)
{
    const kin_object *object = NULL;
    char lines[256][96];
    size_t n = 0;
    kin_iter it;

    assert_code(kin_object_from_json(&object, list, NULL, NULL), 0);
    for (kin_iter_init(&it, kin_object_find(object, "items")); kin_iter_next(&it);)
        print_object(it.value, lines[n++], sizeof(lines[0]));
    kin_object_unref(object);
    print_lines(lines, n, ret, size);
}
