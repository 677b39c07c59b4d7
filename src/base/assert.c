/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of the process when an internal invariant is broken. Allocates nothing and takes
 * no lock of ours: it may run with any lock held and with no memory left.
 */
#include "base/assert.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void kin__panic(const char *file, int line, const char *fmt, ...)
{
    char text[512];
    va_list ap;
    int n = snprintf(text, sizeof(text), "kinform: %s:%d: ", file, line);

    if (n > 0 && (size_t)n < sizeof(text)) {
        va_start(ap, fmt);
        int m = vsnprintf(text + n, sizeof(text) - (size_t)n, fmt, ap);
        va_end(ap);
        if (m > 0)
            n += m;
        if ((size_t)n >= sizeof(text))
            n = (int)sizeof(text) - 1;
        text[n++] = '\n';
        ssize_t written = write(STDERR_FILENO, text, (size_t)n);
        (void)written; /* There is nobody left to tell. */
    }
    abort();
}
