/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Scripts of DeltaFIFO. Its consumer keeps a store, which is what the queue knows if the script
 * says so; its keys are visited in order, as the Go program lists them.
 */
#include <kinform/delta_fifo.h>

#define QUEUE_TYPE kin_delta_fifo
#define QUEUE(verb) kin_delta_fifo_##verb
#define QUEUE_OF_DELTAS
#include "queue_steps.h"

static void *start(const script_line *options)
{
    kin_delta_fifo_options given = KIN_DELTA_FIFO_OPTIONS_INIT;
    kin_known_objects known = KIN_KNOWN_OBJECTS_INIT;
    struct machine *m = script_alloc(1, sizeof(*m));

    script_pop_init(&m->pop);
    m->store = script_store_new();
    known = script_known_objects(m->store);
    given.key = script_key_of;
    given.emit_replaced = script_has_option(options, "replaced");
    if (script_has_option(options, "transform"))
        given.transform = script_transform;
    if (script_has_option(options, "known"))
        given.known = &known;
    if (kin_delta_fifo_new(&m->fifo, &given, NULL) < 0)
        script_die("no memory", "queue");
    return m;
}

/* --- deltas: TYPE=OBJECT --- */

static kin_delta_type type_of(const char *word)
{
    for (kin_delta_type type = KIN_DELTA_ADDED; type <= KIN_DELTA_SYNC; type++) {
        const char *name = kin_delta_type_name(type);

        if (strncmp(word, name, strlen(name)) == 0 && word[strlen(name)] == '=')
            return type;
    }
    script_die("no such type", word);
}

static kin_deltas parse_deltas(const script_line *line)
{
    size_t n = line->n - 1;
    kin_delta *items = script_alloc(n, sizeof(*items));

    for (size_t i = 0; i < n; i++) {
        const char *word = line->words[i + 1];

        items[i].type = type_of(word);
        items[i].object = script_parse_object(strchr(word, '=') + 1);
    }
    return (kin_deltas){items, n, {NULL, 0}};
}

static void print_deltas(FILE *out, const kin_delta *items, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        fprintf(out, "%s%s=", i ? "," : "", kin_delta_type_name(items[i].type));
        script_print_object(out, items[i].object);
    }
}

/* --- steps --- */

static void step_replace(struct machine *m, const script_line *line)
{
    replace(m, line, 1, kin_str_of(""));
}

static void print_deltas_code(const kin_deltas *deltas, int code)
{
    fputs(code == KIN_EINVAL && deltas->len == 0 ? "no-deltas" : script_outcome(code), stdout);
}

static void step_again(struct machine *m, const script_line *line)
{
    kin_deltas deltas = parse_deltas(line);

    print_deltas_code(&deltas, kin_delta_fifo_add_if_not_present(m->fifo, &deltas, NULL));
    script_deltas_free(deltas.items, deltas.len);
}

static void apply(kin_store *store, const kin_deltas *deltas)
{
    for (size_t i = 0; i < deltas->len; i++) {
        const kin_object *object = deltas->items[i].object;
        int code = deltas->items[i].type == KIN_DELTA_DELETED
                       ? kin_store_delete(store, object, NULL)
                       : kin_store_update(store, object, NULL);

        if (code < 0)
            script_die("the store refuses", kin_object_key(object));
    }
}

static int process_batch(const kin_deltas *deltas, size_t n, bool is_initial_list, void *arg,
                         kin_error *err)
{
    struct machine *m = arg;

    for (size_t i = 0; i < n; i++) {
        fprintf(m->pop.came, " %.*s[", (int)deltas[i].key.len, deltas[i].key.data);
        print_deltas(m->pop.came, deltas[i].items, deltas[i].len);
        fputc(']', m->pop.came);
        if (strcmp(m->pop.mode, "ok") == 0)
            apply(m->store, &deltas[i]);
    }
    return script_processed(&m->pop, is_initial_list, err);
}

static void step_pop_batch(struct machine *m, const script_line *line)
{
    size_t max = strtoul(script_word(line, 1), NULL, 10);

    script_pop_begin(&m->pop, script_word(line, 2));
    script_pop_end(&m->pop, kin_delta_fifo_pop_batch(m->fifo, process_batch, m, max, 0, NULL));
}

static void print_found(int code, kin_delta_copy *copy)
{
    if (code < 0) {
        printf("%s none", code == KIN_ENOTFOUND ? "ok" : script_outcome(code));
        return;
    }
    fputs("ok ", stdout);
    print_deltas(stdout, copy->items, copy->len);
    kin_delta_copy_done(copy);
}

static void step_get(struct machine *m, const script_line *line)
{
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    kin_str key = kin_str_of(script_word(line, 1));

    print_found(kin_delta_fifo_get_by_key(m->fifo, &copy, key, NULL), &copy);
}

static void step_get_object(struct machine *m, const script_line *line)
{
    kin_delta_copy copy = KIN_DELTA_COPY_INIT;
    const kin_object *object = script_parse_object(script_word(line, 1));

    print_found(kin_delta_fifo_get(m->fifo, &copy, object, NULL), &copy);
    kin_object_unref(object);
}

static void step_list(struct machine *m, const script_line *line)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    (void)line;
    script_print_code(kin_delta_fifo_list(m->fifo, &list, NULL));
    script_print_sorted(&list);
    kin_object_list_done(&list);
}

static void step_keys(struct machine *m, const script_line *line)
{
    kin_string_list keys = KIN_STRING_LIST_INIT;

    (void)line;
    script_print_code(kin_delta_fifo_list_keys(m->fifo, &keys, NULL));
    if (keys.len != kin_delta_fifo_len(m->fifo))
        fputs(" with another length", stdout);
    for (size_t i = 0; i < keys.len; i++)
        printf("%s%s", i ? "," : " ", keys.items[i].data);
    kin_string_list_done(&keys);
}

static void print_key(int code, kin_str key)
{
    if (code == 0)
        printf(" %.*s", (int)key.len, key.data);
}

static void step_key_of(struct machine *m, const script_line *line)
{
    const kin_object *object = script_parse_object(script_word(line, 1));
    kin_str key = {NULL, 0};
    int code = kin_delta_fifo_key_of(m->fifo, &key, object, NULL);

    script_print_code(code);
    print_key(code, key);
    kin_object_unref(object);
}

static void step_key_of_deltas(struct machine *m, const script_line *line)
{
    kin_deltas deltas = parse_deltas(line);
    kin_str key = {NULL, 0};
    int code = kin_delta_fifo_key_of_deltas(m->fifo, &key, &deltas, NULL);

    print_deltas_code(&deltas, code);
    print_key(code, key);
    script_deltas_free(deltas.items, deltas.len);
}

static void step(void *machine, const script_line *line)
{
    static const struct step steps[] = {{"add", step_add},
                                        {"update", step_update},
                                        {"delete", step_delete},
                                        {"batch", step_batch},
                                        {"replace", step_replace},
                                        {"resync", step_resync},
                                        {"again", step_again},
                                        {"pop", step_pop},
                                        {"pop-batch", step_pop_batch},
                                        {"get", step_get},
                                        {"get-object", step_get_object},
                                        {"list", step_list},
                                        {"keys", step_keys},
                                        {"key-of", step_key_of},
                                        {"key-of-deltas", step_key_of_deltas},
                                        {"close", step_close},
                                        {"closed", step_closed},
                                        {"store", step_store}};

    run_step(machine, steps, sizeof(steps) / sizeof(steps[0]), line);
}

const script_kind script_delta_fifo = {"delta-fifo", start, step, stop};
