/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Between watch.c, which runs, watch_status.c, which says how it goes, watch_progress.c, how far, and
 * watch_snapshot.c, which has the file that it begins with.
 */
#ifndef KIN_CLI_WATCH_INSIDE_H
#define KIN_CLI_WATCH_INSIDE_H

#include <stdatomic.h>

#include "cli/cluster.h"
#include "cli/condition.h"
#include "cli/print/objects.h"
#include "cli/watch_event.h"
#include "kinform/informer.h"

struct watch_settings {
    struct cluster_settings cluster;
    struct selection_settings selection;
    struct output_settings output;
    bool initial;
    bool diff;
    const char *until;
    int64_t timeout_ms;
    const char *snapshot;
    bool quiet;
    /* kinform get --watch: the arguments are those of get, and tables have rows */
    bool as_get;
    const char *sort_by;
    bool ignore_not_found;
};

/* A kind that is watched. */
struct watched {
    struct watch *watch;
    kin_resource *resource;
    struct group rows; /* of tables: the objects that are to be shown; `resource` is a reference */
    size_t *widths;    /* OWNED; of their columns, so far; NULL before the first row */
    size_t n_initial;  /* objects that were there at the beginning */
    char *field_selector; /* OWNED; NULL: none */
    kin_informer *informer;
    kin_registration *registration;
    _Atomic uint64_t total; /* of the first list; 0: unknown. Written by a worker */
    bool is_warm;           /* it has begun with the snapshot, and goes on from there */
    bool is_synced;
    bool is_away;       /* the connection is lost, and it was told */
    bool in_doubt;      /* the server does not answer, and it was said */
    int64_t error_ns;   /* when the last failure was that was looked at */
    int error_code;     /* of the one that was told last */
    int error_status;   /* of HTTP, likewise */
    int64_t away_since; /* by the clock */
};

struct watch {
    const struct watch_settings *settings;
    struct wanted_list wanted;
    struct conditions conditions;
    struct condition *until;
    struct jsonpath *order; /* OWNED; of --sort-by; NULL: none */
    struct watch_view view;
    const kin_projection *projection;
    kin_client *client;
    struct watched *items; /* OWNED, `wanted.len` of them; informers know their addresses */
    int changed_fd;        /* a state may have changed */
    int signal_fd;         /* a signal has come; -1: they are not ours */
    bool has_snapshot;     /* there is a file already */
    bool has_no_reader;    /* of standard output, any more */
    int64_t deadline_ns;   /* by the clock, of --timeout; 0: none */
    struct text out;
    bool has_progress;   /* there is a line of progress on the terminal */
    int64_t began_ns;    /* by the clock, when there was the first one; 0: never */
    int64_t progress_ns; /* when it was last written */
    bool is_done;
    int status;
};

/* Run kinform watch or kinform get --watch. The exit status. */
int watch_run(struct watch_settings *settings, const struct arguments *arguments);

/* Whether changes are rows of tables. */
bool watch_has_rows(const struct watch *w);
/* Keep an object of the beginning. */
void watch_rows_keep(struct watched *item, const kin_object *object);
/* Add the table of the kept objects. */
void watch_rows_begin(struct watched *item);
/* Add the row of a change. */
void watch_rows_add(struct watched *item, const kin_event *event);

/* With this status, unless something else has ended it before. */
void watch_end(struct watch *w, int status);

/* Progress is a line on a terminal that is written anew, until all kinds are synced. */
bool watch_shows_progress(const struct watch *w);
/* Ask how many objects the first list will have, without waiting for the answer. */
void watch_ask_total(struct watched *item);
/* Not more often than people can read. */
void watch_show_progress(struct watch *w);
void watch_clear_progress(struct watch *w);

/* 0, or why the file of --snapshot is not for us; nobody is asked. KIN_EINVAL, KIN_ENOTFOUND, KIN_ESYSTEM. */
int watch_snapshot_check(struct watch *w, kin_error *err);
/* The same once it is known of what there is to be one. 0, KIN_EINVAL. */
int watch_snapshot_check_kind(const struct watch *w, kin_error *err);
/* Before it is started: begin with the file, or say why not. */
void watch_snapshot_load(struct watched *item);
/* What was received belongs to it: the next watch goes on from there. */
void watch_snapshot_save(struct watch *w);

void watch_say_synced(struct watched *item);
/* What is lost or back is told. What fails before the first list is there, and will not get better, ends it. */
void watch_look_at(struct watched *item);

#endif
