/* SPDX-License-Identifier: Apache-2.0 */
#include "threads.h"

#include <dirent.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kin_test.h"

/* Of proc(5). It is set before who waits in pthread_join() is woken. */
#define PF_EXITING 0x4u

static bool is_running(const char *id, const char *prefix)
{
    char path[300];
    char name[32] = "";
    unsigned flags = PF_EXITING;
    FILE *file;

    (void)snprintf(path, sizeof(path), "/proc/self/task/%s/stat", id);
    file = fopen(path, "re");
    if (!file)
        return false;
    if (fscanf(file, "%*d (%31[^)]) %*c %*d %*d %*d %*d %*d %u", name, &flags) != 2)
        flags = PF_EXITING;
    (void)fclose(file);
    return !(flags & PF_EXITING) && strncmp(name, prefix, strlen(prefix)) == 0;
}

static void *do_nothing(void *arg)
{
    return arg;
}

/* Sanitizers start a thread of their own with the first one of the program. */
static void start_first_thread(void)
{
    pthread_t thread;

    if (pthread_create(&thread, NULL, do_nothing, NULL) != 0)
        abort();
    pthread_join(thread, NULL);
}

size_t kin_test_count_threads(const char *prefix)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const struct dirent *entry;
    size_t n = 0;

    pthread_once(&once, start_first_thread);
    DIR *folder = opendir("/proc/self/task");

    if (!folder)
        abort();
    while ((entry = readdir(folder)))
        n += entry->d_name[0] != '.' && is_running(entry->d_name, prefix);
    closedir(folder);
    return n;
}

void kin_test_await_threads(const char *prefix, size_t n)
{
    int64_t deadline = kin_test_deadline();

    while (kin_test_count_threads(prefix) != n && kin_test_wait_turn(deadline))
        continue;
    assert_int_equal(kin_test_count_threads(prefix), n);
}
