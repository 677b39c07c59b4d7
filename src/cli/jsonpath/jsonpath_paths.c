/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What of an object a template looks at, as the paths of a projection.
 *
 * Names and brackets of arrays are followed. Where something else comes, such as a filter, all that is there is
 * wanted: more is kept than need be, and never less. A template of a List comes to its objects through `items`; a range
 * over something in an object wants all of it.
 */
#include <string.h>

#include "cli/jsonpath/jsonpath_inside.h"

/* Where a path begins. */
enum place {
    AT_LIST,
    AT_ITEMS,
    AT_OBJECT,
    AT_KEPT, /* in something that is kept as a whole, or of which nothing is wanted */
};

struct gathering {
    struct text *out;
    bool is_possible;
    enum place
        places[JSONPATH_MAX_RANGES + 1]; /* of the ranges that are open, the outermost first */
    size_t depth;
};

static bool is_plain(kin_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char c = name.data[i];

        if (!((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
              c == '_' || c == '-' || c == '/'))
            return false;
    }
    return name.len > 0;
}

static void add_name(struct text *out, kin_str name)
{
    if (is_plain(name)) {
        text_add_string(out, out->len > 0 ? "." : "");
        text_add(out, name);
        return;
    }
    text_add_string(out, "['");
    for (size_t i = 0; i < name.len; i++) {
        if (strchr("'\\", name.data[i]) && name.data[i])
            text_add_char(out, '\\');
        text_add_char(out, name.data[i]);
    }
    text_add_string(out, "']");
}

/* The path of these steps, in an object. */
static void gather(struct gathering *g, const struct step *step)
{
    struct text path = TEXT_INIT;
    bool is_path = true;

    for (; step && (step->type == STEP_FIELD || (step->type == STEP_SLICE && path.len > 0));
         step = step->next) {
        if (step->type == STEP_FIELD)
            add_name(&path, step->text);
        else
            text_add_string(&path, "[*]");
    }
    if (step)
        is_path = step->type != STEP_TEXT && step->type != STEP_NUMBER && step->type != STEP_BOOL;
    if (path.len > 0) {
        text_add_char(g->out, ',');
        text_add(g->out, text_view(&path));
    } else if (step && is_path) {
        g->is_possible = false; /* any part of the object */
    }
    text_done(&path);
}

/* A place, and what comes behind the steps that lead to it. */
static enum place enter(struct gathering *g, enum place from, const struct step **step)
{
    if (from == AT_LIST && *step) {
        if ((*step)->type != STEP_FIELD) {
            g->is_possible = false;
            return AT_KEPT;
        }
        if (!kin_str_equal((*step)->text, kin_str_of("items")))
            return AT_KEPT; /* its kind, say */
        *step = (*step)->next;
        from = AT_ITEMS;
    }
    if (from == AT_ITEMS && *step) {
        const struct step *one = *step;

        if (one->type != STEP_SLICE && one->type != STEP_WILDCARD && one->type != STEP_FILTER) {
            g->is_possible &= one->type != STEP_RECURSIVE && one->type != STEP_UNION;
            return AT_KEPT;
        }
        for (size_t i = 0; one->type == STEP_FILTER && i < one->n_lists; i++)
            gather(g, one->lists[i].first);
        *step = one->next;
        from = AT_OBJECT;
    }
    return from;
}

static void gather_node(struct gathering *g, const struct node *node)
{
    const struct step *step = node->steps.first;
    enum place place = enter(g, g->places[g->depth], &step);
    bool is_whole = place != AT_OBJECT || !step;

    if (!is_whole)
        gather(g, step);
    if (node->type == NODE_RANGE)
        g->places[++g->depth] = is_whole ? place : AT_KEPT;
}

bool jsonpath_add_paths(const struct jsonpath *path, struct text *out, bool is_list)
{
    struct gathering g = {.out = out, .is_possible = true};

    g.places[0] = is_list ? AT_LIST : AT_OBJECT;
    for (size_t i = 0; i < path->len; i++) {
        const struct node *node = &path->nodes[i];

        if (node->type == NODE_ACTION || node->type == NODE_RANGE)
            gather_node(&g, node);
        else if (node->type == NODE_END)
            g.depth--;
    }
    return g.is_possible;
}

static bool are_simple(const struct step *step)
{
    for (; step; step = step->next) {
        if (step->type == STEP_RECURSIVE || step->type == STEP_UNION)
            return false;
        /* What a filter compares has no filter in it, and may have a union. */
        for (size_t i = 0; i < step->n_lists; i++) {
            for (const struct step *inner = step->lists[i].first; inner; inner = inner->next) {
                if (inner->type == STEP_RECURSIVE || inner->type == STEP_UNION)
                    return false;
            }
        }
    }
    return true;
}

bool jsonpath_is_simple(const struct jsonpath *path)
{
    for (size_t i = 0; i < path->len; i++) {
        if (!are_simple(path->nodes[i].steps.first))
            return false;
    }
    return true;
}
