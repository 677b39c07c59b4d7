/* SPDX-License-Identifier: Apache-2.0 */
#include "script.h"

#include <stdlib.h>
#include <string.h>

#include "item.h"

enum { TRANSFORMED_BY = 1000000, LINE_BYTES_MAX = 1 << 16 };

_Noreturn void script_die(const char *what, const char *detail)
{
    fprintf(stderr, "oracle: %s: %s\n", what, detail);
    exit(1);
}

void *script_alloc(size_t n, size_t size)
{
    void *memory = calloc(n + 1, size);

    if (!memory)
        script_die("no memory", "");
    return memory;
}

bool script_has_option(const script_line *options, const char *name)
{
    for (size_t i = 2; i < options->n; i++)
        if (strcmp(options->words[i], name) == 0)
            return true;
    return false;
}

const char *script_word(const script_line *line, size_t i)
{
    if (i >= line->n)
        script_die("a step is too short", line->words[0]);
    return line->words[i];
}

/* --- objects --- */

static const kin_object *parse_item(const char *word)
{
    char text[1024];
    char *version;
    char *tags;
    char *plus;

    if (strlen(word) >= sizeof(text))
        script_die("an object is too long", word);
    memcpy(text, word, strlen(word) + 1);
    version = strchr(text, ':');
    if (!version)
        script_die("no object", word);
    *version++ = '\0';
    tags = strchr(version, ':');
    if (tags)
        *tags++ = '\0';
    while (tags && (plus = strchr(tags, '+')))
        *plus = ',';
    return kin_test_item(text, (unsigned)strtoul(version, NULL, 10), tags);
}

const kin_object *script_parse_object(const char *word)
{
    const kin_object *tombstone = NULL;
    const kin_object *last = NULL;
    const char *key = word + 1;

    if (word[0] != '~')
        return parse_item(word);
    if (strchr(key, ':'))
        last = parse_item(key);
    if (kin_tombstone_new(&tombstone, kin_str_make(key, strcspn(key, ":")), last, NULL) < 0)
        script_die("no tombstone", word);
    kin_object_unref(last);
    return tombstone;
}

const kin_object **script_parse_objects(const script_line *line, size_t from, size_t *ret_n)
{
    size_t n = line->n - from;
    const kin_object **objects = script_alloc(n, sizeof(*objects));

    for (size_t i = 0; i < n; i++)
        objects[i] = script_parse_object(line->words[from + i]);
    *ret_n = n;
    return objects;
}

void script_objects_free(const kin_object **objects, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kin_object_unref(objects[i]);
    free(objects);
}

static void format_object(const kin_object *object, char *text, size_t size)
{
    const kin_object *last = NULL;

    if (kin_object_is_tombstone(object, &last) && !last)
        snprintf(text, size, "~%s", kin_object_key(object));
    else
        snprintf(text, size, "%s%s:%u", last ? "~" : "", kin_object_key(last ? last : object),
                 kin_test_item_version(last ? last : object));
}

void script_print_object(FILE *out, const kin_object *object)
{
    char text[1024];

    format_object(object, text, sizeof(text));
    fputs(text, out);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void print_sorted_texts(char **texts, size_t n)
{
    qsort(texts, n, sizeof(*texts), by_text);
    for (size_t i = 0; i < n; i++) {
        printf("%s%s", i ? "," : " ", texts[i]);
        free(texts[i]);
    }
    free(texts);
}

void script_print_sorted(const kin_object_list *list)
{
    char **texts = script_alloc(list->len, sizeof(*texts));
    char text[1024];

    for (size_t i = 0; i < list->len; i++) {
        format_object(list->items[i], text, sizeof(text));
        texts[i] = strdup(text);
    }
    print_sorted_texts(texts, list->len);
}

void script_print_sorted_strings(const kin_string_list *list)
{
    char **texts = script_alloc(list->len, sizeof(*texts));

    for (size_t i = 0; i < list->len; i++)
        texts[i] = strdup(list->items[i].data);
    print_sorted_texts(texts, list->len);
}

/* --- deltas --- */

kin_delta *script_parse_batch(const script_line *line, size_t *ret_n)
{
    size_t n = line->n - 1;
    kin_delta *items = script_alloc(n, sizeof(*items));

    for (size_t i = 0; i < n; i++) {
        const char *word = line->words[i + 1];

        items[i].type = word[0] == '+'   ? KIN_DELTA_ADDED
                        : word[0] == '*' ? KIN_DELTA_UPDATED
                                         : KIN_DELTA_DELETED;
        items[i].object = script_parse_object(word + 1);
    }
    *ret_n = n;
    return items;
}

void script_deltas_free(const kin_delta *items, size_t n)
{
    for (size_t i = 0; i < n; i++)
        kin_object_unref(items[i].object);
    free((void *)(uintptr_t)items);
}

/* --- what is asked of the user --- */

static bool has_tag(const kin_object *object, const char *tag)
{
    return strstr(kin_test_item_tags(object), tag) != NULL;
}

int script_key_of(const kin_object *object, kin_str *ret, void *arg, kin_error *err)
{
    const char *key = kin_object_key(object);

    (void)arg;
    if (key[0] == '!')
        return kin_error_set(err, KIN_EPARSE, "a bad key");
    *ret = kin_str_of(key);
    return 0;
}

int script_transform(const kin_object *object, const kin_object **ret, void *arg, kin_error *err)
{
    (void)arg;
    if (has_tag(object, "!t"))
        return kin_error_set(err, KIN_ETYPE, "a bad object");
    *ret = kin_test_item(kin_object_key(object), kin_test_item_version(object) + TRANSFORMED_BY,
                         kin_test_item_tags(object));
    return 0;
}

int script_index_values(const kin_object *object, kin_index_values *values, void *arg,
                        kin_error *err)
{
    if (has_tag(object, "!i"))
        return kin_error_set(err, KIN_EMISMATCH, "a bad tag");
    return kin_test_by_tag(object, values, arg, err);
}

/* --- what a queue knows --- */

static int known_has(void *arg, kin_str key, kin_error *err)
{
    return kin_store_get(arg, NULL, key, err);
}

static int by_key(const void *a, const void *b)
{
    return strcmp(kin_object_key(*(const kin_object *const *)a),
                  kin_object_key(*(const kin_object *const *)b));
}

static int known_each(void *arg, kin_visit_fn *visit, void *visit_arg, kin_error *err)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;
    int code = kin_store_list(arg, &list, err);

    if (code < 0)
        return code;
    if (list.len)
        qsort(list.items, list.len, sizeof(*list.items), by_key);
    for (size_t i = 0; i < list.len && code == 0; i++)
        code = visit(kin_str_of(kin_object_key(list.items[i])), list.items[i], visit_arg);
    kin_object_list_done(&list);
    return code;
}

kin_known_objects script_known_objects(kin_store *store)
{
    return (kin_known_objects){sizeof(kin_known_objects), known_has, known_each, store};
}

const char *script_outcome(int code)
{
    switch (code) {
    case 0:
        return "ok";
    case KIN_EPARSE:
        return "bad-key";
    case KIN_ETYPE:
        return "bad-object";
    case KIN_EMISMATCH:
        return "bad-tag";
    case SCRIPT_FAILED:
        return "failed";
    case KIN_ECLOSED:
        return "closed";
    case KIN_ETIMEOUT:
        return "empty";
    default:
        return kin_error_name(code);
    }
}

void script_print_code(int code)
{
    fputs(script_outcome(code), stdout);
}

void script_print_found(int code, const kin_object *object)
{
    if (code < 0) {
        printf("%s none", code == KIN_ENOTFOUND ? "ok" : script_outcome(code));
        return;
    }
    fputs("ok ", stdout);
    script_print_object(stdout, object);
    kin_object_unref(object);
}

/* --- a queue's consumer --- */

kin_store *script_store_new(void)
{
    kin_store_options options = KIN_STORE_OPTIONS_INIT;
    kin_store *store = NULL;

    options.key = script_key_of;
    if (kin_store_new(&store, &options, NULL) < 0)
        script_die("no memory", "store");
    return store;
}

void script_print_store(kin_store *store)
{
    kin_object_list list = KIN_OBJECT_LIST_INIT;

    script_print_code(kin_store_list(store, &list, NULL));
    script_print_sorted(&list);
    kin_object_list_done(&list);
}

void script_pop_init(script_pop *pop)
{
    memset(pop, 0, sizeof(*pop));
    pop->came = open_memstream(&pop->text, &pop->text_len);
    if (!pop->came)
        script_die("no memory", "pop");
}

void script_pop_done(script_pop *pop)
{
    fclose(pop->came);
    free(pop->text);
}

void script_pop_begin(script_pop *pop, const char *mode)
{
    pop->mode = mode;
    rewind(pop->came);
}

void script_pop_end(script_pop *pop, int code)
{
    fflush(pop->came);
    script_print_code(code);
    fwrite(pop->text, 1, pop->text_len, stdout);
}

int script_processed(script_pop *pop, bool is_initial_list, kin_error *err)
{
    const char *mode = pop->mode;

    fputs(is_initial_list ? " initial" : " later", pop->came);
    if (strcmp(mode, "ok") == 0)
        return 0;
    if (strcmp(mode, "fail") == 0)
        return kin_error_set(err, SCRIPT_FAILED, "on purpose");
    if (strcmp(mode, "requeue") == 0)
        return KIN_EREQUEUE;
    if (strcmp(mode, "requeue-fail") != 0)
        script_die("no such mode", mode);
    kin_error_set(err, SCRIPT_FAILED, "on purpose");
    return KIN_EREQUEUE;
}

/* --- running --- */

static const script_kind *kind_of(const char *name)
{
    static const script_kind *const kinds[] = {
        &script_delta_fifo, &script_fifo, &script_ordered_fifo, &script_store, &script_work_queue};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
        if (strcmp(kinds[i]->name, name) == 0)
            return kinds[i];
    script_die("no such kind", name);
}

/* The words of a line, up to a note. They lie in the text. */
static void split(char *text, script_line *ret, size_t max)
{
    char *note = strstr(text, " #");
    char *rest = NULL;

    if (note)
        *note = '\0';
    ret->n = 0;
    for (char *word = strtok_r(text, " \n", &rest); word; word = strtok_r(NULL, " \n", &rest)) {
        if (ret->n == max)
            script_die("too many words", ret->words[0]);
        ret->words[ret->n++] = word;
    }
    if (ret->n == 0)
        script_die("an empty line", "");
}

int main(void)
{
    static char text[LINE_BYTES_MAX];
    static char *words[LINE_BYTES_MAX / 2];
    script_line line = {words, 0};
    const script_kind *kind = NULL;
    void *machine = NULL;

    while (fgets(text, sizeof(text), stdin)) {
        split(text, &line, sizeof(words) / sizeof(words[0]));
        if (strcmp(words[0], "script") == 0) {
            if (kind)
                kind->stop(machine);
            kind = kind_of(script_word(&line, 1));
            machine = kind->start(&line);
            fputs("script", stdout);
            /* After a crash the runner knows which script it was. */
            fflush(stdout);
        } else if (kind) {
            kind->step(machine, &line);
        }
        putchar('\n');
    }
    if (kind)
        kind->stop(machine);
    if (kin_test_items_live() != 0)
        script_die("objects are left over", "");
    return 0;
}
