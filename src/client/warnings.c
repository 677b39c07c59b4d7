/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What was logged is remembered up to a bound, beyond which nothing more is: a server that makes up
 * texts fills neither memory nor log.
 */
#include "client/warnings.h"

#include "base/hash.h"
#include "base/log.h"
#include "base/memory.h"
#include "client/status.h"

enum {
    SEEN_MAX = 256,        /* texts that are remembered */
    TEXT_BYTES_MAX = 4096, /* of one of them */
    FOR_PEOPLE = 299,      /* the number of warnings that Kubernetes gives */
};

struct seen {
    kin__map_node node;
    char text[];
};

void kin__warnings_init(kin__warnings *warnings, const kin_client_options *options,
                        kin_logger *logger)
{
    warnings->fn = options->warning;
    warnings->arg = options->warning_arg;
    warnings->arg_free = options->warning_arg_free;
    warnings->logger = kin_logger_ref(logger);
    kin__mutex_init(&warnings->lock, KIN__RANK_WARNINGS);
    kin__map_init(&warnings->seen, kin__hash_seed());
}

void kin__warnings_done(kin__warnings *warnings, bool forked)
{
    kin__map_iter iter = KIN__MAP_ITER_INIT;
    kin__map_node *node;

    while ((node = kin__map_next(&warnings->seen, &iter)))
        kin__free(kin__container_of(node, struct seen, node));
    kin__map_done(&warnings->seen);
    if (!forked)
        kin__mutex_done(&warnings->lock);
    kin_logger_unref(warnings->logger);
    if (warnings->arg_free)
        warnings->arg_free(warnings->arg);
}

/* Whether a text is new, and is remembered. */
static bool is_new(kin__warnings *warnings, kin_str text)
{
    struct seen *seen = kin__malloc(sizeof(*seen) + text.len + 1);
    bool is_new = false;

    if (!seen)
        return false;
    if (text.len)
        memcpy(seen->text, text.data, text.len);
    seen->text[text.len] = '\0';
    kin__mutex_lock(&warnings->lock);
    if (kin__map_len(&warnings->seen) < SEEN_MAX && !kin__map_get(&warnings->seen, text))
        is_new = kin__map_add(&warnings->seen, &seen->node, kin_str_make(seen->text, text.len),
                              NULL) == 0;
    kin__mutex_unlock(&warnings->lock);
    if (!is_new)
        kin__free(seen);
    return is_new;
}

static void tell(kin__warnings *warnings, kin_str text)
{
    if (warnings->fn) {
        kin__assert_no_locks();
        warnings->fn(text, warnings->arg);
    } else if (is_new(warnings, text)) {
        kin__log(warnings->logger, KIN_LOG_WARN, "client", "the server warns",
                 KIN__LOG_V("warning", text));
    }
}

void kin__warnings_take(kin__warnings *warnings, kin_str header)
{
    kin__buf text;
    int number;

    kin__buf_init(&text, TEXT_BYTES_MAX);
    while (kin__warning_next(&header, &number, &text))
        if (number == FOR_PEOPLE && text.failed == 0)
            tell(warnings, kin__buf_str(&text));
    kin__buf_done(&text);
}
