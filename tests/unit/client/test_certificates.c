/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where certificates, keys and CAs come from, and the material that is made of them.
 */
#include "kin_test.h"

#include <string.h>

#include "alloc.h"
#include "client/certificates.h"
#include "client/secret_file.h"
#include "credentials_support.h"
#include "oom.h"

/* After so many readings of files, all are exchanged; 0: never. */
static unsigned exchange_after;
static bool exchange_always;

/* Linked in the place of kin__secret_file_read(); the names are the linker's. */
int read_and_exchange(kin__secret *ret, const char *path,
                      kin_error *err) __asm__("__wrap_kin__secret_file_read");
int real_read(kin__secret *ret, const char *path,
              kin_error *err) __asm__("__real_kin__secret_file_read");

int read_and_exchange(kin__secret *ret, const char *path, kin_error *err)
{
    static unsigned n;
    char pem[128];
    int code = real_read(ret, path, err);

    if (exchange_always || (exchange_after > 0 && --exchange_after == 0)) {
        snprintf(pem, sizeof(pem), CERTIFICATE("%04u"), ++n);
        write_file("crt", pem);
        snprintf(pem, sizeof(pem), KEY("%04u"), n);
        write_file("key", pem);
    }
    return code;
}

static void comes_from_files(void **state)
{
    kin_config config = config_for("https://host");
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;
    kin__secret ca = KIN__SECRET_INIT;

    (void)state;
    config.certificate_file = in_folder("crt");
    config.key_file = in_folder("key");
    config.ca_file = in_folder("ca");
    write_file("crt", CERTIFICATE("AAAA"));
    write_file("key", KEY("BBBB"));
    write_file("ca", CERTIFICATE("CCCC") CERTIFICATE("DDDD"));
    assert_true(kin__has_certificate(&config));
    assert_true(kin__pair_is_in_files(&config));
    assert_true(kin__ca_is_in_file(&config));
    assert_code(kin__read_pair(&certificate, &key, &config, NULL), 0);
    assert_code(kin__read_ca(&ca, &config, NULL), 0);
    assert_string_equal(certificate.data, CERTIFICATE("AAAA"));
    assert_string_equal(key.data, KEY("BBBB"));
    assert_string_equal(ca.data, CERTIFICATE("CCCC") CERTIFICATE("DDDD"));

    /* What is inline wins. */
    set_secret(&config.key_data, KEY("EEEE"));
    set_secret(&config.ca_data, CERTIFICATE("FFFF"));
    assert_true(kin__pair_is_in_files(&config));
    assert_false(kin__ca_is_in_file(&config));
    assert_code(kin__read_pair(&certificate, &key, &config, NULL), 0);
    assert_code(kin__read_ca(&ca, &config, NULL), 0);
    assert_string_equal(certificate.data, CERTIFICATE("AAAA"));
    assert_string_equal(key.data, KEY("EEEE"));
    assert_string_equal(ca.data, CERTIFICATE("FFFF"));
    set_secret(&config.certificate_data, CERTIFICATE("GGGG"));
    assert_false(kin__pair_is_in_files(&config));
    kin__secret_done(&certificate);
    kin__secret_done(&key);
    kin__secret_done(&ca);
    config_done(&config);
}

static void is_a_pair_though_files_are_exchanged_meanwhile(void **state)
{
    kin_config config = config_for("https://host");
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    config.certificate_file = in_folder("crt");
    config.key_file = in_folder("key");
    write_file("crt", CERTIFICATE("0000"));
    write_file("key", KEY("0000"));
    for (unsigned after = 1; after <= 3; after++) {
        exchange_after = after;
        assert_code(kin__read_pair(&certificate, &key, &config, NULL), 0);
        assert_memory_equal(strchr(certificate.data, '\n'), strchr(key.data, '\n'), 5);
    }
    exchange_after = 0;
    exchange_always = true;
    assert_code(kin__read_pair(&certificate, &key, &config, &err), KIN_ETLS);
    assert_non_null(strstr(err.message, "changes all the time"));
    exchange_always = false;
    kin__secret_done(&certificate);
    kin__secret_done(&key);
}

static void may_be_none(void **state)
{
    kin_config config = config_for("https://host");
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;

    (void)state;
    set_secret(&certificate, "old");
    set_secret(&key, "old");
    assert_code(kin__read_pair(&certificate, &key, &config, NULL), 0);
    assert_null(certificate.data);
    assert_null(key.data);
    set_secret(&key, "old");
    assert_code(kin__read_ca(&key, &config, NULL), 0);
    assert_null(key.data);
}

static void says_which_file_is_wrong(void **state)
{
    kin_config config = config_for("https://host");
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;
    kin_error err = KIN_ERROR_INIT;

    (void)state;
    config.certificate_file = in_folder("crt");
    config.key_file = in_folder("key");
    write_file("crt", CERTIFICATE("AAAA"));
    set_secret(&certificate, "old");
    assert_code(kin__read_pair(&certificate, &key, &config, &err), KIN_ETLS);
    assert_non_null(strstr(err.message, "client key: /tmp/"));
    assert_non_null(strstr(err.message, "/key: No such file"));
    write_file("key", "hush");
    assert_code(kin__read_pair(&certificate, &key, &config, &err), KIN_ETLS);
    assert_non_null(strstr(err.message, "/key holds no private key"));
    assert_null(strstr(err.message, "hush"));
    assert_string_equal(certificate.data, "old");
    assert_null(key.data);
    kin__secret_done(&certificate);
}

static void material_is_told_apart(void **state)
{
    kin_str text_a = kin_str_of("a");
    kin__tls_material *one = kin__tls_material_new(text_a, text_a, kin_str_make(NULL, 0));
    kin__tls_material *other = kin__tls_material_new(text_a, text_a, kin_str_make(NULL, 0));

    (void)state;
    assert_true(one->generation != other->generation);
    assert_string_equal(one->certificate.data, "a");
    assert_null(one->ca.data);
    assert_ptr_equal(kin__tls_material_ref(one), one);
    kin__tls_material_unref(one);
    assert_string_equal(one->key.data, "a");
    kin__tls_material_unref(one);
    kin__tls_material_unref(other);
    kin__tls_material_unref(NULL);
}

static int read_and_make(void *arg, kin_error *err)
{
    kin__secret certificate = KIN__SECRET_INIT;
    kin__secret key = KIN__SECRET_INIT;
    int code = kin__read_pair(&certificate, &key, arg, err);

    if (code == 0) {
        kin__tls_material *material = kin__tls_material_new(
            kin__secret_str(&certificate), kin__secret_str(&key), kin__secret_str(&key));

        if (!material)
            code = kin_error_set(err, KIN_ENOMEM, "no memory");
        kin__tls_material_unref(material);
    }
    kin__secret_done(&certificate);
    kin__secret_done(&key);
    return code;
}

static void survives_without_memory_and_leaves_nothing(void **state)
{
    kin_config config = config_for("https://host");

    (void)state;
    config.certificate_file = in_folder("crt");
    config.key_file = in_folder("key");
    write_file("crt", CERTIFICATE("AAAA"));
    write_file("key", KEY("hush"));
    kin_test_alloc_look_for("hush");
    kin_test_fail_each_allocation(read_and_make, &config);
    assert_int_equal(kin_test_alloc_found(), 0);
    kin_test_alloc_look_for(NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(comes_from_files, folder_setup, folder_teardown),
        cmocka_unit_test_setup_teardown(is_a_pair_though_files_are_exchanged_meanwhile,
                                        folder_setup, folder_teardown),
        cmocka_unit_test(may_be_none),
        cmocka_unit_test_setup_teardown(says_which_file_is_wrong, folder_setup, folder_teardown),
        cmocka_unit_test(material_is_told_apart),
        cmocka_unit_test_setup_teardown(survives_without_memory_and_leaves_nothing, folder_setup,
                                        folder_teardown),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
