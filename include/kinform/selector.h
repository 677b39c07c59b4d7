/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Label selectors and field selectors: parse, build, match, look into, print.
 *
 * They accept, refuse, mean and print what Kubernetes' own do (apimachinery's labels.Parse() and
 * fields.ParseSelector()). The differences:
 *
 * - There are limits, KIN_SELECTOR_MAX_LENGTH and those next to it.
 * - A label selector with a zero byte in it is refused. apimachinery takes one for the end of
 *   the text in some places and skips it in others.
 * - The values of `in` and `notin` are a set also when they were not parsed but given to
 *   kin_label_selector_add() or kin_label_selector_from_value(): sorted, each once.
 * - Requirements with the same key stay in the order in which they were written;
 *   apimachinery's sort leaves that open if there are more than twelve.
 * - Field selectors are bytes. apimachinery replaces malformed UTF-8 in a value by U+FFFD, but
 *   only if the value holds an escape.
 *
 * A selector never changes once it is made, and is SHARED: any number of threads may use one.
 * Parsing takes time in proportion to n log n of the length of the text. Matching an object takes
 * time in proportion to its labels, for each requirement, and to the logarithm of the number of a
 * requirement's values.
 *
 * @code
 * const kin_label_selector *sel;
 *
 * if (kin_label_selector_parse(&sel, kin_str_of("app in (web, api), !canary"), &err) < 0)
 *     return report(&err);            // err.offset is the byte that is wrong
 * if (kin_label_selector_matches(sel, pod))
 *     ...
 * kin_label_selector_unref(sel);
 * @endcode
 */
#ifndef KINFORM_SELECTOR_H
#define KINFORM_SELECTOR_H

#include <kinform/memory.h>
#include <kinform/value.h>

KIN_BEGIN_DECLS

/** Bytes of a selector's text, given or printed; more is KIN_ELIMIT. */
#define KIN_SELECTOR_MAX_LENGTH 65536
/** Requirements of a selector; more is KIN_ELIMIT. */
#define KIN_SELECTOR_MAX_REQUIREMENTS 4096
/** Values of one requirement as they are written, repeated ones included; more is KIN_ELIMIT. */
#define KIN_SELECTOR_MAX_VALUES 16384
/** Bytes of a label's value, and of the name in its key. */
#define KIN_LABEL_MAX_LENGTH 63
/** Bytes of the prefix in a label's key: what stands before the '/'. */
#define KIN_LABEL_PREFIX_MAX_LENGTH 253

/** How a requirement relates a key to its values. Field selectors know the first and the third. */
typedef enum kin_selector_op {
    KIN_SELECTOR_EQUALS = 1,         /**< `key=value`: is there and has this value */
    KIN_SELECTOR_DOUBLE_EQUALS = 2,  /**< `key==value`: the same, printed as it was written */
    KIN_SELECTOR_NOT_EQUALS = 3,     /**< `key!=value`: is absent or has another value */
    KIN_SELECTOR_IN = 4,             /**< `key in (a,b)`: is there and has one of the values */
    KIN_SELECTOR_NOT_IN = 5,         /**< `key notin (a,b)`: is absent or has none of the values */
    KIN_SELECTOR_EXISTS = 6,         /**< `key`: is there */
    KIN_SELECTOR_DOES_NOT_EXIST = 7, /**< `!key`: is absent */
    KIN_SELECTOR_GREATER_THAN = 8,   /**< `key>5`: is a greater integer of 64 bits */
    KIN_SELECTOR_LESS_THAN = 9       /**< `key<5`: is a lesser integer of 64 bits */
} kin_selector_op;

/* --- labels --- */

/** A label selector: requirements that must all hold. Immutable, SHARED. */
typedef struct kin_label_selector kin_label_selector;

/**
 * One requirement of a label selector. Its layout never changes: arrays of it are passed.
 *
 * Inside a selector `in` and `notin` have one value or more, sorted by their bytes, each once;
 * EXISTS and DOES_NOT_EXIST have none; all others have one.
 */
typedef struct kin_label_requirement {
    kin_str key;
    kin_selector_op op;
    const kin_str *values; /**< BORROWED: during a call, or as long as the selector lives */
    size_t n_values;
} kin_label_requirement;

/**
 * Looks up one label, for kin_label_selector_matches_fn().
 *
 * @param[out] ret_value  its value, BORROWED until the next call or until the selector has
 *                        answered; may stay unset if there is no such label.
 * @return whether there is such a label; its value may be empty.
 * @thread the caller's
 */
typedef bool kin_label_lookup_fn(kin_str key, kin_str *ret_value, void *arg);

/**
 * Whether a text can be the key of a label: a name, or a prefix, '/' and a name.
 *
 * The name: 1 to 63 letters, digits, '-', '_' and '.' of ASCII, the first and the last a letter or
 * digit. The prefix: a DNS subdomain of up to 253 bytes, parts of lower-case letters, digits
 * and '-', joined by '.', each beginning and ending with a letter or digit.
 *
 * @return 0, KIN_EPARSE: `err->offset` is the first byte that cannot stand there, or the length of
 *         the key if something is missing at its end.
 * @thread any
 */
KIN_API int kin_label_key_validate(kin_str key, kin_error *err);

/**
 * Whether a text can be the value of a label: empty, or what the name in a key can be.
 *
 * @return 0, KIN_EPARSE: `err->offset` is the first byte that cannot stand there.
 * @thread any
 */
KIN_API int kin_label_value_validate(kin_str value, kin_error *err);

/**
 * Parse a label selector.
 *
 *     selector    = [ requirement *( "," requirement ) ]
 *     requirement = key | "!" key | key ( "=" | "==" | "!=" ) [ value ] | key ( ">" | "<" ) value
 *                 | key ( "in" | "notin" ) "(" [ value ] *( "," [ value ] ) ")"
 *
 * Spaces, tabs and line ends may stand between all of these and are needed only around words. A
 * value left out is the empty one, so `x=` and `x in ()` ask for it. `in` and `notin` are also
 * ordinary keys and values: `in in (in)`. There is no quoting. The requirements are sorted
 * by key. A text without requirements gives a selector that matches everything.
 *
 * @param[out] ret  SHARED, one reference; release with kin_label_selector_unref().
 * @param text      COPIED.
 * @return 0, KIN_EINVAL (`ret` is NULL), KIN_ENOMEM,
 *         KIN_EPARSE: `err->offset` is the byte at which something else was expected, the length
 *         of the text if it ends too early; the message says what was expected;
 *         KIN_ELIMIT: the text is too long, as given or as kin_label_selector_print() would give
 *         it, or has too many requirements or values.
 * @thread any
 */
KIN_API int kin_label_selector_parse(const kin_label_selector **ret, kin_str text, kin_error *err);

/**
 * Make a selector of a metav1.LabelSelector, the form in which objects hold selectors:
 * apimachinery's LabelSelectorAsSelector().
 *
 * @code
 * // {"matchLabels": {"app": "web"},
 * //  "matchExpressions": [{"key": "tier", "operator": "In", "values": ["a", "b"]}]}
 * // is app=web,tier in (a,b): which Pods belong to a Deployment?
 * if (kin_label_selector_from_value(&sel, kin_object_find(deployment, "spec.selector"), &err) < 0)
 *     return report(&err);
 * @endcode
 *
 * Operators are In, NotIn, Exists and DoesNotExist. A selector that is not there, KIN_NONE or null,
 * matches nothing; the empty one, `{}`, matches everything. A null inside it counts as missing, or
 * as the empty text where it stands for a label's value. Members of other names are ignored.
 *
 * @param[out] ret  SHARED, one reference; release with kin_label_selector_unref().
 * @param value     COPIED: its object may go afterwards.
 * @return 0, KIN_ENOMEM,
 *         KIN_EINVAL: `ret` is NULL; an unknown operator; In or NotIn without values, others with
 *         values; a key or value that is malformed (see kin_label_key_validate(),
 *         kin_label_value_validate());
 *         KIN_ETYPE: the selector or a member of it is of another type;
 *         KIN_ELIMIT: too many requirements or values, or all of them, repeated values too, are
 *         longer in print than KIN_SELECTOR_MAX_LENGTH.
 *         The message says which member is wrong: `matchExpressions[0].values[1]`.
 * @thread any
 */
KIN_API int kin_label_selector_from_value(const kin_label_selector **ret, kin_value value,
                                          kin_error *err);

/**
 * Make a selector that also has other requirements; the selector itself stays as it is.
 *
 * To build one from nothing, begin with kin_label_selector_everything(), and give all
 * requirements in one call: each copies those that are there. What is added to a selector that
 * matches nothing is dropped, and the result matches nothing.
 *
 * @param[out] ret      SHARED, one reference; release with kin_label_selector_unref().
 * @param sel           BORROWED during the call.
 * @param requirements  COPIED with all they point to; may be NULL if `n` is 0. Values may be in any
 *                      order and repeated if `op` is IN or NOT_IN.
 * @return 0, KIN_ENOMEM,
 *         KIN_EINVAL: NULL, an unknown `op`, a number of values that it cannot have, or a key
 *         or value that is malformed (see kin_label_key_validate(), kin_label_value_validate())
 *         or no integer where there must be one; `err->offset` is 0;
 *         KIN_ELIMIT: too many requirements or values, or all of them, repeated values too, are
 *         longer in print than KIN_SELECTOR_MAX_LENGTH.
 * @thread any
 */
KIN_API int kin_label_selector_add(const kin_label_selector **ret, const kin_label_selector *sel,
                                   const kin_label_requirement *requirements, size_t n,
                                   kin_error *err);

/**
 * The selector without requirements, which matches everything.
 *
 * @return BORROWED for ever; kin_label_selector_ref() and kin_label_selector_unref() do nothing to
 *         it.
 * @thread any
 */
KIN_API const kin_label_selector *kin_label_selector_everything(void);

/**
 * The selector that matches nothing. No text says the same: it is printed as "".
 *
 * @return BORROWED for ever; kin_label_selector_ref() and kin_label_selector_unref() do nothing to
 *         it.
 * @thread any
 */
KIN_API const kin_label_selector *kin_label_selector_nothing(void);

/**
 * Take another reference.
 *
 * @param sel  may be NULL.
 * @return `sel`, SHARED.
 * @thread any that holds a reference or borrows one
 */
KIN_API const kin_label_selector *kin_label_selector_ref(const kin_label_selector *sel);

/**
 * Drop a reference; the last one frees the selector.
 *
 * @param sel  may be NULL.
 * @thread any
 */
KIN_API void kin_label_selector_unref(const kin_label_selector *sel);

/**
 * Whether an object's labels meet all requirements.
 *
 * @param object  BORROWED during the call.
 * @thread any
 */
KIN_API bool kin_label_selector_matches(const kin_label_selector *sel, const kin_object *object);

/**
 * Whether labels that a function looks up meet all requirements.
 *
 * @param lookup  called in this thread, at most once per requirement, until one is not met.
 * @param arg     BORROWED during the call; handed to `lookup`.
 * @thread any
 */
KIN_API bool kin_label_selector_matches_fn(const kin_label_selector *sel,
                                           kin_label_lookup_fn *lookup, void *arg);

/**
 * Whether there are no requirements, so that everything matches.
 *
 * @thread any
 */
KIN_API bool kin_label_selector_is_empty(const kin_label_selector *sel);

/**
 * Whether this is kin_label_selector_nothing(). Requirements that contradict each other are not
 * recognized.
 *
 * @thread any
 */
KIN_API bool kin_label_selector_is_nothing(const kin_label_selector *sel);

/**
 * The number of requirements.
 *
 * @thread any
 */
KIN_API size_t kin_label_selector_count(const kin_label_selector *sel);

/**
 * A requirement, in the order of their keys.
 *
 * @param index  from 0.
 * @return BORROWED as long as the selector lives; NULL if there are not that many.
 * @thread any
 */
KIN_API const kin_label_requirement *kin_label_selector_get_requirement(
    const kin_label_selector *sel, size_t index);

/**
 * Whether a label must have one certain value: an index over that label then finds all matches.
 *
 * The first requirement with the key decides, as in apimachinery's RequiresExactMatch(): it must
 * be EQUALS, DOUBLE_EQUALS or IN with one value.
 *
 * @param[out] ret_value  BORROWED as long as the selector lives; untouched if the answer is no.
 *                        May be NULL.
 * @thread any
 */
KIN_API bool kin_label_selector_requires_exact_match(const kin_label_selector *sel, kin_str key,
                                                     kin_str *ret_value);

/**
 * Print a selector as Kubernetes does: requirements joined by ',', sorted by key, no spaces but
 * around `in` and `notin`. Parsing that gives an equal selector, but for the one that matches
 * nothing.
 *
 * @param[out] ret      terminated; OWNED, release with kin_free().
 * @param[out] ret_len  its length; may be NULL.
 * @param sel           BORROWED during the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_label_selector_print(char **ret, size_t *ret_len, const kin_label_selector *sel,
                                     kin_error *err);

/* --- fields --- */

/** A field selector: requirements that must all hold. Immutable, SHARED. */
typedef struct kin_field_selector kin_field_selector;

/** One requirement of a field selector. Its layout never changes: arrays of it are passed. */
typedef struct kin_field_requirement {
    kin_str field;      /**< e.g. "spec.nodeName"; BORROWED as `value` is */
    kin_selector_op op; /**< KIN_SELECTOR_EQUALS or KIN_SELECTOR_NOT_EQUALS */
    kin_str value; /**< not escaped; BORROWED: during a call, or as long as the selector lives */
} kin_field_requirement;

/**
 * Looks up one field, for kin_field_selector_matches_fn().
 *
 * @param[out] ret_value  its value as text, BORROWED until the next call or until the selector
 *                        has answered; may stay unset if there is no such field.
 * @return whether there is such a field; one that is absent counts as one whose value is "".
 * @thread the caller's
 */
typedef bool kin_field_lookup_fn(kin_str field, kin_str *ret_value, void *arg);

/**
 * Parse a field selector.
 *
 *     selector    = [ requirement ] *( "," [ requirement ] )
 *     requirement = field ( "=" | "==" | "!=" ) value
 *
 * Spaces are ordinary bytes and not skipped. In a value '\', ',' and '=' are written `\\`, `\,`
 * and `\=`, and nothing else may stand behind a '\'. A field ends at the first '=' or "!=", has
 * no escapes, and keeps a '\', which only hides a ',' behind it. Parts without any text, and
 * those with neither field nor value, are left out. The requirements are sorted by the bytes of
 * their text. A text without requirements gives a selector that matches everything.
 *
 * Which fields a resource can be selected by is for the API server to say.
 *
 * @param[out] ret  SHARED, one reference; release with kin_field_selector_unref().
 * @param text      COPIED.
 * @return 0, KIN_EINVAL (`ret` is NULL), KIN_ENOMEM,
 *         KIN_EPARSE: `err->offset` is the byte that is wrong, behind a '\' the one that cannot
 *         stand there, the end of the requirement if it has no operator;
 *         KIN_ELIMIT: the text is too long or has too many requirements.
 * @thread any
 */
KIN_API int kin_field_selector_parse(const kin_field_selector **ret, kin_str text, kin_error *err);

/**
 * Make a selector that also has other requirements; the selector itself stays as it is.
 *
 * To build one from nothing, begin with kin_field_selector_everything(), and give all
 * requirements in one call: each copies those that are there. What is added to a selector that
 * matches nothing is dropped, and the result matches nothing.
 *
 * @param[out] ret      SHARED, one reference; release with kin_field_selector_unref().
 * @param sel           BORROWED during the call.
 * @param requirements  COPIED with all they point to; may be NULL if `n` is 0. One with neither
 *                      field nor value is left out, as in parsing.
 * @return 0, KIN_ENOMEM,
 *         KIN_EINVAL: NULL, an `op` other than EQUALS, DOUBLE_EQUALS and NOT_EQUALS, or a field
 *         that could not be parsed again: it holds a '=', or a ',' without a '\' before it, or
 *         ends in '!' where the operator is not NOT_EQUALS;
 *         KIN_ELIMIT: too many requirements, or they are too long in print.
 * @thread any
 */
KIN_API int kin_field_selector_add(const kin_field_selector **ret, const kin_field_selector *sel,
                                   const kin_field_requirement *requirements, size_t n,
                                   kin_error *err);

/**
 * The selector without requirements, which matches everything.
 *
 * @return BORROWED for ever; kin_field_selector_ref() and kin_field_selector_unref() do nothing to
 *         it.
 * @thread any
 */
KIN_API const kin_field_selector *kin_field_selector_everything(void);

/**
 * The selector that matches nothing. No text says the same: it is printed as "".
 *
 * @return BORROWED for ever; kin_field_selector_ref() and kin_field_selector_unref() do nothing to
 *         it.
 * @thread any
 */
KIN_API const kin_field_selector *kin_field_selector_nothing(void);

/**
 * Take another reference.
 *
 * @param sel  may be NULL.
 * @return `sel`, SHARED.
 * @thread any that holds a reference or borrows one
 */
KIN_API const kin_field_selector *kin_field_selector_ref(const kin_field_selector *sel);

/**
 * Drop a reference; the last one frees the selector.
 *
 * @param sel  may be NULL.
 * @thread any
 */
KIN_API void kin_field_selector_unref(const kin_field_selector *sel);

/**
 * Whether an object's fields meet all requirements.
 *
 * A field is the names of members joined by '.', from the root: `status.phase`. It is no path of
 * kinform/path.h: there are no indexes and no escapes, and a name that holds a '.' cannot be
 * reached. A string counts as itself, a number as its text, a boolean as "true" or "false".
 * Everything else, null, maps and arrays included, counts as absent, and that is "". Objects of
 * every class have metadata.name and metadata.namespace; only documents have others.
 *
 * @param object  BORROWED during the call.
 * @thread any
 */
KIN_API bool kin_field_selector_matches(const kin_field_selector *sel, const kin_object *object);

/**
 * Whether fields that a function looks up meet all requirements.
 *
 * @param lookup  called in this thread, at most once per requirement, until one is not met.
 * @param arg     BORROWED during the call; handed to `lookup`.
 * @thread any
 */
KIN_API bool kin_field_selector_matches_fn(const kin_field_selector *sel,
                                           kin_field_lookup_fn *lookup, void *arg);

/**
 * Whether there are no requirements, so that everything matches.
 *
 * @thread any
 */
KIN_API bool kin_field_selector_is_empty(const kin_field_selector *sel);

/**
 * Whether this is kin_field_selector_nothing(). Requirements that contradict each other are not
 * recognized.
 *
 * @thread any
 */
KIN_API bool kin_field_selector_is_nothing(const kin_field_selector *sel);

/**
 * The number of requirements.
 *
 * @thread any
 */
KIN_API size_t kin_field_selector_count(const kin_field_selector *sel);

/**
 * A requirement, in the order in which they are printed.
 *
 * @param index  from 0.
 * @return BORROWED as long as the selector lives; NULL if there are not that many.
 * @thread any
 */
KIN_API const kin_field_requirement *kin_field_selector_get_requirement(
    const kin_field_selector *sel, size_t index);

/**
 * Whether a field must have one certain value: that of its first EQUALS.
 *
 * @param[out] ret_value  BORROWED as long as the selector lives; untouched if the answer is no.
 *                        May be NULL.
 * @thread any
 */
KIN_API bool kin_field_selector_requires_exact_match(const kin_field_selector *sel, kin_str field,
                                                     kin_str *ret_value);

/**
 * Print a selector as Kubernetes does: requirements joined by ',', values escaped, `==` as `=`.
 *
 * Parsing that gives the same requirements, but for the selector that matches nothing; in another
 * order only if `==` was written, which sorts differently.
 *
 * @param[out] ret      terminated, though a field or value may hold zero bytes; OWNED, release
 *                      with kin_free().
 * @param[out] ret_len  its length; may be NULL.
 * @param sel           BORROWED during the call.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_field_selector_print(char **ret, size_t *ret_len, const kin_field_selector *sel,
                                     kin_error *err);

KIN_END_DECLS

#endif
