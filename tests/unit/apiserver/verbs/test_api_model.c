/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random requests, and watches of all sorts beside them: what each watch has told, put together, is
 * at any time what a list with the same selector shows.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "api_support.h"
#include "base/compiler.h"
#include "replayer.h"
#include "rng.h"

enum { STEPS = 10000, N_WATCHES = 8, N_NAMES = 6 };

struct watched {
    kin_test_call call;
    kin_test_replayer replayer;
    char scope[64];     /* the path of the collection */
    char selector[128]; /* as in a query */
    bool is_open;
};

static kin_test_api api;
static kin_test_rng rng;
static struct watched watches[N_WATCHES];

static const char *pick(const char *const *items, size_t n)
{
    return items[kin_test_below(&rng, n)];
}

#define PICK(items) pick(items, kin__array_len(items))

static const char *const spaces[] = {"default", "kube-system"};
static const char *const labels[] = {"x", "y", "z"};

/* Whatever comes of it is good, but for a failure of the server. */
static void ask(const char *line, const char *type, const char *body)
{
    kin_test_request request = {.line = line, .body = body, .content_type = type};
    int status;
    const char *text = kin_test_ask(&api, &request, &status);

    if (status >= 500)
        fail_msg("%s %s: %d %s", line, body ? body : "", status, text);
}

static void write_something(void)
{
    char line[256];
    char body[256];
    const char *space = PICK(spaces);
    unsigned name = (unsigned)kin_test_below(&rng, N_NAMES);
    const char *l = PICK(labels);

    switch (kin_test_below(&rng, 8)) {
    case 0:
    case 1:
    case 2:
        snprintf(line, sizeof(line), "POST /api/v1/namespaces/%s/configmaps", space);
        snprintf(body, sizeof(body),
                 "{\"metadata\":{\"name\":\"n%u\",\"labels\":{\"l\":\"%s\"}%s}}", name, l,
                 kin_test_below(&rng, 8) == 0 ? ",\"finalizers\":[\"k.io/f\"]" : "");
        ask(line, NULL, body);
        break;
    case 3:
        snprintf(line, sizeof(line), "PUT /api/v1/namespaces/%s/configmaps/n%u", space, name);
        snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"n%u\",\"labels\":{\"l\":\"%s\"}}}",
                 name, l);
        ask(line, NULL, body);
        break;
    case 4:
        snprintf(line, sizeof(line), "PATCH /api/v1/namespaces/%s/configmaps/n%u", space, name);
        snprintf(body, sizeof(body), "{\"metadata\":{\"labels\":{\"l\":\"%s\"}}}", l);
        ask(line, "application/merge-patch+json", body);
        break;
    case 5:
        snprintf(line, sizeof(line), "PATCH /api/v1/namespaces/%s/configmaps/n%u", space, name);
        ask(line, "application/json-patch+json",
            "[{\"op\":\"remove\",\"path\":\"/metadata/finalizers\"}]");
        break;
    case 6:
        snprintf(line, sizeof(line), "DELETE /api/v1/namespaces/%s/configmaps/n%u", space, name);
        ask(line, NULL, NULL);
        break;
    default:
        if (kin_test_below(&rng, 10) > 0)
            break;
        snprintf(line, sizeof(line),
                 "DELETE /api/v1/namespaces/%s/configmaps?labelSelector=l%%3D%s", space, l);
        ask(line, NULL, NULL);
    }
}

static void close_watch(struct watched *w)
{
    if (w->is_open)
        kin_test_call_done(&w->call);
    w->is_open = false;
}

static void open_watch(struct watched *w)
{
    static const char *const scopes[] = {"/api/v1/configmaps",
                                         "/api/v1/namespaces/default/configmaps",
                                         "/api/v1/namespaces/kube-system/configmaps"};
    static const char *const selectors[] = {"",
                                            "&labelSelector=l%3Dx",
                                            "&labelSelector=l%21%3Dx",
                                            "&labelSelector=l+in+(x,y)",
                                            "&fieldSelector=metadata.name%3Dn1",
                                            "&fieldSelector=metadata.name%21%3Dn1"};
    char line[512];

    close_watch(w);
    snprintf(w->scope, sizeof(w->scope), "%s", PICK(scopes));
    snprintf(w->selector, sizeof(w->selector), "%s", PICK(selectors));
    kin_test_replayer_init(&w->replayer);
    if (kin_test_below(&rng, 2)) {
        snprintf(line, sizeof(line),
                 "GET %s?watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&"
                 "allowWatchBookmarks=true%s",
                 w->scope, w->selector);
    } else {
        /* A list, and a watch from there on. */
        static char text[65536];
        char print[65536];

        snprintf(line, sizeof(line), "GET %s?x=1%s", w->scope, w->selector);
        snprintf(text, sizeof(text), "%s", kin_test_get(&api, 200, line));
        kin_test_list_print(kin_str_of(text), print, sizeof(print));
        for (char *at = print; *at; at += strlen(at) + 1) {
            at[strcspn(at, "\n")] = '\0';
            snprintf(w->replayer.lines[w->replayer.n++], sizeof(w->replayer.lines[0]), "%.90s", at);
        }
        w->replayer.is_behind_initial = true;
        snprintf(line, sizeof(line), "GET %s?watch=1&resourceVersion=%s%s", w->scope,
                 kin_test_member(text, "resourceVersion"), w->selector);
    }
    kin_test_call_start(&api, &w->call, &(kin_test_request){.line = line});
    kin_test_call_wait(&w->call);
    assert_int_equal(w->call.reply.status, 200);
    w->is_open = true;
}

static void check_watch(struct watched *w)
{
    char line[512];
    static char told[65536];
    static char listed[65536];

    if (!w->is_open)
        return;
    kin_test_call_read(&w->call, 1 + kin_test_below(&rng, 500));
    if (w->call.text.len > 0)
        assert_int_equal(kin_test_replayer_read(&w->replayer, kin__buf_str(&w->call.text)),
                         w->call.text.len);
    kin__buf_reset(&w->call.text);
    if (w->replayer.defect[0])
        fail_msg("%s%s: %s", w->scope, w->selector, w->replayer.defect);
    if (w->call.has_ended) {
        assert_true(w->replayer.has_error); /* it was too slow */
        close_watch(w);
        return;
    }
    kin_test_replayer_print(&w->replayer, told, sizeof(told));
    snprintf(line, sizeof(line), "GET %s?x=1%s", w->scope, w->selector);
    kin_test_list_print(kin_str_of(kin_test_get(&api, 200, line)), listed, sizeof(listed));
    if (strcmp(told, listed) != 0)
        fail_msg("%s%s: told\n%s\nlisted\n%s", w->scope, w->selector, told, listed);
}

static void watches_tell_what_lists_show(void **unused)
{
    kin_error err = KIN_ERROR_INIT;
    unsigned n_slow = 0;

    (void)unused;
    /* A short past, so that some watches are too slow. */
    assert_code(
        kin_test_api_try_start(&api, NULL, &(kin__state_options){.window_changes = 60}, &err), 0);
    rng.state = 42;
    for (unsigned i = 0; i < STEPS; i++) {
        struct watched *w = &watches[kin_test_below(&rng, N_WATCHES)];

        write_something();
        if (kin_test_below(&rng, 100) == 0)
            open_watch(w);
        if (kin_test_below(&rng, 10) == 0) {
            bool was_open = w->is_open;

            check_watch(w);
            n_slow += was_open && !w->is_open;
        }
        if (kin_test_below(&rng, 1000) == 0)
            kin__state_compact(api.state);
    }
    for (size_t i = 0; i < N_WATCHES; i++) {
        check_watch(&watches[i]);
        close_watch(&watches[i]);
    }
    assert_true(n_slow > 0);
    kin_test_api_stop(&api);
    assert_int_equal(kin_test_alloc_live(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(watches_tell_what_lists_show),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
