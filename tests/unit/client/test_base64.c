/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Base64: the vectors of RFC 4648, and that nothing is left behind.
 */
#include "kin_test.h"

#include "alloc.h"
#include "client/base64.h"
#include "oom.h"

static void writes_the_vectors_of_the_rfc(void **state)
{
    static const struct {
        const char *plain;
        const char *text;
    } vectors[] = {
        {"f", "Zg=="},
        {"fo", "Zm8="},
        {"foo", "Zm9v"},
        {"foob", "Zm9vYg=="},
        {"fooba", "Zm9vYmE="},
        {"foobar", "Zm9vYmFy"},
        {"\xff\xff\xfe", "///+"},
        {"user:p\xc3\xa4ss", "dXNlcjpww6Rzcw=="},
    };
    kin__secret text = KIN__SECRET_INIT;

    (void)state;
    for (size_t i = 0; i < sizeof(vectors) / sizeof(vectors[0]); i++) {
        assert_code(kin__base64_encode(&text, kin_str_of(vectors[i].plain)), 0);
        assert_string_equal(text.data, vectors[i].text);
        assert_int_equal(text.len, strlen(vectors[i].text));
    }
    assert_code(kin__base64_encode(&text, kin_str_make(NULL, 0)), 0);
    assert_null(text.data);
}

static int encode(void *arg, kin_error *err)
{
    kin__secret text = KIN__SECRET_INIT;
    int code = kin__base64_encode(&text, kin_str_of("hush"));

    (void)arg;
    kin__secret_done(&text);
    return code == 0 ? 0 : kin_error_set(err, code, "no memory");
}

static void survives_without_memory(void **state)
{
    (void)state;
    kin_test_fail_each_allocation(encode, NULL);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(writes_the_vectors_of_the_rfc),
        cmocka_unit_test(survives_without_memory),
    };

    kin_test_alloc_install();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
