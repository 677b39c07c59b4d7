/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Failures and warnings from any bytes: always a code, a message, and a Status that says the same.
 */
#include <string.h>

#include "base/utf8.h"
#include "client/status.h"
#include "fuzz.h"

static void check_failure(int http_status, int64_t retry_after_ms, kin_str body, bool is_protobuf)
{
    kin__failure failure = {http_status, "PUT", retry_after_ms, body, is_protobuf};
    const kin_object *status = NULL;
    kin_error err = KIN_ERROR_INIT;
    kin_scratch scratch;
    int code = kin__failure_read(&status, &failure, &err);

    FUZZ_CHECK(code < 0 && err.code == code && err.message[0] && err.flags);
    FUZZ_CHECK(err.http_status == http_status && err.retry_after_ms >= 0);
    FUZZ_CHECK(err.retry_after_ms >= retry_after_ms);
    FUZZ_CHECK(kin__utf8_check(err.message, strlen(err.message)));
    FUZZ_CHECK(kin_object_is_status(status));
    size_t len = strlen(err.reason);
    kin_str reason = kin_status_reason(status, &scratch);
    FUZZ_CHECK(len <= reason.len && memcmp(err.reason, reason.data ? reason.data : "", len) == 0);

    /* As it would have come in a stream. */
    kin_error again = KIN_ERROR_INIT;
    int streamed = kin__status_error(status, &again);
    FUZZ_CHECK(streamed < 0 && strcmp(again.reason, err.reason) == 0);
    kin_object_unref(status);
}

static void check_warnings(kin_str header)
{
    kin__buf text;
    size_t before = header.len + 1;
    int code = -1;

    kin__buf_init(&text, 4096);
    while (kin__warning_next(&header, &code, &text)) {
        FUZZ_CHECK(header.len < before && code >= 0 && code <= 999);
        before = header.len;
        if (!text.failed)
            FUZZ_CHECK(kin__utf8_check(text.data, text.len));
    }
    kin__buf_done(&text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input in = {data, size};
    int http_status = (int)(fuzz_number(&in) % 1000);
    int64_t retry_after_ms = (int64_t)(fuzz_number(&in) >> 1) - 1;
    kin_str rest = kin_str_make((const char *)in.data, in.len);

    check_failure(http_status, retry_after_ms, rest, false);
    check_failure(http_status, retry_after_ms, rest, true);
    check_warnings(rest);
    return 0;
}
