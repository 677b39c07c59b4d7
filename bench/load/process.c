/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What this process takes, and its report.
 */
#include "load.h"

#include <dirent.h>
#include <malloc.h>

struct kin_bench_memory kin_bench_memory_now(void)
{
    struct kin_bench_memory now;

    if (kin_bench_memory_read(&now) < 0)
        kin_bench_die("cannot read /proc/self/status");
    return now;
}

struct kin_bench_resting kin_bench_rest(void)
{
    struct kin_bench_resting now;

    (void)malloc_trim(0);
    now.heap = kin_bench_heap_in_use();
    now.process = kin_bench_memory_now();
    return now;
}

double kin_bench_above(uint64_t after, uint64_t before)
{
    return (double)after - (double)before;
}

unsigned kin_bench_threads(void)
{
    DIR *folder = opendir("/proc/self/task");
    unsigned n = 0;

    if (!folder)
        kin_bench_die("there is no /proc/self/task");
    for (struct dirent *entry = readdir(folder); entry; entry = readdir(folder))
        n += entry->d_name[0] != '.';
    closedir(folder);
    return n;
}

void kin_bench_write(const struct kin_bench_report *report)
{
    if (kin_bench_report_write(report, stdout) < 0)
        kin_bench_die("cannot write the report");
}
