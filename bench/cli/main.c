/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-cli: commands as their users have them, kinform's and others'.
 */
#include <errno.h>
#include <getopt.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "child.h"
#include "load.h"

#define EXIT_USAGE 2
#define REST_MAX 3600

static const char help[] =
    "usage: kin-bench-cli whole --url URL -- PROGRAM [ARGUMENT]...\n"
    "       kin-bench-cli until --url URL [--line TEXT] [--rest SECONDS] -- PROGRAM [ARGUMENT]...\n"
    "       kin-bench-cli size NAME=FILE...\n"
    "\n"
    "  whole  a program from its start to its end\n"
    "  until  a program from its start until it says, on standard error, a line that begins with TEXT;\n"
    "         memory so many seconds behind that\n"
    "  size   files without symbols\n";

struct run {
    const char *url;
    const char *line;
    unsigned rest;
    char **words; /* behind "--", or what is no option */
};

static void whole(const struct run *run)
{
    struct kin_bench_report report;
    struct kin_bench_child child;
    struct kin_bench_usage used;
    size_t peak_rss;

    kin_bench_child_start(&child, run->url, run->words, false);
    kin_bench_child_wait(&child, &used, &peak_rss);
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &used);
    kin_bench_report_measure(&report, "peak_rss", (double)peak_rss, "B");
    kin_bench_write(&report);
}

static void until(const struct run *run)
{
    struct kin_bench_report report;
    struct kin_bench_memory memory;
    struct kin_bench_child child;
    struct kin_bench_usage used;

    kin_bench_child_start(&child, run->url, run->words, run->line != NULL);
    if (run->line)
        kin_bench_child_await(&child, run->line);
    kin_bench_child_used(&child, &used);
    kin_bench_sleep(run->rest);
    kin_bench_child_memory(&child, &memory);
    kin_bench_child_stop(&child);
    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &used);
    kin_bench_report_memory(&report, &memory);
    kin_bench_write(&report);
}

/* --- sizes --- */

static void strip(char *file, char *into)
{
    char program[] = "strip";
    char option[] = "-o";
    char *argv[] = {program, option, into, file, NULL};
    int status = 0;
    pid_t pid;
    int code = posix_spawnp(&pid, argv[0], NULL, NULL, argv, environ);

    if (code != 0 || waitpid(pid, &status, 0) < 0 || status != 0) {
        (void)unlink(into);
        kin_bench_die("strip %s: %s, status %d", file, strerror(code), status);
    }
}

static void add_size(struct kin_bench_report *report, char *word)
{
    char into[1024];
    char *file = strchr(word, '=');
    struct stat info;

    (void)snprintf(into, sizeof(into), "%s/kin-bench-XXXXXX", kin_bench_temporary());
    int fd = mkstemp(into);
    if (!file || fd < 0 || close(fd) < 0)
        kin_bench_die("%s: %s", word, file ? strerror(errno) : "NAME=FILE is wanted");
    *file++ = '\0';
    strip(file, into);
    if (stat(into, &info) < 0 || unlink(into) < 0)
        kin_bench_die("%s: %s", into, strerror(errno));
    kin_bench_report_measure(report, word, (double)info.st_size, "B");
}

static void size(const struct run *run)
{
    struct kin_bench_report report;
    struct kin_bench_usage nothing = {0, 0};

    kin_bench_report_init(&report);
    kin_bench_report_usage(&report, &nothing);
    for (char **word = run->words; *word; word++)
        add_size(&report, *word);
    kin_bench_write(&report);
}

/* --- arguments --- */

static unsigned parse_rest(const char *text)
{
    char *end;
    unsigned long number = strtoul(text, &end, 10);

    if (*text < '0' || *text > '9' || *end || number > REST_MAX)
        kin_bench_die("--rest wants a number up to %d, not %s", REST_MAX, text);
    return (unsigned)number;
}

static int usage(void)
{
    fputs(help, stderr);
    return EXIT_USAGE;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {
        {"url", required_argument, NULL, 'u'},
        {"line", required_argument, NULL, 'l'},
        {"rest", required_argument, NULL, 'r'},
        {NULL, 0, NULL, 0},
    };
    struct run run = {NULL, NULL, 0, NULL};
    const char *mode = argc > 1 ? argv[1] : "";

    /* Up to what is no option: "+"; the mode is the first word. */
    for (int option;
         argc > 1 && (option = getopt_long(argc - 1, argv + 1, "+", options, NULL)) != -1;) {
        if (option == 'u')
            run.url = optarg;
        else if (option == 'l')
            run.line = optarg;
        else if (option == 'r')
            run.rest = parse_rest(optarg);
        else
            return usage();
    }
    if (argc < 2 || optind + 1 >= argc)
        return usage();
    run.words = argv + 1 + optind;
    if (strcmp(mode, "size") == 0)
        size(&run);
    else if (strcmp(mode, "whole") == 0 && run.url)
        whole(&run);
    else if (strcmp(mode, "until") == 0 && run.url)
        until(&run);
    else
        return usage();
    return 0;
}
