/* SPDX-License-Identifier: Apache-2.0 */
/* Failures as replies. */
#include "apiserver_support.h"

#include <string.h>

#include "apiserver/protocol/reply.h"

static void replies_with_a_header(void **state)
{
    kin__failure failure;
    kin__reply reply;

    (void)state;
    kin__fail(&failure, 429, "TooManyRequests", "later");
    failure.retry_after_s = 3;
    kin__failure_reply(&failure, &reply);
    assert_int_equal(reply.status, 429);
    assert_string_equal(reply.content_type, "application/json");
    assert_int_equal(reply.n_headers, 1);
    assert_string_equal(reply.headers[0].name, "Retry-After");
    assert_string_equal(reply.headers[0].value, "3");
    assert_non_null(strstr(reply.body.data, "\"details\":{\"retryAfterSeconds\":3},\"code\":429}"));
    kin__buf_done(&reply.body);
    kin__fail_generated_name_exists(&failure, builtin("", "pods"), kin_str_of("web-x"));
    kin__failure_reply(&failure, &reply);
    assert_int_equal(reply.n_headers, 1);
    assert_string_equal(failure.message,
                        "pods \"web-x\" already exists, the server was not able to generate a "
                        "unique name for the object");
    kin__buf_done(&reply.body);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(replies_with_a_header),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
