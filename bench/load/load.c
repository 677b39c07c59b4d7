/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ends, memory, time and chance.
 */
#include "load.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

void kin_bench_die(const char *format, ...)
{
    va_list args;

    fprintf(stderr, "%s: ", program_invocation_short_name);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fputc('\n', stderr);
    /* Other threads go on meanwhile, and must not meet libraries that have cleaned up. */
    _exit(1);
}

size_t kin_bench_number(const char *text, size_t max)
{
    char *end;
    unsigned long n = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || n < 1 || n > max)
        kin_bench_die("a number from 1 to %zu is wanted, got %s", max, text);
    return n;
}

void *kin_bench_alloc(size_t n, size_t size)
{
    char *p = calloc(n, size);

    if (!p)
        kin_bench_die("out of memory");
    /* Fresh pages of calloc() are the kernel's one page of zeros until they are written. */
    for (size_t i = 0; i < n * size; i += 4096)
        ((volatile char *)p)[i] = 0;
    return p;
}

void kin_bench_sleep(double seconds)
{
    struct timespec left;

    left.tv_sec = (time_t)seconds;
    left.tv_nsec = (long)((seconds - (double)left.tv_sec) * 1e9);
    while (nanosleep(&left, &left) < 0)
        ;
}

uint64_t kin_bench_draw(uint64_t *state)
{
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

size_t *kin_bench_shuffled(size_t n, uint64_t seed)
{
    size_t *order = kin_bench_alloc(n, sizeof(*order));
    uint64_t state = seed;

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n; i > 1; i--) {
        size_t j = (size_t)(kin_bench_draw(&state) % i);
        size_t swapped = order[i - 1];

        order[i - 1] = order[j];
        order[j] = swapped;
    }
    return order;
}
