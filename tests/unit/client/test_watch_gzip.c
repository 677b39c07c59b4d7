/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Watches in gzip with one member per flush, as Kubernetes 1.37 sends streaming lists: over HTTP/1.1, in both encodings.
 */
#include "client_support.h"

#include <string.h>
#include <zlib.h>

#include "alloc.h"
#include "base/compiler.h"
#include "protobuf_support.h"

#define PROTOBUF "application/vnd.kubernetes.protobuf;stream=watch"

enum { N_EVENTS = 3, MEMBERS_MAX = 8 };

/* What a server sends: members, each flushed when it is whole. */
struct script {
    const char *content_type;
    kin__buf members[MEMBERS_MAX];
    size_t n;
    size_t split;  /* bytes of a piece; 0: whole */
    bool in_turns; /* the server waits after each member */
    bool is_cut;   /* the connection ends without the last chunk */
};

static const char *const events[N_EVENTS] = {EVENT("ADDED", "a", "1"), EVENT("MODIFIED", "a", "2"),
                                             EVENT("DELETED", "a", "3")};
static const char *const types[N_EVENTS] = {"ADDED", "MODIFIED", "DELETED"};
static const char *const pods[N_EVENTS] = {"1{ 1:a 6:1 }", "1{ 1:a 6:2 }", "1{ 1:a 6:3 }"};

#define ALL "ADDED:a MODIFIED:a DELETED:a"

static void script_init(struct script *script, bool is_protobuf)
{
    *script = (struct script){.content_type = is_protobuf ? PROTOBUF : "application/json"};
}

static void script_done(struct script *script)
{
    for (size_t i = 0; i < script->n; i++)
        kin__buf_done(&script->members[i]);
}

static kin__buf *add_bytes(struct script *script, kin_str bytes)
{
    kin__buf *member = &script->members[script->n++];

    assert_true(script->n <= MEMBERS_MAX);
    kin__buf_init(member, KIN_TEST_PROTOBUF_MAX);
    kin__buf_append(member, bytes);
    return member;
}

static void add_member(struct script *script, kin_str text)
{
    unsigned char packed[1024];
    z_stream stream = {.next_in = (unsigned char *)kin__unconst(text.data),
                       .avail_in = (unsigned)text.len,
                       .next_out = packed,
                       .avail_out = sizeof(packed)};

    assert_int_equal(deflateInit2(&stream, 6, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    add_bytes(script, kin_str_make((const char *)packed, sizeof(packed) - stream.avail_out));
    deflateEnd(&stream);
}

/* Event i as the server writes it. */
static void make_event(kin__buf *text, bool is_protobuf, size_t i)
{
    kin__buf_init(text, KIN_TEST_PROTOBUF_MAX);
    if (is_protobuf)
        kin_test_pb_append_event(text, types[i], "v1", "Pod", pods[i]);
    else
        kin__buf_append(text, kin_str_of(events[i]));
}

static void add_event(struct script *script, bool is_protobuf, size_t i)
{
    kin__buf text;

    make_event(&text, is_protobuf, i);
    add_member(script, kin__buf_str(&text));
    kin__buf_done(&text);
}

static void serve(kin_test_http_conn *conn, const kin_test_http_request *request, void *arg)
{
    const struct script *script = arg;

    assert_non_null(strstr(kin_test_http_field_of(request, "Accept-Encoding"), "gzip"));
    kin_test_http_status(conn, 200);
    kin_test_http_header(conn, "Content-Type", script->content_type);
    kin_test_http_header(conn, "Content-Encoding", "gzip");
    kin_test_http_split(conn, script->split);
    for (size_t i = 0; i < script->n; i++) {
        kin_test_http_chunk(conn, script->members[i].data, script->members[i].len);
        if (script->in_turns)
            kin_test_http_stall(conn);
    }
    if (script->is_cut)
        kin_test_http_abandon(conn);
    else
        kin_test_http_end_chunks(conn);
}

static void open_client(client_fixture *f, struct script *script)
{
    kin_client_options options = KIN_CLIENT_OPTIONS_INIT;

    options.max_retries = -1;
    client_open(f, &options, &(kin_test_http_options){.handler = serve, .arg = script});
}

static void assert_watch(struct script *script, int code, const char *text)
{
    client_seen seen = {.n = 0};
    kin_error err = KIN_ERROR_INIT;
    client_fixture f;

    open_client(&f, script);
    assert_code(kin_client_watch(f.client, f.pods, NULL, client_see_event, &seen, NULL, &err),
                code);
    assert_string_equal(seen.text, text);
    client_close(&f);
}

/* --- tests --- */

static void members_come_in_pieces(void **state)
{
    static const size_t splits[] = {1, 2, 7, 0};

    (void)state;
    for (int is_protobuf = 0; is_protobuf < 2; is_protobuf++) {
        for (size_t i = 0; i < kin__array_len(splits); i++) {
            struct script script;

            script_init(&script, is_protobuf);
            script.split = splits[i];
            for (size_t k = 0; k < N_EVENTS; k++) {
                add_event(&script, is_protobuf, k);
                add_member(&script, kin_str_of("")); /* a flush of nothing */
            }
            assert_watch(&script, 0, ALL);
            script_done(&script);
        }
    }
}

/* Flushes do not know where events end. */
static void an_event_is_in_two_members(void **state)
{
    (void)state;
    for (int is_protobuf = 0; is_protobuf < 2; is_protobuf++) {
        kin__buf text;

        make_event(&text, is_protobuf, 1);
        for (size_t cut = 1; cut < text.len; cut++) {
            struct script script;

            script_init(&script, is_protobuf);
            add_event(&script, is_protobuf, 0);
            add_member(&script, kin_str_make(text.data, cut));
            add_member(&script, kin_str_make(text.data + cut, text.len - cut));
            add_event(&script, is_protobuf, 2);
            assert_watch(&script, 0, ALL);
            script_done(&script);
        }
        kin__buf_done(&text);
    }
}

/* Nothing of an event waits for the next member. */
static void each_event_is_delivered_at_once(void **state)
{
    (void)state;
    for (int is_protobuf = 0; is_protobuf < 2; is_protobuf++) {
        struct script script;
        client_told told;
        client_fixture f;

        script_init(&script, is_protobuf);
        script.in_turns = true;
        for (size_t i = 0; i < N_EVENTS; i++)
            add_event(&script, is_protobuf, i);
        open_client(&f, &script);
        client_told_init(&told);
        kin_call_unref(client_start(&f, KIN_VERB_WATCH, &told, NULL));
        for (unsigned i = 1; i <= N_EVENTS; i++) {
            kin_test_latch_wait(&told.told, i);
            assert_int_equal(told.seen.n, i);
            kin_test_http_await_stalled(f.server, 1);
            kin_test_http_release(f.server, 1);
        }
        client_assert_ended(&told, 0);
        assert_string_equal(told.seen.text, ALL);
        client_told_done(&told);
        client_close(&f);
        script_done(&script);
    }
}

/* The events before it are delivered; the watch fails. */
static void garbage_follows_a_member(void **state)
{
    (void)state;
    for (int is_protobuf = 0; is_protobuf < 2; is_protobuf++) {
        struct script script;
        client_told told;
        client_fixture f;

        script_init(&script, is_protobuf);
        script.in_turns = true;
        add_event(&script, is_protobuf, 0);
        add_bytes(&script, kin_str_of("garbage"));
        open_client(&f, &script);
        client_told_init(&told);
        kin_call_unref(client_start(&f, KIN_VERB_WATCH, &told, NULL));
        kin_test_latch_wait(&told.told, 1);
        kin_test_http_release_all(f.server);
        client_assert_ended(&told, KIN_EPROTOCOL);
        assert_string_equal(told.seen.text, "ADDED:a");
        client_told_done(&told);
        client_close(&f);
        script_done(&script);
    }
}

/* At each byte of the second member, with and without the end of the chunks. */
static void a_member_is_cut(void **state)
{
    (void)state;
    for (int is_protobuf = 0; is_protobuf < 2; is_protobuf++) {
        for (int is_cut = 0; is_cut < 2; is_cut++) {
            struct script script;
            size_t len;

            script_init(&script, is_protobuf);
            script.is_cut = is_cut;
            add_event(&script, is_protobuf, 0);
            add_event(&script, is_protobuf, 1);
            len = script.members[1].len;
            for (size_t cut = len; cut-- > 1;) {
                client_seen seen = {.n = 0};
                kin_error err = KIN_ERROR_INIT;
                client_fixture f;
                int code;

                script.members[1].len = cut;
                open_client(&f, &script);
                code =
                    kin_client_watch(f.client, f.pods, NULL, client_see_event, &seen, NULL, &err);
                if (code != KIN_ECONNECT && code != KIN_EPROTOCOL)
                    fail_msg("%zu of %zu bytes: %s: %s", cut, len, kin_error_name(code),
                             err.message);
                assert_true(err.flags & KIN_ERROR_RETRIABLE);
                /* The text may be there before the checksum is. */
                if (strcmp(seen.text, "ADDED:a") != 0)
                    assert_string_equal(seen.text, "ADDED:a MODIFIED:a");
                client_close(&f);
            }
            script_done(&script);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        client_test(members_come_in_pieces),
        client_test(an_event_is_in_two_members),
        client_test(each_event_is_delivered_at_once),
        client_test(garbage_follows_a_member),
        client_test(a_member_is_cut),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
