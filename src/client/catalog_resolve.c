/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which resource a name means, as kubectl decides it.
 *
 * A name is RESOURCE, RESOURCE.GROUP or RESOURCE.VERSION.GROUP, where RESOURCE is the plural, the
 * singular (in any case, so that kinds are mostly found as such) or a short name. A name with two
 * dots is looked for in both readings, with a version first. Then the same with KIND for RESOURCE.
 * A group may be a prefix of its name. Of several that fit, the first in the order of preference is
 * meant.
 *
 * kubectl forgets the version that stands behind a short name; here it counts. kubectl knows a kind
 * "PodList" for each "Pod", of which it guesses a resource that no server has; here there is none.
 */
#include <limits.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/compiler.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/str.h"
#include "client/catalog_inside.h"

/* A name in one of its readings. */
struct question {
    kin_str resource;
    kin_str group;   /* empty: any */
    kin_str version; /* empty: any */
};

/* --- in the order of preference --- */

/* Where all entries are gone through. */
struct cursor {
    const kin__catalog *catalog;
    const kin__catalog_version *version; /* of the entry */
    const kin__catalog_entry *entry;
    size_t next_version;
    size_t next_entry;
    size_t core; /* the version that comes first; SIZE_MAX: there is none */
};

static struct cursor begin(const kin__catalog *catalog)
{
    struct cursor cursor = {.catalog = catalog, .core = SIZE_MAX};

    for (size_t i = 0; i < catalog->n_versions; i++) {
        if (catalog->versions[i]->group[0] == '\0' &&
            strcmp(catalog->versions[i]->version, "v1") == 0)
            cursor.core = i;
    }
    return cursor;
}

static const kin__catalog_version *version_at(const struct cursor *cursor, size_t place)
{
    size_t i = place;

    if (cursor->core != SIZE_MAX && place == 0)
        i = cursor->core;
    else if (cursor->core != SIZE_MAX && place <= cursor->core)
        i = place - 1;
    return cursor->catalog->versions[i];
}

static bool next(struct cursor *cursor)
{
    while (!cursor->version || cursor->next_entry >= cursor->version->n_entries) {
        if (cursor->next_version >= cursor->catalog->n_versions)
            return false;
        cursor->version = version_at(cursor, cursor->next_version++);
        cursor->next_entry = 0;
    }
    cursor->entry = &cursor->version->entries[cursor->next_entry++];
    return true;
}

/* --- comparing --- */

static bool is(const char *text, kin_str expected)
{
    return kin_str_equal(kin_str_of(text), expected);
}

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* Whether `text` is `mixed` in lower case. */
static bool is_lower_of(kin_str text, kin_str mixed)
{
    if (text.len != mixed.len)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (text.data[i] != lower(mixed.data[i]))
            return false;
    }
    return true;
}

static const char *singular_of(const kin__catalog_entry *entry)
{
    return entry->names;
}

static bool has_short_name(const kin__catalog_entry *entry, kin_str name)
{
    const char *at = entry->names + strlen(entry->names) + 1;

    for (; *at; at += strlen(at) + 1) {
        if (is(at, name))
            return true;
    }
    return false;
}

static bool is_in_category(const kin__catalog_entry *entry, kin_str category)
{
    const char *at = entry->names + strlen(entry->names) + 1;

    while (*at)
        at += strlen(at) + 1;
    for (at++; *at; at += strlen(at) + 1) {
        if (is(at, category))
            return true;
    }
    return false;
}

/* --- readings --- */

/* Whether a resource is called so already, which then is no short name. */
static bool is_known(const kin__catalog *catalog, const struct question *question)
{
    for (struct cursor at = begin(catalog); next(&at);) {
        if (question->group.len > 0 && !is(at.version->group, question->group))
            continue;
        if (is(kin_resource_name(at.entry->resource), question->resource))
            return true;
        if (!at.entry->singular_is_guessed && is(singular_of(at.entry), question->resource))
            return true;
    }
    return false;
}

static bool expand(const kin__catalog *catalog, struct question *question, bool by_prefix)
{
    for (struct cursor at = begin(catalog); next(&at);) {
        kin_str group = kin_str_of(at.version->group);
        bool fits = by_prefix ? kin__str_starts_with(group, question->group)
                              : question->group.len == 0 || kin_str_equal(group, question->group);

        if (fits && has_short_name(at.entry, question->resource)) {
            question->resource = kin_str_of(kin_resource_name(at.entry->resource));
            question->group = group;
            return true;
        }
    }
    return false;
}

/* Put a resource's own name in the place of a short one. */
static void expand_short_name(const kin__catalog *catalog, struct question *question)
{
    if (is_known(catalog, question) || expand(catalog, question, false))
        return;
    if (question->group.len > 0)
        expand(catalog, question, true);
}

static bool fits(const struct cursor *at, const struct question *question)
{
    kin_str group = kin_str_of(at->version->group);
    bool has_version = question->version.len > 0;

    if (has_version && !is(at->version->version, question->version))
        return false;
    /* With a version the group is given in full; alone, a prefix will do. */
    if (question->group.len > 0 && has_version && !kin_str_equal(group, question->group))
        return false;
    return kin__str_starts_with(group, question->group);
}

static kin_resource *find_by_resource(const kin__catalog *catalog, struct question question)
{
    expand_short_name(catalog, &question);
    for (struct cursor at = begin(catalog); next(&at);) {
        if (!fits(&at, &question))
            continue;
        if (is_lower_of(kin_str_of(kin_resource_name(at.entry->resource)), question.resource) ||
            is_lower_of(kin_str_of(singular_of(at.entry)), question.resource))
            return at.entry->resource;
    }
    return NULL;
}

static kin_resource *find_by_kind(const kin__catalog *catalog, struct question question)
{
    for (struct cursor at = begin(catalog); next(&at);) {
        kin_str kind = kin_str_of(kin_resource_kind(at.entry->resource));

        if (!is(at.version->group, question.group) || kind.len == 0)
            continue;
        if (question.version.len > 0 && !is(at.version->version, question.version))
            continue;
        if (kin_str_equal(kind, question.resource) || is_lower_of(question.resource, kind))
            return at.entry->resource;
    }
    return NULL;
}

/* --- names that are near --- */

/* Longer names are not compared. */
#define NEAR_MAX_LEN 63
#define NEAR_COUNT 3

struct near {
    const kin_resource *resource;
    unsigned distance;
};

static unsigned min3(unsigned a, unsigned b, unsigned c)
{
    unsigned least = a < b ? a : b;

    return least < c ? least : c;
}

/* How many letters have to be put in, taken out or changed. */
static unsigned distance(kin_str a, kin_str b)
{
    unsigned row[NEAR_MAX_LEN + 1];

    if (a.len > NEAR_MAX_LEN || b.len > NEAR_MAX_LEN)
        return UINT_MAX;
    for (unsigned j = 0; j <= b.len; j++)
        row[j] = j;
    for (unsigned i = 1; i <= a.len; i++) {
        unsigned diagonal = row[0];

        row[0] = i;
        for (unsigned j = 1; j <= b.len; j++) {
            unsigned changed = diagonal + (lower(a.data[i - 1]) != lower(b.data[j - 1]));

            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, changed);
        }
    }
    return row[b.len];
}

static unsigned distance_of(const kin__catalog_entry *entry, kin_str name)
{
    unsigned plural = distance(name, kin_str_of(kin_resource_name(entry->resource)));
    unsigned singular = distance(name, kin_str_of(singular_of(entry)));

    return plural < singular ? plural : singular;
}

/* The list stays ordered, the nearest first; of those as near, the preferred. */
static void note_near(struct near *list, size_t *len, struct near found)
{
    size_t i = *len;

    for (size_t j = 0; j < *len; j++) {
        if (strcmp(kin_resource_name(list[j].resource), kin_resource_name(found.resource)) == 0 &&
            strcmp(kin_resource_group(list[j].resource), kin_resource_group(found.resource)) == 0)
            return;
    }
    while (i > 0 && list[i - 1].distance > found.distance)
        i--;
    if (i == NEAR_COUNT)
        return;
    if (*len < NEAR_COUNT)
        ++*len;
    memmove(&list[i + 1], &list[i], (*len - i - 1) * sizeof(*list));
    list[i] = found;
}

static size_t find_near(struct near *list, const kin__catalog *catalog, kin_str name)
{
    /* Of a short name, one letter; of others two, then nearly everything would be near. */
    unsigned limit = name.len < 5 ? 1 : 2;
    size_t len = 0;

    for (struct cursor at = begin(catalog); next(&at);) {
        unsigned far = distance_of(at.entry, name);

        if (far <= limit)
            note_near(list, &len, (struct near){at.entry->resource, far});
    }
    return len;
}

static int not_found(const kin__catalog *catalog, kin_str name, kin_str resource, kin_error *err)
{
    struct near list[NEAR_COUNT];
    char text[384] = "";
    kin__buf near;
    size_t len = find_near(list, catalog, resource);
    size_t stale = kin__catalog_n_stale(catalog);

    kin__buf_init(&near, sizeof(text) - 1);
    for (size_t i = 0; i < len; i++) {
        const char *group = kin_resource_group(list[i].resource);

        kin__buf_appendf(&near, "%s%s%s%s", i == 0 ? "; near are " : ", ",
                         kin_resource_name(list[i].resource), *group ? "." : "", group);
    }
    if (stale > 0)
        kin__buf_appendf(&near, "; %zu of its %zu group versions could not be read", stale,
                         catalog->n_versions);
    /* Without memory the message is shorter. */
    if (near.len > 0)
        memcpy(text, near.data, near.len + 1);
    kin__buf_done(&near);
    return kin_error_set(err, KIN_ENOTFOUND, "the server has no resource \"%.100s\"%s",
                         name.len ? name.data : "", text);
}

/* --- all together --- */

/* The readings of a name; how many. */
static size_t read_name(struct question ret[2], kin_str name)
{
    kin_str rest = name;
    kin_str first = {NULL, 0};
    kin_str second = {NULL, 0};

    kin__str_cut(&rest, '.', &first);
    kin_str group = rest;
    bool two = kin__str_cut(&rest, '.', &second) && rest.data;
    size_t n = 0;

    if (two)
        ret[n++] = (struct question){first, rest, second};
    ret[n++] = (struct question){first, group, {NULL, 0}};
    return n;
}

int kin__catalog_resolve(const kin__catalog *catalog, kin_resource **ret, const char *name,
                         kin_error *err)
{
    struct question questions[2];
    kin_str text = kin_str_of(name);
    size_t n = read_name(questions, text);
    kin_resource *found = NULL;

    if (questions[0].resource.len == 0)
        return kin_error_set(err, KIN_EINVAL, "no resource is named");
    for (size_t i = 0; !found && i < n; i++)
        found = find_by_resource(catalog, questions[i]);
    for (size_t i = 0; !found && i < n; i++)
        found = find_by_kind(catalog, questions[i]);
    if (!found)
        return not_found(catalog, text, questions[0].resource, err);
    *ret = kin_resource_ref(found);
    return 0;
}

/* --- categories --- */

/* A resource that is in the category, and those behind it. */
struct member {
    kin__map_node node; /* by "group/name": a version that is preferred less does not come again */
    struct member *next;
    kin_resource *resource; /* BORROWED from the catalog */
    char key[];
};

static void free_members(struct member *first)
{
    while (first) {
        struct member *next_one = first->next;

        kin__free(first);
        first = next_one;
    }
}

/* 0, also if it is there already; KIN_ENOMEM. */
static int add_member(kin__map *map, struct member ***tail, kin_resource *resource)
{
    kin_str group = kin_str_of(kin_resource_group(resource));
    kin_str name = kin_str_of(kin_resource_name(resource));
    size_t len = group.len + 1 + name.len;
    struct member *member = kin__malloc(sizeof(*member) + len);
    kin__map_node *existing = NULL;

    if (!member)
        return KIN_ENOMEM;
    memcpy(member->key, group.data, group.len);
    member->key[group.len] = '/';
    memcpy(member->key + group.len + 1, name.data, name.len);
    member->next = NULL;
    member->resource = resource;
    int code = kin__map_add(map, &member->node, kin_str_make(member->key, len), &existing);
    if (code < 0 || existing) {
        kin__free(member);
        return code;
    }
    **tail = member;
    *tail = &member->next;
    return 0;
}

static int find_members(const kin__catalog *catalog, kin_str category, struct member **ret)
{
    struct member **tail = ret;
    kin__map map;
    int code = 0;

    kin__map_init(&map, kin__hash_seed());
    for (struct cursor at = begin(catalog); code == 0 && next(&at);) {
        if (kin_resource_has_verb(at.entry->resource, "list") && is_in_category(at.entry, category))
            code = add_member(&map, &tail, at.entry->resource);
    }
    kin__map_done(&map);
    return code;
}

int kin__catalog_category(const kin__catalog *catalog, const char *category, kin_category_fn *fn,
                          void *arg, kin_error *err)
{
    struct member *first = NULL;
    size_t stale = kin__catalog_n_stale(catalog);
    char more[128] = "";

    if (find_members(catalog, kin_str_of(category), &first) < 0) {
        free_members(first);
        return kin__error_no_memory(err);
    }
    for (const struct member *member = first; member; member = member->next)
        fn(member->resource, arg);
    bool is_empty = !first;
    free_members(first);
    if (!is_empty)
        return 0;
    if (stale > 0)
        (void)snprintf(more, sizeof(more), "; %zu of its %zu group versions could not be read",
                       stale, catalog->n_versions);
    return kin_error_set(err, KIN_ENOTFOUND, "the server has no category \"%.100s\"%s", category,
                         more);
}
