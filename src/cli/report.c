/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/report.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/text.h"

/* One line, whatever the message has in it: control characters of others do not reach a terminal. */
static void say(struct text *line)
{
    for (size_t i = 0; i < line->len; i++) {
        unsigned char c = (unsigned char)line->data[i];

        if (c < 0x20 || c == 0x7f)
            line->data[i] = ' ';
    }
    text_add_char(line, '\n');
    fflush(stdout); /* in the order in which it was said */
    fwrite(line->data, 1, line->len, stderr);
    text_done(line);
}

static void add_message(struct text *line, const char *fmt, va_list args) KIN_PRINTF(2, 0);

static void add_message(struct text *line, const char *fmt, va_list args)
{
    char message[2048];

    vsnprintf(message, sizeof(message), fmt, args);
    text_add_string(line, message);
}

int report(int status, const char *fmt, ...)
{
    struct text line = TEXT_INIT;
    va_list args;

    text_add_string(&line, "kinform: ");
    va_start(args, fmt);
    add_message(&line, fmt, args);
    va_end(args);
    say(&line);
    return status;
}

int report_usage(const char *command, const char *fmt, ...)
{
    struct text line = TEXT_INIT;
    va_list args;

    text_add_string(&line, "kinform: ");
    va_start(args, fmt);
    add_message(&line, fmt, args);
    va_end(args);
    text_format(&line, "; see kinform %s%s--help", command ? command : "", command ? " " : "");
    say(&line);
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

int output_write(kin_str s)
{
    if (s.len == 0 || fwrite(s.data, 1, s.len, stdout) == s.len)
        return EXIT_OK;
    return report(EXIT_FAILED, "standard output cannot be written: %s", strerror(errno));
}

int output_end(int status)
{
    bool failed = ferror(stdout);

    if (fflush(stdout) == 0 && !failed)
        return status;
    if (status != EXIT_OK)
        return status;
    return report(EXIT_FAILED, "standard output cannot be written: %s", strerror(errno));
}

bool color_wanted(const char *when, FILE *file)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if (when && strcmp(when, "always") == 0)
        return true;
    if ((when && strcmp(when, "never") == 0) || (no_color && no_color[0]))
        return false;
    return isatty(fileno(file)) && term && strcmp(term, "dumb") != 0;
}
