/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-cache: stores and queues, next to what bench/peers/client-go does with the same objects
 * in the same orders. Arguments only; the modes are in store_*.c and fifo*.c.
 */
#include "cache.h"

#include <getopt.h>
#include <stdlib.h>
#include <string.h>

#define EXIT_USAGE 2
#define MAX_SECONDS 3600
#define MAX_NUMBER 100000000

static const char help[] =
    "usage: kin-bench-cache MODE --file pods.json|--slim [OPTION]...\n"
    "\n"
    "A store with two indexes, of namespaces and of nodes:\n"
    "  store-add          fill an empty one\n"
    "  store-update       each object by another state; --batch N: in transactions\n"
    "  store-delete       empty a full one\n"
    "  store-replace      all at once\n"
    "  store-get          by random keys\n"
    "  store-view-get     the same through views, a new one for each 64 gets\n"
    "  store-list         all objects, with a reference to each\n"
    "  store-view-list    all objects, through a view\n"
    "  store-by-index     by random values of --index\n"
    "  writer-while-get   one thread updates, --readers get\n"
    "  writer-while-list  one thread updates, --readers list\n"
    "  store-memory       what it takes, the objects not counted\n"
    "\n"
    "A DeltaFIFO:\n"
    "  fifo-add-pop       one thread adds, another pops\n"
    "  fifo-add-popbatch  the same, pops in batches\n"
    "  fifo-batch-batch   the same, adds in batches of --batch, too\n"
    "  fifo-hot           as fifo-add-pop, few keys\n"
    "  fifo-lockstep      one thread adds and pops in turn\n"
    "  fifo-add           fill an empty one\n"
    "  fifo-pop           empty a full one\n"
    "  fifo-replace       a list of what is known\n"
    "  fifo-replace-empty a list, nothing is known\n"
    "  fifo-resync        all that is known\n"
    "\n"
    "  --file FILE     objects: the items of this list of Pods, as JSON\n"
    "  --slim          objects: small ones, the same that the Go peer makes\n"
    "  --pods N        how many; with --file, all unless given\n"
    "  --keys N        the same for queues\n"
    "  --min-time S    repeat until this has been timed, seconds (default 1)\n"
    "  --readers N     threads that read, 1 to 64 (default 1)\n"
    "  --batch N       writes in one call (fifo-batch-batch: default 64)\n"
    "  --index NAME    namespace (default) or nodeName\n"
    "  --adds N        adds in one pass (default 1000000)\n"
    "  --hot-keys N    keys of fifo-hot (default 100)\n"
    "  --help          this text\n";

/* What a mode has besides --file and --slim. */
enum {
    PODS = 1,
    KEYS = 2,
    MIN_TIME = 4,
    READERS = 8,
    BATCH = 16,
    INDEX = 32,
    ADDS = 64,
    HOT_KEYS = 128,
    STORE = PODS | MIN_TIME,
    FIFO = KEYS | MIN_TIME
};

static const struct mode {
    const char *name;
    kin_bench_mode_fn *run;
    unsigned takes;
} modes[] = {
    {"store-add", kin_bench_store_add, STORE},
    {"store-update", kin_bench_store_update, STORE | BATCH},
    {"store-delete", kin_bench_store_delete, STORE},
    {"store-replace", kin_bench_store_replace, STORE},
    {"store-get", kin_bench_store_get, STORE | READERS},
    {"store-view-get", kin_bench_store_view_get, STORE | READERS},
    {"store-list", kin_bench_store_list, STORE | READERS},
    {"store-view-list", kin_bench_store_view_list, STORE | READERS},
    {"store-by-index", kin_bench_store_by_index, STORE | READERS | INDEX},
    {"writer-while-get", kin_bench_writer_while_get, STORE | READERS},
    {"writer-while-list", kin_bench_writer_while_list, STORE | READERS},
    {"store-memory", kin_bench_store_memory, PODS},
    {"fifo-add-pop", kin_bench_fifo_add_pop, FIFO | ADDS},
    {"fifo-add-popbatch", kin_bench_fifo_add_popbatch, FIFO | ADDS},
    {"fifo-batch-batch", kin_bench_fifo_batch_batch, FIFO | ADDS | BATCH},
    {"fifo-hot", kin_bench_fifo_hot, FIFO | ADDS | HOT_KEYS},
    {"fifo-lockstep", kin_bench_fifo_lockstep, FIFO | ADDS},
    {"fifo-add", kin_bench_fifo_add, FIFO},
    {"fifo-pop", kin_bench_fifo_pop, FIFO},
    {"fifo-replace", kin_bench_fifo_replace, FIFO},
    {"fifo-replace-empty", kin_bench_fifo_replace_empty, FIFO},
    {"fifo-resync", kin_bench_fifo_resync, FIFO},
};

/* Options: their letter is for getopt alone. `takes` is what a mode must have, 0 if all have it. */
static const struct choice {
    const char *name;
    int letter;
    int argument;
    unsigned takes;
} choices[] = {
    {"file", 'f', required_argument, 0},      {"slim", 's', no_argument, 0},
    {"pods", 'p', required_argument, PODS},   {"keys", 'k', required_argument, KEYS},
    {"adds", 'a', required_argument, ADDS},   {"min-time", 't', required_argument, MIN_TIME},
    {"batch", 'b', required_argument, BATCH}, {"readers", 'r', required_argument, READERS},
    {"index", 'i', required_argument, INDEX}, {"hot-keys", 'h', required_argument, HOT_KEYS},
};

static int usage(const char *message, const char *value)
{
    fprintf(stderr, "kin-bench-cache: %s%s%s\ntry: kin-bench-cache --help\n", message,
            value ? ": " : "", value ? value : "");
    return EXIT_USAGE;
}

static const struct mode *mode_named(const char *name)
{
    for (size_t m = 0; m < KIN_BENCH_LEN(modes); m++) {
        if (strcmp(name, modes[m].name) == 0)
            return &modes[m];
    }
    return NULL;
}

static int parse_number(size_t *ret, const char *value)
{
    char *end;
    unsigned long n = strtoul(value, &end, 10);

    if (*value < '0' || *value > '9' || *end != '\0' || n < 1 || n > MAX_NUMBER)
        return usage("a number from 1 to 100000000 is wanted, got", value);
    *ret = n;
    return 0;
}

static int parse_readers(unsigned *ret, const char *value)
{
    size_t n = 0;
    int status = parse_number(&n, value);

    if (status == 0 && n > KIN_BENCH_MAX_READERS)
        return usage("--readers wants a number from 1 to 64, got", value);
    *ret = (unsigned)n;
    return status;
}

static int parse_seconds(double *ret, const char *value)
{
    char *end;

    *ret = strtod(value, &end);
    if (end == value || *end != '\0' || !(*ret > 0 && *ret <= MAX_SECONDS))
        return usage("--min-time wants a number above 0 and up to 3600, got", value);
    return 0;
}

static int parse_index(const char **ret, const char *value)
{
    if (strcmp(value, KIN_NAMESPACE_INDEX) != 0 && strcmp(value, KIN_BENCH_NODE_INDEX) != 0)
        return usage("--index wants namespace or nodeName, got", value);
    *ret = value;
    return 0;
}

/* 0, or the exit status after the error was printed. */
static int parse_option(struct kin_bench_arguments *args, bool *slim, int letter, const char *value)
{
    switch (letter) {
    case 'f':
        args->file = value;
        return 0;
    case 's':
        *slim = true;
        return 0;
    case 'p':
    case 'k':
        return parse_number(&args->n, value);
    case 't':
        return parse_seconds(&args->min_time, value);
    case 'r':
        return parse_readers(&args->readers, value);
    case 'b':
        return parse_number(&args->batch, value);
    case 'i':
        return parse_index(&args->index, value);
    case 'a':
        return parse_number(&args->adds, value);
    default:
        return parse_number(&args->hot_keys, value);
    }
}

static int check_source(const struct kin_bench_arguments *args, bool slim)
{
    if (slim == (args->file != NULL))
        return usage("either --file or --slim is wanted", NULL);
    if (slim && args->n == 0)
        return usage("--slim wants --pods or --keys", NULL);
    return 0;
}

static int parse_command(struct kin_bench_arguments *args, const struct mode *mode, int argc,
                         char **argv)
{
    struct option longs[KIN_BENCH_LEN(choices) + 1] = {{NULL, 0, NULL, 0}};
    bool slim = false;
    int which = 0;
    int letter;

    for (size_t i = 0; i < KIN_BENCH_LEN(choices); i++)
        longs[i] = (struct option){choices[i].name, choices[i].argument, NULL, choices[i].letter};
    while ((letter = getopt_long(argc, argv, "", longs, &which)) != -1) {
        int status;

        if (letter == '?')
            return fputs("try: kin-bench-cache --help\n", stderr), EXIT_USAGE;
        if ((choices[which].takes & mode->takes) != choices[which].takes)
            return usage("this mode has no option", choices[which].name);
        status = parse_option(args, &slim, letter, optarg);
        if (status != 0)
            return status;
    }
    if (optind < argc)
        return usage("unexpected argument", argv[optind]);
    return check_source(args, slim);
}

int main(int argc, char **argv)
{
    struct kin_bench_arguments args = {.min_time = 1,
                                       .readers = 1,
                                       .index = KIN_NAMESPACE_INDEX,
                                       .adds = 1000000,
                                       .hot_keys = 100};
    struct kin_bench_report report;
    const struct mode *mode;
    int status;

    if (argc == 2 && strcmp(argv[1], "--help") == 0)
        return fputs(help, stdout) < 0 || fflush(stdout) != 0 ? EXIT_FAILURE : EXIT_SUCCESS;
    mode = argc > 1 ? mode_named(argv[1]) : NULL;
    if (!mode)
        return usage("the first argument is a mode", argc > 1 ? argv[1] : NULL);
    status = parse_command(&args, mode, argc - 1, argv + 1);
    if (status != 0)
        return status;
    kin_bench_report_init(&report);
    mode->run(&args, &report);
    if (kin_bench_pool_values() != 0)
        kin_bench_die("%llu shared values were left behind",
                      (unsigned long long)kin_bench_pool_values());
    kin_bench_write(&report);
    return EXIT_SUCCESS;
}
