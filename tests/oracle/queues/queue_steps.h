/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The steps that all queues have. Their functions differ in the prefix alone, and in the type of the queue
 * that they are handed; so this is text for the file of one queue, which includes it once, behind
 *
 *     #define QUEUE_TYPE kin_delta_fifo
 *     #define QUEUE(verb) kin_delta_fifo_##verb
 *
 * and, if deltas come out of it, `#define QUEUE_OF_DELTAS`. Each step prints all but the state at the end.
 */
#include <stdlib.h>
#include <string.h>

#include "script.h"

struct machine {
    QUEUE_TYPE *fifo;
    kin_store *store; /* its consumer's; NULL: it has none */
    script_pop pop;
};

typedef void step_fn(struct machine *m, const script_line *line);

struct step {
    const char *name;
    step_fn *run;
};

static void stop(void *machine)
{
    struct machine *m = machine;

    QUEUE(free)(m->fifo);
    kin_store_unref(m->store);
    script_pop_done(&m->pop);
    free(m);
}

typedef int put_fn(QUEUE_TYPE *fifo, const kin_object *object, kin_error *err);

static void put(struct machine *m, put_fn *fn, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));

    script_print_code(fn(m->fifo, object, NULL));
    kin_object_unref(object);
}

static void step_add(struct machine *m, const script_line *line)
{
    put(m, QUEUE(add), line);
}

static void step_update(struct machine *m, const script_line *line)
{
    put(m, QUEUE(update), line);
}

static void step_delete(struct machine *m, const script_line *line)
{
    put(m, QUEUE(delete), line);
}

/* The objects begin at a word of the line. */
static void replace(struct machine *m, const script_line *line, size_t from, kin_str version)
{
    size_t n;
    const kin_object **objects = script_parse_objects(line, from, &n);

    script_print_code(QUEUE(replace)(m->fifo, objects, n, version, NULL));
    script_objects_free(objects, n);
}

static void step_resync(struct machine *m, const script_line *line)
{
    (void)line;
    script_print_code(QUEUE(resync)(m->fifo, NULL));
}

static void step_close(struct machine *m, const script_line *line)
{
    (void)line;
    QUEUE(close)(m->fifo);
    script_print_code(0);
}

static void step_closed(struct machine *m, const script_line *line)
{
    (void)line;
    fputs(QUEUE(is_closed)(m->fifo) ? "true" : "false", stdout);
}

#ifdef QUEUE_OF_DELTAS

static void step_batch(struct machine *m, const script_line *line)
{
    size_t n;
    kin_delta *items = script_parse_batch(line, &n);

    script_print_code(QUEUE(add_batch)(m->fifo, items, n, NULL));
    script_deltas_free(items, n);
}

static void step_store(struct machine *m, const script_line *line)
{
    (void)line;
    script_print_store(m->store);
}

/* The queue's own file has it. */
static kin_process_batch_fn process_batch;

static int process(const kin_deltas *deltas, bool is_initial_list, void *arg, kin_error *err)
{
    return process_batch(deltas, 1, is_initial_list, arg, err);
}

#else

static kin_process_object_fn process;

#endif

static void step_pop(struct machine *m, const script_line *line)
{
    script_pop_begin(&m->pop, script_word(line, 1));
    script_pop_end(&m->pop, QUEUE(pop)(m->fifo, process, m, 0, NULL));
}

static void run_step(struct machine *m, const struct step *steps, size_t n, const script_line *line)
{
    for (size_t i = 0; i < n; i++) {
        if (strcmp(steps[i].name, line->words[0]) == 0) {
            steps[i].run(m, line);
            fputs(QUEUE(has_synced)(m->fifo) ? " synced" : " unsynced", stdout);
            return;
        }
    }
    script_die("no such operation", line->words[0]);
}
