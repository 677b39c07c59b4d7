/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bodies of answers may hold secrets: memory that held a part of one is wiped before it is given back.
 * Decoded objects are not part of this, so a projection leaves the secret out of them.
 */
#include <stdlib.h>
#include <string.h>

#include "alloc.h"
#include "client_support.h"
#include "kinform/path.h"
#include "kinform/projection.h"

#define HUSH "hush-body-5f3a"
#define N_ITEMS 3000
/* Long enough that bodies span several blocks, and differing, so that gzip keeps some of it. */
#define ITEM_FORMAT                                                                                \
    "{\"metadata\":{\"name\":\"s%zu\",\"namespace\":\"ns\",\"resourceVersion\":\"7\"},"            \
    "\"data\":{\"key\":\"" HUSH "%zu\",\"key%zu\":\"%zx" HUSH "\"}}"

struct text {
    char *data;
    size_t len;
};

static void add(struct text *text, const char *before, size_t i, const char *after)
{
    char item[512];

    snprintf(item, sizeof(item), ITEM_FORMAT, i, i, i, i * 2654435761U);
    text->len += (size_t)sprintf(text->data + text->len, "%s%s%s", before, item, after);
}

static void add_plain(struct text *text, const char *more)
{
    text->len += (size_t)sprintf(text->data + text->len, "%s", more);
}

static struct text make_list(void)
{
    struct text text = {calloc(N_ITEMS + 1, 600), 0};

    assert_non_null(text.data);
    add_plain(&text, "{\"kind\":\"SecretList\",\"apiVersion\":\"v1\",\"metadata\":{},\"items\":[");
    for (size_t i = 0; i < N_ITEMS; i++)
        add(&text, i ? "," : "", i, "");
    add_plain(&text, "]}");
    return text;
}

static struct text make_events(void)
{
    struct text text = {calloc(N_ITEMS + 1, 600), 0};

    assert_non_null(text.data);
    for (size_t i = 0; i < N_ITEMS; i++)
        add(&text, "{\"type\":\"ADDED\",\"object\":", i, "}\n");
    return text;
}

/* One object with the secrets of many. */
static struct text make_object(void)
{
    struct text text = {calloc(N_ITEMS + 1, 600), 0};

    assert_non_null(text.data);
    add_plain(&text, "{\"kind\":\"Secret\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"s\","
                     "\"namespace\":\"ns\"},\"data\":{\"many\":[");
    for (size_t i = 0; i < N_ITEMS; i++)
        add(&text, i ? "," : "", i, "");
    add_plain(&text, "]}}");
    return text;
}

struct scene {
    client_fixture f;
    kin_request_options options;
    kin_decode_options decode;
    const kin_projection *projection;
};

static void open_scene(struct scene *s, struct text body, bool gzip)
{
    static const kin_request_options request = KIN_REQUEST_OPTIONS_INIT;
    static const kin_decode_options decode = KIN_DECODE_OPTIONS_INIT;

    assert_code(kin_projection_drop(&s->projection, kin_str_of("data"), NULL), 0);
    client_open(&s->f, NULL, NULL);
    kin_test_http_add_route(
        s->f.server,
        &(kin_test_http_route){.body = body.data,
                               .body_len = body.len,
                               .shape = gzip ? KIN_TEST_HTTP_GZIP : KIN_TEST_HTTP_CHUNKED,
                               .size = gzip ? 0 : 10000});
    s->decode = decode;
    s->decode.projection = s->projection;
    s->options = request;
    s->options.decode = &s->decode;
    kin_test_alloc_look_for(HUSH);
}

static void close_scene(struct scene *s, struct text body)
{
    client_close(&s->f);
    kin_projection_unref(s->projection);
    free(body.data);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

static int count_item(const kin_object *object, void *arg, kin_error *err)
{
    (void)object;
    (void)err;
    ++*(size_t *)arg;
    return 0;
}

static int count_event(enum kin_watch_type type, const kin_object *object, void *arg,
                       kin_error *err)
{
    (void)type;
    return count_item(object, arg, err);
}

static int stop_early(const kin_object *object, void *arg, kin_error *err)
{
    count_item(object, arg, err);
    return *(size_t *)arg == 10 ? kin_error_set(err, KIN_ERANGE, "enough") : 0;
}

static void lists(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct text body = make_list();
        kin_list_item_fn *fn = i < 2 ? count_item : stop_early;
        struct scene s;
        size_t n = 0;

        open_scene(&s, body, i % 2 == 1);
        assert_code(kin_client_list(s.f.client, NULL, s.f.pods, NULL, fn, &n, &s.options, NULL),
                    i < 2 ? 0 : KIN_ERANGE);
        assert_int_equal(n, i < 2 ? N_ITEMS : 10);
        close_scene(&s, body);
    }
}

static void watches(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        struct text body = make_events();
        struct scene s;
        size_t n = 0;

        open_scene(&s, body, i == 1);
        assert_code(kin_client_watch(s.f.client, s.f.pods, NULL, count_event, &n, &s.options, NULL),
                    0);
        assert_int_equal(n, N_ITEMS);
        close_scene(&s, body);
    }
}

/* Also the working memory of the decoder: an object that keeps the secret is released at the end. */
static void objects(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        struct text body = make_object();
        const kin_object *object = NULL;
        struct scene s;

        open_scene(&s, body, i % 2 == 1);
        if (i >= 2)
            s.decode.projection = NULL;
        assert_code(kin_client_get(s.f.client, &object, s.f.pods, "ns", "s", &s.options, NULL), 0);
        assert_int_equal(kin_value_len(kin_object_find(object, "data.many")), i < 2 ? 0 : N_ITEMS);
        close_scene(&s, body);
        kin_object_unref(object);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lists),
        cmocka_unit_test(watches),
        cmocka_unit_test(objects),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
