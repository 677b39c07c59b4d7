/* SPDX-License-Identifier: Apache-2.0 */
#include "transport_support.h"

#include <dirent.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "base/clock.h"
#include "base/compiler.h"
#include "base/memory.h"
#include "client/transport_inside.h"

void transport_open_alone(transport_fixture *fixture, const transport_setup *setup)
{
    kin_config config;
    kin__transport_options options = setup->options;
    kin_error err = KIN_ERROR_INIT;

    memset(&config, 0, sizeof(config));
    config.server = kin__unconst(setup->url ? setup->url : kin_test_http_url(fixture->server));
    config.tls_server_name = kin__unconst(setup->tls_server_name);
    config.proxy_url = kin__unconst(setup->proxy_url);
    config.insecure = setup->insecure;
    config.no_compression = setup->no_compression;
    fixture->fake = setup->fake_clock;
    fixture->clock = kin_clock_system();
    if (fixture->fake)
        assert_code(kin_clock_new_fake(&fixture->clock, 0, NULL), 0);
    options.config = &config;
    options.clock = fixture->clock;
    int code = kin__transport_new(&fixture->transport, &options, &err);
    if (code < 0)
        print_error("%s\n", err.message);
    assert_code(code, 0);
}

void transport_open(transport_fixture *fixture, const transport_setup *setup)
{
    kin_test_http_start(&fixture->server, &setup->server);
    transport_open_alone(fixture, setup);
}

void transport_close(transport_fixture *fixture)
{
    kin__transport_free(fixture->transport);
    if (fixture->server)
        kin_test_http_stop(fixture->server);
    if (fixture->fake)
        kin_clock_unref(fixture->clock);
    memset(fixture, 0, sizeof(*fixture));
}

static void set_secret(kin__secret *secret, const char *text)
{
    if (text)
        assert_code(kin__secret_set(secret, kin_str_of(text)), 0);
}

kin__tls_material *transport_material(uint64_t generation, const char *ca,
                                      const kin_test_certificate *client)
{
    kin__tls_material *material = kin__calloc(1, sizeof(*material));

    assert_non_null(material);
    kin__ref_init(&material->ref);
    material->generation = generation;
    set_secret(&material->ca, ca);
    if (client) {
        set_secret(&material->certificate, client->certificate);
        set_secret(&material->key, client->key);
    }
    return material;
}

kin__exchange_spec transport_get(const char *target)
{
    return (kin__exchange_spec){.method = "GET", .target = target, .deadline = INT64_MAX};
}

kin__exchange *transport_start(transport_fixture *fixture, const kin__exchange_spec *spec)
{
    kin__exchange *exchange = NULL;
    kin_error err = KIN_ERROR_INIT;
    int code = kin__transport_start(fixture->transport, &exchange, spec, &err);

    if (code < 0)
        print_error("%s\n", err.message);
    assert_code(code, 0);
    return exchange;
}

uint64_t transport_sum(uint64_t sum, const char *data, size_t len)
{
    for (size_t i = 0; i < len; i++)
        sum = (sum ^ (unsigned char)data[i]) * UINT64_C(1099511628211);
    return sum;
}

static void keep(transport_result *ret, kin_str bytes)
{
    size_t room = ret->len < TRANSPORT_BODY_MAX ? TRANSPORT_BODY_MAX - ret->len : 0;
    size_t n = bytes.len < room ? bytes.len : room;

    memcpy(ret->body + (ret->len < TRANSPORT_BODY_MAX ? ret->len : TRANSPORT_BODY_MAX), bytes.data,
           n);
    ret->len += bytes.len;
    ret->body[ret->len < TRANSPORT_BODY_MAX ? ret->len : TRANSPORT_BODY_MAX] = '\0';
    ret->sum = transport_sum(ret->sum, bytes.data, bytes.len);
}

/* Real time, whatever the fixture's clock is: a test that waits this long has failed. */
static void wait_for_more(kin__exchange *exchange)
{
    assert_code(kin__exchange_wait(exchange, INT64_MAX), 0);
}

void transport_finish(transport_fixture *fixture, kin__exchange *exchange, transport_result *ret)
{
    kin_str bytes;

    (void)fixture;
    memset(ret, 0, sizeof(*ret));
    ret->err = (kin_error)KIN_ERROR_INIT;
    ret->body = calloc(1, TRANSPORT_BODY_MAX + 1);
    assert_non_null(ret->body);
    for (;;) {
        while (kin__exchange_read(exchange, &bytes))
            keep(ret, bytes);
        if (kin__exchange_ended(exchange, &ret->code, &ret->err))
            break;
        wait_for_more(exchange);
    }
    const kin__answer *answer = kin__exchange_answer(exchange);
    if (answer) {
        ret->status = answer->status;
        ret->is_http2 = answer->is_http2;
        memcpy(ret->content_type, answer->content_type, sizeof(ret->content_type));
    }
    kin__exchange_unref(exchange);
}

int transport_await_end(kin__exchange *exchange, kin_error *err)
{
    int code;

    while (!kin__exchange_ended(exchange, &code, err))
        wait_for_more(exchange);
    return code;
}

void transport_await_paused(kin__exchange *exchange)
{
    bool paused = false;

    while (!paused) {
        sched_yield();
        kin__mutex_lock(&exchange->lock);
        paused = exchange->wants_resume;
        kin__mutex_unlock(&exchange->lock);
    }
}

void transport_run(transport_fixture *fixture, const kin__exchange_spec *spec,
                   transport_result *ret)
{
    transport_finish(fixture, transport_start(fixture, spec), ret);
}

void transport_result_done(transport_result *result)
{
    free(result->body);
    result->body = NULL;
}

void transport_expect(transport_fixture *fixture, const kin__exchange_spec *spec, int code,
                      const char *text)
{
    transport_result result;

    transport_run(fixture, spec, &result);
    if (result.code != code)
        print_error("%s\n", result.err.message);
    assert_code(result.code, code);
    assert_code(result.err.code, code);
    if (!strstr(result.err.message, text))
        fail_msg("\"%s\" has no \"%s\"", result.err.message, text);
    transport_result_done(&result);
}

/* --- sockets --- */

size_t transport_count_sockets(void)
{
    DIR *folder = opendir("/proc/self/fd");
    const struct dirent *entry;
    size_t n = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL) {
        struct sockaddr_storage name = {.ss_family = AF_UNSPEC};
        socklen_t len = sizeof(name);
        int fd = (int)strtol(entry->d_name, NULL, 10);

        /* libcurl has others, to wake itself. */
        n += getsockname(fd, (struct sockaddr *)&name, &len) == 0 && name.ss_family == AF_INET;
    }
    closedir(folder);
    return n;
}

void transport_await_sockets(size_t n)
{
    int64_t begun = kin_clock_now(kin_clock_system());

    while (transport_count_sockets() > n) {
        if (kin_clock_now(kin_clock_system()) - begun > 60 * KIN__SECOND)
            fail_msg("%zu sockets instead of %zu", transport_count_sockets(), n);
        sched_yield();
    }
}
