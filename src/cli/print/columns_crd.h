/* SPDX-License-Identifier: Apache-2.0 */
/* The columns that a CustomResourceDefinition has for its objects: additionalPrinterColumns. */
#ifndef KIN_CLI_PRINT_COLUMNS_CRD_H
#define KIN_CLI_PRINT_COLUMNS_CRD_H

#include "cli/base/text.h"
#include "kinform/client.h"
#include "kinform/object.h"

struct jsonpath;

/* A value of another type is left out; as a text any is shown. */
enum crd_type { CRD_TEXT, CRD_INTEGER, CRD_NUMBER, CRD_BOOLEAN, CRD_DATE };

struct crd_column {
    char *header;          /* OWNED */
    struct jsonpath *path; /* OWNED */
    bool wide;             /* its priority is not 0 */
    enum crd_type type;    /* what its values have to be */
};

struct crd_columns {
    struct crd_column *items; /* OWNED, crd_columns_done() */
    size_t len;
};

/* Those of a version of the definition; none if it has none, or those make no sense. */
void crd_columns_read(struct crd_columns *ret, const kin_object *definition, const char *version);
/*
 * Ask the server for the definition of a resource, if it may be a custom one. Without the permission to read
 * definitions, `ret` stays empty.
 */
void crd_columns_ask(struct crd_columns *ret, kin_client *client, const kin_resource *resource);
void crd_columns_done(struct crd_columns *columns);
/* Nothing where there is nothing. */
void crd_column_print(const struct crd_column *column, struct text *out, const kin_object *object,
                      int64_t now);

#endif
