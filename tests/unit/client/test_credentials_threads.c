/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Files that are rotated, and a plugin that is run again and again, under threads that ask for
 * identities and have them refused. Nobody ever sees a half: certificate and key are of one number.
 */
#include "kin_test.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/thread.h"
#include "credentials_support.h"

#define THREADS 4
#define ROTATIONS 60

struct asker {
    kin__thread thread;
    kin__credentials *credentials;
    const atomic_bool *over;
    unsigned n;
    bool is_wrong;
};

/* The number behind "letters" in a PEM of ours. */
static long number_in(const kin__secret *pem)
{
    const char *line = strchr(pem->data, '\n');

    return strtol(line + 2, NULL, 10);
}

/* Once at least: a thread may begin when all is over. */
static void ask(void *arg)
{
    struct asker *asker = arg;

    do {
        kin__identity identity = {KIN__SECRET_INIT, NULL, 0};

        if (kin__credentials_get(asker->credentials, &identity, INT64_MAX, NULL, NULL) < 0) {
            asker->is_wrong = true;
            break;
        }
        if (identity.tls && identity.tls->certificate.len > 0 &&
            number_in(&identity.tls->certificate) != number_in(&identity.tls->key))
            asker->is_wrong = true;
        if (identity.authorization.len > 0 &&
            strncmp(identity.authorization.data, "Bearer hush-", 12) != 0)
            asker->is_wrong = true;
        if (asker->n++ % 16 == 0)
            kin__credentials_rejected(asker->credentials, &identity);
        if (asker->n % 16 == 8)
            kin__credentials_distrusted(asker->credentials, &identity);
        kin__identity_done(&identity);
    } while (!atomic_load(asker->over) && !asker->is_wrong);
}

static void askers_start(struct asker *askers, kin__credentials *credentials,
                         const atomic_bool *over)
{
    for (size_t i = 0; i < THREADS; i++) {
        askers[i] = (struct asker){KIN__THREAD_INIT, credentials, over, 0, false};
        assert_code(kin__thread_start(&askers[i].thread, "asker", ask, &askers[i], NULL), 0);
    }
}

static void askers_join(struct asker *askers)
{
    for (size_t i = 0; i < THREADS; i++) {
        kin__thread_join(&askers[i].thread, NULL);
        assert_false(askers[i].is_wrong);
        assert_true(askers[i].n > 0);
    }
}

/* As kubelets do it: a new folder with all files, and one link that is exchanged. */
static void rotate(unsigned i)
{
    char name[64];
    char pem[128];

    snprintf(name, sizeof(name), "%u", i);
    assert_int_equal(mkdir(in_folder(name), 0700), 0);
    snprintf(name, sizeof(name), "%u/crt", i);
    snprintf(pem, sizeof(pem), CERTIFICATE("A%uAAA"), 1000 + i);
    write_file(name, pem);
    snprintf(name, sizeof(name), "%u/key", i);
    snprintf(pem, sizeof(pem), KEY("A%uAAA"), 1000 + i);
    write_file(name, pem);
    snprintf(name, sizeof(name), "%u/token", i);
    snprintf(pem, sizeof(pem), "hush-%u", i);
    write_file(name, pem);
    snprintf(name, sizeof(name), "%u/ca", i);
    write_file(name, i % 2 ? CERTIFICATE("AAAA") : CERTIFICATE("BBBB"));
    snprintf(name, sizeof(name), "%u", i);
    assert_int_equal(symlink(name, in_folder("next")), 0);
    assert_int_equal(rename(in_folder("next"), in_folder("data")), 0);
}

static void rotates_files_under_threads(void **state)
{
    kin_config config = config_for("https://host");
    struct asker askers[THREADS];
    kin__credentials *credentials;
    atomic_bool over = false;
    static const char *const names[] = {"data/crt", "data/key", "data/ca", "data/token"};
    char paths[4][256];
    kin_clock *clock;

    (void)state;
    for (size_t i = 0; i < 4; i++)
        snprintf(paths[i], sizeof(paths[i]), "%s", in_folder(names[i]));
    config.certificate_file = paths[0];
    config.key_file = paths[1];
    config.ca_file = paths[2];
    config.token_file = paths[3];
    rotate(0);
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    assert_code(kin__credentials_new(&credentials, &config, clock, NULL, NULL), 0);
    kin__identity first = get_identity(credentials);
    askers_start(askers, credentials, &over);
    for (unsigned i = 1; i <= ROTATIONS; i++) {
        rotate(i);
        assert_code(kin_clock_advance(clock, 20 * KIN__SECOND, NULL), 0);
    }
    atomic_store(&over, true);
    askers_join(askers);
    kin_clock_advance(clock, 60 * KIN__SECOND, NULL);
    kin__identity last = get_identity(credentials);
    assert_int_equal(number_in(&last.tls->certificate), 1000 + ROTATIONS);
    assert_string_equal(last.authorization.data, "Bearer hush-60");
    assert_int_equal(number_in(&first.tls->certificate), 1000);
    kin__identity_done(&first);
    kin__identity_done(&last);
    kin__credentials_free(credentials);
    kin_clock_unref(clock);
}

static void runs_a_plugin_under_threads(void **state)
{
    kin_config config = config_for("https://host");
    struct asker askers[THREADS];
    kin__credentials *credentials;
    atomic_bool over = false;
    shell_plugin plugin;
    char script[256];
    kin_clock *clock;

    (void)state;
    snprintf(script, sizeof(script), "printf x >>%s", in_folder("runs"));
    shell_plugin_init(&plugin, answering(script, "{\"token\":\"hush-1\"}"));
    config.exec = &plugin.exec;
    assert_code(kin_clock_new_fake(&clock, 0, NULL), 0);
    assert_code(kin__credentials_new(&credentials, &config, clock, NULL, NULL), 0);
    /* The clock runs much faster than the plugin. */
    kin__credentials_set_plugin_timeout(credentials, INT64_MAX);
    askers_start(askers, credentials, &over);
    /* Each second it may run once more; so many runs, and the test is over. */
    while (file_size("runs") < 10)
        assert_code(kin_clock_advance(clock, KIN__SECOND / 100, NULL), 0);
    atomic_store(&over, true);
    askers_join(askers);
    kin__credentials_free(credentials);
    kin_clock_unref(clock);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(rotates_files_under_threads, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(runs_a_plugin_under_threads, folder_setup, folder_teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
