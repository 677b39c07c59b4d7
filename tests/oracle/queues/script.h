/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The library's side of the oracle for stores and queues: README.md has the scripts. It sees
 * nothing but the public headers.
 *
 * A line in is a line out. What a script cannot mean ends the program; the runner names the script.
 */
#ifndef KIN_ORACLE_SCRIPT_H
#define KIN_ORACLE_SCRIPT_H

#include <stdbool.h>
#include <stdio.h>

#include <kinform/delta.h>
#include <kinform/known_objects.h>

/* A line of a script: its words. */
typedef struct script_line {
    char **words;
    size_t n;
} script_line;

/* A kind of machine. `step` prints its line of the trace, without the end. */
typedef struct script_kind {
    const char *name;
    void *(*start)(const script_line *options);
    void (*step)(void *machine, const script_line *line);
    void (*stop)(void *machine);
} script_kind;

extern const script_kind script_delta_fifo;
extern const script_kind script_fifo;
extern const script_kind script_ordered_fifo;
extern const script_kind script_store;
extern const script_kind script_work_queue;

/* A script that nobody should have written, or a call that cannot fail and did. */
_Noreturn void script_die(const char *what, const char *detail);

/* Zeroed memory, never NULL; free(). */
void *script_alloc(size_t n, size_t size);

/* Whether a word is among the options, which follow the two words of the head. */
bool script_has_option(const script_line *options, const char *name);

/* The word at an index of a line, which has it. */
const char *script_word(const script_line *line, size_t i);

/* --- objects: KEY:VERSION[:TAG+TAG], tombstones: ~KEY[:VERSION] --- */

/* One reference, the caller's. */
const kin_object *script_parse_object(const char *word);
/* Those of a line from an index on; release each, and the array with free(). */
const kin_object **script_parse_objects(const script_line *line, size_t from, size_t *ret_n);
void script_objects_free(const kin_object **objects, size_t n);
void script_print_object(FILE *out, const kin_object *object);
/* An object that was looked for, if there is one; its reference is dropped. */
void script_print_found(int code, const kin_object *object);
/* In the order of their texts, with commas in between. */
void script_print_sorted(const kin_object_list *list);
void script_print_sorted_strings(const kin_string_list *list);

/* --- deltas --- */

/* Words of a batch: +OBJECT is added, *OBJECT updated, -OBJECT deleted. script_deltas_free(). */
kin_delta *script_parse_batch(const script_line *line, size_t *ret_n);
/* The references, and the array. */
void script_deltas_free(const kin_delta *items, size_t n);

/* What goes wrong on purpose, as in script.go: keys that begin with '!', the tags "!t" and "!i". */
kin_key_fn script_key_of;
kin_transform_fn script_transform;
kin_index_fn script_index_values;

/* --- a queue's consumer --- */

/* The store that it keeps; kin_store_unref(). */
kin_store *script_store_new(void);
/* What it has, as an answer. */
void script_print_store(kin_store *store);
/* The same for the queue to know, visited in the order of the keys. */
kin_known_objects script_known_objects(kin_store *store);

/* A pop. What it brings is printed behind the outcome, which is known last. */
typedef struct script_pop {
    const char *mode; /* of the one that is under way */
    FILE *came;
    char *text; /* what was written there */
    size_t text_len;
} script_pop;

void script_pop_init(script_pop *pop);
void script_pop_done(script_pop *pop);
void script_pop_begin(script_pop *pop, const char *mode);
/* Print the outcome, and what came. */
void script_pop_end(script_pop *pop, int code);

/* --- outcomes --- */

/* The name of an outcome, as the Go programs have it. */
const char *script_outcome(int code);
void script_print_code(int code);

/* The code that stands for a failure of a process function. */
#define SCRIPT_FAILED KIN_ERANGE

/* What a process function has to say and to return, by the last word of the step. */
int script_processed(script_pop *pop, bool is_initial_list, kin_error *err);

#endif
