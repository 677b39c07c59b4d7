/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/demo_summary.h"

#include "cli/print/table.h"

void demo_add_beginning(struct text *out, const struct demo_figures *f)
{
    text_format(out, "kinform demo: a simulated cluster at %s, and informers that follow it\n",
                f->url);
    text_format(out, "kubectl works on it, too, as long as this runs: export KUBECONFIG=%s\n",
                f->kubeconfig);
}

void demo_add_synced(struct text *out, const struct demo_figures *f)
{
    text_format(out, "synced: %d informers have ", DEMO_KINDS);
    add_count(out, f->synced_objects);
    text_add_string(out, " objects after ");
    add_lag(out, f->sync_ns);
    text_add_char(out, '\n');
}

void demo_add_progress(struct text *out, const struct demo_figures *f)
{
    enum { COLUMNS = 120 };
    struct demo_kind all = demo_total(f);
    struct text elapsed = TEXT_INIT;

    add_seconds(&elapsed, f->elapsed_ns);
    text_format(out, "%5s  ", text_string(&elapsed));
    text_done(&elapsed);
    add_count(out, all.objects);
    text_add_string(out, " objects, ");
    add_count(out, all.events);
    text_add_string(out, " events, ");
    add_rate(out, all.rate);
    text_format(out, "/s, queued %zu, lag ", all.queued);
    add_lag(out, all.lag_ns);
    text_add_string(out, ", memory ");
    add_bytes(out, f->memory);
    text_add_char(out, '\n');
    if (f->n_changes > 0) {
        const struct demo_change *last = &f->changes[f->n_changes - 1];
        struct text line = TEXT_INIT;

        text_format(&line, "       %s%s%s", last->head, last->details[0] ? "  " : "",
                    last->details);
        kin_str shown = display_cut(text_view(&line), COLUMNS);
        text_add(out, shown);
        text_add_string(out, shown.len < line.len ? "…\n" : "\n");
        text_done(&line);
    }
}

/* --- the end --- */

enum { COLUMNS_OF_SUMMARY = 7 };

/* The next cell is what was added since the last. */
static void take_cell(struct table *t, struct text *cell)
{
    table_add(t, text_view(cell));
    text_clear(cell);
}

static void add_row(struct table *t, const struct demo_kind *kind, int64_t elapsed_ns)
{
    struct text cell = TEXT_INIT;
    double seconds = (double)elapsed_ns / 1e9;

    table_add(t, kin_str_of(kind->name));
    add_count(&cell, kind->objects);
    take_cell(t, &cell);
    add_count(&cell, kind->events);
    take_cell(t, &cell);
    add_rate(&cell, seconds > 0 ? (double)kind->events / seconds : 0);
    take_cell(t, &cell);
    add_lag(&cell, kind->max_lag_ns);
    take_cell(t, &cell);
    add_count(&cell, kind->bytes);
    take_cell(t, &cell);
    add_count(&cell, kind->json);
    take_cell(t, &cell);
    text_done(&cell);
}

/* What was written is one thing, what informers of five kinds are told of it is another. */
static void add_changes(struct text *out, const struct demo_figures *f, uint64_t events)
{
    double seconds = (double)f->elapsed_ns / 1e9;

    text_format(
        out,
        "\nRan for %.1f s. Asked for %u changes per second, the simulated cluster has written ",
        seconds, f->churn);
    add_count(out, f->writes);
    text_add_string(out, " times (");
    add_rate(out, seconds > 0 ? (double)f->writes / seconds : 0);
    text_add_string(
        out, "/s),\nEvents included, which no informer follows here. The informers were told of ");
    add_count(out, events);
    text_add_string(out, " changes, of these ");
    add_count(out, f->latency.n);
    text_add_string(out, " heartbeats.\n");
}

static void add_sync(struct text *out, const struct demo_figures *f)
{
    text_add_string(out, "Synced ");
    add_count(out, f->synced_objects);
    text_add_string(out, " objects in ");
    add_lag(out, f->sync_ns);
    text_add_string(out, ".\n");
}

static void add_latency(struct text *out, const struct demo_latency *latency)
{
    if (latency->n == 0)
        return;
    text_add_string(out, "Heartbeats were told ");
    add_lag(out, latency->median_ns);
    text_add_string(out, " after they were due (median of ");
    text_add_string(out, latency->n_kept < latency->n ? "the last " : "");
    add_count(out, latency->n_kept);
    text_add_string(out, latency->n_kept < latency->n ? "; longest of all " : "; longest ");
    add_lag(out, latency->max_ns);
    text_add_string(out, "),\nwhich includes what the simulated cluster was late itself.\n");
}

static void add_memory(struct text *out, const struct demo_figures *f)
{
    text_add_string(out, "The process takes ");
    add_bytes(out, f->memory);
    text_add_string(
        out,
        " of memory, the API server included.\n"
        "B/OBJECT is what an object takes for itself. What objects have in common, those of the\n"
        "API server and their past versions included, takes ");
    add_bytes(out, f->shared);
    text_add_string(out, ".\n");
}

void demo_add_summary(struct text *out, const struct demo_figures *f)
{
    static const char *const headers[COLUMNS_OF_SUMMARY] = {
        "INFORMER", "OBJECTS", "EVENTS", "EVENTS/S", "LONGEST LAG", "B/OBJECT", "AS JSON"};
    struct demo_kind all = demo_total(f);
    struct table table;

    table_init(&table, COLUMNS_OF_SUMMARY);
    for (size_t i = 0; i < COLUMNS_OF_SUMMARY; i++)
        table_add(&table, kin_str_of(headers[i]));
    for (size_t i = 0; i < DEMO_KINDS; i++)
        add_row(&table, &f->kinds[i], f->elapsed_ns);
    add_row(&table, &all, f->elapsed_ns);
    table_print(&table, out, false);
    table_done(&table);
    add_changes(out, f, all.events);
    add_sync(out, f);
    add_latency(out, &f->latency);
    add_memory(out, f);
}
