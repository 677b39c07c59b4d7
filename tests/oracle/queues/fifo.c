/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of FIFO.
 */
#include <kinform/fifo.h>

#include <stdlib.h>
#include <string.h>

#include "script.h"

struct machine {
    kin_fifo *fifo;
    script_pop pop;
};

static void *start(const script_line *options)
{
    kin_fifo_options given = KIN_FIFO_OPTIONS_INIT;
    struct machine *m = script_alloc(1, sizeof(*m));

    (void)options;
    script_pop_init(&m->pop);
    given.key = script_key_of;
    if (kin_fifo_new(&m->fifo, &given, NULL) < 0)
        script_die("no memory", "queue");
    return m;
}

static void stop(void *machine)
{
    struct machine *m = machine;

    kin_fifo_free(m->fifo);
    script_pop_done(&m->pop);
    free(m);
}

/* --- steps: each prints all but the state at the end --- */

typedef int put_fn(kin_fifo *fifo, const kin_object *object, kin_error *err);

static void put(struct machine *m, put_fn *fn, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));

    script_print_code(fn(m->fifo, object, NULL));
    kin_object_unref(object);
}

static void step_add(struct machine *m, const script_line *line)
{
    put(m, kin_fifo_add, line);
}

static void step_update(struct machine *m, const script_line *line)
{
    put(m, kin_fifo_update, line);
}

static void step_delete(struct machine *m, const script_line *line)
{
    put(m, kin_fifo_delete, line);
}

static void step_again(struct machine *m, const script_line *line)
{
    put(m, kin_fifo_add_if_not_present, line);
}

static void step_replace(struct machine *m, const script_line *line)
{
    size_t n;
    const kin_object **objects = script_parse_objects(line, 1, &n);

    script_print_code(kin_fifo_replace(m->fifo, objects, n, kin_str_of(""), NULL));
    script_objects_free(objects, n);
}

static void step_resync(struct machine *m, const script_line *line)
{
    (void)line;
    script_print_code(kin_fifo_resync(m->fifo, NULL));
}

static int process(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    struct machine *m = arg;

    fputc(' ', m->pop.came);
    script_print_object(m->pop.came, object);
    return script_processed(&m->pop, is_initial_list, err);
}

static void step_pop(struct machine *m, const script_line *line)
{
    script_pop_begin(&m->pop, script_word(line, 1));
    script_pop_end(&m->pop, kin_fifo_pop(m->fifo, process, m, 0, NULL));
}

static void step_get(struct machine *m, const script_line *line)
{
    const kin_object *found = NULL;
    int code = kin_fifo_get_by_key(m->fifo, &found, kin_str_of(script_word(line, 1)), NULL);

    script_print_found(code, found);
}

static void step_get_object(struct machine *m, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));
    const kin_object *found = NULL;
    int code = kin_fifo_get(m->fifo, &found, object, NULL);

    script_print_found(code, found);
    kin_object_unref(object);
}

static void step_list(struct machine *m, const script_line *line)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)line;
    script_print_code(kin_fifo_list(m->fifo, &list, NULL));
    if (list.len != kin_fifo_len(m->fifo))
        fputs(" with another length", stdout);
    script_print_sorted(&list);
    kin_object_list_done(&list);
}

static void step_keys(struct machine *m, const script_line *line)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;

    (void)line;
    script_print_code(kin_fifo_list_keys(m->fifo, &keys, NULL));
    script_print_sorted_strings(&keys);
    kin_string_list_done(&keys);
}

static void step_close(struct machine *m, const script_line *line)
{
    (void)line;
    kin_fifo_close(m->fifo);
    script_print_code(0);
}

static void step_closed(struct machine *m, const script_line *line)
{
    (void)line;
    fputs(kin_fifo_is_closed(m->fifo) ? "true" : "false", stdout);
}

static void step(void *machine, const script_line *line)
{
    static const struct {
        const char *name;
        void (*run)(struct machine *m, const script_line *line);
    } steps[] = {{"add", step_add},      {"update", step_update},   {"delete", step_delete},
                 {"again", step_again},  {"replace", step_replace}, {"resync", step_resync},
                 {"pop", step_pop},      {"get", step_get},         {"get-object", step_get_object},
                 {"list", step_list},    {"keys", step_keys},       {"close", step_close},
                 {"closed", step_closed}};
    struct machine *m = machine;

    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        if (strcmp(steps[i].name, line->words[0]) == 0) {
            steps[i].run(m, line);
            fputs(kin_fifo_has_synced(m->fifo) ? " synced" : " unsynced", stdout);
            return;
        }
    }
    script_die("no such operation", line->words[0]);
}

const script_kind script_fifo = {"fifo", start, step, stop};
