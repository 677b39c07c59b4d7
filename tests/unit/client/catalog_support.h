/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Catalogs of texts and of the files of tests/data/discovery.
 */
#ifndef KIN_TEST_CATALOG_SUPPORT_H
#define KIN_TEST_CATALOG_SUPPORT_H

#include "kin_test.h"

#include <stdlib.h>
#include <string.h>

#include "client/catalog.h"

static inline kin__catalog *new_catalog(const kin__catalog_limits *limits)
{
    kin__catalog *catalog = NULL;

    assert_code(kin__catalog_new(&catalog, limits, NULL), 0);
    return catalog;
}

static inline void add_text(kin__catalog *catalog, const char *text)
{
    kin_error err = KIN_ERROR_INIT;

    if (kin__catalog_add(catalog, kin_str_of(text), &err) < 0)
        fail_msg("%s", err.message);
}

/* Of a category: `arg` is a size_t. */
static inline void count_one(kin_resource *resource, void *arg)
{
    (void)resource;
    ++*(size_t *)arg;
}

/* The content of a file, terminated, to be freed; NULL if there is none. */
static inline char *discovery_file(const char *name)
{
    char path[1024];
    FILE *file;
    char *text = calloc(1, 1 << 16);

    snprintf(path, sizeof(path), "%s/discovery/%s", KIN_TEST_DATA, name);
    file = fopen(path, "r");
    if (!file) {
        free(text);
        return NULL;
    }
    size_t len = fread(text, 1, (1 << 16) - 1, file);
    assert_true(len > 0 && feof(file));
    fclose(file);
    return text;
}

static inline void add_file(kin__catalog *catalog, const char *name)
{
    char *text = discovery_file(name);

    if (!text)
        fail_msg("%s cannot be read", name);
    add_text(catalog, text);
    free(text);
}

/* What is missing, from its files: "/apis/apps/v1" is in apis-apps-v1.json, or nobody can tell. */
static inline void add_missing(kin__catalog *catalog)
{
    for (size_t i = 0; i < kin__catalog_n_versions(catalog); i++) {
        const char *path = kin__catalog_missing(catalog, i);
        char name[256];

        if (!path)
            continue;
        snprintf(name, sizeof(name), "%s.json", path + 1);
        for (char *at = name; (at = strchr(at, '/'));)
            *at = '-';
        char *text = discovery_file(name);
        if (text)
            assert_code(kin__catalog_add_resources(catalog, i, kin_str_of(text), NULL), 0);
        else
            kin__catalog_give_up(catalog, i);
        free(text);
    }
}

#endif
