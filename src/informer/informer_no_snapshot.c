/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Informers of a library that was built without snapshots.
 */
#include "base/error.h"
#include "base/log.h"
#include "informer/informer.h"

#define WHY "the library was built without snapshots"

static int without(kin_error *err)
{
    return kin_error_set(err, KIN_EINVAL, WHY);
}

void kin__informer_serve_saves(kin_informer *informer)
{
    (void)informer;
}

int kin_informer_save(kin_informer *informer, const char *path, kin_error *err)
{
    if (!informer || !path)
        return kin__error_null(err, informer ? "path" : "informer");
    return without(err);
}

/* A start goes on without it, and somebody may wonder. */
int kin_informer_load(kin_informer *informer, const char *path, kin_error *err)
{
    if (!informer || !path)
        return kin__error_null(err, informer ? "path" : "informer");
    kin__log(informer->logger, KIN_LOG_WARN, "informer",
             "a snapshot is not used, and all is listed", KIN__LOG_S("informer", informer->name),
             KIN__LOG_S("path", path), KIN__LOG_S("error", WHY));
    return without(err);
}
