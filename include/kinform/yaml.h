/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * YAML in and out: documents as people write and read them.
 *
 * **Reading.** A text means what it means to kubectl, which follows the rules of sigs.k8s.io/yaml:
 *
 * - Plain scalars follow YAML 1.1 as Kubernetes knows it. `yes`, `no`, `on`, `off`, `y` and `n` are
 *   booleans, as are `true` and `false`, in lower, upper and title case. `~`, `null` and nothing
 *   are null. Integers may be decimal, `0x1F`, `0o17`, `017` or `0b11`; underscores in numbers do
 *   not count. What looks like a timestamp, and `1:30`, stays a string.
 * - Quoted and block scalars are strings. The tags !!str, !!int, !!float, !!bool, !!null,
 *   !!timestamp (a string) and !!binary (base64 of UTF-8) are obeyed; a scalar with another tag is
 *   a string, and tags of maps and sequences say nothing.
 * - Keys become strings: `1: x` has the key "1", `on: x` the key "true", `1.10: x` the key "1.1".
 *   A key that is null, a map or a sequence is an error.
 * - An alias is a copy of what the anchor named last. A merge key `<<` takes a map or a sequence
 *   of maps, the first of which wins. Its members stand where it stands: a later member with the
 *   same key replaces an earlier one, whichever of the two was merged.
 *
 * It differs where the other loses something. Integers of any size are exact, and other numbers
 * keep their digits: `1e999` is a number, not a string. A key that is written twice in one map is
 * an error unless `allow_duplicate_keys` is set; kubectl takes the last one and says nothing, and
 * the API server, when it validates strictly, refuses. `.inf` and `.nan` are errors: JSON has no
 * such numbers. !!binary that is not UTF-8 is an error. `%YAML 1.2` is accepted; its scalars follow
 * the rules above.
 *
 * The text is UTF-8, with or without byte order mark. JSON is YAML, but for its escapes of
 * surrogate pairs ("\ud83d\ude00") and for control characters: read it with kinform/json.h.
 *
 * **Writing.** Block style, two spaces, keys in the document's order, "- " in the column of the key
 * above, as kubectl prints. A string is quoted where a reader of YAML 1.1 would otherwise see
 * something else in it. Strings of several lines are literal blocks. Lines are never folded,
 * numbers keep their text, Unicode is not escaped. Reading the text again gives an equal document.
 *
 * Memory: the parser is libyaml, whose own memory comes from malloc(), not from the allocator
 * that kin_set_allocator() set. It is freed before a function returns, that of a reader in
 * kin_yaml_reader_free().
 */
#ifndef KINFORM_YAML_H
#define KINFORM_YAML_H

#include <kinform/json.h>

KIN_BEGIN_DECLS

/** How to read YAML; start with KIN_YAML_OPTIONS_INIT. Zero means the default. */
typedef struct kin_yaml_options {
    size_t size; /**< sizeof(kin_yaml_options); set by KIN_YAML_OPTIONS_INIT */
    /**
     * Longest text; default KIN_DECODE_MAX_BYTES, at most KIN_DECODE_MAX_BYTES_LIMIT. A text of
     * nothing but tiny values takes up to 70 times as much while it is read.
     */
    size_t max_bytes;
    /**
     * Deepest nesting, the root is 1; default and at most KIN_DEPTH_MAX. A text of many values in
     * deep flow collections ([] and {}) is refused whatever this says, because its parsing takes
     * length times depth: from 1,000,000 on, the depths of all values in flow collections may add up
     * to 4 per byte of the text. JSON has no such limit: read it with kin_object_from_json().
     */
    unsigned max_depth;
    /**
     * Keys and values that aliases may add to one document, each alias with all that it stands
     * for; 0: 400,000. Their texts may add `max_bytes` bytes.
     */
    size_t max_alias_values;
    bool allow_duplicate_keys; /**< of a key that is written twice in a map, take the last */
} kin_yaml_options;

/* clang-format off */
/** Options that are all defaults. */
#define KIN_YAML_OPTIONS_INIT {sizeof(kin_yaml_options), 0, 0, 0, false}
/* clang-format on */

/**
 * Read the one document of a text. Documents that are empty or null, as left by a "---" too many,
 * do not count.
 *
 * @param[out] ret  SHARED; release with kin_object_unref(). Untouched on failure.
 * @param text      BORROWED for the call.
 * @param options   COPIED; NULL: all defaults.
 * @param err       may be NULL; its message begins with line and column, both from 1, and `offset`
 *                  is the byte.
 * @return 0, KIN_EINVAL (NULL, `options` without size, or a limit beyond what is possible),
 *         KIN_EPARSE (no YAML; no document, or a second one; the root is no map; what this file's
 *         head calls an error), KIN_ELIMIT (too large, too deep, too many values in
 *         deep flow collections, aliases expand to too much, more
 *         than 64 %TAG directives), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_object_from_yaml(const kin_object **ret, kin_str text,
                                 const kin_yaml_options *options, kin_error *err);

/** Reads the documents of a text one by one. One owner. */
typedef struct kin_yaml_reader kin_yaml_reader;

/**
 * Begin to read a text of any number of documents, separated by "---".
 *
 * @param[out] ret  OWNED; release with kin_yaml_reader_free(). Untouched on failure.
 * @param text      BORROWED until the reader is freed.
 * @param options   COPIED; NULL: all defaults.
 * @return 0, KIN_EINVAL (NULL, `options` without size, or a limit beyond what is possible),
 *         KIN_ELIMIT (too large, more than 64 %TAG directives), KIN_ENOMEM, KIN_ESYSTEM.
 * @thread any
 */
KIN_API int kin_yaml_reader_new(kin_yaml_reader **ret, kin_str text,
                                const kin_yaml_options *options, kin_error *err);

/**
 * Read the next document. Those that are empty or null are skipped. A `List` is one document.
 *
 * A failure is the end: where the next document begins is then not known, and all later calls
 * return KIN_ECLOSED.
 *
 * @param[out] ret  SHARED, release with kin_object_unref(); NULL behind the last document.
 *                  Untouched on failure.
 * @param err       may be NULL; as for kin_object_from_yaml().
 * @return 0, KIN_EINVAL (NULL), KIN_EPARSE, KIN_ELIMIT, KIN_ENOMEM, KIN_ECLOSED (an earlier call
 *         failed).
 * @thread any, one at a time per reader
 */
KIN_API int kin_yaml_reader_next(kin_yaml_reader *reader, const kin_object **ret, kin_error *err);

/**
 * Free a reader. The objects that it made stay.
 *
 * @param reader  CONSUMED; may be NULL.
 * @thread any, while nobody else uses the reader
 */
KIN_API void kin_yaml_reader_free(kin_yaml_reader *reader);

/**
 * Write a document as YAML. There is no "---" before it: put one between documents of one text.
 *
 * @param[out] ret      OWNED; release with kin_free(). Terminated, ends with a line end.
 *                      Untouched on failure.
 * @param[out] ret_len  without terminator; untouched on failure; may be NULL.
 * @param object        BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ETYPE (not a document), KIN_ELIMIT (more than 1 GiB of text),
 *         KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_object_to_yaml(char **ret, size_t *ret_len, const kin_object *object,
                               kin_error *err);

/**
 * Write a value as YAML, a document of its own.
 *
 * @param[out] ret      OWNED; release with kin_free(). Terminated, ends with a line end.
 *                      Untouched on failure.
 * @param[out] ret_len  without terminator; untouched on failure; may be NULL.
 * @param value         its object is BORROWED for the call.
 * @return 0, KIN_EINVAL (NULL, or KIN_NONE), KIN_ELIMIT (more than 1 GiB of text), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_value_to_yaml(char **ret, size_t *ret_len, kin_value value, kin_error *err);

KIN_END_DECLS

#endif
