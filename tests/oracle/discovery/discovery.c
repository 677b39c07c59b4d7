/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oracle_discovery: the library's side of run_discovery.py. A line in is a line out; README.md has the
 * format.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "client/catalog.h"
#include "side/lines.h"

enum { MAX_DOCUMENTS = 64 };

struct server {
    char *paths[MAX_DOCUMENTS];
    char *texts[MAX_DOCUMENTS];
    size_t n;
    kin__catalog *catalog; /* of the documents; NULL: they have changed since */
};

static void server_reset(struct server *server)
{
    for (size_t i = 0; i < server->n; i++) {
        free(server->paths[i]);
        free(server->texts[i]);
    }
    server->n = 0;
    kin__catalog_unref(server->catalog);
    server->catalog = NULL;
}

static const char *document(const struct server *server, const char *path)
{
    for (size_t i = 0; i < server->n; i++) {
        if (strcmp(server->paths[i], path) == 0)
            return server->texts[i];
    }
    return NULL;
}

static char *copy_of(const char *text)
{
    char *copy = strdup(text);

    if (!copy)
        lines_die("no memory", NULL);
    return copy;
}

/* "PATH JSON" */
static void add_document(struct server *server, char *line)
{
    size_t len = strcspn(line, " ");

    if (line[len] == '\0' || server->n == MAX_DOCUMENTS)
        lines_die("a document without a text, or too many of them", NULL);
    line[len] = '\0';
    server->paths[server->n] = copy_of(line);
    server->texts[server->n] = copy_of(line + len + 1);
    server->n++;
    kin__catalog_unref(server->catalog);
    server->catalog = NULL;
}

static int add(kin__catalog *catalog, const char *text)
{
    return text ? kin__catalog_add(catalog, kin_str_of(text), NULL) : 0;
}

static void make_catalog(struct server *server)
{
    if (kin__catalog_new(&server->catalog, NULL, NULL) < 0)
        lines_die("no memory", NULL);
    /* client-go goes on without /api, and not without /apis. */
    if (!document(server, "/apis"))
        return;
    if (add(server->catalog, document(server, "/api")) < 0 ||
        add(server->catalog, document(server, "/apis")) < 0)
        lines_die("a document that is none", NULL);
    for (size_t i = 0; i < kin__catalog_n_versions(server->catalog); i++) {
        const char *path = kin__catalog_missing(server->catalog, i);
        const char *text = path ? document(server, path) : NULL;

        if (path && !text)
            kin__catalog_give_up(server->catalog, i);
        else if (path && kin__catalog_add_resources(server->catalog, i, kin_str_of(text), NULL) < 0)
            lines_die("a document that is none", NULL);
    }
}

static void ask(struct server *server, const char *name)
{
    kin_resource *found = NULL;

    if (!server->catalog)
        make_catalog(server);
    if (kin__catalog_resolve(server->catalog, &found, name, NULL) < 0)
        puts("none");
    else
        printf("%s %s %s\n", kin_resource_api_version(found), kin_resource_name(found),
               kin_resource_is_namespaced(found) ? "namespaced" : "cluster");
    kin_resource_unref(found);
}

static void answer(char *line, void *arg)
{
    struct server *server = arg;
    char *note = strstr(line, " #");

    if (note)
        *note = '\0';
    if (strncmp(line, "script ", 7) == 0) {
        server_reset(server);
        puts("script");
    } else if (strncmp(line, "document ", 9) == 0) {
        add_document(server, line + 9);
        puts("document");
    } else if (strncmp(line, "ask ", 4) == 0) {
        ask(server, line + 4);
    } else {
        lines_die("a command that there is none of", NULL);
    }
}

int main(void)
{
    struct server server = {.n = 0};

    lines_serve(answer, &server);
    server_reset(&server);
    return 0;
}
