/* SPDX-License-Identifier: Apache-2.0 */
/* What kinform watch says besides what changes: connections that stand, are lost and come back. */
#include "cli/base/report.h"
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
    tell("watching %zu %s", status.objects, kin_resource_name(item->resource));
}

/* Once, and again when there is another reason: a server that is back and does not let us in. */
static void say_lost(struct watched *item, const kin_error *err)
{
    bool is_news =
        !item->is_away || err->code != item->error_code || err->http_status != item->error_status;

    watch_clear_progress(item->watch);
    if (!item->is_away)
        item->away_since = kin_clock_now(kin_clock_system());
    if (is_news && !item->watch->settings->quiet)
        tell("%s: %s; trying again", kin_resource_name(item->resource), err->message);
    item->is_away = true;
    item->error_code = err->code;
    item->error_status = err->http_status;
}

/* The server could not go on from the snapshot: it lists, as if there were none. */
static void say_stale(struct watched *item, const kin_error *err)
{
    const struct watch_settings *s = item->watch->settings;

    watch_clear_progress(item->watch);
    item->is_warm = false;
    if (!s->quiet)
        tell("--snapshot %s: too old for the server, and all is listed: %s", s->snapshot,
             err->message);
}

static void say_back(struct watched *item)
{
    int64_t ms = (kin_clock_now(kin_clock_system()) - item->away_since) / 1000000;

    item->is_away = false;
    /* The first time it says how many objects it watches. */
    if (item->is_synced && !item->watch->settings->quiet)
        tell("%s: watching again after %lld.%llds", kin_resource_name(item->resource),
             (long long)(ms / 1000), (long long)(ms % 1000 / 100));
}

/* Before the connection counts as lost. */
static void say_doubt(struct watched *item, const kin_informer_status *status)
{
    int64_t ms = (kin_clock_unix_now(kin_clock_system()) - status->last_heard_unix_ns) / 1000000;

    item->in_doubt = status->in_doubt;
    if (!status->in_doubt || item->watch->settings->quiet)
        return;
    watch_clear_progress(item->watch);
    tell("%s: the server does not answer; last heard %lld s ago", kin_resource_name(item->resource),
         (long long)(ms / 1000));
}

void watch_look_at(struct watched *item)
{
    kin_informer_status status = KIN_INFORMER_STATUS_INIT;

    if (kin_informer_get_status(item->informer, &status, NULL) < 0)
        return;
    if (status.in_doubt != item->in_doubt)
        say_doubt(item, &status);
    if (status.last_error.code != 0 && status.last_error_unix_ns != item->error_ns) {
        if (!status.is_synced && status.is_failing_for_good) {
            watch_clear_progress(item->watch);
            watch_end(item->watch, report_error(&status.last_error));
            return;
        }
        item->error_ns = status.last_error_unix_ns;
        if (item->is_warm && !item->is_synced && status.last_error.code == KIN_EEXPIRED)
            say_stale(item, &status.last_error);
        else
            say_lost(item, &status.last_error);
    }
    if (item->is_away && status.state == KIN_INFORMER_WATCHING)
        say_back(item);
}
