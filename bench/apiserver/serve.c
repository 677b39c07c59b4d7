/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The server as a process of its own: for bench/run, which wants it to end with its standard input, and
 * for those modes that look at its beginning or its memory, which start this program once more.
 */
#include <kinform/apiserver.h>

#include "apiserver.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define URL_MAX 64
#define STORAGE "state.db"

/* --- the server --- */

/* Fill it, through the same door as everybody else. */
static void fill(const struct kin_bench_run *run, const char *url)
{
    struct kin_bench_run inside = *run;
    struct kin_bench_pods pods;

    inside.url = url;
    kin_bench_pods_load(&pods, run->pods);
    kin_bench_pods_make_namespaces(&pods, &inside);
    kin_bench_exchange(&inside, pods.creates, pods.items.n, 201);
    kin_bench_exchange(&inside, pods.statuses, pods.items.n, 200);
    kin_bench_pods_done(&pods);
}

static void wait_for_end_of_input(void)
{
    char buf[256];

    while (read(STDIN_FILENO, buf, sizeof(buf)) > 0)
        continue;
}

static void remove_storage(const char *folder)
{
    static const char *const files[] = {STORAGE, STORAGE "-wal", STORAGE "-shm", STORAGE "-lock"};
    char path[URL_MAX + 32];

    for (size_t i = 0; i < KIN_BENCH_LEN(files); i++) {
        (void)snprintf(path, sizeof(path), "%s/%s", folder, files[i]);
        (void)unlink(path);
    }
    if (rmdir(folder) < 0)
        kin_bench_die("%s is left behind: %s", folder, strerror(errno));
}

void kin_bench_serve(const struct kin_bench_run *run)
{
    kin_apiserver_options options = KIN_APISERVER_OPTIONS_INIT;
    kin_error err = KIN_ERROR_INIT;
    kin_apiserver *server = NULL;
    char folder[] = "/tmp/kin-bench-XXXXXX";
    char path[sizeof(folder) + sizeof(STORAGE)];

    if (run->sqlite) {
        if (!mkdtemp(folder))
            kin_bench_die("no folder for the storage: %s", strerror(errno));
        (void)snprintf(path, sizeof(path), "%s/%s", folder, STORAGE);
        options.storage_path = path;
    }
    if (kin_apiserver_new(&server, &options, &err) < 0 || kin_apiserver_start(server, &err) < 0)
        kin_bench_die("%s", err.message);
    if (run->pods)
        fill(run, kin_apiserver_url(server));
    printf("listening %s\n", kin_apiserver_url(server));
    (void)fflush(stdout);
    wait_for_end_of_input();
    kin_apiserver_free(server);
    if (run->sqlite)
        remove_storage(folder);
}

/* --- the server as a child --- */

struct child {
    pid_t pid;
    int input; /* whose end is its end */
    char url[URL_MAX];
};

static void run_child(const struct kin_bench_run *run, int input, int output)
{
    static char name[] = "kin-bench-apiserver";
    static char mode[] = "serve";
    static char sqlite[] = "--sqlite";
    char *arguments[] = {name, mode, run->sqlite ? sqlite : NULL, NULL};

    if (dup2(input, STDIN_FILENO) >= 0 && dup2(output, STDOUT_FILENO) >= 0)
        (void)execv("/proc/self/exe", arguments);
    _exit(127);
}

static void child_start(struct child *child, const struct kin_bench_run *run)
{
    static const char word[] = "listening ";
    int input[2];
    int output[2];
    char line[URL_MAX];

    /* Sockets, which like descriptors of ours are closed where the child becomes another program. */
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, input) < 0 ||
        socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, output) < 0)
        kin_bench_die("socketpair: %s", strerror(errno));
    child->pid = fork();
    if (child->pid < 0)
        kin_bench_die("fork: %s", strerror(errno));
    if (child->pid == 0)
        run_child(run, input[0], output[0]);
    close(input[0]);
    close(output[0]);
    child->input = input[1];
    FILE *out = fdopen(output[1], "r");
    if (!out || !fgets(line, sizeof(line), out) || strncmp(line, word, strlen(word)) != 0)
        kin_bench_die("the server did not start");
    line[strcspn(line, "\n")] = '\0';
    (void)snprintf(child->url, sizeof(child->url), "%s", line + strlen(word));
    (void)fclose(out);
}

static void child_stop(struct child *child)
{
    int status = 0;

    close(child->input);
    if (waitpid(child->pid, &status, 0) < 0 || status != 0)
        kin_bench_die("the server ended with status %d", status);
}

/* CPU time of the child so far. */
static int64_t child_cpu(const struct child *child)
{
    struct timespec time;
    clockid_t clock;

    if (clock_getcpuclockid(child->pid, &clock) != 0 || clock_gettime(clock, &time) < 0)
        kin_bench_die("the server's CPU time is not known");
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static struct kin_bench_memory child_memory(const struct child *child)
{
    struct kin_bench_memory memory;

    if (kin_bench_memory_read_of(child->pid, &memory) < 0)
        kin_bench_die("the server's memory is not known");
    return memory;
}

/* --- what is measured of it --- */

void kin_bench_start(const struct kin_bench_run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_run one = *run;
    struct kin_bench_section section;
    struct kin_bench_report report;
    struct kin_bench_request request;
    struct child child;

    kin_bench_request_init(&request, "GET", "/readyz", "", kin_str_of(""), kin_str_of(""));
    one.connections = 1;
    kin_bench_section_start(&section);
    child_start(&child, run);
    one.url = child.url;
    kin_bench_exchange(&one, &request, 1, 200);
    kin_bench_section_stop(&section, &usage);
    usage.cpu = child_cpu(&child);
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    kin_bench_report_measure(&report, "rss", (double)child_memory(&child).rss, "B");
    child_stop(&child);
    kin_bench_report_note(&report, "cpu is the server's alone");
    kin_bench_write(&report);
}

void kin_bench_memory(const struct kin_bench_run *run)
{
    struct kin_bench_usage usage = {0, 0};
    struct kin_bench_run inside = *run;
    struct kin_bench_section section;
    struct kin_bench_report report;
    struct kin_bench_pods pods;
    struct child child;

    kin_bench_pods_load(&pods, run->pods);
    child_start(&child, run);
    inside.url = child.url;
    kin_bench_pods_make_namespaces(&pods, &inside);
    struct kin_bench_memory empty = child_memory(&child);
    kin_bench_section_start(&section);
    kin_bench_exchange(&inside, pods.creates, pods.items.n, 201);
    struct kin_bench_memory created = child_memory(&child);
    kin_bench_exchange(&inside, pods.statuses, pods.items.n, 200);
    kin_bench_section_stop(&section, &usage);
    usage.cpu = child_cpu(&child);
    struct kin_bench_memory filled = child_memory(&child);
    double more = (double)filled.rss_anon - (double)empty.rss_anon;
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &usage);
    kin_bench_report_measure(&report, "rss", (double)filled.rss, "B");
    kin_bench_report_measure(&report, "rss_created", (double)created.rss, "B");
    kin_bench_report_measure(&report, "peak_rss", (double)filled.peak_rss, "B");
    kin_bench_report_measure(&report, "rss_anon_per_object", more / (double)pods.items.n, "B");
    child_stop(&child);
    kin_bench_pods_done(&pods);
    kin_bench_report_note(&report, "memory and cpu are the server's alone");
    kin_bench_write(&report);
}
