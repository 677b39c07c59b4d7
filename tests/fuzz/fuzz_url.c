/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Targets from any texts: decoded by a plain decoder, they are what was asked for, and a name never
 * is more than one segment.
 */
#include <string.h>

#include "base/memory.h"
#include "client/url.h"
#include "fuzz.h"

/* A terminated copy, up to the first zero byte. */
static const char *copy(char *room, kin_str text)
{
    memcpy(room, text.data ? text.data : "", text.len);
    room[text.len] = '\0';
    return room;
}

static int digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    FUZZ_CHECK(c >= 'A' && c <= 'F');
    return c - 'A' + 10;
}

/* The text that stands for `encoded`, in `room`. Everything in it is printable ASCII. */
static kin_str decode(char *room, kin_str encoded)
{
    size_t n = 0;

    for (size_t i = 0; i < encoded.len; i++) {
        FUZZ_CHECK(encoded.data[i] > 0x20 && encoded.data[i] < 0x7f);
        if (encoded.data[i] == '%') {
            FUZZ_CHECK(i + 2 < encoded.len);
            room[n++] = (char)(digit(encoded.data[i + 1]) * 16 + digit(encoded.data[i + 2]));
            i += 2;
        } else {
            room[n++] = encoded.data[i];
        }
    }
    return kin_str_make(room, n);
}

/* Cut at the first of `c`; what stood before it. */
static kin_str cut(kin_str *rest, char c)
{
    size_t i = 0;

    while (i < rest->len && rest->data[i] != c)
        i++;
    kin_str head = kin_str_make(rest->data, i);
    size_t skip = i < rest->len ? i + 1 : i;
    *rest = kin_str_make(rest->data + skip, rest->len - skip);
    return head;
}

static void check_segment(kin_str *path, const char *expected)
{
    char room[1024];
    kin_str segment = cut(path, '/');

    FUZZ_CHECK(segment.len > 0 && !memchr(segment.data, '?', segment.len));
    FUZZ_CHECK(kin_str_equal(decode(room, segment), kin_str_of(expected)));
}

static void check_query(kin_str query, const char *name, const char *expected)
{
    char room[1024];
    bool found = false;

    while (query.len > 0) {
        kin_str value = cut(&query, '&');
        kin_str key = cut(&value, '=');

        if (kin_str_equal(key, kin_str_of(name))) {
            FUZZ_CHECK(!found && kin_str_equal(decode(room, value), kin_str_of(expected)));
            found = true;
        }
    }
    FUZZ_CHECK(found == (*expected != '\0'));
}

static void check_target(kin_str target, const kin__request *request)
{
    kin_str path = cut(&target, '?');

    FUZZ_CHECK(cut(&path, '/').len == 0);
    check_segment(&path, "api");
    check_segment(&path, "v1");
    check_segment(&path, "namespaces");
    check_segment(&path, request->namespace_);
    check_segment(&path, "pods");
    if (request->verb == KIN_VERB_GET) {
        check_segment(&path, request->name);
        if (*request->options->subresource)
            check_segment(&path, request->options->subresource);
    } else {
        check_query(target, "labelSelector", request->options->label_selector);
        check_query(target, "fieldSelector", request->options->field_selector);
        check_query(target, "continue", request->options->continue_token);
    }
    FUZZ_CHECK(path.len == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const kin_resource_spec spec = {sizeof(spec), NULL, "v1", "pods", NULL, false};
    fuzz_input in = {data, size};
    kin_request_options options = KIN_REQUEST_OPTIONS_INIT;
    kin__request request = {.options = &options};
    kin_resource *pods = NULL;
    char rooms[3][256];
    char *target = NULL;
    bool one = fuzz_byte(&in) % 2;

    FUZZ_CHECK(kin_resource_new(&pods, &spec, NULL) == 0);
    request.resource = pods;
    request.verb = one ? KIN_VERB_GET : KIN_VERB_LIST;
    request.namespace_ = copy(rooms[0], fuzz_str(&in));
    if (one) {
        request.name = copy(rooms[1], fuzz_str(&in));
        options.subresource = copy(rooms[2], fuzz_str(&in));
    } else {
        options.label_selector = copy(rooms[1], fuzz_str(&in));
        options.field_selector = copy(rooms[2], fuzz_str(&in));
        options.continue_token = options.field_selector;
    }
    int code = kin__request_target(&target, &request, NULL);
    FUZZ_CHECK(code == 0 || code == KIN_EINVAL);
    if (code == 0 && *request.namespace_)
        check_target(kin_str_of(target), &request);
    kin__free(target);
    kin_resource_unref(pods);
    return 0;
}
