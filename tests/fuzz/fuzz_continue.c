/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Any token: it is refused with 400, or what it says can be written and read again.
 */
#include "apiserver/protocol/continue_token.h"
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    kin__continue first;
    kin__continue second;
    kin__failure failure;
    kin__buf token;

    if (!kin__continue_read(&first, kin_str_make((const char *)data, size), &failure)) {
        FUZZ_CHECK(failure.status == 400);
        kin__continue_done(&first);
        return 0;
    }
    FUZZ_CHECK(first.version == -1 || first.version > 0);
    kin__buf_init(&token, KIN__CONTINUE_MAX * 2);
    kin__continue_write(&token, first.version, kin__buf_str(&first.after));
    /* Escapes can make it longer than any that is read. */
    if (!token.failed && token.len <= KIN__CONTINUE_MAX) {
        FUZZ_CHECK(kin__continue_read(&second, kin__buf_str(&token), &failure));
        FUZZ_CHECK(second.version == first.version);
        FUZZ_CHECK(kin_str_equal(kin__buf_str(&second.after), kin__buf_str(&first.after)));
        kin__continue_done(&second);
    }
    kin__buf_done(&token);
    kin__continue_done(&first);
    return 0;
}
