/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identities from a plugin: when it is run, who waits for it, and what its failures lead to.
 *
 * The plugins are lines of shell that add a byte to the file "runs" each time; where a test needs one
 * to hang, it reads from a named pipe until the test writes to it.
 */
#include "kin_test.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "credentials_support.h"
#include "kinform/time.h"
#include "latch.h"
#include "oom.h"

#define START (1700000000 * KIN__SECOND) /* of wall time */

struct fixture {
    kin_config config;
    shell_plugin plugin;
    kin_clock *clock;
    remembering log;
    kin__credentials *credentials;
};

/* The script counts its run first. */
static void fixture_init(struct fixture *f, const char *server, const char *before,
                         const char *status)
{
    char counting[1024];

    snprintf(counting, sizeof(counting), "printf x >>%s; %s", in_folder("runs"), before);
    memset(f, 0, sizeof(*f));
    shell_plugin_init(&f->plugin, answering(counting, status));
    f->config = config_for(server);
    f->config.exec = &f->plugin.exec;
    assert_code(kin_clock_new_fake(&f->clock, START, NULL), 0);
    remembering_init(&f->log);
    assert_code(kin__credentials_new(&f->credentials, &f->config, f->clock, f->log.logger, NULL),
                0);
}

static void fixture_done(struct fixture *f)
{
    kin__credentials_free(f->credentials);
    kin_clock_unref(f->clock);
    remembering_done(&f->log);
}

static void pass_ms(struct fixture *f, int64_t ms)
{
    assert_code(kin_clock_advance(f->clock, ms * KIN__MILLISECOND, NULL), 0);
}

static int try(struct fixture *f, kin_error *err)
{
    kin__identity identity = {KIN__SECRET_INIT, NULL, 0};
    int code = kin__credentials_get(f->credentials, &identity, INT64_MAX, NULL, err);

    kin__identity_done(&identity);
    return code;
}

static size_t runs(void)
{
    return file_size("runs");
}

/* {"token":"hush-1","expirationTimestamp":START + seconds} */
static const char *expiring(int64_t seconds)
{
    static char status[256];
    char time[KIN_TIME_TEXT_SIZE];
    kin_time t = {START / KIN__SECOND + seconds, 0};

    kin_time_format(time, sizeof(time), t, 0);
    snprintf(status, sizeof(status), "{\"token\":\"hush-1\",\"expirationTimestamp\":\"%s\"}", time);
    return status;
}

/* --- when it is run --- */

static void is_run_once_where_nothing_expires(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", "", "{\"token\":\"hush-1\"}");
    assert_int_equal(runs(), 0);
    assert_sends(f.credentials, "Bearer hush-1");
    pass_ms(&f, 86400000);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 1);
    kin__identity identity = get_identity(f.credentials);
    assert_non_null(identity.tls);
    assert_null(identity.tls->certificate.data);
    kin__identity_done(&identity);
    assert_false(has_logged(&f.log, "hush"));
    fixture_done(&f);
}

static void is_run_again_when_it_has_expired(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", "", expiring(60));
    assert_sends(f.credentials, "Bearer hush-1");
    pass_ms(&f, 59999);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 1);
    pass_ms(&f, 1);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 2);
    fixture_done(&f);
}

/* By our clock: the server may have another. */
static void takes_what_has_expired_already_but_not_for_long(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", "", expiring(-3600));
    assert_sends(f.credentials, "Bearer hush-1");
    assert_true(has_logged(&f.log, "is the clock right?"));
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 1);
    pass_ms(&f, 1000);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 2);
    fixture_done(&f);
}

static void is_run_again_when_it_was_refused(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", "", "{\"token\":\"hush-1\"}");
    kin__identity first = get_identity(f.credentials);
    kin__identity second = get_identity(f.credentials);
    /* It was asked just now. */
    assert_false(kin__credentials_rejected(f.credentials, &first));
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 1);
    pass_ms(&f, 1000);
    assert_true(kin__credentials_rejected(f.credentials, &first));
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 2);
    /* All that were refused together cause one run, even if it gave the same. */
    pass_ms(&f, 1000);
    assert_true(kin__credentials_rejected(f.credentials, &second));
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 2);
    kin__identity_done(&first);
    kin__identity_done(&second);
    fixture_done(&f);
}

static void is_not_run_where_there_is_something_else(void **state)
{
    kin_config config = config_for("https://host");
    kin__credentials *credentials;
    shell_plugin plugin;

    (void)state;
    shell_plugin_init(&plugin, "exit 1");
    config.exec = &plugin.exec;
    set_secret(&config.token, "inline");
    assert_code(kin__credentials_new(&credentials, &config, kin_clock_system(), NULL, NULL), 0);
    assert_sends(credentials, "Bearer inline");
    kin__credentials_free(credentials);
    config_done(&config);
}

/* --- what it gives --- */

#define JSON_PEM(label, letters)                                                                   \
    "-----BEGIN " label "-----\\n" letters "\\n-----END " label "-----\\n"

static void gives_certificates_too(void **state)
{
    char before[512];
    struct fixture f;

    (void)state;
    write_file("ca", CERTIFICATE("CCC1"));
    /* The certificate and the token that the files "letters" and "token" say. */
    snprintf(
        before, sizeof(before),
        "cat <<END\n{\"kind\":\"ExecCredential\",\"apiVersion\":\"" V1
        "\",\"status\":{\"clientCertificateData\":\"" JSON_PEM(
            "CERTIFICATE",
            "$(cat %s)") "\",\"clientKeyData\":\"" JSON_PEM("PRIVATE KEY",
                                                            "BBBB") "\",\"token\":\"$(cat %s)\"}}\nEND\nexit",
        in_folder("letters"), in_folder("token"));
    write_file("letters", "AAA1");
    write_file("token", "");
    fixture_init(&f, "https://host", before, "{}");
    f.config.ca_file = in_folder("ca");
    kin__credentials_free(f.credentials);
    assert_code(kin__credentials_new(&f.credentials, &f.config, f.clock, f.log.logger, NULL), 0);

    kin__identity first = get_identity(f.credentials);
    assert_null(first.authorization.data);
    assert_string_equal(first.tls->certificate.data, CERTIFICATE("AAA1"));
    assert_string_equal(first.tls->key.data, KEY("BBBB"));
    assert_string_equal(first.tls->ca.data, CERTIFICATE("CCC1"));

    /* Another token: the connections stay. */
    write_file("token", "hush-1");
    pass_ms(&f, 1000);
    assert_true(kin__credentials_rejected(f.credentials, &first));
    kin__identity second = get_identity(f.credentials);
    assert_string_equal(second.authorization.data, "Bearer hush-1");
    assert_ptr_equal(second.tls, first.tls);

    /* Another certificate: other material. */
    write_file("letters", "AAA2");
    pass_ms(&f, 1000);
    assert_true(kin__credentials_rejected(f.credentials, &second));
    kin__identity third = get_identity(f.credentials);
    assert_string_equal(third.tls->certificate.data, CERTIFICATE("AAA2"));
    assert_true(third.tls->generation != second.tls->generation);

    /* Another CA: the plugin's certificate stays. */
    write_file("ca", CERTIFICATE("CCC2"));
    pass_ms(&f, 10000);
    kin__identity fourth = get_identity(f.credentials);
    assert_string_equal(fourth.tls->certificate.data, CERTIFICATE("AAA2"));
    assert_string_equal(fourth.tls->ca.data, CERTIFICATE("CCC2"));
    assert_int_equal(runs(), 3);
    kin__identity_done(&first);
    kin__identity_done(&second);
    kin__identity_done(&third);
    kin__identity_done(&fourth);
    fixture_done(&f);
}

static void is_told_of_the_cluster(void **state)
{
    char before[512];
    struct fixture f;

    (void)state;
    write_file("ca", CERTIFICATE("CCC1"));
    snprintf(before, sizeof(before), "printf %%s \"$KUBERNETES_EXEC_INFO\" >%s", in_folder("info"));
    fixture_init(&f, "https://host", before, "{\"token\":\"t\"}");
    f.config.ca_file = in_folder("ca");
    f.plugin.exec.provide_cluster_info = true;
    kin__credentials_free(f.credentials);
    assert_code(kin__credentials_new(&f.credentials, &f.config, f.clock, NULL, NULL), 0);
    assert_sends(f.credentials, "Bearer t");
    char info[1024] = "";
    FILE *file = fopen(in_folder("info"), "re");
    assert_non_null(file);
    assert_true(fread(info, 1, sizeof(info) - 1, file) > 0);
    fclose(file);
    assert_non_null(strstr(info, "\"server\":\"https://host\""));
    assert_non_null(strstr(info, "\"certificate-authority-data\":\"LS0tLS1CRUdJTiBD"));
    assert_non_null(strstr(info, "\"interactive\":false"));
    fixture_done(&f);
}

/* --- failures --- */

static void says_why_it_failed_and_waits_before_the_next_run(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char before[512];
    struct fixture f;

    (void)state;
    snprintf(before, sizeof(before), "[ -e %s ] || exit 7", in_folder("good"));
    fixture_init(&f, "https://host", before, "{\"token\":\"hush-1\"}");
    f.plugin.exec.install_hint = text("try harder");
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "failed with exit status 7: try harder"));
    assert_int_equal(err.flags, 0);
    kin_error_clear(&err);
    pass_ms(&f, 999);
    write_file("good", "");
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "exit status 7"));
    assert_int_equal(runs(), 1);
    pass_ms(&f, 1);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(runs(), 2);
    assert_int_equal(f.log.n_warnings, 1);
    fixture_done(&f);
}

static void does_not_go_on_with_what_has_expired(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    char before[512];
    struct fixture f;

    (void)state;
    snprintf(before, sizeof(before), "[ ! -e %s ] || exit 7", in_folder("bad"));
    fixture_init(&f, "https://host", before, expiring(60));
    assert_sends(f.credentials, "Bearer hush-1");
    write_file("bad", "");
    pass_ms(&f, 60000);
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_int_equal(runs(), 2);
    fixture_done(&f);
}

static void cannot_run_what_must_talk_where_nobody_is(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct fixture f;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

    (void)state;
    assert_int_equal(dup2(null, 0), 0);
    close(null);
    fixture_init(&f, "https://host", "", "{\"token\":\"hush-1\"}");
    f.plugin.exec.interactive = KIN__INTERACTIVE_ALWAYS;
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "standard input is no terminal"));
    assert_int_equal(runs(), 0);
    fixture_done(&f);
}

static void says_what_is_wrong_with_its_answer(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", "echo hush; exit 0", "");
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "what exec plugin /bin/sh wrote is of no use: it is not"));
    assert_null(strstr(err.message, "hush"));
    assert_false(has_logged(&f.log, "hush"));
    fixture_done(&f);
    fixture_init(&f, "https://host", "", "{}");
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "neither a token"));
    fixture_done(&f);
}

/* --- waiting --- */

struct waiter {
    struct fixture *f;
    kin__thread thread;
    int64_t deadline;
    atomic_bool cancelled;
    int code;
    kin_error err;
    char token[64];
};

static void wait_for_it(void *arg)
{
    struct waiter *waiter = arg;
    kin__identity identity = {KIN__SECRET_INIT, NULL, 0};

    waiter->err = (kin_error)KIN_ERROR_INIT;
    waiter->code = kin__credentials_get(waiter->f->credentials, &identity, waiter->deadline,
                                        &waiter->cancelled, &waiter->err);
    if (waiter->code == 0)
        snprintf(waiter->token, sizeof(waiter->token), "%s", identity.authorization.data);
    kin__identity_done(&identity);
}

static void waiter_start(struct waiter *waiter, struct fixture *f, int64_t deadline)
{
    waiter->f = f;
    waiter->deadline = deadline;
    waiter->thread = KIN__THREAD_INIT;
    waiter->token[0] = '\0';
    atomic_init(&waiter->cancelled, false);
    assert_code(kin__thread_start(&waiter->thread, "waiter", wait_for_it, waiter, NULL), 0);
}

/* A plugin that says by one named pipe that it runs, and waits for a line from another. */
static const char *hanging(void)
{
    static char before[600];

    assert_int_equal(mkfifo(in_folder("go"), 0600), 0);
    assert_int_equal(mkfifo(in_folder("here"), 0600), 0);
    snprintf(before, sizeof(before), "echo here >%s; read x <%s", in_folder("here"),
             in_folder("go"));
    return before;
}

/* Opening blocks until the other side is there. */
static void await_plugin(void)
{
    char bytes[8];
    int fd = open(in_folder("here"), O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_true(read(fd, bytes, sizeof(bytes)) > 0);
    close(fd);
}

static void let_go(void)
{
    int fd = open(in_folder("go"), O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "\n", 1), 1);
    close(fd);
}

static void is_run_once_for_all_who_wait(void **state)
{
    struct waiter waiters[8];
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", hanging(), "{\"token\":\"hush-1\"}");
    int64_t deadline = kin_clock_now(f.clock) + 1000 * KIN__SECOND;
    for (size_t i = 0; i < 8; i++)
        waiter_start(&waiters[i], &f, deadline);
    /* The plugin waits on the clock, too. */
    assert_code(kin_clock_await_waiters(f.clock, 9, KIN_TEST_TIMEOUT_MS, NULL), 0);
    await_plugin();
    let_go();
    for (size_t i = 0; i < 8; i++) {
        kin__thread_join(&waiters[i].thread, NULL);
        assert_code(waiters[i].code, 0);
        assert_string_equal(waiters[i].token, "Bearer hush-1");
    }
    assert_int_equal(runs(), 1);
    fixture_done(&f);
}

static void who_gives_up_leaves_it_running(void **state)
{
    struct waiter late;
    struct waiter cancelled;
    struct waiter patient;
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", hanging(), "{\"token\":\"hush-1\"}");
    int64_t now = kin_clock_now(f.clock);
    waiter_start(&late, &f, now + 5 * KIN__SECOND);
    waiter_start(&cancelled, &f, now + 1000 * KIN__SECOND);
    waiter_start(&patient, &f, now + 1000 * KIN__SECOND);
    assert_code(kin_clock_await_waiters(f.clock, 4, KIN_TEST_TIMEOUT_MS, NULL), 0);
    await_plugin();

    pass_ms(&f, 5000);
    kin__thread_join(&late.thread, NULL);
    assert_code(late.code, KIN_ETIMEOUT);
    assert_non_null(strstr(late.err.message, "waiting for exec plugin /bin/sh"));
    atomic_store(&cancelled.cancelled, true);
    kin__credentials_wake(f.credentials);
    kin__thread_join(&cancelled.thread, NULL);
    assert_code(cancelled.code, KIN_ECANCELED);

    let_go();
    kin__thread_join(&patient.thread, NULL);
    assert_code(patient.code, 0);
    assert_int_equal(runs(), 1);
    fixture_done(&f);
}

static void is_ended_when_it_takes_too_long(void **state)
{
    struct waiter waiter;
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", hanging(), "{\"token\":\"hush-1\"}");
    waiter_start(&waiter, &f, INT64_MAX);
    await_plugin();
    assert_code(kin_clock_await_waiters(f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    pass_ms(&f, 60000);
    kin__thread_join(&waiter.thread, NULL);
    assert_code(waiter.code, KIN_EDENIED);
    assert_non_null(strstr(waiter.err.message, "took too long"));
    fixture_done(&f);
}

static void may_take_as_long_as_it_is_told(void **state)
{
    struct waiter waiter;
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", hanging(), "{\"token\":\"hush-1\"}");
    kin__credentials_set_plugin_timeout(f.credentials, 100 * KIN__SECOND);
    waiter_start(&waiter, &f, INT64_MAX);
    await_plugin();
    assert_code(kin_clock_await_waiters(f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    pass_ms(&f, 99999);
    /* Still waited for: neither its time nor the waiter's is over. */
    assert_code(kin_clock_await_waiters(f.clock, 1, KIN_TEST_TIMEOUT_MS, NULL), 0);
    let_go();
    kin__thread_join(&waiter.thread, NULL);
    assert_code(waiter.code, 0);
    fixture_done(&f);
}

static void is_ended_with_its_owner(void **state)
{
    struct waiter waiter;
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", hanging(), "{\"token\":\"hush-1\"}");
    waiter_start(&waiter, &f, kin_clock_now(f.clock) + KIN__SECOND);
    await_plugin();
    assert_code(kin_clock_await_waiters(f.clock, 2, KIN_TEST_TIMEOUT_MS, NULL), 0);
    pass_ms(&f, 1000);
    kin__thread_join(&waiter.thread, NULL);
    assert_code(waiter.code, KIN_ETIMEOUT);
    kin__credentials_free(f.credentials); /* would never return if it waited for the plugin */
    f.credentials = NULL;
    assert_int_equal(f.log.n_warnings, 0);
    fixture_done(&f);
}

/* --- memory --- */

static int run_twice(void *arg, kin_error *err)
{
    struct fixture *f = arg;
    kin__identity identity = {KIN__SECRET_INIT, NULL, 0};
    kin__credentials *credentials;
    int code = kin__credentials_new(&credentials, &f->config, f->clock, NULL, err);

    if (code < 0)
        return code;
    for (int i = 0; i < 2 && code == 0; i++) {
        code = kin__credentials_get(credentials, &identity, INT64_MAX, NULL, err);
        pass_ms(f, 1000);
        if (code == 0) {
            kin__credentials_rejected(credentials, &identity);
            kin__identity_done(&identity);
        }
    }
    kin__credentials_free(credentials);
    return code;
}

static void survives_without_memory_and_leaves_nothing(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host", "",
                 "{\"token\":\"quiet-1\",\"clientCertificateData\":\"" JSON_PEM(
                     "CERTIFICATE", "AAAA") "\",\"clientKeyData\":\"" JSON_PEM("PRIVATE KEY",
                                                                               "quietKey") "\"}");
    kin_test_alloc_look_for("quiet");
    kin_test_fail_each_allocation(run_twice, &f);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
    fixture_done(&f);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_FOLDER(is_run_once_where_nothing_expires),
        WITH_FOLDER(is_run_again_when_it_has_expired),
        WITH_FOLDER(takes_what_has_expired_already_but_not_for_long),
        WITH_FOLDER(is_run_again_when_it_was_refused),
        WITH_FOLDER(is_not_run_where_there_is_something_else),
        WITH_FOLDER(gives_certificates_too),
        WITH_FOLDER(is_told_of_the_cluster),
        WITH_FOLDER(says_why_it_failed_and_waits_before_the_next_run),
        WITH_FOLDER(does_not_go_on_with_what_has_expired),
        WITH_FOLDER(cannot_run_what_must_talk_where_nobody_is),
        WITH_FOLDER(says_what_is_wrong_with_its_answer),
        WITH_FOLDER(is_run_once_for_all_who_wait),
        WITH_FOLDER(who_gives_up_leaves_it_running),
        WITH_FOLDER(is_ended_when_it_takes_too_long),
        WITH_FOLDER(may_take_as_long_as_it_is_told),
        WITH_FOLDER(is_ended_with_its_owner),
        WITH_FOLDER(survives_without_memory_and_leaves_nothing),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
