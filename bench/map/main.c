/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kin-bench-map: our hash map under the same load as Go's.
 *
 * bench/peers/client-go/gomap.go is the other side: the same keys, drawn in the same
 * order, at least a second of timed work. On both sides entries exist before the timed
 * part, and so do the keys to look up: copies in memory of their own, whose headers lie
 * in the order of use. Each of our entries is one allocation that holds its key, which is
 * how our stores have it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/compiler.h"
#include "base/hash.h"
#include "base/map.h"
#include "measure.h"

#define MIN_WALL INT64_C(1000000000)
#define KEY_SIZE 64
#define ORDER_SEED 42
#define MAX_KEYS 100000000ul

struct entry {
    kin__map_node node;
    uint64_t value;
    uint32_t key_len;
    char key[];
};

/* One step of the mixed load. */
struct step {
    kin_str get_first;
    kin_str get_second;
    kin_str remove;
    struct entry *insert;
};

struct bench {
    size_t n;
    struct entry **entries; /* 2n; those behind n are not in the map at first */
    char *lookup_bytes;     /* copies of all keys */
    kin_str *lookup;        /* 2n views of them */
    struct entry **order;   /* the first n entries in random order */
    kin_str *probes;        /* keys of n entries in random order */
    struct step *steps;     /* 2n */
    kin__map map;
    uint64_t found;
};

static uint64_t mix(uint64_t z)
{
    z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
    return z ^ (z >> 31);
}

static uint64_t draw(uint64_t *state)
{
    return mix(*state += UINT64_C(0x9e3779b97f4a7c15));
}

static size_t format_key(char *buf, size_t i)
{
    uint64_t state = i;
    uint64_t h = draw(&state);

    return (size_t)snprintf(buf, KEY_SIZE, "namespace-%02zu/workload-%06zu-%08x-%05x", i % 50,
                            i % 9973, (unsigned)(h >> 32), (unsigned)(h & 0xfffff));
}

static _Noreturn void die(const char *why)
{
    fprintf(stderr, "kin-bench-map: %s\n", why);
    exit(1);
}

static void *must_alloc(size_t n, size_t size)
{
    void *p = calloc(n, size);

    if (!p)
        die("out of memory");
    return p;
}

static void make_keys(struct bench *b)
{
    size_t used = 0;

    b->entries = must_alloc(2 * b->n, sizeof(*b->entries));
    b->lookup = must_alloc(2 * b->n, sizeof(*b->lookup));
    b->lookup_bytes = must_alloc(2 * b->n, KEY_SIZE);
    for (size_t i = 0; i < 2 * b->n; i++) {
        char *copy = b->lookup_bytes + used;
        size_t len = format_key(copy, i);
        struct entry *e = must_alloc(1, sizeof(*e) + len);

        memcpy(e->key, copy, len);
        e->key_len = (uint32_t)len;
        e->value = i;
        b->entries[i] = e;
        b->lookup[i] = kin_str_make(copy, len);
        used += len;
    }
}

/* A random permutation of 0 … n-1. */
static size_t *shuffled(size_t n)
{
    size_t *order = must_alloc(n, sizeof(*order));
    uint64_t state = ORDER_SEED;

    for (size_t i = 0; i < n; i++)
        order[i] = i;
    for (size_t i = n - 1; i > 0; i--) {
        size_t j = (size_t)(draw(&state) % (i + 1));
        size_t swapped = order[i];

        order[i] = order[j];
        order[j] = swapped;
    }
    return order;
}

static void make_order(struct bench *b, size_t first_probe)
{
    size_t *order = shuffled(b->n);

    b->order = must_alloc(b->n, sizeof(struct entry *));
    b->probes = must_alloc(b->n, sizeof(*b->probes));
    for (size_t i = 0; i < b->n; i++) {
        b->order[i] = b->entries[order[i]];
        b->probes[i] = b->lookup[first_probe + order[i]];
    }
    free(order);
}

/*
 * A steady state: all 2n keys stand in one random order, and the map holds a window of n
 * that moves on by one with each insert and delete. Half of the operations are gets of a
 * key in the window.
 */
static void make_steps(struct bench *b)
{
    size_t total = 2 * b->n;
    size_t *order = shuffled(total);
    uint64_t state = ORDER_SEED;

    for (size_t i = 0; i < b->n; i++)
        b->order[i] = b->entries[order[i]];
    b->steps = must_alloc(total, sizeof(*b->steps));
    for (size_t back = 0; back < total; back++) {
        struct step *s = &b->steps[back];

        s->get_first = b->lookup[order[(back + draw(&state) % b->n) % total]];
        s->insert = b->entries[order[(back + b->n) % total]];
        s->get_second = b->lookup[order[(back + draw(&state) % b->n) % total]];
        s->remove = b->lookup[order[back]];
    }
    free(order);
}

static void add(struct bench *b, struct entry *e)
{
    if (kin__map_add(&b->map, &e->node, kin_str_make(e->key, e->key_len), NULL) < 0)
        die("out of memory");
}

static void look_up(struct bench *b, kin_str key)
{
    b->found += kin__map_get(&b->map, key) != NULL;
}

static void remove_key(struct bench *b, kin_str key)
{
    kin__map_node *node = kin__map_get(&b->map, key);

    if (node)
        kin__map_remove(&b->map, node);
}

static void set_up_empty(struct bench *b)
{
    kin__map_done(&b->map);
}

static void set_up_full(struct bench *b)
{
    kin__map_done(&b->map);
    for (size_t i = 0; i < b->n; i++)
        add(b, b->order[i]);
}

static size_t pass_find(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++)
        look_up(b, b->probes[i]);
    return b->n;
}

static size_t pass_insert(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++)
        add(b, b->order[i]);
    return b->n;
}

static size_t pass_delete(struct bench *b)
{
    for (size_t i = 0; i < b->n; i++)
        remove_key(b, b->probes[i]);
    return b->n;
}

static size_t pass_mixed(struct bench *b)
{
    for (size_t i = 0; i < 2 * b->n; i++) {
        const struct step *s = &b->steps[i];

        look_up(b, s->get_first);
        add(b, s->insert);
        look_up(b, s->get_second);
        remove_key(b, s->remove);
    }
    return 8 * b->n;
}

static const struct mode {
    const char *name;
    void (*set_up)(struct bench *b); /* before each pass, not timed; NULL: once only */
    size_t (*pass)(struct bench *b); /* how many operations it did */
    size_t finds_x2;                 /* how many halves of its operations find a key */
    size_t left;                     /* entries left behind, as a multiple of n */
} modes[] = {
    {"get", NULL, pass_find, 2, 1},
    {"miss", NULL, pass_find, 0, 1},
    {"insert", set_up_empty, pass_insert, 0, 1},
    {"delete", set_up_full, pass_delete, 0, 0},
    {"mixed", NULL, pass_mixed, 1, 1},
};

static void set_up(struct bench *b, const struct mode *mode)
{
    make_keys(b);
    make_order(b, strcmp(mode->name, "miss") == 0 ? b->n : 0);
    if (strcmp(mode->name, "mixed") == 0)
        make_steps(b);
    kin__map_init(&b->map, kin__hash_seed());
}

static void measure(struct bench *b, const struct mode *mode)
{
    struct kin_bench_usage used = {0};
    struct kin_bench_section section;
    struct kin_bench_report report;
    uint64_t ops = 0;
    size_t before = kin_bench_heap_in_use();

    set_up_full(b);
    /* Our node is part of the entry; Go has all of its map in the table. */
    size_t heap = kin_bench_heap_in_use() - before + b->n * sizeof(kin__map_node);

    for (bool warm = false; used.wall < MIN_WALL; warm = true) {
        if (mode->set_up)
            mode->set_up(b);
        kin_bench_section_start(&section);
        size_t done = mode->pass(b);
        if (warm) {
            kin_bench_section_stop(&section, &used);
            ops += done;
        } else {
            b->found = 0;
        }
    }
    if (b->found * 2 != ops * mode->finds_x2 || kin__map_len(&b->map) != mode->left * b->n)
        die("the map did not hold what it should");
    kin_bench_report_init(&report);
    kin_bench_report_measure(&report, "ops", (double)ops * 1e9 / (double)used.wall, "1/s");
    kin_bench_report_usage(&report, &used);
    kin_bench_report_measure(&report, "heap", (double)heap, "B");
    kin_bench_report_measure(&report, "heap_per_key", (double)heap / (double)b->n, "B");
    if (kin_bench_report_write(&report, stdout) < 0)
        die("cannot write the report");
}

static void tear_down(struct bench *b)
{
    kin__map_done(&b->map);
    for (size_t i = 0; i < 2 * b->n; i++)
        free(b->entries[i]);
    free(b->entries);
    free(b->lookup);
    free(b->lookup_bytes);
    free(b->order);
    free(b->probes);
    free(b->steps);
}

static int usage(void)
{
    fprintf(stderr, "usage: kin-bench-map --mode get|miss|insert|delete|mixed --keys N\n"
                    "N is 2 to 100000000.\n");
    return 2;
}

static const struct mode *mode_named(const char *name)
{
    for (size_t m = 0; m < kin__array_len(modes); m++) {
        if (strcmp(name, modes[m].name) == 0)
            return &modes[m];
    }
    return NULL;
}

int main(int argc, char **argv)
{
    const struct mode *mode = NULL;
    struct bench b = {.n = 0};

    for (int i = 1; i + 1 < argc; i += 2) {
        if (strcmp(argv[i], "--keys") == 0) {
            char *end;
            unsigned long n = strtoul(argv[i + 1], &end, 10);

            if (*end == '\0' && n >= 2 && n <= MAX_KEYS)
                b.n = n;
        } else if (strcmp(argv[i], "--mode") == 0) {
            mode = mode_named(argv[i + 1]);
        } else {
            return usage();
        }
    }
    if (!mode || b.n == 0 || argc % 2 == 0)
        return usage();
    set_up(&b, mode);
    measure(&b, mode);
    tear_down(&b);
    return 0;
}
