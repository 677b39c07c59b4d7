/* SPDX-License-Identifier: Apache-2.0 */
/* Objects as people and programs want them: -o. */
#ifndef KIN_CLI_PRINT_PRINTER_H
#define KIN_CLI_PRINT_PRINTER_H

#include "cli/base/options.h"
#include "cli/base/text.h"
#include "cli/print/objects.h"

struct output_settings {
    const char *output;
    bool no_headers;
    bool show_labels;
    bool show_managed_fields;
    const char *color;
    struct option_texts label_columns; /* `items` OWNED, free() */
};
#define N_OUTPUT_OPTIONS 6
extern const struct option output_options[N_OUTPUT_OPTIONS];

enum output_format {
    FORMAT_TABLE,
    FORMAT_WIDE,
    FORMAT_NAME,
    FORMAT_JSON,
    FORMAT_JSONL,
    FORMAT_YAML,
    FORMAT_JSONPATH,
    FORMAT_COLUMNS,
};

struct custom_column {
    char *header;          /* OWNED */
    struct jsonpath *path; /* OWNED */
};

struct printer {
    enum output_format format;
    const struct output_settings *settings; /* BORROWED */
    struct jsonpath *template;              /* OWNED; of FORMAT_JSONPATH */
    struct custom_column *columns;          /* OWNED; of FORMAT_COLUMNS */
    size_t n_columns;
    struct custom_column *fields; /* OWNED; of --fields: tables show these */
    size_t n_fields;
    kin_str *labels; /* OWNED; keys of -L, of the command line */
    size_t n_labels;
    bool for_terminal;   /* standard output is one: hidden characters are escaped in all formats */
    bool shows_versions; /* one of them is the version of objects */
    bool with_namespace; /* tables show it */
    bool with_kind;      /* names in tables have their kind before them */
    bool is_single;      /* one object was asked for by its name: it is no list */
    int64_t now;         /* seconds since 1970, for ages */
};

/* A value of --color. 0, KIN_EINVAL with a line for the user. */
int color_check(const char *color, kin_error *err);
/* 0, KIN_EINVAL or KIN_EPARSE with a line for the user. printer_done() in any case. */
int printer_init(struct printer *p, const struct output_settings *settings, kin_error *err);
void printer_done(struct printer *p);
/* Whether objects are rows and words; else they are documents, whose members have the order of the server's JSON. */
bool printer_is_table(const struct printer *p);
/* One of --fields, with its path as a template. Both COPIED. 0, or as jsonpath_parse(). */
int printer_add_field(struct printer *p, kin_str path, kin_str template, kin_error *err);

/* All of it to standard output. 0, KIN_EINVAL (a template that fails), KIN_ESYSTEM (it was told). */
int printer_print(const struct printer *p, const struct groups *groups, kin_error *err);
/* One object, as a document or line of its own; not of tables. */
int printer_add_object(const struct printer *p, struct text *out, const kin_resource *resource,
                       const kin_object *object, kin_error *err);

/* "pod/web-0", "deployment.apps/web"; escaped */
void add_full_name(struct text *out, const kin_resource *resource, const kin_object *object);
/* "pod": the kind in lower case, as a server has it, escaped. */
void add_singular(struct text *out, const kin_resource *resource);

#endif
