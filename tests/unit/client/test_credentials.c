/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Identities from settings and files: what is sent, how files that change are followed, and what a
 * refusal does.
 */
#include "kin_test.h"

#include <string.h>
#include <unistd.h>

#include "alloc.h"
#include "base/clock.h"
#include "child.h"
#include "credentials_support.h"
#include "oom.h"

struct fixture {
    kin_config config;
    kin_clock *clock;
    remembering log;
    kin__credentials *credentials;
};

static void fixture_init(struct fixture *f, const char *server)
{
    memset(f, 0, sizeof(*f));
    f->config = config_for(server);
    assert_code(kin_clock_new_fake(&f->clock, 0, NULL), 0);
    remembering_init(&f->log);
}

static void start(struct fixture *f)
{
    assert_code(kin__credentials_new(&f->credentials, &f->config, f->clock, f->log.logger, NULL),
                0);
}

static void fixture_done(struct fixture *f)
{
    kin__credentials_free(f->credentials);
    config_done(&f->config);
    kin_clock_unref(f->clock);
    remembering_done(&f->log);
}

static void pass(struct fixture *f, int64_t seconds)
{
    assert_code(kin_clock_advance(f->clock, seconds * KIN__SECOND, NULL), 0);
}

static int try(struct fixture *f, kin_error *err)
{
    kin__identity identity = {KIN__SECRET_INIT, NULL, 42};
    int code = kin__credentials_get(f->credentials, &identity, INT64_MAX, NULL, err);

    assert_true(code < 0);
    assert_true(identity.generation == 42 && !identity.tls && !identity.authorization.data);
    return code;
}

/* --- settings --- */

static void sends_what_the_settings_say(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "http://host");
    start(&f);
    assert_sends(f.credentials, NULL);
    kin__identity identity = get_identity(f.credentials);
    assert_null(identity.tls);
    assert_false(kin__credentials_rejected(f.credentials, &identity));
    kin__identity_done(&identity);
    fixture_done(&f);

    fixture_init(&f, "https://host");
    set_secret(&f.config.token, "hush-1");
    start(&f);
    assert_sends(f.credentials, "Bearer hush-1");
    identity = get_identity(f.credentials);
    assert_non_null(identity.tls);
    assert_null(identity.tls->certificate.data);
    assert_null(identity.tls->ca.data);
    assert_false(kin__credentials_rejected(f.credentials, &identity));
    kin__identity_done(&identity);
    fixture_done(&f);

    fixture_init(&f, "https://host");
    f.config.username = text("user");
    set_secret(&f.config.password, "p\xc3\xa4ss");
    start(&f);
    assert_sends(f.credentials, "Basic dXNlcjpww6Rzcw==");
    fixture_done(&f);

    fixture_init(&f, "https://host");
    f.config.username = text("user");
    start(&f);
    assert_sends(f.credentials, "Basic dXNlcjo=");
    fixture_done(&f);
}

static void has_material_from_the_settings(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host");
    set_secret(&f.config.certificate_data, CERTIFICATE("AAAA"));
    set_secret(&f.config.key_data, KEY("BBBB"));
    set_secret(&f.config.ca_data, CERTIFICATE("CCCC"));
    start(&f);
    kin__identity one = get_identity(f.credentials);
    assert_string_equal(one.tls->certificate.data, CERTIFICATE("AAAA"));
    assert_string_equal(one.tls->key.data, KEY("BBBB"));
    assert_string_equal(one.tls->ca.data, CERTIFICATE("CCCC"));
    pass(&f, 3600);
    kin__identity other = get_identity(f.credentials);
    assert_ptr_equal(one.tls, other.tls);
    assert_false(kin__credentials_rejected(f.credentials, &other));
    kin__identity_done(&one);
    kin__identity_done(&other);
    fixture_done(&f);
}

static void refuses_settings_that_cannot_be_used(void **state)
{
    kin_config config = config_for("http://host");
    kin__credentials *credentials = NULL;

    (void)state;
    set_secret(&config.token, "hush");
    assert_code(kin__credentials_new(&credentials, &config, kin_clock_system(), NULL, NULL),
                KIN_EINVAL);
    assert_null(credentials);
    config_done(&config);
    kin__credentials_free(NULL);
}

/* --- token files --- */

static void token_fixture(struct fixture *f, const char *token)
{
    fixture_init(f, "http://localhost");
    f->config.token_file = in_folder("token");
    if (token)
        write_file("token", token);
    start(f);
}

static void reads_a_token_again_when_it_is_old(void **state)
{
    struct fixture f;

    (void)state;
    token_fixture(&f, " \n hush-1\r\n");
    assert_sends(f.credentials, "Bearer hush-1");
    write_file("token", "hush-2");
    pass(&f, 49);
    assert_sends(f.credentials, "Bearer hush-1");
    pass(&f, 1);
    assert_sends(f.credentials, "Bearer hush-2");
    overwrite_file("token", "hush-3\n");
    pass(&f, 50);
    assert_sends(f.credentials, "Bearer hush-3");
    assert_int_equal(f.log.n, 0);
    fixture_done(&f);
}

static void keeps_a_token_that_cannot_be_read_again(void **state)
{
    struct fixture f;

    (void)state;
    token_fixture(&f, "hush-1");
    assert_sends(f.credentials, "Bearer hush-1");
    remove_file("token");
    pass(&f, 50);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(f.log.n_warnings, 1);
    assert_true(has_logged(&f.log, "/token: No such file"));
    /* Said once; looked for again all the same. */
    write_file("token", "\n");
    pass(&f, 60);
    assert_sends(f.credentials, "Bearer hush-1");
    write_file("token", "hu\x01sh");
    pass(&f, 60);
    assert_sends(f.credentials, "Bearer hush-1");
    assert_int_equal(f.log.n_warnings, 1);
    write_file("token", "hush-2");
    pass(&f, 9);
    assert_sends(f.credentials, "Bearer hush-1");
    pass(&f, 1);
    assert_sends(f.credentials, "Bearer hush-2");
    /* And said again, after it was well. */
    remove_file("token");
    pass(&f, 50);
    assert_sends(f.credentials, "Bearer hush-2");
    assert_int_equal(f.log.n_warnings, 2);
    assert_false(has_logged(&f.log, "hush"));
    fixture_done(&f);
}

static void fails_without_a_token_to_go_with(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct fixture f;

    (void)state;
    token_fixture(&f, NULL);
    assert_code(try(&f, &err), KIN_ESYSTEM);
    assert_non_null(strstr(err.message, "token file: /tmp/"));
    assert_code(try(&f, &err), KIN_ESYSTEM);
    write_file("token", " \n");
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "/token is empty"));
    write_file("token", "hush\nhush");
    assert_code(try(&f, &err), KIN_EDENIED);
    assert_non_null(strstr(err.message, "control characters"));
    assert_null(strstr(err.message, "hush"));
    /* It need not wait once it is there. */
    write_file("token", "hush-1");
    assert_sends(f.credentials, "Bearer hush-1");
    fixture_done(&f);
}

static void takes_the_inline_token_until_the_file_was_read(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "http://localhost");
    f.config.token_file = in_folder("token");
    set_secret(&f.config.token, "inline");
    start(&f);
    assert_sends(f.credentials, "Bearer inline");
    /* Refused, and still all there is. */
    kin__identity used = get_identity(f.credentials);
    assert_true(kin__credentials_rejected(f.credentials, &used));
    kin__identity_done(&used);
    assert_sends(f.credentials, "Bearer inline");
    write_file("token", "hush-1");
    pass(&f, 10);
    assert_sends(f.credentials, "Bearer hush-1");
    remove_file("token");
    pass(&f, 50);
    assert_sends(f.credentials, "Bearer hush-1");
    fixture_done(&f);
}

static void reads_a_token_again_when_it_was_refused(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct fixture f;

    (void)state;
    token_fixture(&f, "hush-1");
    kin__identity first = get_identity(f.credentials);
    kin__identity second = get_identity(f.credentials);
    write_file("token", "hush-2");
    assert_sends(f.credentials, "Bearer hush-1");
    assert_true(kin__credentials_rejected(f.credentials, &first));
    assert_sends(f.credentials, "Bearer hush-2");
    /* Of an older token: there is a newer one, which is not dropped. */
    write_file("token", "hush-3");
    assert_true(kin__credentials_rejected(f.credentials, &second));
    assert_sends(f.credentials, "Bearer hush-2");
    kin__identity_done(&first);
    kin__identity_done(&second);
    /* What was refused is not used any more. */
    first = get_identity(f.credentials);
    remove_file("token");
    assert_true(kin__credentials_rejected(f.credentials, &first));
    assert_code(try(&f, &err), KIN_ESYSTEM);
    kin__identity_done(&first);
    fixture_done(&f);
}

/* --- certificates --- */

static void tls_fixture(struct fixture *f)
{
    fixture_init(f, "https://host");
    f->config.certificate_file = in_folder("crt");
    f->config.key_file = in_folder("key");
    f->config.ca_file = in_folder("ca");
    write_file("crt", CERTIFICATE("AAA1"));
    write_file("key", KEY("BBB1"));
    write_file("ca", CERTIFICATE("CCC1"));
    start(f);
}

/* The letters that its parts have are these; returns its generation. */
static uint64_t assert_material(struct fixture *f, const char *certificate, const char *key,
                                const char *ca)
{
    kin__identity identity = get_identity(f->credentials);
    uint64_t generation = identity.tls->generation;

    assert_non_null(strstr(identity.tls->certificate.data, certificate));
    assert_non_null(strstr(identity.tls->key.data, key));
    assert_non_null(strstr(identity.tls->ca.data, ca));
    kin__identity_done(&identity);
    return generation;
}

static void follows_certificates_and_cas(void **state)
{
    struct fixture f;

    (void)state;
    tls_fixture(&f);
    uint64_t first = assert_material(&f, "AAA1", "BBB1", "CCC1");
    write_file("crt", CERTIFICATE("AAA2"));
    write_file("key", KEY("BBB2"));
    pass(&f, 9);
    assert_true(assert_material(&f, "AAA1", "BBB1", "CCC1") == first);
    pass(&f, 1);
    uint64_t second = assert_material(&f, "AAA2", "BBB2", "CCC1");
    assert_true(second != first);
    /* Written again with the same content: nothing is new. */
    write_file("crt", CERTIFICATE("AAA2"));
    pass(&f, 10);
    assert_true(assert_material(&f, "AAA2", "BBB2", "CCC1") == second);
    overwrite_file("ca", CERTIFICATE("CCC2"));
    pass(&f, 10);
    assert_true(assert_material(&f, "AAA2", "BBB2", "CCC2") != second);
    assert_int_equal(f.log.n, 0);
    fixture_done(&f);
}

static void keeps_material_while_files_are_unusable(void **state)
{
    struct fixture f;

    (void)state;
    tls_fixture(&f);
    uint64_t first = assert_material(&f, "AAA1", "BBB1", "CCC1");
    write_file("crt", "-----BEGIN CERTIFICATE-----\nAAA2\n");
    remove_file("ca");
    pass(&f, 10);
    assert_true(assert_material(&f, "AAA1", "BBB1", "CCC1") == first);
    assert_int_equal(f.log.n_warnings, 2);
    assert_true(has_logged(&f.log, "/crt holds a block without an end"));
    assert_true(has_logged(&f.log, "/ca: No such file"));
    /* One that is well again is taken, whatever the other is. */
    write_file("ca", CERTIFICATE("CCC2"));
    pass(&f, 10);
    assert_material(&f, "AAA1", "BBB1", "CCC2");
    write_file("ca", "");
    pass(&f, 10);
    assert_material(&f, "AAA1", "BBB1", "CCC2");
    assert_int_equal(f.log.n_warnings, 3);
    fixture_done(&f);
}

static void fails_without_material_to_go_with(void **state)
{
    kin_error err = KIN_ERROR_INIT;
    struct fixture f;

    (void)state;
    tls_fixture(&f);
    remove_file("key");
    assert_code(try(&f, &err), KIN_ETLS);
    assert_non_null(strstr(err.message, "/key"));
    write_file("key", KEY("BBB1"));
    write_file("ca", "");
    /* The CA is read first; nothing else is lost by that. */
    kin__credentials_free(f.credentials);
    start(&f);
    assert_code(try(&f, &err), KIN_ETLS);
    assert_non_null(strstr(err.message, "certificate authority: "));
    write_file("ca", CERTIFICATE("CCC1"));
    assert_material(&f, "AAA1", "BBB1", "CCC1");
    fixture_done(&f);
}

static void waits_for_the_other_half_of_a_pair(void **state)
{
    struct fixture f;

    (void)state;
    tls_fixture(&f);
    uint64_t first = assert_material(&f, "AAA1", "BBB1", "CCC1");
    /* The key comes after the certificate. */
    write_file("crt", CERTIFICATE("AAA2"));
    pass(&f, 10);
    assert_true(assert_material(&f, "AAA1", "BBB1", "CCC1") == first);
    /* However often it is looked at. */
    kin__identity used = get_identity(f.credentials);
    assert_true(kin__credentials_rejected(f.credentials, &used));
    kin__identity_done(&used);
    assert_true(assert_material(&f, "AAA1", "BBB1", "CCC1") == first);
    write_file("key", KEY("BBB2"));
    pass(&f, 1);
    assert_true(assert_material(&f, "AAA2", "BBB2", "CCC1") != first);
    /* A new certificate for the same key. */
    write_file("crt", CERTIFICATE("AAA3"));
    pass(&f, 10);
    assert_material(&f, "AAA2", "BBB2", "CCC1");
    pass(&f, 1);
    assert_material(&f, "AAA3", "BBB2", "CCC1");
    /* A half that was taken back is forgotten. */
    write_file("crt", CERTIFICATE("AAA4"));
    pass(&f, 10);
    assert_material(&f, "AAA3", "BBB2", "CCC1");
    write_file("crt", CERTIFICATE("AAA3"));
    pass(&f, 1);
    assert_material(&f, "AAA3", "BBB2", "CCC1");
    write_file("crt", CERTIFICATE("AAA4"));
    pass(&f, 10);
    assert_material(&f, "AAA3", "BBB2", "CCC1");
    fixture_done(&f);
}

static void looks_at_certificates_when_they_were_refused(void **state)
{
    struct fixture f;

    (void)state;
    tls_fixture(&f);
    kin__identity used = get_identity(f.credentials);
    write_file("crt", CERTIFICATE("AAA2"));
    write_file("key", KEY("BBB2"));
    assert_true(kin__credentials_rejected(f.credentials, &used));
    assert_material(&f, "AAA2", "BBB2", "CCC1");
    /* The old identity keeps what it was made with. */
    assert_non_null(strstr(used.tls->certificate.data, "AAA1"));
    kin__identity_done(&used);
    fixture_done(&f);
}

/* --- the rest --- */

static int use_in_child(void *arg)
{
    struct fixture *f = arg;
    kin__identity identity = {KIN__SECRET_INIT, NULL, 0};

    if (kin__credentials_get(f->credentials, &identity, INT64_MAX, NULL, NULL) != KIN_EFORKED)
        return 1;
    if (kin__credentials_rejected(f->credentials, &identity))
        return 2;
    kin__credentials_wake(f->credentials);
    kin__credentials_free(f->credentials);
    return 0;
}

static void is_not_for_forked_children(void **state)
{
    kin_test_child child;
    struct fixture f;

    (void)state;
    token_fixture(&f, "hush-1");
    assert_sends(f.credentials, "Bearer hush-1");
    kin_test_run_child(&child, use_in_child, &f);
    assert_int_equal(child.exit_code, 0);
    assert_sends(f.credentials, "Bearer hush-1");
    fixture_done(&f);
}

static int use_all(void *arg, kin_error *err)
{
    struct fixture *f = arg;
    kin__identity identity = {KIN__SECRET_INIT, NULL, 0};
    int code = kin__credentials_new(&f->credentials, &f->config, f->clock, NULL, err);

    write_file("crt", CERTIFICATE("AAA1"));
    write_file("key", KEY("hush"));
    for (int i = 0; i < 3 && code == 0; i++) {
        code = kin__credentials_get(f->credentials, &identity, INT64_MAX, NULL, err);
        if (code == 0) {
            kin__credentials_rejected(f->credentials, &identity);
            kin__identity_done(&identity);
        }
        write_file("crt", CERTIFICATE("AAA2"));
        write_file("key", KEY("hushHUSH"));
        pass(f, 60);
    }
    kin__credentials_free(f->credentials);
    f->credentials = NULL;
    return code;
}

static void survives_without_memory_and_leaves_nothing(void **state)
{
    struct fixture f;

    (void)state;
    fixture_init(&f, "https://host");
    f.config.certificate_file = in_folder("crt");
    f.config.key_file = in_folder("key");
    f.config.token_file = in_folder("token");
    set_secret(&f.config.token, "hush-inline");
    set_secret(&f.config.ca_data, CERTIFICATE("CCCC"));
    write_file("token", "hush-1");
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(use_all, &f);
    kin__secret_done(&f.config.token);
    f.config.token_file = NULL;
    f.config.username = text("me");
    set_secret(&f.config.password, "hush");
    kin_test_fail_each_allocation(use_all, &f);
    fixture_done(&f);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

#define WITH_FOLDER(test) cmocka_unit_test_setup_teardown(test, folder_setup, folder_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sends_what_the_settings_say),
        cmocka_unit_test(has_material_from_the_settings),
        cmocka_unit_test(refuses_settings_that_cannot_be_used),
        WITH_FOLDER(reads_a_token_again_when_it_is_old),
        WITH_FOLDER(keeps_a_token_that_cannot_be_read_again),
        WITH_FOLDER(fails_without_a_token_to_go_with),
        WITH_FOLDER(takes_the_inline_token_until_the_file_was_read),
        WITH_FOLDER(reads_a_token_again_when_it_was_refused),
        WITH_FOLDER(follows_certificates_and_cas),
        WITH_FOLDER(keeps_material_while_files_are_unusable),
        WITH_FOLDER(fails_without_material_to_go_with),
        WITH_FOLDER(waits_for_the_other_half_of_a_pair),
        WITH_FOLDER(looks_at_certificates_when_they_were_refused),
        WITH_FOLDER(is_not_for_forked_children),
        WITH_FOLDER(survives_without_memory_and_leaves_nothing),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
