/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/base/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/base/escape.h"
#include "cli/base/text.h"

/* One line, whatever is in it: what others have written does not make a terminal do things. */
static void say(const char *before, const char *after, const char *fmt, va_list args)
    KIN_PRINTF(3, 0);

static void say(const char *before, const char *after, const char *fmt, va_list args)
{
    char message[8192]; /* a path, and what the library says of it */
    struct text line = TEXT_INIT;

    vsnprintf(message, sizeof(message), fmt, args);
    text_add_string(&line, before);
    add_escaped(&line, kin_str_of(message));
    text_add_string(&line, after);
    text_add_char(&line, '\n');
    fflush(stdout); /* in the order in which it was said */
    fwrite(line.data, 1, line.len, stderr);
    text_done(&line);
}

void tell(const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say("", "", fmt, args);
    va_end(args);
}

int report(int status, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    say("kinform: ", "", fmt, args);
    va_end(args);
    return status;
}

int report_usage(const char *command, const char *fmt, ...)
{
    struct text more = TEXT_INIT;
    va_list args;

    text_format(&more, "; see kinform %s%s--help", command ? command : "", command ? " " : "");
    va_start(args, fmt);
    say("kinform: ", text_string(&more), fmt, args);
    va_end(args);
    text_done(&more);
    return EXIT_USAGE;
}

int exit_status_of(int code)
{
    switch (code) {
    case KIN_EINVAL:
        return EXIT_USAGE;
    case KIN_ENOTFOUND:
        return EXIT_NOT_FOUND;
    case KIN_EDENIED:
        return EXIT_DENIED;
    case KIN_ECONNECT:
    case KIN_ETLS:
        return EXIT_UNREACHABLE;
    case KIN_ETIMEOUT:
        return EXIT_TIMEOUT;
    default:
        return EXIT_FAILED;
    }
}

/* What to do about it. NULL: the message says it, or nobody knows. */
static const char *advice(const kin_error *err)
{
    switch (err->code) {
    case KIN_ECONNECT:
        return "is the server running, and is this the right --context?";
    case KIN_ETLS:
        return "is this the right --context or --kubeconfig for that server?";
    case KIN_EDENIED:
        return err->http_status == 401 ? "log in again, or use another --context or --token" : NULL;
    default:
        return NULL;
    }
}

int report_error(const kin_error *err)
{
    const char *what = err->message[0] ? err->message : kin_error_string(err->code);
    const char *todo = advice(err);

    return report(exit_status_of(err->code), "%s%s%s", what, todo ? "; " : "", todo ? todo : "");
}

int output_failed(int error)
{
    return report(EXIT_FAILED, "standard output cannot be written: %s",
                  error == EBADF ? "it is closed" : strerror(error));
}

int output_write(kin_str s)
{
    if (s.len == 0 || fwrite(s.data, 1, s.len, stdout) == s.len)
        return EXIT_OK;
    return output_failed(errno);
}

int output_end(int status)
{
    bool failed = ferror(stdout);

    if (fflush(stdout) == 0 && !failed)
        return status;
    return status != EXIT_OK ? status : output_failed(errno);
}

bool is_screen(FILE *file)
{
    const char *type = getenv("TERM");

    return isatty(fileno(file)) && type && type[0] && strcmp(type, "dumb") != 0;
}

bool color_wanted(const char *when, FILE *file)
{
    const char *no_color = getenv("NO_COLOR");

    if (when && strcmp(when, "always") == 0)
        return true;
    if ((when && strcmp(when, "never") == 0) || (no_color && no_color[0]))
        return false;
    return is_screen(file);
}
