/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP/2 servers do what they are told, as libcurl sees it.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "certificates.h"
#include "h2_server.h"
#include "http_client.h"

#define MANY 40

static kin_test_h2 *start(bool standard, unsigned streams)
{
    kin_test_h2 *h2 = NULL;
    const char *why = kin_test_h2_start(
        &h2, &(kin_test_h2_options){.certificate_file = kin_test_group_pki->server.certificate_file,
                                    .key_file = kin_test_group_pki->server.key_file,
                                    .standard = standard,
                                    .streams = streams});

    if (why) {
        print_message("skipped: %s\n", why);
        skip();
    }
    return h2;
}

/* --- clients --- */

struct transfer {
    CURL *easy;
    char *body;
    size_t len;
    bool done;
    CURLcode code;
};

static size_t take(char *data, size_t size, size_t n, void *arg)
{
    struct transfer *transfer = arg;
    char *grown = realloc(transfer->body, transfer->len + size * n + 1);

    if (!grown)
        return 0;
    memcpy(grown + transfer->len, data, size * n);
    transfer->body = grown;
    transfer->len += size * n;
    transfer->body[transfer->len] = '\0';
    return size * n;
}

static void transfer_init(struct transfer *transfer, const kin_test_h2 *h2, const char *path)
{
    char url[256];

    *transfer = (struct transfer){.easy = curl_easy_init()};
    snprintf(url, sizeof(url), "%s%s", kin_test_h2_url(h2), path);
    curl_easy_setopt(transfer->easy, CURLOPT_URL, url);
    curl_easy_setopt(transfer->easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(transfer->easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_CAINFO, kin_test_group_pki->ca.certificate_file);
    curl_easy_setopt(transfer->easy, CURLOPT_HTTP_VERSION, CURL_HTTP_VERSION_2TLS);
    curl_easy_setopt(transfer->easy, CURLOPT_PIPEWAIT, 1L);
    curl_easy_setopt(transfer->easy, CURLOPT_TIMEOUT_MS, (long)KIN_TEST_TIMEOUT_MS);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEFUNCTION, take);
    curl_easy_setopt(transfer->easy, CURLOPT_WRITEDATA, transfer);
    curl_easy_setopt(transfer->easy, CURLOPT_PRIVATE, transfer);
}

static void transfer_done(struct transfer *transfer)
{
    curl_easy_cleanup(transfer->easy);
    free(transfer->body);
}

static CURLcode get(const kin_test_h2 *h2, const char *path, const char *body)
{
    struct transfer transfer;

    transfer_init(&transfer, h2, path);
    CURLcode code = curl_easy_perform(transfer.easy);

    if (body)
        assert_string_equal(transfer.body ? transfer.body : "", body);
    transfer_done(&transfer);
    return code;
}

/* Let libcurl work once, and note who has ended. */
static void turn(CURLM *multi)
{
    int running = 0;
    int left = 0;
    const CURLMsg *message = NULL;

    curl_multi_poll(multi, NULL, 0, 20, NULL);
    curl_multi_perform(multi, &running);
    while ((message = curl_multi_info_read(multi, &left)) != NULL) {
        char *private = NULL;

        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &private);
        struct transfer *transfer = (struct transfer *)(void *)private;

        transfer->done = true;
        transfer->code = message->data.result;
    }
}

static void start_all(CURLM *multi, struct transfer *transfers, size_t n, const kin_test_h2 *h2,
                      const char *path)
{
    for (size_t i = 0; i < n; i++) {
        transfer_init(&transfers[i], h2, path);
        curl_multi_add_handle(multi, transfers[i].easy);
    }
}

/* Until the server counts so many. */
static void turn_until(CURLM *multi, kin_test_h2 *h2, const char *what, int64_t n)
{
    while (kin_test_h2_count(h2, what) < n)
        turn(multi);
}

static void finish_all(CURLM *multi, struct transfer *transfers, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        while (!transfers[i].done)
            turn(multi);
        curl_multi_remove_handle(multi, transfers[i].easy);
    }
}

static void done_all(struct transfer *transfers, size_t n)
{
    for (size_t i = 0; i < n; i++)
        transfer_done(&transfers[i]);
}

/* --- both --- */

static void answers(bool standard)
{
    kin_test_h2 *h2 = start(standard, 0);
    struct transfer transfer;
    long version = 0;

    transfer_init(&transfer, h2, "/x");
    assert_int_equal(curl_easy_perform(transfer.easy), CURLE_OK);
    curl_easy_getinfo(transfer.easy, CURLINFO_HTTP_VERSION, &version);
    assert_int_equal(version, CURL_HTTP_VERSION_2_0);
    assert_string_equal(transfer.body, "h2\n");
    transfer_done(&transfer);
    assert_int_equal(get(h2, "/size/5", "xxxxx"), CURLE_OK);
    transfer_init(&transfer, h2, "/size/3000000");
    assert_int_equal(curl_easy_perform(transfer.easy), CURLE_OK);
    assert_int_equal(transfer.len, 3000000);
    transfer_done(&transfer);
    transfer_init(&transfer, h2, "/echo");
    curl_easy_setopt(transfer.easy, CURLOPT_POSTFIELDS, "to and fro");
    assert_int_equal(curl_easy_perform(transfer.easy), CURLE_OK);
    assert_string_equal(transfer.body, "to and fro");
    transfer_done(&transfer);
    kin_test_h2_await(h2, "closed", 4);
    assert_int_equal(kin_test_h2_count(h2, "connections"), 4);
    assert_int_equal(kin_test_h2_count(h2, "streams"), 4);
    assert_int_equal(kin_test_h2_count(h2, "open"), 0);
    assert_int_equal(kin_test_h2_count(h2, "not_h2"), 0);
    kin_test_h2_stop(h2);
}

static void frames_answer(void **state)
{
    (void)state;
    answers(false);
}

static void the_standard_answers(void **state)
{
    (void)state;
    answers(true);
}

/* Many watches on one connection get every event. */
static void watches(bool standard)
{
    kin_test_h2 *h2 = start(standard, 0);
    CURLM *multi = curl_multi_init();
    struct transfer transfers[MANY];

    start_all(multi, transfers, MANY, h2, "/watch");
    turn_until(multi, h2, "watches", MANY);
    assert_int_equal(kin_test_h2_count(h2, "connections"), 1);
    assert_int_equal(kin_test_h2_count(h2, "most"), MANY);
    kin_test_h2_order(h2, "event first of them");
    kin_test_h2_order(h2, "event second");
    kin_test_h2_order(h2, "end");
    finish_all(multi, transfers, MANY);
    for (size_t i = 0; i < MANY; i++) {
        assert_int_equal(transfers[i].code, CURLE_OK);
        assert_string_equal(transfers[i].body, "first of them\nsecond\n");
    }
    done_all(transfers, MANY);
    curl_multi_cleanup(multi);
    kin_test_h2_stop(h2);
}

static void frames_are_watched(void **state)
{
    (void)state;
    watches(false);
}

static void the_standard_is_watched(void **state)
{
    (void)state;
    watches(true);
}

static void end_of_many(bool standard, const char *command)
{
    kin_test_h2 *h2 = start(standard, 0);
    CURLM *multi = curl_multi_init();
    struct transfer transfers[MANY];

    start_all(multi, transfers, MANY, h2, "/watch");
    turn_until(multi, h2, "watches", MANY);
    kin_test_h2_order(h2, "%s", command);
    finish_all(multi, transfers, MANY);
    for (size_t i = 0; i < MANY; i++)
        assert_int_not_equal(transfers[i].code, CURLE_OK);
    kin_test_h2_await(h2, "closed", 1);
    done_all(transfers, MANY);
    curl_multi_cleanup(multi);
    kin_test_h2_stop(h2);
}

static void the_connection_of_many_streams_ends(void **state)
{
    static const char *const commands[] = {"close", "abort"};

    (void)state;
    for (size_t i = 0; i < 2; i++) {
        end_of_many(false, commands[i]);
        end_of_many(true, commands[i]);
    }
    end_of_many(false, "goaway ENHANCE_YOUR_CALM");
}

static void a_frozen_server_is_silent(void **state)
{
    (void)state;
    for (int standard = 0; standard < 2; standard++) {
        kin_test_h2 *h2 = start(standard, 0);
        struct transfer transfer;

        kin_test_h2_order(h2, "freeze");
        transfer_init(&transfer, h2, "/x");
        curl_easy_setopt(transfer.easy, CURLOPT_TIMEOUT_MS, 50L);
        assert_int_equal(curl_easy_perform(transfer.easy), CURLE_OPERATION_TIMEDOUT);
        transfer_done(&transfer);
        kin_test_h2_order(h2, "thaw");
        assert_int_equal(get(h2, "/x", "h2\n"), CURLE_OK);
        kin_test_h2_stop(h2);
    }
}

static size_t pause_after(const char *data, size_t size, size_t n, void *arg)
{
    size_t *left = arg;

    (void)data;
    if (*left < size * n)
        return CURL_WRITEFUNC_PAUSE;
    *left -= size * n;
    return size * n;
}

/*
 * libcurl 7.88 does not say that it has given up a paused stream before the connection is used
 * again, so that is done here.
 */
static void a_flood_ends_when_it_is_given_up(void **state)
{
    kin_test_h2 *h2 = start(false, 0);
    CURLM *multi = curl_multi_init();
    struct transfer transfers[2];
    size_t left = 100000;

    (void)state;
    start_all(multi, transfers, 1, h2, "/flood");
    curl_easy_setopt(transfers[0].easy, CURLOPT_WRITEFUNCTION, pause_after);
    curl_easy_setopt(transfers[0].easy, CURLOPT_WRITEDATA, &left);
    turn_until(multi, h2, "sent", 100000);
    curl_multi_remove_handle(multi, transfers[0].easy);
    start_all(multi, transfers + 1, 1, h2, "/x");
    finish_all(multi, transfers + 1, 1);
    turn_until(multi, h2, "resets", 1);
    kin_test_h2_await(h2, "ended", 2);
    assert_int_equal(kin_test_h2_count(h2, "active"), 0);
    assert_int_equal(kin_test_h2_count(h2, "connections"), 1);
    done_all(transfers, 2);
    curl_multi_cleanup(multi);
    kin_test_h2_stop(h2);
}

/* --- frames --- */

static void one_stream_of_many_is_reset(void **state)
{
    kin_test_h2 *h2 = start(false, 0);
    CURLM *multi = curl_multi_init();
    struct transfer watchers[3];
    struct transfer stalled[1];

    (void)state;
    start_all(multi, watchers, 3, h2, "/watch");
    start_all(multi, stalled, 1, h2, "/stall");
    turn_until(multi, h2, "active", 4);
    turn_until(multi, h2, "watches", 3);
    kin_test_h2_order(h2, "reset INTERNAL_ERROR /stall");
    finish_all(multi, stalled, 1);
    assert_int_equal(stalled[0].code, CURLE_HTTP2_STREAM);
    kin_test_h2_order(h2, "event on and on");
    kin_test_h2_order(h2, "end");
    finish_all(multi, watchers, 3);
    for (size_t i = 0; i < 3; i++)
        assert_string_equal(watchers[i].body, "on and on\n");
    assert_int_equal(kin_test_h2_count(h2, "connections"), 1);
    done_all(watchers, 3);
    done_all(stalled, 1);
    curl_multi_cleanup(multi);
    kin_test_h2_stop(h2);
}

static void wrong_answers_are_seen(void **state)
{
    kin_test_h2 *h2 = start(false, 0);

    (void)state;
    assert_int_equal(get(h2, "/reset/PROTOCOL_ERROR/10", "xxxxxxxxxx"), CURLE_HTTP2_STREAM);
    assert_int_equal(get(h2, "/reset/INTERNAL_ERROR/0", ""), CURLE_HTTP2_STREAM);
    assert_int_not_equal(get(h2, "/short/3", NULL), CURLE_OK);
    assert_int_equal(get(h2, "/status/204", ""), CURLE_OK);
    assert_int_equal(get(h2, "/trailers", "h2\n"), CURLE_OK);
    assert_int_equal(get(h2, "/headers/40000", "h2\n"), CURLE_OK);
    kin_test_h2_stop(h2);
}

static void streams_above_the_limit_wait(void **state)
{
    (void)state;
    for (int standard = 0; standard < 2; standard++) {
        kin_test_h2 *h2 = start(standard, 5);
        CURLM *multi = curl_multi_init();
        struct transfer transfers[MANY];

        curl_multi_setopt(multi, CURLMOPT_MAX_HOST_CONNECTIONS, 1L);
        /* The limit has to be known before there is more than one. */
        start_all(multi, transfers, 1, h2, "/x");
        finish_all(multi, transfers, 1);
        done_all(transfers, 1);
        start_all(multi, transfers, MANY, h2, "/watch");
        turn_until(multi, h2, "watches", 5);
        for (int64_t ended = 1; ended <= MANY;) {
            kin_test_h2_order(h2, "end");
            turn(multi);
            ended = kin_test_h2_count(h2, "ended");
        }
        finish_all(multi, transfers, MANY);
        for (size_t i = 0; i < MANY; i++)
            assert_int_equal(transfers[i].code, CURLE_OK);
        assert_true(kin_test_h2_count(h2, "most") <= 5);
        assert_int_equal(kin_test_h2_count(h2, "refused"), 0);
        assert_int_equal(kin_test_h2_count(h2, "connections"), 1);
        done_all(transfers, MANY);
        curl_multi_cleanup(multi);
        kin_test_h2_stop(h2);
    }
}

static void the_limit_may_change(void **state)
{
    kin_test_h2 *h2 = start(false, 0);
    CURLM *multi = curl_multi_init();
    struct transfer transfers[1];

    (void)state;
    start_all(multi, transfers, 1, h2, "/watch");
    turn_until(multi, h2, "settings_acks", 1);
    turn_until(multi, h2, "watches", 1);
    kin_test_h2_order(h2, "streams 1");
    turn_until(multi, h2, "settings_acks", 2);
    kin_test_h2_order(h2, "end");
    finish_all(multi, transfers, 1);
    assert_int_equal(transfers[0].code, CURLE_OK);
    done_all(transfers, 1);
    curl_multi_cleanup(multi);
    kin_test_h2_stop(h2);
}

/* What is there goes on, what is new gets another connection. */
static void goaway(bool standard)
{
    kin_test_h2 *h2 = start(standard, 0);
    CURLM *multi = curl_multi_init();
    struct transfer old[1];
    struct transfer new[1];

    start_all(multi, old, 1, h2, "/watch");
    turn_until(multi, h2, "watches", 1);
    if (standard) {
        start_all(multi, new, 1, h2, "/goaway");
        finish_all(multi, new, 1);
        assert_string_equal(new[0].body, "h2\n");
        done_all(new, 1);
    } else {
        kin_test_h2_order(h2, "goaway graceful");
        turn(multi);
    }
    start_all(multi, new, 1, h2, "/x");
    finish_all(multi, new, 1);
    assert_int_equal(new[0].code, CURLE_OK);
    kin_test_h2_order(h2, "event still here");
    kin_test_h2_order(h2, "end");
    finish_all(multi, old, 1);
    assert_int_equal(old[0].code, CURLE_OK);
    assert_string_equal(old[0].body, "still here\n");
    assert_int_equal(kin_test_h2_count(h2, "connections"), 2);
    done_all(old, 1);
    done_all(new, 1);
    curl_multi_cleanup(multi);
    kin_test_h2_await(h2, "closed", 2);
    kin_test_h2_stop(h2);
}

static void goaway_of_frames_is_graceful(void **state)
{
    (void)state;
    goaway(false);
}

static void goaway_of_the_standard_is_graceful(void **state)
{
    (void)state;
    goaway(true);
}

static void the_standard_aborts(void **state)
{
    kin_test_h2 *h2 = start(true, 0);

    (void)state;
    assert_int_equal(get(h2, "/abort/5", "xxxxx"), CURLE_HTTP2_STREAM);
    assert_int_equal(get(h2, "/abort/0", ""), CURLE_HTTP2_STREAM);
    kin_test_h2_stop(h2);
}

/* A request's body that is not taken stops at 64 KiB. */
static void a_body_is_held_up(void **state)
{
    kin_test_h2 *h2 = start(false, 0);
    CURLM *multi = curl_multi_init();
    struct transfer transfers[1];
    char *body = calloc(1, 200000);

    (void)state;
    assert_non_null(body);
    start_all(multi, transfers, 1, h2, "/hold");
    curl_easy_setopt(transfers[0].easy, CURLOPT_POSTFIELDS, body);
    curl_easy_setopt(transfers[0].easy, CURLOPT_POSTFIELDSIZE, 200000L);
    turn_until(multi, h2, "received", 65535);
    for (int i = 0; i < 5; i++)
        turn(multi);
    assert_int_equal(kin_test_h2_count(h2, "received"), 65535);
    curl_multi_remove_handle(multi, transfers[0].easy);
    done_all(transfers, 1);
    curl_multi_cleanup(multi);
    kin_test_h2_await(h2, "closed", 1);
    free(body);
    kin_test_h2_stop(h2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_answer),
        cmocka_unit_test(the_standard_answers),
        cmocka_unit_test(frames_are_watched),
        cmocka_unit_test(the_standard_is_watched),
        cmocka_unit_test(the_connection_of_many_streams_ends),
        cmocka_unit_test(a_frozen_server_is_silent),
        cmocka_unit_test(a_flood_ends_when_it_is_given_up),
        cmocka_unit_test(one_stream_of_many_is_reset),
        cmocka_unit_test(wrong_answers_are_seen),
        cmocka_unit_test(streams_above_the_limit_wait),
        cmocka_unit_test(the_limit_may_change),
        cmocka_unit_test(goaway_of_frames_is_graceful),
        cmocka_unit_test(goaway_of_the_standard_is_graceful),
        cmocka_unit_test(the_standard_aborts),
        cmocka_unit_test(a_body_is_held_up),
    };

    curl_global_init(CURL_GLOBAL_DEFAULT);
    int failed = cmocka_run_group_tests(tests, kin_test_pki_setup, kin_test_pki_teardown);

    curl_global_cleanup();
    return failed;
}
