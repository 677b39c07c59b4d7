/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/demo_figures.h"

#include <inttypes.h>
#include <stdio.h>

#include "cli/print/age.h"

struct demo_kind demo_total(const struct demo_figures *f)
{
    struct demo_kind all = {.name = "all"};
    uint64_t bytes = 0;
    uint64_t json = 0;

    for (size_t i = 0; i < DEMO_KINDS; i++) {
        const struct demo_kind *kind = &f->kinds[i];

        all.objects += kind->objects;
        all.events += kind->events;
        all.rate += kind->rate;
        all.queued += kind->queued;
        all.lag_ns = kind->lag_ns > all.lag_ns ? kind->lag_ns : all.lag_ns;
        all.max_lag_ns = kind->max_lag_ns > all.max_lag_ns ? kind->max_lag_ns : all.max_lag_ns;
        bytes += kind->bytes * kind->objects;
        json += kind->json * kind->objects;
    }
    if (all.objects > 0) {
        all.bytes = bytes / all.objects;
        all.json = json / all.objects;
    }
    return all;
}

void rate_sample(struct rate *r, int64_t now_ns, uint64_t count)
{
    r->at_ns[r->n % RATE_SAMPLES] = now_ns;
    r->counts[r->n % RATE_SAMPLES] = count;
    r->n++;
}

double rate_per_second(const struct rate *r)
{
    if (r->n < 2)
        return 0;
    size_t last = (r->n - 1) % RATE_SAMPLES;
    size_t first = r->n > RATE_SAMPLES ? r->n % RATE_SAMPLES : 0;
    int64_t ns = r->at_ns[last] - r->at_ns[first];

    return ns > 0 ? (double)(r->counts[last] - r->counts[first]) * 1e9 / (double)ns : 0;
}

void add_count(struct text *out, uint64_t n)
{
    char digits[24];
    int len = snprintf(digits, sizeof(digits), "%" PRIu64, n);

    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0)
            text_add_char(out, ',');
        text_add_char(out, digits[i]);
    }
}

void add_rate(struct text *out, double per_second)
{
    if (per_second < 999.95)
        text_format(out, "%.1f", per_second);
    else
        add_count(out, (uint64_t)(per_second + 0.5));
}

void add_bytes(struct text *out, uint64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double number = (double)bytes;
    size_t unit = 0;

    while (number >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
        number /= 1024;
        unit++;
    }
    text_format(out, "%.*f %s", unit > 0 && number < 9.95 ? 1 : 0, number, units[unit]);
}

void add_lag(struct text *out, int64_t ns)
{
    double ms = (double)ns / 1e6;

    if (ns <= 0)
        text_add_char(out, '-');
    else if (ms < 0.1)
        text_add_string(out, "<0.1 ms");
    else if (ms < 999.5)
        text_format(out, "%.*f ms", ms < 9.95 ? 1 : 0, ms);
    else
        text_format(out, "%.1f s", ms / 1000);
}

void add_seconds(struct text *out, int64_t ns)
{
    add_duration(out, ns / 1000000000);
}
