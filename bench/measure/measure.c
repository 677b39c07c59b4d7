/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Clocks, memory and the report of a contestant.
 *
 * Starting reads the CPU clock last and stopping reads it first, so that reading the clocks is in no
 * CPU time. A report that breaks the protocol is a mistake of the program, and is remembered until
 * the end rather than returned by each call: a contestant has one place where it can fail.
 */
#include "measure.h"

#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <math.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* DBL_MAX has 309 digits before the point. */
#define NUMBER_SIZE 330

static int64_t now(clockid_t id)
{
    struct timespec t;

    (void)clock_gettime(id, &t);
    return (int64_t)t.tv_sec * 1000000000 + t.tv_nsec;
}

void kin_bench_section_start(struct kin_bench_section *section)
{
    section->wall = now(CLOCK_MONOTONIC);
    section->cpu = now(CLOCK_PROCESS_CPUTIME_ID);
}

void kin_bench_section_stop(const struct kin_bench_section *section, struct kin_bench_usage *total)
{
    total->cpu += now(CLOCK_PROCESS_CPUTIME_ID) - section->cpu;
    total->wall += now(CLOCK_MONOTONIC) - section->wall;
}

/* --- memory --- */

/* The number of "\nNAME:   NUMBER kB"; false if there is none. */
static bool status_bytes(const char *status, const char *name, uint64_t *ret)
{
    const char *at = strstr(status, name);
    char *end;
    unsigned long long kib;

    if (!at)
        return false;
    at += strlen(name);
    kib = strtoull(at, &end, 10);
    if (end == at || strncmp(end, " kB\n", 4) != 0)
        return false;
    *ret = (uint64_t)kib * 1024;
    return true;
}

/* All of a small file, terminated; cut where the buffer ends. */
static int read_whole(const char *path, char *buffer, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    size_t len = 0;
    int rc = 0;

    if (fd < 0)
        return -errno;
    while (len < size - 1) {
        ssize_t n = read(fd, buffer + len, size - 1 - len);

        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            rc = -errno;
        if (n <= 0)
            break;
        len += (size_t)n;
    }
    buffer[len] = '\0';
    (void)close(fd);
    return rc;
}

static int read_memory(const char *path, struct kin_bench_memory *ret)
{
    char status[16384];
    struct kin_bench_memory found;
    int rc = read_whole(path, status, sizeof(status));

    if (rc < 0)
        return rc;
    if (!status_bytes(status, "\nVmRSS:", &found.rss) ||
        !status_bytes(status, "\nRssAnon:", &found.rss_anon) ||
        !status_bytes(status, "\nVmHWM:", &found.peak_rss))
        return -ENODATA;
    *ret = found;
    return 0;
}

int kin_bench_memory_read(struct kin_bench_memory *ret)
{
    return read_memory("/proc/self/status", ret);
}

int kin_bench_memory_read_of(pid_t pid, struct kin_bench_memory *ret)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%ld/status", (long)pid);
    return read_memory(path, ret);
}

size_t kin_bench_heap_in_use(void)
{
    struct mallinfo2 info = mallinfo2();

    return info.uordblks + info.hblkhd;
}

/* --- the report --- */

void kin_bench_report_init(struct kin_bench_report *report)
{
    report->text[0] = '\0';
    report->len = 0;
    report->broken = false;
}

static void add_line(struct kin_bench_report *report, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* One line and its end; newlines within it become spaces. */
static void add_line(struct kin_bench_report *report, const char *format, ...)
{
    char *line = report->text + report->len;
    size_t room = sizeof(report->text) - report->len;
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(line, room, format, args);
    va_end(args);
    if (n < 0 || (size_t)n + 1 >= room) {
        *line = '\0';
        report->broken = true;
        return;
    }
    for (int i = 0; i < n; i++) {
        if (line[i] == '\n')
            line[i] = ' ';
    }
    line[n] = '\n';
    line[n + 1] = '\0';
    report->len += (size_t)n + 1;
}

static bool is_name(const char *name)
{
    return *name && name[strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_.")] == '\0';
}

static bool is_unit(const char *unit)
{
    static const char *const units[] = {"s", "ns", "us", "ms", "B", "count", "1/s", "B/s"};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        if (strcmp(unit, units[i]) == 0)
            return true;
    }
    return false;
}

static bool is_there(const struct kin_bench_report *report, const char *name)
{
    static const char word[] = "measure ";
    size_t len = strlen(name);
    const char *line = report->text;

    while (line && *line) {
        const char *found = line + sizeof(word) - 1;

        if (strncmp(line, word, sizeof(word) - 1) == 0 && strncmp(found, name, len) == 0 &&
            found[len] == ' ')
            return true;
        line = strchr(line, '\n');
        if (line)
            line++;
    }
    return false;
}

void kin_bench_report_measure(struct kin_bench_report *report, const char *name, double value,
                              const char *unit)
{
    char number[NUMBER_SIZE];
    size_t len;

    if (!is_name(name) || !is_unit(unit) || !isfinite(value) || is_there(report, name)) {
        report->broken = true;
        return;
    }
    len = (size_t)snprintf(number, sizeof(number), "%.9f", value);
    while (number[len - 1] == '0')
        len--;
    if (number[len - 1] == '.')
        len--;
    add_line(report, "measure %s %.*s %s", name, (int)len, number, unit);
}

void kin_bench_report_usage(struct kin_bench_report *report, const struct kin_bench_usage *usage)
{
    kin_bench_report_measure(report, "wall", (double)usage->wall / 1e9, "s");
    kin_bench_report_measure(report, "cpu", (double)usage->cpu / 1e9, "s");
}

void kin_bench_report_memory(struct kin_bench_report *report, const struct kin_bench_memory *memory)
{
    kin_bench_report_measure(report, "rss", (double)memory->rss, "B");
    kin_bench_report_measure(report, "rss_anon", (double)memory->rss_anon, "B");
    kin_bench_report_measure(report, "peak_rss", (double)memory->peak_rss, "B");
}

void kin_bench_report_note(struct kin_bench_report *report, const char *format, ...)
{
    char text[1024];
    va_list args;
    int n;

    va_start(args, format);
    n = vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (n <= 0 || (size_t)n >= sizeof(text)) {
        report->broken = true;
        return;
    }
    add_line(report, "note %s", text);
}

int kin_bench_report_write(const struct kin_bench_report *report, FILE *out)
{
    if (report->broken)
        return -1;
    if (fwrite(report->text, 1, report->len, out) != report->len || fflush(out) != 0)
        return -1;
    return 0;
}
