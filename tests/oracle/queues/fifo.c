/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of FIFO.
 */
#include <kinform/fifo.h>

#define QUEUE_TYPE kin_fifo
#define QUEUE(verb) kin_fifo_##verb
#include "queue_steps.h"

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

/* --- steps --- */

static void step_again(struct machine *m, const script_line *line)
{
    put(m, kin_fifo_add_if_not_present, line);
}

static void step_replace(struct machine *m, const script_line *line)
{
    replace(m, line, 1, kin_str_of(""));
}

static int process(const kin_object *object, bool is_initial_list, void *arg, kin_error *err)
{
    struct machine *m = arg;

    fputc(' ', m->pop.came);
    script_print_object(m->pop.came, object);
    return script_processed(&m->pop, is_initial_list, err);
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

static void step(void *machine, const script_line *line)
{
    static const struct step steps[] = {
        {"add", step_add},      {"update", step_update},   {"delete", step_delete},
        {"again", step_again},  {"replace", step_replace}, {"resync", step_resync},
        {"pop", step_pop},      {"get", step_get},         {"get-object", step_get_object},
        {"list", step_list},    {"keys", step_keys},       {"close", step_close},
        {"closed", step_closed}};

    run_step(machine, steps, sizeof(steps) / sizeof(steps[0]), line);
}

const script_kind script_fifo = {"fifo", start, step, stop};
