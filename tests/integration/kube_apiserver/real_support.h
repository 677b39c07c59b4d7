/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A real kube-apiserver, from tools/kube-apiserver, for the tests of one executable, and clients of
 * it. They take long, and so does building one: without KIN_KUBE_APISERVER=1, or the folder of the
 * programs in its place, they are skipped, aloud. `make cluster` sets it.
 */
#ifndef KIN_TEST_REAL_SUPPORT_H
#define KIN_TEST_REAL_SUPPORT_H

#include <stdatomic.h>

#include "kin_test.h"
#include "kinform.h"
#include "latch.h"

/* Of a group: the server is started before its first test and ended after its last. */
int real_setup(void **state);
/* The same with one more flag of kube-apiserver. */
int real_setup_with(const char *flag);
int real_teardown(void **state);

#define run_real_tests(tests) cmocka_run_group_tests(tests, real_setup, real_teardown)

/* A client of the server, and what most tests need. */
typedef struct real {
    kin_client *client;
    kin_resource *configmaps;
    const char *namespace_; /* one of its own */
} real;

/* As the administrator, in a new namespace; skips the test where there is no server. */
void real_open(real *r, const char *namespace_);
void real_close(real *r);

/* Skips the test where there is no server. BORROWED for the group. */
const char *real_kubeconfig(void);
/* The text of a file that lies beside the kubeconfig: "ca.crt". OWNED: free(). */
char *real_file(const char *name);
/* "compact", "restart"; it is done when this returns. */
void real_order(const char *order);

/* A client as a user of the kubeconfig; `options` may be NULL. No rate limit. */
kin_client *real_client(const char *context, const kin_client_options *options);
/* The resource that a name means. */
kin_resource *real_resource(kin_client *client, const char *name);

/* A document, printf-like. */
const kin_object *real_object(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Create one and give the answer; the namespace may be NULL. */
const kin_object *real_create(real *r, kin_resource *resource, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Config maps in the namespace: their names, and a value "a". */
void real_create_configmap(real *r, const char *name, const char *value);
/* Change "a" of one. */
void real_set_configmap(real *r, const char *name, const char *value);
void real_delete_configmap(real *r, const char *name);

/* A string or a number at a path as text; "" if there is none. BORROWED until the next but 8. */
const char *real_text(const kin_object *object, const char *path);
/* The same of the resource version. */
const char *real_version(const kin_object *object);

/* What callbacks were told: "ADDED:a MODIFIED:a", names only; bookmarks "BOOKMARK:" or, the one that
 * ends initial events, "END:". */
typedef struct real_seen {
    char text[8192];
    size_t n;
    size_t stop_at; /* fail with KIN_ERANGE when so many were seen; 0: never */
    kin_test_latch told;
} real_seen;

void real_seen_init(real_seen *seen);
void real_seen_done(real_seen *seen);
int real_see_item(const kin_object *object, void *seen, kin_error *err);
int real_see_event(enum kin_watch_type type, const kin_object *object, void *seen, kin_error *err);

/* A watch that nobody waits for, of the namespace's config maps. */
kin_call *real_watch(real *r, real_seen *seen, const kin_request_options *options);

/* The expression succeeds; failing that, `err` is printed. */
#define assert_good(expression, err)                                                               \
    real_assert((expression), 0, (err), #expression, __FILE__, __LINE__)
/* It fails with this code, this reason, and an answer of this HTTP status. */
#define assert_fails(expression, code, status, why, err)                                           \
    do {                                                                                           \
        kin_error_clear(err);                                                                      \
        real_assert((expression), (code), (err), #expression, __FILE__, __LINE__);                 \
        assert_int_equal((err)->http_status, (status));                                            \
        assert_string_equal((err)->reason, (why));                                                 \
    } while (0)
void real_assert(int actual, int expected, const kin_error *err, const char *expression,
                 const char *file, int line);

#endif
