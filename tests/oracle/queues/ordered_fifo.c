/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of the ordered FIFO. Its consumer keeps a store, which is what the queue knows unless it is
 * atomic; its keys are visited in order, as the Go program lists them.
 */
#include <kinform/ordered_fifo.h>

#include <stdlib.h>
#include <string.h>

#include "script.h"

struct machine {
    kin_ordered_fifo *fifo;
    kin_store *store;
    script_pop pop;
};

static void *start(const script_line *options)
{
    kin_ordered_fifo_options given = KIN_ORDERED_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    struct machine *m = script_alloc(1, sizeof(*m));

    script_pop_init(&m->pop);
    m->store = script_store_new();
    known = script_known_objects(m->store);
    given.key = script_key_of;
    given.emit_bookmarks = script_has_option(options, "bookmarks");
    if (script_has_option(options, "transform"))
        given.transform = script_transform;
    if (!script_has_option(options, "atomic"))
        given.known = &known;
    if (kin_ordered_fifo_new(&m->fifo, &given, NULL) < 0)
        script_die("no memory", "queue");
    return m;
}

static void stop(void *machine)
{
    struct machine *m = machine;

    kin_ordered_fifo_free(m->fifo);
    kin_store_unref(m->store);
    script_pop_done(&m->pop);
    free(m);
}

/* --- steps: each prints all but the state at the end --- */

typedef int put_fn(kin_ordered_fifo *fifo, const kin_object *object, kin_error *err);

static void put(struct machine *m, put_fn *fn, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));

    script_print_code(fn(m->fifo, object, NULL));
    kin_object_unref(object);
}

static void step_add(struct machine *m, const script_line *line)
{
    put(m, kin_ordered_fifo_add, line);
}

static void step_update(struct machine *m, const script_line *line)
{
    put(m, kin_ordered_fifo_update, line);
}

static void step_delete(struct machine *m, const script_line *line)
{
    put(m, kin_ordered_fifo_delete, line);
}

static void step_batch(struct machine *m, const script_line *line)
{
    size_t n;
    kin_delta *items = script_parse_batch(line, &n);

    script_print_code(kin_ordered_fifo_add_batch(m->fifo, items, n, NULL));
    script_deltas_free(items, n);
}

/* "@17" without its sign. */
static kin_str version_of(const script_line *line)
{
    return kin_str_of(script_word(line, 1) + 1);
}

static void step_replace(struct machine *m, const script_line *line)
{
    size_t n;
    const kin_object **objects = script_parse_objects(line, 2, &n);

    script_print_code(kin_ordered_fifo_replace(m->fifo, objects, n, version_of(line), NULL));
    script_objects_free(objects, n);
}

static void step_bookmark(struct machine *m, const script_line *line)
{
    script_print_code(kin_ordered_fifo_bookmark(m->fifo, version_of(line), NULL));
}

static void step_resync(struct machine *m, const script_line *line)
{
    (void)line;
    script_print_code(kin_ordered_fifo_resync(m->fifo, NULL));
}

static void print_list(FILE *out, const kin_delta *delta)
{
    const kin_object *const *items = NULL;
    size_t n = 0;

    if (kin_delta_list(delta, &items, &n, NULL) < 0)
        script_die("no list", kin_delta_type_name(delta->type));
    fputc('(', out);
    for (size_t i = 0; i < n; i++) {
        fputs(i ? "," : "", out);
        script_print_object(out, items[i]);
    }
    fputc(')', out);
}

static void print_delta(FILE *out, const kin_delta *delta)
{
    kin_str version = kin_delta_resource_version(delta);

    fprintf(out, " %s=", kin_delta_type_name(delta->type));
    if (delta->type == KIN_DELTA_SYNC_ALL)
        fputs("all", out);
    else if (delta->type < KIN_DELTA_REPLACED_ALL)
        script_print_object(out, delta->object);
    else
        fprintf(out, "@%.*s", (int)version.len, version.data);
    if (delta->type == KIN_DELTA_REPLACED_ALL)
        print_list(out, delta);
}

static int apply(kin_store *store, const kin_delta *delta)
{
    const kin_object *const *items = NULL;
    size_t n = 0;

    switch (delta->type) {
    case KIN_DELTA_DELETED:
        return kin_store_delete(store, delta->object, NULL);
    case KIN_DELTA_REPLACED_ALL:
        if (kin_delta_list(delta, &items, &n, NULL) < 0)
            return KIN_EINVAL;
        return kin_store_replace(store, items, n, kin_delta_resource_version(delta), NULL);
    case KIN_DELTA_SYNC_ALL:
    case KIN_DELTA_BOOKMARK:
        return 0;
    default:
        return kin_store_update(store, delta->object, NULL);
    }
}

static int process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                         kin_error *err)
{
    struct machine *m = arg;

    for (size_t i = 0; i < n; i++) {
        if (deltas[i].len != 1)
            script_die("not one delta", m->pop.mode);
        print_delta(m->pop.came, deltas[i].items);
        if (strcmp(m->pop.mode, "ok") == 0 && apply(m->store, deltas[i].items) < 0)
            script_die("the store refuses", kin_delta_type_name(deltas[i].items->type));
    }
    return script_processed(&m->pop, is_initial_list, err);
}

static int process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    return process_batch(deltas, 1, is_initial_list, arg, err);
}

static void step_pop(struct machine *m, const script_line *line)
{
    script_pop_begin(&m->pop, script_word(line, 1));
    script_pop_end(&m->pop, kin_ordered_fifo_pop(m->fifo, process, m, 0, NULL));
}

static void step_pop_batch(struct machine *m, const script_line *line)
{
    script_pop_begin(&m->pop, script_word(line, 1));
    script_pop_end(&m->pop, kin_ordered_fifo_pop_batch(m->fifo, process_batch, m, 0, 0, NULL));
}

static void step_length(struct machine *m, const script_line *line)
{
    (void)line;
    printf("%zu", kin_ordered_fifo_len(m->fifo));
}

static void step_store(struct machine *m, const script_line *line)
{
    (void)line;
    script_print_store(m->store);
}

static void step_close(struct machine *m, const script_line *line)
{
    (void)line;
    kin_ordered_fifo_close(m->fifo);
    script_print_code(0);
}

static void step_closed(struct machine *m, const script_line *line)
{
    (void)line;
    fputs(kin_ordered_fifo_is_closed(m->fifo) ? "true" : "false", stdout);
}

static void step(void *machine, const script_line *line)
{
    static const struct {
        const char *name;
        void (*run)(struct machine *m, const script_line *line);
    } steps[] = {{"add", step_add},       {"update", step_update},   {"delete", step_delete},
                 {"batch", step_batch},   {"replace", step_replace}, {"bookmark", step_bookmark},
                 {"resync", step_resync}, {"pop", step_pop},         {"pop-batch", step_pop_batch},
                 {"length", step_length}, {"store", step_store},     {"close", step_close},
                 {"closed", step_closed}};
    struct machine *m = machine;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (strcmp(steps[i].name, line->words[0]) == 0) {
            steps[i].run(m, line);
            fputs(kin_ordered_fifo_has_synced(m->fifo) ? " synced" : " unsynced", stdout);
            return;
        }
    }
    script_die("no such operation", line->words[0]);
}

const script_kind script_ordered_fifo = {"ordered-fifo", start, step, stop};
