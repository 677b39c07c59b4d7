/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The replay server's reading of requests: whatever comes, and however it is split, the
 * answer is the same, what it holds is within its bounds, and routing and negotiation take it.
 */
#include <string.h>

#include "fuzz.h"
#include "request.h"

static void check_kind(const struct kin_bench_kind *kind)
{
    FUZZ_CHECK(strlen(kind->kind) > 0 && strlen(kind->kind) < sizeof(kind->kind));
    FUZZ_CHECK(strlen(kind->api_version) < sizeof(kind->api_version));
}

static void use(const struct kin_bench_request *r)
{
    struct kin_bench_kind kind;
    enum kin_bench_format format;
    enum kin_bench_route route = kin_bench_route(r->path, &kind);

    if (route == KIN_BENCH_ROUTE_PODS || route == KIN_BENCH_ROUTE_OTHER)
        check_kind(&kind);
    for (unsigned available = 0; available < 1u << KIN_BENCH_FORMAT_COUNT; available++) {
        if (kin_bench_negotiate(&format, r->accept, r->watch, available) == 0)
            FUZZ_CHECK(available & 1u << format);
    }
}

/* The head as it comes in, `step` bytes at a time; how many had come when it was decided. */
static enum kin_bench_parse parse(struct kin_bench_request *r, const char *data, size_t size,
                                  size_t step, size_t *ret_used)
{
    enum kin_bench_parse result = KIN_BENCH_PARSE_MORE;
    size_t scanned = 0;
    size_t come = 0;

    while (result == KIN_BENCH_PARSE_MORE && come < size) {
        come = size - come < step ? size : come + step;
        result = kin_bench_request_parse(r, data, come, &scanned, ret_used);
    }
    return result;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kin_bench_request whole;
    static struct kin_bench_request split;
    size_t used_whole = 0;
    size_t used_split = 0;

    if (size < 2)
        return 0;
    size_t step = data[0] % 16 + 1u;
    const char *bytes = (const char *)data + 1;
    enum kin_bench_parse result = parse(&whole, bytes, size - 1, size - 1, &used_whole);

    FUZZ_CHECK(parse(&split, bytes, size - 1, step, &used_split) == result);
    if (result == KIN_BENCH_PARSE_DONE) {
        FUZZ_CHECK(used_whole == used_split && used_whole > 0 && used_whole <= size - 1);
        FUZZ_CHECK(memchr(whole.path, '\0', sizeof(whole.path)) != NULL);
        FUZZ_CHECK(strcmp(whole.path, split.path) == 0);
        FUZZ_CHECK(strcmp(whole.accept, split.accept) == 0);
        FUZZ_CHECK(whole.watch || !whole.send_initial_events);
        use(&whole);
    } else if (result == KIN_BENCH_PARSE_ERROR) {
        FUZZ_CHECK(whole.status >= 400 && whole.status < 600 && whole.problem);
    }
    return 0;
}
