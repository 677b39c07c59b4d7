/* SPDX-License-Identifier: Apache-2.0 */
/* How kinform watch shows a change. */
#ifndef KIN_CLI_WATCH_EVENT_H
#define KIN_CLI_WATCH_EVENT_H

#include "cli/print/printer.h"
#include "kinform/handler.h"

struct watch_view {
    struct printer printer;
    bool diff; /* a unified view of what has changed */
    bool color;
    size_t *widths; /* OWNED; of custom columns, so far */
    size_t n_shown;
};

void watch_view_done(struct watch_view *view);

/*
 * Add what is to be shown of an event. By default a line: the time, + ~ or -, kind and key, and what has
 * changed; nothing for an update of what --fields leaves out. As json, yaml and templates the object; as jsonl {"type": …, "object": …}. 0, KIN_EINVAL (a template
 * that fails).
 */
int watch_view_add(struct watch_view *view, struct text *out, const kin_resource *resource,
                   const kin_event *event, kin_error *err);

/* Whether nothing but what --fields leaves out has changed. */
bool watch_view_skips(const struct watch_view *view, const kin_event *event);

/* The two parts of such a line: "15:04:05 ~ pod shop/web-0", and "  status.phase: Pending → Running". */
void watch_view_add_head(const struct watch_view *view, struct text *out,
                         const kin_resource *resource, const kin_event *event, int64_t unix_s);
void watch_view_add_details(const struct watch_view *view, struct text *out,
                            const kin_resource *resource, const kin_event *event);

#endif
