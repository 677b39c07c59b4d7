/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Values: reading what is in a document.
 *
 * A kin_value is a small handle passed by value. It points into its object and is BORROWED while
 * the object lives. What is not there is a value too, of type KIN_NONE: lookups can be chained
 * without checks, and the last step tells.
 *
 * @code
 * kin_scratch scratch;
 * kin_str image;
 *
 * if (kin_value_string(&image, kin_object_find(pod, "spec.containers[0].image"), &scratch) == 0)
 *     printf("%" KIN_STR_FMT "\n", KIN_STR_ARG(image));
 * @endcode
 *
 * Compact forms: timestamps, UUIDs and digests are stored as numbers, not as text. A string view of
 * one needs room for its text, the scratch.
 */
#ifndef KINFORM_VALUE_H
#define KINFORM_VALUE_H

#include <kinform/object.h>
#include <kinform/quantity.h>
#include <kinform/time.h>

KIN_BEGIN_DECLS

/** What a value is. */
enum kin_type {
    KIN_NONE = 0,    /**< not there */
    KIN_NULL = 1,    /**< null */
    KIN_BOOL = 2,    /**< true or false */
    KIN_INTEGER = 3, /**< a number without fraction and exponent, of any size */
    KIN_NUMBER = 4,  /**< any other number */
    KIN_STRING = 5,  /**< text, UTF-8 */
    KIN_ARRAY = 6,   /**< items */
    KIN_MAP = 7      /**< members: what JSON calls an object */
};

/** A handle of a value; its fields are private, its layout never changes. */
typedef struct kin_value {
    const void *owner;       /**< BORROWED while the object lives */
    const unsigned char *at; /**< BORROWED while the object lives; NULL: KIN_NONE */
} kin_value;

/** Room for the text of a value that is stored in a compact form. */
typedef struct kin_scratch {
    char bytes[256];
} kin_scratch;

/** Goes through the members of a map or the items of an array, in order. */
typedef struct kin_iter {
    kin_str key;               /**< of a map's member; BORROWED while the object lives */
    kin_value value;           /**< of the member or item */
    size_t index;              /**< of the member or item, from 0 */
    const void *owner;         /**< private; BORROWED while the object lives */
    const unsigned char *next; /**< private; BORROWED while the object lives */
    const unsigned char *end;  /**< private; BORROWED while the object lives */
    bool is_map;               /**< private */
} kin_iter;

/**
 * The whole document, a KIN_MAP; KIN_NONE for an object of another class. Of a tombstone, the last
 * known state's.
 *
 * @param object  BORROWED while the value is used.
 * @thread any
 */
KIN_API kin_value kin_object_root(const kin_object *object);

/**
 * The type of a value.
 *
 * @thread any
 */
KIN_API enum kin_type kin_value_type(kin_value value);

/**
 * The name of a type: "string". "none" for KIN_NONE, "?" for what is no type.
 *
 * @return BORROWED for ever.
 * @thread any
 */
KIN_API const char *kin_type_name(enum kin_type type);

/**
 * A member of a map; KIN_NONE if there is none or `map` is no map.
 *
 * @thread any
 */
KIN_API kin_value kin_value_get(kin_value map, kin_str key);

/**
 * An item of an array; KIN_NONE beyond its end or if `array` is no array. Takes time in proportion
 * to the index: to see all items, iterate.
 *
 * @thread any
 */
KIN_API kin_value kin_value_at(kin_value array, size_t index);

/**
 * How many members or items there are; 0 for everything else. Counts them.
 *
 * @thread any
 */
KIN_API size_t kin_value_len(kin_value value);

/**
 * Begin to go through a map or an array: `for (kin_iter_init(&it, v); kin_iter_next(&it);)`.
 * Anything else has no elements.
 *
 * @param[out] it  caller's; nothing to release.
 * @thread any
 */
KIN_API void kin_iter_init(kin_iter *it, kin_value value);

/**
 * Go to the next element.
 *
 * @param it  BORROWED for the call; its key, value and index are set.
 * @return false when there is none.
 * @thread any, one at a time per iterator
 */
KIN_API bool kin_iter_next(kin_iter *it);

/**
 * A string.
 *
 * @param[out] ret  BORROWED while the object lives and the scratch is not used again.
 * @param scratch   BORROWED as long as `ret` is used: for values that are stored in a compact form;
 *                  its content is then `ret`'s.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND (KIN_NONE), KIN_ETYPE (not a string).
 * @thread any, one at a time per scratch
 */
KIN_API int kin_value_string(kin_str *ret, kin_value value, kin_scratch *scratch);

/**
 * A number as an integer. 1e3 and 5.0 are integers too.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (not a number), KIN_ERANGE (beyond int64,
 *         or has a fraction).
 * @thread any
 */
KIN_API int kin_value_int64(int64_t *ret, kin_value value);

/**
 * A number, rounded to the nearest double.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (not a number), KIN_ERANGE (beyond
 *         double).
 * @thread any
 */
KIN_API int kin_value_double(double *ret, kin_value value);

/**
 * The text of a number, as it stood in the document.
 *
 * @param[out] ret  BORROWED while the object lives and the scratch is not used again.
 * @param scratch   BORROWED as for kin_value_string().
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (not a number).
 * @thread any, one at a time per scratch
 */
KIN_API int kin_value_number(kin_str *ret, kin_value value, kin_scratch *scratch);

/**
 * true or false.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE.
 * @thread any
 */
KIN_API int kin_value_bool(bool *ret, kin_value value);

/**
 * A string that holds an RFC 3339 timestamp.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (not a string), KIN_EPARSE (not a
 *         timestamp).
 * @thread any
 */
KIN_API int kin_value_time(kin_time *ret, kin_value value);

/**
 * A resource quantity: a string such as "250m", or a number.
 *
 * @param[out] ret  untouched on failure.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOTFOUND, KIN_ETYPE (neither a string nor a number),
 *         KIN_EPARSE (not a quantity), KIN_ERANGE (more digits than a kin_quantity has)
 * @thread any
 */
KIN_API int kin_value_quantity(kin_quantity *ret, kin_value value);

/**
 * Whether two values are the same JSON value: members in any order, numbers by their value
 * (1.0 is 1). Two KIN_NONE are equal.
 *
 * @thread any
 */
KIN_API bool kin_value_equal(kin_value a, kin_value b);

/**
 * A hash under which equal values are equal. Differs from process to process.
 *
 * @thread any
 */
KIN_API uint64_t kin_value_hash(kin_value value);

/**
 * Whether two documents are equal, as kin_value_equal() has it. Objects of another class are equal
 * to themselves only. NULL equals NULL.
 *
 * @param a  BORROWED for the call; may be NULL.
 * @param b  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API bool kin_object_equal(const kin_object *a, const kin_object *b);

/**
 * A hash under which equal objects are equal. Differs from process to process.
 *
 * @param object  BORROWED for the call; may be NULL.
 * @thread any
 */
KIN_API uint64_t kin_object_hash(const kin_object *object);

KIN_END_DECLS

#endif
