/* SPDX-License-Identifier: Apache-2.0 */
/*
 * See bench_test.h. Helpers assert on their own: where one returns, what it promises holds. The
 * JSON checker is written for this purpose, so that the generator is not checked by code it shares.
 */
#include "bench_test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define DEPTH_MAX 64
#define ARGS_MAX 32

/* --- JSON --- */

static size_t json_string(const char *s, size_t len)
{
    size_t i = 1;

    if (len < 2 || s[0] != '"')
        return 0;
    for (; i < len; i++) {
        if (s[i] == '"')
            return i + 1;
        if ((unsigned char)s[i] < 0x20)
            return 0;
        if (s[i] != '\\')
            continue;
        if (++i >= len)
            return 0;
        if (s[i] == 'u') {
            for (int k = 0; k < 4; k++)
                if (++i >= len || !strchr("0123456789abcdefABCDEF", s[i]) || !s[i])
                    return 0;
        } else if (!s[i] || !strchr("\"\\/bfnrt", s[i])) {
            return 0;
        }
    }
    return 0;
}

static size_t digits(const char *s, size_t len)
{
    size_t n = 0;

    while (n < len && s[n] >= '0' && s[n] <= '9')
        n++;
    return n;
}

static size_t json_scalar(const char *s, size_t len)
{
    static const char *const words[] = {"true", "false", "null"};
    size_t i = 0;
    size_t n;

    for (size_t w = 0; w < 3; w++)
        if (len >= strlen(words[w]) && !memcmp(s, words[w], strlen(words[w])))
            return strlen(words[w]);
    if (i < len && s[i] == '-')
        i++;
    n = digits(s + i, len - i);
    if (n == 0 || (n > 1 && s[i] == '0'))
        return 0;
    i += n;
    if (i < len && s[i] == '.') {
        n = digits(s + i + 1, len - i - 1);
        if (n == 0)
            return 0;
        i += 1 + n;
    }
    return i;
}

static size_t json_nested(const char *s, size_t len, int depth);

/* After '{' or '[': members or elements up to the closing bracket. Compact: no blanks at all. */
static size_t json_items(const char *s, size_t len, bool object, int depth)
{
    char close = object ? '}' : ']';
    size_t i = 1;
    size_t n;

    if (i < len && s[i] == close)
        return i + 1;
    while (i < len) {
        if (object) {
            n = json_string(s + i, len - i);
            if (n == 0 || i + n >= len || s[i + n] != ':')
                return 0;
            i += n + 1;
        }
        n = json_nested(s + i, len - i, depth + 1);
        if (n == 0 || i + n >= len)
            return 0;
        i += n;
        if (s[i] == close)
            return i + 1;
        if (s[i++] != ',')
            return 0;
    }
    return 0;
}

static size_t json_nested(const char *s, size_t len, int depth)
{
    if (len == 0 || depth > DEPTH_MAX)
        return 0;
    if (s[0] == '{' || s[0] == '[')
        return json_items(s, len, s[0] == '{', depth);
    return s[0] == '"' ? json_string(s, len) : json_scalar(s, len);
}

size_t json_value(const char *text, size_t len)
{
    return json_nested(text, len, 0);
}

bool json_valid(struct span text)
{
    return text.len > 0 && json_value(text.data, text.len) == text.len;
}

/* Calls for one level: the index-th item, and its key if it is an object's. */
static bool json_item(struct span v, size_t index, struct span *key, struct span *value)
{
    size_t i = 1;

    if (v.len < 2 || (v.data[0] != '{' && v.data[0] != '[') || v.len == 2)
        return false;
    for (size_t at = 0; i < v.len; at++) {
        size_t n;

        if (v.data[0] == '{') {
            n = json_value(v.data + i, v.len - i);
            *key = (struct span){v.data + i + 1, n - 2};
            i += n + 1;
        }
        n = json_value(v.data + i, v.len - i);
        *value = (struct span){v.data + i, n};
        if (at == index)
            return true;
        i += n;
        if (v.data[i] != ',')
            return false;
        i++;
    }
    return false;
}

size_t json_count(struct span value)
{
    struct span key;
    struct span item;
    size_t n = 0;

    while (json_item(value, n, &key, &item))
        n++;
    return n;
}

struct span json_get(struct span value, const char *path)
{
    const struct span none = {NULL, 0};

    while (*path) {
        size_t len = strcspn(path, ".");
        struct span key = none;
        struct span item = none;
        bool found = false;

        if (value.len > 0 && value.data[0] == '[') {
            found = json_item(value, (size_t)strtoul(path, NULL, 10), &key, &item);
        } else {
            for (size_t i = 0; !found && json_item(value, i, &key, &item); i++)
                found = key.len == len && !memcmp(key.data, path, len);
        }
        if (!found)
            return none;
        value = item;
        path += len + (path[len] ? 1 : 0);
    }
    return value;
}

bool json_is(struct span value, const char *path, const char *string)
{
    struct span v = json_get(value, path);

    return v.len == strlen(string) + 2 && v.data[0] == '"' &&
           !memcmp(v.data + 1, string, v.len - 2);
}

uint64_t json_number(struct span value, const char *path)
{
    struct span v = json_get(value, path);
    uint64_t n = 0;

    if (v.len > 1 && v.data[0] == '"')
        v = (struct span){v.data + 1, v.len - 2};
    assert_true(v.len > 0 && digits(v.data, v.len) == v.len);
    for (size_t i = 0; i < v.len; i++)
        n = n * 10 + (uint64_t)(v.data[i] - '0');
    return n;
}

bool span_equal(struct span a, struct span b)
{
    return a.len == b.len && (a.len == 0 || !memcmp(a.data, b.data, a.len));
}

bool next_line(struct span *rest, struct span *line)
{
    const char *end;

    if (rest->len == 0)
        return false;
    end = memchr(rest->data, '\n', rest->len);
    assert_non_null(end);
    line->data = rest->data;
    line->len = (size_t)(end - rest->data);
    rest->data = end + 1;
    rest->len -= line->len + 1;
    return true;
}

/* --- files --- */

char *make_temp_dir(void)
{
    const char *base = getenv("TMPDIR");
    char *dir = join_path(base && *base ? base : "/tmp", "kin-bench-XXXXXX");

    assert_non_null(mkdtemp(dir));
    return dir;
}

size_t count_entries(const char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;
    size_t n = 0;

    assert_non_null(d);
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            n++;
    (void)closedir(d);
    return n;
}

void remove_dir(char *dir)
{
    DIR *d = opendir(dir);
    const struct dirent *e;

    assert_non_null(d);
    while ((e = readdir(d)) != NULL)
        if (strcmp(e->d_name, ".") != 0 && strcmp(e->d_name, "..") != 0)
            (void)unlinkat(dirfd(d), e->d_name, 0);
    (void)closedir(d);
    assert_int_equal(rmdir(dir), 0);
    free(dir);
}

char *join_path(const char *dir, const char *name)
{
    size_t size = strlen(dir) + strlen(name) + 2;
    char *path = malloc(size);

    assert_non_null(path);
    (void)snprintf(path, size, "%s/%s", dir, name);
    return path;
}

bool file_exists(const char *dir, const char *name)
{
    char *path = join_path(dir, name);
    bool exists = access(path, F_OK) == 0;

    free(path);
    return exists;
}

struct span read_file(const char *dir, const char *name)
{
    char *path = join_path(dir, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    struct stat st;
    char *data;
    size_t len = 0;

    free(path);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &st), 0);
    data = malloc((size_t)st.st_size + 1);
    assert_non_null(data);
    while (len < (size_t)st.st_size) {
        ssize_t n = read(fd, data + len, (size_t)st.st_size - len);

        assert_true(n > 0);
        len += (size_t)n;
    }
    data[len] = '\0';
    (void)close(fd);
    return (struct span){data, len};
}

void free_span(struct span bytes)
{
    union {
        const char *in;
        void *out;
    } p = {bytes.data};

    free(p.out);
}

void write_file(const char *dir, const char *name, const void *data, size_t len)
{
    char *path = join_path(dir, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);

    free(path);
    assert_true(fd >= 0);
    assert_true(len == 0 || write(fd, data, len) == (ssize_t)len);
    assert_int_equal(close(fd), 0);
}

/* --- programs --- */

const char *program_path(const char *variable, const char *fallback)
{
    const char *path = getenv(variable);

    return path && *path ? path : fallback;
}

void child_start(struct child *c, const char *program, const char *const *args, int out_fd)
{
    int in[2];
    int out[2];
    int err[2];
    const char *argv[ARGS_MAX + 2] = {program};
    union {
        const char **in;
        char *const *out;
    } vector = {argv};
    posix_spawn_file_actions_t actions;
    size_t n = 1;

    while (*args && n <= ARGS_MAX)
        argv[n++] = *args++;
    assert_null(*args);
    assert_int_equal(pipe2(in, O_CLOEXEC), 0);
    assert_int_equal(pipe2(out, O_CLOEXEC), 0);
    assert_int_equal(pipe2(err, O_CLOEXEC), 0);
    assert_int_equal(posix_spawn_file_actions_init(&actions), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, in[0], 0), 0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, out_fd >= 0 ? out_fd : out[1], 1),
                     0);
    assert_int_equal(posix_spawn_file_actions_adddup2(&actions, err[1], 2), 0);
    assert_int_equal(posix_spawnp(&c->pid, program, &actions, NULL, vector.out, environ), 0);
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)close(in[0]);
    (void)close(out[1]);
    (void)close(err[1]);
    c->in = in[1];
    c->out = out[0];
    c->err = err[0];
}

void child_close_stdin(struct child *c)
{
    if (c->in >= 0)
        (void)close(c->in);
    c->in = -1;
}

void wait_readable(int fd)
{
    struct pollfd p = {.fd = fd, .events = POLLIN};
    int n;

    do
        n = poll(&p, 1, BENCH_TEST_TIMEOUT_MS);
    while (n < 0 && errno == EINTR);
    assert_int_equal(n, 1);
}

void child_read(int fd, char *buffer, size_t size, bool line)
{
    size_t len = 0;

    while (len + 1 < size) {
        ssize_t n;

        wait_readable(fd);
        n = read(fd, buffer + len, line ? 1 : size - 1 - len);
        assert_true(n >= 0);
        if (n == 0)
            break;
        len += (size_t)n;
        if (line && buffer[len - 1] == '\n')
            break;
    }
    buffer[len] = '\0';
}

int child_wait(struct child *c)
{
    char ignored[4096];
    int status;
    pid_t pid;

    child_close_stdin(c);
    /* The end of its output tells of its end, so that waiting has a deadline. */
    do
        child_read(c->err, ignored, sizeof(ignored), false);
    while (ignored[0]);
    do
        pid = waitpid(c->pid, &status, 0);
    while (pid < 0 && errno == EINTR);
    assert_int_equal(pid, c->pid);
    (void)close(c->out);
    (void)close(c->err);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

void run_to_end(struct result *r, const char *program, const char *const *args)
{
    struct child c;

    child_start(&c, program, args, -1);
    child_close_stdin(&c);
    child_read(c.out, r->out, sizeof(r->out), false);
    child_read(c.err, r->err, sizeof(r->err), false);
    r->status = child_wait(&c);
}

void expect_refused(const char *program, const char *const *args, int status, const char *says)
{
    struct result r;

    run_to_end(&r, program, args);
    if (r.status != status || r.out[0] || !r.err[0] || !strstr(r.err, says))
        fail_msg("%s %s ended with %d: %s%s", program, args[0] ? args[0] : "", r.status, r.out,
                 r.err);
}

void expect_unheard(const char *program, const char *const *args, char *err, size_t size)
{
    int full = open("/dev/full", O_WRONLY | O_CLOEXEC);
    struct child c;

    assert_true(full >= 0);
    child_start(&c, program, args, full);
    child_close_stdin(&c);
    child_read(c.err, err, size, false);
    assert_int_equal(child_wait(&c), 1);
    (void)close(full);
}

/* --- measures --- */

double value_of(const char *out, const char *name)
{
    char begin[64];
    const char *at;

    (void)snprintf(begin, sizeof(begin), "measure %s ", name);
    at = strstr(out, begin);
    if (!at)
        fail_msg("there is no %s in: %s", name, out);
    assert_true(at && (at == out || at[-1] == '\n'));
    return at ? strtod(at + strlen(begin), NULL) : 0;
}

void assert_near(double got, double want)
{
    if (fabs(got - want) > 1e-3 * want)
        fail_msg("%f instead of %f", got, want);
}
