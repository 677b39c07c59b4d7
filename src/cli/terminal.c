/* SPDX-License-Identifier: Apache-2.0 */
/*
 * It is opened anew: O_NONBLOCK is a property of what was opened, which a shell has in common with us on
 * standard input and output.
 */
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "cli/base/report.h"
#include "cli/print/table.h"

/* The alternate screen, no cursor, no wrapping at the edge. */
static const char begin_drawing[] = "\033[?1049h\033[?25l\033[?7l\033[H\033[2J";
static const char end_drawing[] = "\033[0m\033[?7h\033[?25h\033[?1049l";

static struct {
    int fd;
    bool is_entered;
    struct termios before;
    struct text shown;   /* the frame that is on the screen, or will be */
    struct text waiting; /* what is written to get there */
    size_t written;      /* of `waiting` */
} terminal = {.fd = -1};

bool terminal_is_there(void)
{
    return isatty(STDIN_FILENO) && is_screen(stdout) && tcgetpgrp(STDIN_FILENO) == getpgrp();
}

static int failed(const char *what, kin_error *err)
{
    return kin_error_set(err, KIN_ESYSTEM, "the terminal: %s: %s", what, strerror(errno));
}

static int open_it(kin_error *err)
{
    char name[256] = "";

    errno = ttyname_r(STDOUT_FILENO, name, sizeof(name));
    if (errno != 0)
        return failed("its name", err);
    terminal.fd = open(name, O_RDWR | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
    return terminal.fd < 0 ? failed(name, err) : 0;
}

/* Only here anything is waited for, and not for long: a terminal that is stuck stays as it is. */
static void write_now(const char *s, size_t len)
{
    struct pollfd fd = {terminal.fd, POLLOUT, 0};

    while (len > 0) {
        ssize_t n = write(terminal.fd, s, len);

        if (n < 0 && errno != EAGAIN && errno != EINTR)
            return;
        if (n < 0 && poll(&fd, 1, 200) <= 0)
            return;
        s += n > 0 ? n : 0;
        len -= n > 0 ? (size_t)n : 0;
    }
}

int terminal_enter(kin_error *err)
{
    struct termios raw;

    if (terminal.fd < 0 && open_it(err) < 0)
        return KIN_ESYSTEM;
    if (tcgetattr(terminal.fd, &terminal.before) < 0)
        return failed("its settings", err);
    raw = terminal.before;
    raw.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
    raw.c_iflag &= ~(tcflag_t)(IXON | ICRNL);
    raw.c_cc[VINTR] = _POSIX_VDISABLE; /* else `make run` would be interrupted, too */
    raw.c_cc[VMIN] = 1;
    raw.c_cc[VTIME] = 0;
    if (tcsetattr(terminal.fd, TCSADRAIN, &raw) < 0)
        return failed("its settings", err);
    terminal.is_entered = true;
    terminal_forget();
    write_now(begin_drawing, sizeof(begin_drawing) - 1);
    return 0;
}

void terminal_leave(void)
{
    int before = errno;

    if (!terminal.is_entered)
        return;
    terminal.is_entered = false;
    /* A sequence that was written half would swallow the beginning of ours. */
    if (terminal.written > 0 && terminal.written < terminal.waiting.len)
        write_now("\030", 1);
    write_now(end_drawing, sizeof(end_drawing) - 1);
    tcsetattr(terminal.fd, TCSADRAIN, &terminal.before);
    errno = before;
}

int terminal_fd(void)
{
    return terminal.fd;
}

void terminal_size(size_t *ret_rows, size_t *ret_columns)
{
    struct winsize size = {0};

    if (ioctl(terminal.fd, TIOCGWINSZ, &size) < 0 || size.ws_row == 0 || size.ws_col == 0)
        size = (struct winsize){.ws_row = 24, .ws_col = 80};
    *ret_rows = size.ws_row;
    *ret_columns = size.ws_col;
}

/* --- frames --- */

static kin_str take_line(kin_str *text)
{
    const char *end = text->len > 0 ? memchr(text->data, '\n', text->len) : NULL;
    size_t len = end ? (size_t)(end - text->data) : text->len;
    kin_str line = kin_str_make(text->data, len);

    *text = kin_str_make(text->data + len + (end != NULL), text->len - len - (end != NULL));
    return line;
}

/* Without colours, which take no room. */
static size_t width_of(kin_str line)
{
    size_t width = 0;

    while (line.len > 0) {
        const char *escape = memchr(line.data, '\033', line.len);
        size_t len = escape ? (size_t)(escape - line.data) : line.len;
        const char *end = escape ? memchr(escape, 'm', line.len - len) : NULL;

        width += display_width(kin_str_make(line.data, len));
        len = end ? (size_t)(end + 1 - line.data) : line.len;
        line = kin_str_make(line.data + len, line.len - len);
    }
    return width;
}

void terminal_show(kin_str frame, size_t columns)
{
    kin_str before = text_view(&terminal.shown);
    bool is_whole = before.len == 0;
    kin_str left = frame;
    size_t row = 1;

    if (terminal_is_behind() || kin_str_equal(before, frame))
        return;
    text_clear(&terminal.waiting);
    terminal.written = 0;
    text_add_string(&terminal.waiting, is_whole ? "\033[2J" : "");
    for (; left.len > 0; row++) {
        kin_str line = take_line(&left);
        bool is_new = is_whole || before.len == 0;
        kin_str old = take_line(&before);

        if (!is_new && kin_str_equal(line, old))
            continue;
        text_format(&terminal.waiting, "\033[%zu;1H%" KIN_STR_FMT, row, KIN_STR_ARG(line));
        if (width_of(line) < columns) /* behind the last column it would take what is in it */
            text_add_string(&terminal.waiting, "\033[K");
    }
    if (before.len > 0)
        text_format(&terminal.waiting, "\033[%zu;1H\033[J", row);
    text_clear(&terminal.shown);
    text_add(&terminal.shown, frame);
}

void terminal_forget(void)
{
    text_clear(&terminal.shown);
    text_clear(&terminal.waiting);
    terminal.written = 0;
}

bool terminal_is_behind(void)
{
    return terminal.written < terminal.waiting.len;
}

int terminal_flush(void)
{
    while (terminal_is_behind()) {
        ssize_t n = write(terminal.fd, terminal.waiting.data + terminal.written,
                          terminal.waiting.len - terminal.written);

        if (n < 0)
            return errno == EAGAIN || errno == EINTR ? 0 : KIN_ESYSTEM;
        terminal.written += (size_t)n;
    }
    return 0;
}

int terminal_key(void)
{
    unsigned char key;
    ssize_t n = read(terminal.fd, &key, 1);

    if (n == 1)
        return key;
    return n < 0 && (errno == EAGAIN || errno == EINTR) ? KEY_NONE : KEY_GONE;
}
