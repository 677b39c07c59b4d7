/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of the ordered FIFO. Its consumer keeps a store, which is what the queue knows unless it is
 * atomic; its keys are visited in order, as the Go program lists them.
 */
#include <kinform/ordered_fifo.h>

#define QUEUE_TYPE kin_ordered_fifo
#define QUEUE(verb) kin_ordered_fifo_##verb
#define QUEUE_OF_DELTAS
#include "queue_steps.h"

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

/* --- steps --- */

/* "@17" without its sign. */
static kin_str version_of(const script_line *line)
{
    return kin_str_of(script_word(line, 1) + 1);
}

static void step_replace(struct machine *m, const script_line *line)
{
    replace(m, line, 2, version_of(line));
}

static void step_bookmark(struct machine *m, const script_line *line)
{
    script_print_code(kin_ordered_fifo_bookmark(m->fifo, version_of(line), NULL));
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

static void step(void *machine, const script_line *line)
{
    static const struct step steps[] = {
        {"add", step_add},       {"update", step_update},   {"delete", step_delete},
        {"batch", step_batch},   {"replace", step_replace}, {"bookmark", step_bookmark},
        {"resync", step_resync}, {"pop", step_pop},         {"pop-batch", step_pop_batch},
        {"length", step_length}, {"store", step_store},     {"close", step_close},
        {"closed", step_closed}};

    run_step(machine, steps, sizeof(steps) / sizeof(steps[0]), line);
}

const script_kind script_ordered_fifo = {"ordered-fifo", start, step, stop};
