/* SPDX-License-Identifier: Apache-2.0 */
/* What kinform watch says besides what changes: connections that stand, are lost and come back. */
#include <stdio.h>

#include "cli/report.h"
#include "cli/watch_inside.h"

void watch_end(struct watch *w, int status)
{
    if (!w->is_done)
        w->status = status;
    w->is_done = true;
}

void watch_say_synced(struct watched *item)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    watch_clear_progress(item->watch);
    if (item->watch->settings->quiet || kin_informer_get_status(item->informer, &status, NULL) < 0)
        return;
    fprintf(stderr, "watching %zu %s\n", status.objects, kin_resource_name(item->resource));
}

static void say_lost(struct watched *item, const kin_informer_status *status)
{
    watch_clear_progress(item->watch);
    item->error_ns = status->last_error_unix_ns;
    if (!item->is_away)
        item->away_since = kin_clock_now(kin_clock_system());
    if (!item->is_away && !item->watch->settings->quiet)
        fprintf(stderr, "%s: %s; trying again\n", kin_resource_name(item->resource),
                status->last_error.message);
    item->is_away = true;
}

static void say_back(struct watched *item)
{
    int64_t ms = (kin_clock_now(kin_clock_system()) - item->away_since) / 1000000;

    item->is_away = false;
    /* The first time it says how many objects it watches. */
    if (item->is_synced && !item->watch->settings->quiet)
        fprintf(stderr, "%s: watching again after %lld.%llds\n", kin_resource_name(item->resource),
                (long long)(ms / 1000), (long long)(ms % 1000 / 100));
}

void watch_look_at(struct watched *item)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    if (kin_informer_get_status(item->informer, &status, NULL) < 0)
        return;
    if (status.last_error.code != 0 && status.last_error_unix_ns != item->error_ns) {
        if (!status.is_synced && status.is_failing_for_good) {
            watch_clear_progress(item->watch);
            watch_end(item->watch, report_error(&status.last_error));
            return;
        }
        say_lost(item, &status);
    }
    if (item->is_away && status.state == KIN_INFORMER_WATCHING)
        say_back(item);
}
