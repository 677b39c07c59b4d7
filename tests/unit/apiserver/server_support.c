/* SPDX-License-Identifier: Apache-2.0 */
#include "server_support.h"

#include "kin_test.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "apiserver/kinds/failure.h"
#include "base/compiler.h"
#include "base/str.h"

struct stream {
    kin__source source;
    kin_test_server *test;
    size_t place;
    size_t at;
    bool waits;
};

/* --- sources --- */

static struct stream *of(kin__source *source)
{
    return kin__container_of(source, struct stream, source);
}

static enum kin__source_result read_stream(kin__source *source, char *buf, size_t size,
                                           size_t *ret_len)
{
    struct stream *stream = of(source);
    kin_test_server *test = stream->test;
    enum kin__source_result result = KIN__SOURCE_WAIT;

    pthread_mutex_lock(&test->lock);
    size_t left = test->text_len - stream->at;
    if (test->aborted) {
        result = KIN__SOURCE_ABORT;
    } else if (left > 0) {
        *ret_len = left < size ? left : size;
        memcpy(buf, test->text + stream->at, *ret_len);
        stream->at += *ret_len;
        result = KIN__SOURCE_DATA;
    } else if (test->ended) {
        result = KIN__SOURCE_END;
    }
    stream->waits = result == KIN__SOURCE_WAIT;
    pthread_mutex_unlock(&test->lock);
    return result;
}

static void close_stream(kin__source *source)
{
    struct stream *stream = of(source);
    kin_test_server *test = stream->test;

    pthread_mutex_lock(&test->lock);
    struct stream *last = test->streams[--test->n_streams];
    test->streams[stream->place] = last;
    last->place = stream->place;
    test->n_closed++;
    pthread_cond_broadcast(&test->changed);
    pthread_mutex_unlock(&test->lock);
    free(stream);
}

static kin__source *open_stream(kin_test_server *test)
{
    struct stream *stream = calloc(1, sizeof(*stream));

    stream->source.read = read_stream;
    stream->source.close = close_stream;
    stream->test = test;
    pthread_mutex_lock(&test->lock);
    stream->at = test->text_len;
    stream->place = test->n_streams;
    test->streams[test->n_streams++] = stream;
    test->n_opened++;
    pthread_cond_broadcast(&test->changed);
    pthread_mutex_unlock(&test->lock);
    return &stream->source;
}

struct made {
    kin__source source;
    kin_test_server *test;
    size_t left;
    bool is_eager;
    bool has_waited;
};

static enum kin__source_result read_made(kin__source *source, char *buf, size_t size,
                                         size_t *ret_len)
{
    struct made *made = kin__container_of(source, struct made, source);

    if (made->left == 0)
        return KIN__SOURCE_END;
    if (made->is_eager) {
        made->has_waited = !made->has_waited;
        size = 1;
        if (made->has_waited) {
            made->source.wake(made->source.wake_arg);
            return KIN__SOURCE_WAIT;
        }
    }
    *ret_len = made->left < size ? made->left : size;
    memset(buf, 'm', *ret_len);
    made->left -= *ret_len;
    return KIN__SOURCE_DATA;
}

static void close_made(kin__source *source)
{
    struct made *made = kin__container_of(source, struct made, source);

    pthread_mutex_lock(&made->test->lock);
    made->test->n_closed++;
    pthread_cond_broadcast(&made->test->changed);
    pthread_mutex_unlock(&made->test->lock);
    free(made);
}

static kin__source *open_made(kin_test_server *test, size_t len, bool is_eager)
{
    struct made *made = calloc(1, sizeof(*made));

    made->source.read = read_made;
    made->source.close = close_made;
    made->test = test;
    made->left = len;
    made->is_eager = is_eager;
    return &made->source;
}

/* --- the service --- */

static size_t number_behind(kin_str path, const char *prefix)
{
    uint64_t n = 0;
    size_t len = strlen(prefix);

    if (!kin__str_starts_with(path, kin_str_of(prefix)) ||
        kin__str_to_u64(&n, kin_str_make(path.data + len, path.len - len)) < 0)
        return 0;
    return (size_t)n;
}

static void echo(const kin__request *request, kin__buf *out)
{
    kin__buf_appendf(out, "%" KIN_STR_FMT " %" KIN_STR_FMT " %" KIN_STR_FMT " %s %zu\n",
                     KIN_STR_ARG(request->method), KIN_STR_ARG(request->path),
                     KIN_STR_ARG(request->query), request->caller.name, request->body.len);
    kin__buf_append(out, request->body);
}

static void fill(kin__buf *out, size_t n)
{
    while (n-- > 0)
        kin__buf_append_char(out, 'w');
}

static bool hold(kin_test_server *test, kin__api_call *call)
{
    if (!kin_str_equal(call->request->path, kin_str_of("/held")))
        return false;
    pthread_mutex_lock(&test->lock);
    bool is_room = test->n_held < sizeof(test->held) / sizeof(test->held[0]);
    if (is_room)
        test->held[test->n_held++] = call;
    pthread_cond_broadcast(&test->changed);
    pthread_mutex_unlock(&test->lock);
    return is_room;
}

static void serve(void *arg, kin__api_call *call)
{
    kin_test_server *test = arg;
    const kin__request *request = call->request;
    kin__reply reply = {.status = 200};
    kin__failure failure;

    if (hold(test, call))
        return;
    kin__buf_init(&reply.body, SIZE_MAX - 1);
    if (kin__str_starts_with(request->query, kin_str_of("watch="))) {
        reply.source = open_stream(test);
    } else if (kin__str_starts_with(request->path, kin_str_of("/size/"))) {
        fill(&reply.body, number_behind(request->path, "/size/"));
    } else if (kin__str_starts_with(request->path, kin_str_of("/made/"))) {
        reply.source = open_made(test, number_behind(request->path, "/made/"), false);
    } else if (kin__str_starts_with(request->path, kin_str_of("/eager/"))) {
        reply.source = open_made(test, number_behind(request->path, "/eager/"), true);
    } else if (kin_str_equal(request->path, kin_str_of("/echo"))) {
        reply.content_type = "text/plain";
        echo(request, &reply.body);
    } else {
        kin__fail(&failure, 404, "NotFound", "the server could not find the requested resource");
        kin__failure_reply(&failure, &reply);
    }
    call->answer(call, &reply);
}

static bool command(void *arg, kin_str name, kin_str query, kin__failure *failure)
{
    kin_test_server *test = arg;

    (void)query;
    if (!kin_str_equal(name, kin_str_of("compact")))
        return kin__fail(failure, 404, "NotFound", "no such command");
    pthread_mutex_lock(&test->lock);
    test->commands++;
    pthread_mutex_unlock(&test->lock);
    return true;
}

/* --- life --- */

void kin_test_server_start(kin_test_server *test, const kin_apiserver_options *options)
{
    const kin_apiserver_options defaults = KIN_APISERVER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;

    memset(test, 0, sizeof(*test));
    pthread_mutex_init(&test->lock, NULL);
    pthread_cond_init(&test->changed, NULL);
    test->service = (kin__service){.serve = serve, .command = command, .arg = test};
    if (kin__server_new(&test->server, options ? options : &defaults, &test->service, &err) < 0 ||
        kin__server_start(test->server, &err) < 0)
        fail_msg("%s", err.message);
}

void kin_test_server_done(kin_test_server *test)
{
    kin_test_server_answer_held(test);
    kin_test_server_end_streams(test);
    kin__server_free(test->server);
    assert_int_equal(test->n_streams, 0);
    pthread_cond_destroy(&test->changed);
    pthread_mutex_destroy(&test->lock);
    free(test->text);
}

/* --- clients --- */

int kin_test_connect_port(uint16_t port)
{
    const struct timeval limit = {KIN_TEST_TIMEOUT_MS / 1000, 0};
    struct sockaddr_in in = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons(port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit));
    if (connect(fd, (struct sockaddr *)&in, sizeof(in)) == 0)
        return fd;
    int os_error = errno;
    close(fd);
    errno = os_error;
    return -1;
}

int kin_test_server_connect(const kin_test_server *test)
{
    int fd = kin_test_connect_port(kin__server_port(test->server));

    assert_true(fd >= 0);
    return fd;
}

char *kin_test_server_exchange(const kin_test_server *test, const char *request)
{
    int fd = kin_test_server_connect(test);
    char *data = NULL;

    raw_send(fd, request);
    raw_read_all(fd, &data);
    close(fd);
    return data;
}

CURL *kin_test_server_easy(const kin_test_server *test, const char *path)
{
    char url[1024];
    CURL *easy = curl_easy_init();

    assert_non_null(easy);
    snprintf(url, sizeof(url), "%s%s", kin__server_get_url(test->server), path);
    curl_easy_setopt(easy, CURLOPT_URL, url);
    curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(easy, CURLOPT_TIMEOUT_MS, (long)KIN_TEST_TIMEOUT_MS);
    return easy;
}

struct got kin_test_server_get(const kin_test_server *test, const char *path)
{
    CURL *easy = kin_test_server_easy(test, path);
    struct got got = easy_get(easy);

    curl_easy_cleanup(easy);
    return got;
}

/* --- waiting and telling --- */

static void await(kin_test_server *test, const size_t *counter, size_t n)
{
    struct timespec until;

    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += KIN_TEST_TIMEOUT_MS / 1000;
    pthread_mutex_lock(&test->lock);
    while (*counter < n) {
        if (pthread_cond_timedwait(&test->changed, &test->lock, &until) != 0)
            break;
    }
    size_t reached = *counter;
    pthread_mutex_unlock(&test->lock);
    assert_true(reached >= n);
}

void kin_test_server_await_streams(kin_test_server *test, size_t n)
{
    await(test, &test->n_opened, n);
}

void kin_test_server_await_closed(kin_test_server *test, size_t n)
{
    await(test, &test->n_closed, n);
}

void kin_test_server_await_held(kin_test_server *test, size_t n)
{
    await(test, &test->n_held, n);
}

/* Under the lock, which closing takes, too: nobody is woken who is gone. */
static void wake_locked(kin_test_server *test)
{
    for (size_t i = 0; i < test->n_streams; i++) {
        struct stream *stream = test->streams[i];

        if (stream->waits) {
            stream->waits = false;
            stream->source.wake(stream->source.wake_arg);
        }
    }
}

void kin_test_server_push(kin_test_server *test, const char *text)
{
    size_t len = strlen(text);

    pthread_mutex_lock(&test->lock);
    test->text = realloc(test->text, test->text_len + len);
    memcpy(test->text + test->text_len, text, len);
    test->text_len += len;
    wake_locked(test);
    pthread_mutex_unlock(&test->lock);
}

void kin_test_server_end_streams(kin_test_server *test)
{
    pthread_mutex_lock(&test->lock);
    test->ended = true;
    wake_locked(test);
    pthread_mutex_unlock(&test->lock);
}

void kin_test_server_abort_streams(kin_test_server *test)
{
    pthread_mutex_lock(&test->lock);
    test->aborted = true;
    wake_locked(test);
    pthread_mutex_unlock(&test->lock);
}

void kin_test_server_answer_held(kin_test_server *test)
{
    kin__api_call *held[64];
    size_t n = 0;

    pthread_mutex_lock(&test->lock);
    n = test->n_held;
    memcpy(held, test->held, sizeof(held));
    test->n_held = 0;
    pthread_mutex_unlock(&test->lock);
    for (size_t i = 0; i < n; i++) {
        kin__reply reply = {.status = 201};

        kin__buf_init(&reply.body, SIZE_MAX - 1);
        kin__buf_append(&reply.body, kin_str_of("at last"));
        held[i]->answer(held[i], &reply);
    }
}

void kin_test_server_await(kin_test_server *test, const char *path, kin_request_phase phase,
                           size_t n)
{
    kin_request_filter filter = KIN_REQUEST_FILTER_INIT;

    filter.path = path;
    filter.phase = phase;
    assert_code(
        kin__request_log_wait(kin__server_log(test->server), &filter, n, KIN_TEST_TIMEOUT_MS, NULL),
        0);
}

void kin_test_server_inject(kin_test_server *test, kin_fault fault)
{
    assert_code(kin__server_inject(test->server, &fault, NULL, NULL), 0);
}

bool kin_test_contains(const char *text, const char *part)
{
    return strstr(text, part) != NULL;
}
