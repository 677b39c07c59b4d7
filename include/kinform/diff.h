/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Diffs: what is different between two documents.
 *
 * @code
 * static bool print(kin_str path, kin_value before, kin_value after, void *arg)
 * {
 *     printf("%" KIN_STR_FMT ": %s\n", KIN_STR_ARG(path),
 *            kin_value_type(before) == KIN_NONE  ? "added"
 *            : kin_value_type(after) == KIN_NONE ? "removed"
 *                                                : "changed");
 *     return true;
 * }
 *
 * kin_object_diff(before, after, print, NULL);
 * @endcode
 */
#ifndef KINFORM_DIFF_H
#define KINFORM_DIFF_H

#include <kinform/value.h>

KIN_BEGIN_DECLS

/**
 * Is told one difference.
 *
 * Both values live as long as their objects. One of them is KIN_NONE if there is nothing at the
 * path in that document.
 *
 * @param path    where, as kinform/path.h spells it; BORROWED during the call. "" is the whole.
 *                Long keys can make it longer than KIN_PATH_MAX_LENGTH: then it cannot be parsed.
 * @param before  the value in the first document.
 * @param after   the value in the second document.
 * @return whether to go on; false ends the diff.
 * @thread the caller's; no lock is held
 */
typedef bool kin_diff_fn(kin_str path, kin_value before, kin_value after, void *arg);

/**
 * Tell the differences between two documents, the deepest values that differ only.
 *
 * What is a map in both is compared member by member, what is an array in both item by item,
 * by index. A map or array that only one of them has is one difference. Values are equal as
 * kin_value_equal() has it: the order of members is no difference, nor is the spelling of a
 * number. Parts that both documents share in memory are not read.
 *
 * The order is that of the first document; in each map, members that only the second one has
 * come last, in its order. The last items of an array come last also if they were removed, by
 * rising index: who removes them from a copy does it in the opposite order.
 *
 * NULL, and an object that is no document, is a document that has nothing: all of the other one
 * is one difference, at the path "".
 *
 * @param before  BORROWED for the call; may be NULL.
 * @param after   BORROWED for the call; may be NULL.
 * @param fn      is told each difference.
 * @param arg     handed to `fn`; BORROWED for the call; may be NULL.
 * @return 0 (also when `fn` ended it), KIN_EINVAL (NULL), KIN_ENOMEM, KIN_ELIMIT (a path of more
 *         than 1 GiB). What was told until then stands.
 * @thread any
 */
KIN_API int kin_object_diff(const kin_object *before, const kin_object *after, kin_diff_fn *fn,
                            void *arg);

KIN_END_DECLS

#endif
