/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program that knows only what was installed. It is compiled as C11 and as C++11, and prints
 * the version of the headers and of the library.
 */
#include <kinform.h>

#include <stdio.h>

int main(void)
{
    kin_error err = KIN_ERROR_INIT;
    kin_clock *clock = NULL;

    if (kin_clock_new_fake(&clock, 0, &err) < 0 || kin_clock_advance(clock, 1, &err) < 0) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    kin_clock_unref(clock);
    printf("%s %s\n", KIN_VERSION_STRING, kin_version_string());
    return 0;
}
