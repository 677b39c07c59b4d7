/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kinform-cache: Pods flow through a DeltaFIFO into an indexed store while readers query it.
 *
 *     kinform-cache [SECONDS]      3 unless told otherwise
 *
 * Four threads: one makes Pods and changes them, as a watch would; one applies what it finds in the
 * queue to the store; two read the store, which never waits for them nor they for it.
 */
#include <inttypes.h>
#include <kinform.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { PODS = 5000, NODES = 50, NAMESPACES = 8, READERS = 2, PAUSE_MS = 1, BURST = 100 };

struct cache {
    kin_store *store;
    kin_delta_fifo *fifo;
    kin_decoder *decoder;           /* the producer's */
    const kin_object *latest[PODS]; /* the producer's: what the store shall have in the end */
    unsigned version;               /* the producer's: the last resource version */
    atomic_bool stop;
    atomic_uint_fast64_t events;  /* put into the queue */
    atomic_uint_fast64_t applied; /* taken out of it */
    atomic_uint_fast64_t reads;
    atomic_uint_fast64_t found; /* objects that they found */
    atomic_int failed;          /* the first code that should not have been */
};

static void check(struct cache *c, int code, const char *what)
{
    if (code < 0 && code != KIN_ECLOSED && code != KIN_ENOTFOUND) {
        fprintf(stderr, "kinform-cache: %s: %s\n", what, kin_error_string(code));
        atomic_store(&c->failed, code);
    }
}

static void sleep_ms(long ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};

    nanosleep(&pause, NULL);
}

/* --- the producer --- */

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

/* A new state of a Pod, as the API server would send it. */
static const kin_object *make_pod(struct cache *c, unsigned number, unsigned node)
{
    char text[512];
    const kin_object *pod = NULL;
    int len = snprintf(text, sizeof(text),
                       "{\"apiVersion\":\"v1\",\"kind\":\"Pod\",\"metadata\":{\"name\":\"web-%u\","
                       "\"namespace\":\"team-%u\",\"resourceVersion\":\"%u\",\"labels\":"
                       "{\"app\":\"web\"}},\"spec\":{\"nodeName\":\"node-%u\",\"containers\":"
                       "[{\"name\":\"web\",\"image\":\"registry.example.com/web:1.4\"}]},"
                       "\"status\":{\"phase\":\"Running\"}}",
                       number, number % NAMESPACES, ++c->version, node);

    check(c, kin_decoder_decode(c->decoder, &pod, kin_str_make(text, (size_t)len), NULL), "decode");
    return pod;
}

/* The first list: all of it becomes visible at once. */
static void list_pods(struct cache *c)
{
    kin_replace *list = NULL;

    check(c, kin_delta_fifo_replace_begin(c->fifo, &list, NULL), "list");
    for (unsigned i = 0; i < PODS; i++) {
        c->latest[i] = make_pod(c, i, i % NODES);
        check(c, kin_replace_add(list, c->latest[i], NULL), "list");
    }
    check(c, kin_replace_commit(list, kin_str_of("1"), NULL), "list");
    atomic_fetch_add(&c->events, PODS);
}

/* One of three Pods that change is deleted, or comes back; the others move to another node. */
static void change_pod(struct cache *c, uint32_t *random)
{
    unsigned number = next_random(random) % PODS;
    const kin_object *before = c->latest[number];
    const kin_object *after = NULL;

    if (before && next_random(random) % 3 == 0) {
        check(c, kin_delta_fifo_delete(c->fifo, before, NULL), "delete");
    } else {
        after = make_pod(c, number, next_random(random) % NODES);
        check(c,
              before ? kin_delta_fifo_update(c->fifo, after, NULL)
                     : kin_delta_fifo_add(c->fifo, after, NULL),
              "change");
    }
    c->latest[number] = after;
    kin_object_unref(before);
    atomic_fetch_add(&c->events, 1);
}

static void *produce(void *arg)
{
    struct cache *c = arg;
    uint32_t random = 1;

    list_pods(c);
    while (!atomic_load(&c->stop)) {
        for (int i = 0; i < BURST; i++)
            change_pod(c, &random);
        sleep_ms(PAUSE_MS);
    }
    /* What is queued is still handed out; then the consumer ends. */
    kin_delta_fifo_close(c->fifo);
    return NULL;
}

/* --- the consumer --- */

/* The store's next version has all of the batch; readers see it whole or not at all. */
static int apply(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                 kin_error *err)
{
    struct cache *c = arg;
    kin_write *writes = calloc(n, sizeof(*writes));
    int code;

    (void)is_initial_list;
    if (!writes)
        return kin_error_set(err, KIN_ENOMEM, "no memory for a batch");
    for (size_t i = 0; i < n; i++) {
        writes[i].type = kin_deltas_is_deleted(&deltas[i]) ? KIN_WRITE_DELETE : KIN_WRITE_PUT;
        writes[i].object = kin_deltas_newest(&deltas[i])->object;
        atomic_fetch_add(&c->applied, deltas[i].len);
    }
    code = kin_store_write(c->store, writes, n, err);
    free(writes);
    return code;
}

static void *consume(void *arg)
{
    struct cache *c = arg;
    int code;

    do {
        code = kin_delta_fifo_pop_batch(c->fifo, apply, c, 0, -1, NULL);
        check(c, code, "apply");
    } while (code != KIN_ECLOSED);
    return NULL;
}

/* --- the readers --- */

static int by_node(const kin_object *pod, kin_index_values *values, void *arg, kin_error *err)
{
    char node[KIN_NAME_BYTES];

    (void)arg;
    if (kin_object_get_string(pod, "spec.nodeName", node, sizeof(node)) < 0)
        return 0;
    return kin_index_values_add(values, kin_str_of(node), err);
}

static void *read_store(void *arg)
{
    struct cache *c = arg;
    uint32_t random = 7;

    while (!atomic_load(&c->stop)) {
        kin_object_list pods = KIN_OBJECT_LIST_INIT;
        char node[16];
        char key[32];

        snprintf(node, sizeof(node), "node-%u", next_random(&random) % NODES);
        check(c, kin_store_by_index(c->store, &pods, kin_str_of("node"), kin_str_of(node), NULL),
              "by index");
        atomic_fetch_add(&c->found, pods.len);
        kin_object_list_done(&pods);
        for (int i = 0; i < BURST; i++) {
            unsigned number = next_random(&random) % PODS;
            const kin_object *pod = NULL;

            snprintf(key, sizeof(key), "team-%u/web-%u", number % NAMESPACES, number);
            check(c, kin_store_get(c->store, &pod, kin_str_of(key), NULL), "get");
            atomic_fetch_add(&c->found, pod != NULL);
            kin_object_unref(pod);
        }
        atomic_fetch_add(&c->reads, 1 + BURST);
    }
    return NULL;
}

/* --- the report --- */

static void print_counts(struct cache *c, const char *end)
{
    printf("%s%6zu pods  %8" PRIuFAST64 " events  %5zu keys queued  %9" PRIuFAST64 " reads%s%s",
           isatty(STDOUT_FILENO) ? "\r" : "", kin_store_len(c->store), atomic_load(&c->events),
           kin_delta_fifo_len(c->fifo), atomic_load(&c->reads),
           kin_delta_fifo_has_synced(c->fifo) ? "  synced " : "  listing", end);
    fflush(stdout);
}

/* Whether the store has what the producer has. */
static bool is_up_to_date(struct cache *c)
{
    size_t expected = 0;

    for (unsigned i = 0; i < PODS; i++) {
        const kin_object *stored = NULL;

        if (!c->latest[i])
            continue;
        expected++;
        if (kin_store_get_object(c->store, &stored, c->latest[i], NULL) < 0 ||
            stored != c->latest[i])
            return false;
        kin_object_unref(stored);
    }
    return kin_store_len(c->store) == expected;
}

static void report(struct cache *c)
{
    kin_store_stats stats = KIN_STORE_STATS_INIT;
    kin_string_list nodes = KIN_STRING_LIST_INIT;

    kin_store_get_stats(c->store, &stats, NULL);
    check(c, kin_store_index_values(c->store, &nodes, kin_str_of("node"), NULL), "values");
    printf("%" PRIuFAST64 " events became %" PRIu64 " versions of the store; "
           "%" PRIuFAST64 " reads found %" PRIuFAST64 " pods\n",
           atomic_load(&c->applied), stats.version, atomic_load(&c->reads), atomic_load(&c->found));
    printf("%zu pods on %zu nodes: %s\n", kin_store_len(c->store), nodes.len,
           is_up_to_date(c) ? "the store is up to date" : "THE STORE IS WRONG");
    kin_string_list_done(&nodes);
}

/* --- putting it together --- */

static int cache_init(struct cache *c, kin_error *err)
{
    kin_index node = KIN_INDEX_INIT("node", by_node);
    kin_delta_fifo_options options = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known;
    int code = kin_store_new(&c->store, NULL, err);

    if (code == 0)
        code = kin_store_add_index(c->store, &node, err);
    if (code == 0)
        code = kin_decoder_new(&c->decoder, NULL, err);
    if (code < 0)
        return code;
    known = kin_store_known_objects(c->store);
    options.known = &known;
    options.emit_replaced = true;
    return kin_delta_fifo_new(&c->fifo, &options, err);
}

static void cache_done(struct cache *c)
{
    for (unsigned i = 0; i < PODS; i++)
        kin_object_unref(c->latest[i]);
    kin_delta_fifo_free(c->fifo);
    kin_store_unref(c->store);
    kin_decoder_free(c->decoder);
}

static void run(struct cache *c, long seconds)
{
    void *(*const work[2 + READERS])(void *) = {produce, consume, read_store, read_store};
    pthread_t threads[2 + READERS];
    int started = 0;

    while (started < 2 + READERS && pthread_create(&threads[started], NULL, work[started], c) == 0)
        started++;
    if (started < 2 + READERS)
        atomic_store(&c->failed, KIN_ESYSTEM);
    for (long quarter = 0; quarter < 4 * seconds && !atomic_load(&c->failed); quarter++) {
        sleep_ms(250);
        /* On a terminal one line that lives, else one line per second. */
        if (isatty(STDOUT_FILENO))
            print_counts(c, "");
        else if (quarter % 4 == 3)
            print_counts(c, "\n");
    }
    atomic_store(&c->stop, true);
    if (started == 0)
        kin_delta_fifo_close(c->fifo);
    while (started > 0)
        pthread_join(threads[--started], NULL);
    if (isatty(STDOUT_FILENO))
        print_counts(c, "\n");
}

int main(int argc, char **argv)
{
    static struct cache c;
    kin_error err = KIN_ERROR_INIT;
    char *end = NULL;
    long seconds = argc > 1 ? strtol(argv[1], &end, 10) : 3;

    if (argc > 2 || (argc > 1 && (*end || seconds < 1 || seconds > 3600))) {
        fprintf(stderr, "usage: kinform-cache [SECONDS]\n");
        return 2;
    }
    if (cache_init(&c, &err) < 0) {
        fprintf(stderr, "kinform-cache: %s\n", err.message);
        cache_done(&c);
        return 1;
    }
    run(&c, seconds);
    if (!atomic_load(&c.failed))
        report(&c);
    cache_done(&c);
    return atomic_load(&c.failed) ? 1 : 0;
}
