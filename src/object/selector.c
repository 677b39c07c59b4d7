/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What label and field selectors have in common.
 *
 * A selector never changes after it was made, so threads share it by its reference count alone.
 *
 * Adding prints the selector, appends the new requirements and parses the text again, so that there
 * is one way in which selectors come to be. It rests on two things: what a class has checked prints
 * as a text that parses to the same, and what was parsed is not longer in print than
 * KIN_SELECTOR_MAX_LENGTH.
 */
#include "object/selector.h"

#include "base/assert.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/memory.h"

/* --- life --- */

void *kin__selector_new(size_t size)
{
    kin__selector *sel = kin__malloc(size);

    if (!sel)
        return NULL;
    kin__ref_init(&sel->refs);
    sel->immortal = false;
    sel->nothing = false;
    sel->n = 0;
    return sel;
}

/* Only the reference count of a selector ever changes, and not that of the immortal ones. */
static kin__selector *counted(const kin__selector *sel)
{
    return kin__unconst(sel);
}

void kin__selector_ref(const kin__selector *sel)
{
    if (sel && !sel->immortal)
        kin__ref_get(&counted(sel)->refs);
}

void kin__selector_unref(const kin__selector *sel)
{
    if (sel && !sel->immortal && kin__ref_put(&counted(sel)->refs))
        kin__free(counted(sel));
}

/* --- texts --- */

int kin__selector_check_length(const char *name, kin_str text, kin_error *err)
{
    if (text.len <= KIN_SELECTOR_MAX_LENGTH)
        return 0;
    return kin__error_input(err, KIN_ELIMIT, KIN_SELECTOR_MAX_LENGTH, "%s: longer than %d bytes",
                            name, KIN_SELECTOR_MAX_LENGTH);
}

int kin__selector_text_failed(const char *name, int code, kin_error *err)
{
    if (code == KIN_ENOMEM)
        return kin__error_no_memory(err);
    return kin_error_set(err, code, "%s: longer than %d bytes in print", name,
                         KIN_SELECTOR_MAX_LENGTH);
}

static void append(kin__buf *buf, const kin__selector_class *selector_class,
                   const void *requirement)
{
    if (buf->len)
        kin__buf_append_char(buf, ',');
    selector_class->append(buf, requirement);
}

static void append_all(kin__buf *buf, const kin__selector_class *selector_class,
                       const kin__selector *sel)
{
    for (size_t i = 0; i < sel->n; i++)
        append(buf, selector_class, selector_class->get(sel, i));
}

int kin__selector_print(char **ret, size_t *ret_len, const kin__selector_class *selector_class,
                        const kin__selector *sel, kin_error *err)
{
    kin__buf buf;

    if (!ret || !sel)
        return kin__error_null(err, !ret ? "ret" : "sel");
    kin__buf_init(&buf, KIN_SELECTOR_MAX_LENGTH);
    append_all(&buf, selector_class, sel);
    int code = kin__buf_take(&buf, ret, ret_len);
    kin__buf_done(&buf);
    kin__assert(code != KIN_ELIMIT);
    return code < 0 ? kin__error_no_memory(err) : 0;
}

/* Append what is to be added, each checked before it is. */
static int append_checked(kin__buf *buf, const kin__selector_class *selector_class,
                          const void *requirements, size_t n, kin_error *err)
{
    const char *requirement = requirements;

    for (size_t i = 0; i < n && !buf->failed; i++) {
        int code = selector_class->check(requirement, err);

        if (code < 0)
            return code;
        if (code == 0)
            append(buf, selector_class, requirement);
        requirement += selector_class->requirement_size;
    }
    return buf->failed ? kin__selector_text_failed(selector_class->name, buf->failed, err) : 0;
}

int kin__selector_add(const kin__selector **ret, const kin__selector_class *selector_class,
                      const kin__selector *sel, const void *requirements, size_t n, kin_error *err)
{
    kin__buf buf;

    if (n && !requirements)
        return kin__error_null(err, "requirements");
    kin__buf_init(&buf, KIN_SELECTOR_MAX_LENGTH);
    append_all(&buf, selector_class, sel);
    int code = append_checked(&buf, selector_class, requirements, n, err);
    if (code == 0 && sel->nothing)
        *ret = sel;
    else if (code == 0)
        code = selector_class->parse(ret, kin__buf_str(&buf), err);
    kin__buf_done(&buf);
    kin__assert(code != KIN_EPARSE);
    return code;
}
