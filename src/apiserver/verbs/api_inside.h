/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The inside of the API: one request on its way, and what its verbs share.
 *
 * A verb's function returns true if the request was answered or will be: then it must not be
 * touched any more. False: *failure says why, and the caller answers.
 */
#ifndef KIN_APISERVER_VERBS_API_INSIDE_H
#define KIN_APISERVER_VERBS_API_INSIDE_H

#include <string.h>

#include "apiserver/protocol/encode.h"
#include "apiserver/protocol/request_info.h"
#include "apiserver/verbs/api.h"
#include "apiserver/verbs/identity.h"
#include "apiserver/verbs/schedule.h"
#include "base/mutex.h"
#include "kinform/json.h"

/* Decoders that are kept: one for each thread that reads bodies, mostly. */
#define KIN__DECODERS_MAX 4

struct kin__api {
    kin__state *state; /* const; BORROWED */
    kin_clock *clock;  /* const; BORROWED */
    kin_logger *logger;
    kin__registry *registry;
    kin__collection *namespaces; /* const */
    kin__collection *crds;       /* const */
    kin__collection *pods;       /* const */
    int64_t bookmark_ns;         /* const */
    int64_t watch_timeout_ns;    /* const */
    size_t max_body;             /* const */
    bool no_kubelet;             /* const */
    char server_address[128];    /* const */
    struct kin__faults *faults;  /* const; BORROWED; NULL: none */
    kin__random random;
    kin__schedule schedule;
    kin__due clear; /* namespaces and definitions that are being deleted */
    kin__due check; /* requests that wait for a version */

    kin__mutex lock;   /* rank KIN__RANK_API_REQUESTS */
    kin__cond idle;    /* n_ops is 0 */
    kin__list watches; /* (lock) */
    kin__list waiting; /* (lock) */
    kin__list graces;  /* (lock) */
    kin__list sweeps;  /* (lock) deletions of collections that wait for their next step */
    kin__list lists;   /* (lock) lists in protobuf that wait for their next step */
    size_t n_ops;      /* (lock) */
    bool is_stopped;   /* (lock) */
    kin_decoder *decoders[KIN__DECODERS_MAX]; /* (lock) that nobody uses now */
    size_t n_decoders;                        /* (lock) */
    _Atomic bool has_kubelet;                 /* for what controllers have made */
    _Atomic unsigned n_waiting;               /* in `waiting` */
    atomic_bool must_sync;                    /* the state went back, and not all has followed */
};

enum kin__patch_type { KIN__PATCH_JSON, KIN__PATCH_MERGE };

typedef struct kin__op kin__op;
typedef bool kin__op_fn(kin__op *op, kin__failure *failure);

struct kin__op {
    kin__api *api;       /* const */
    kin__api_call *call; /* const */
    kin__request_info info;
    kin__accepted accepted;
    kin__encoding encoding;
    const kin__kind *kind;               /* a reference */
    const kin__kind_version *version;    /* BORROWED from the kind */
    const kin__subresource *subresource; /* NULL: none; BORROWED from the kind */
    kin__collection *collection;
    kin__buf key; /* "namespace/name" or "name" */

    /* Waiting for a version. */
    kin__due due;
    kin__list link;
    uint64_t wanted;
    kin__op_fn *again;

    /* Writing. */
    kin__write_done done;
    const kin_object *body;    /* a reference */
    const kin_object *result;  /* a reference: the new state */
    const kin__kind *new_kind; /* of a CustomResourceDefinition */
    const kin_object *base;    /* the same: a reference to its state before; NULL: there was none */
    kin__failure *refusal;     /* OWNED: the answer, once what it rests on is published */
    int status;                /* of the answer */
    bool is_dry_run;
    bool is_bound;    /* the answer is that it was done */
    bool is_deletion; /* the verb is: the answer may be that it was done */
    bool is_gone;     /* the result is the last state */
    enum kin__patch_type patch_type;
    bool must_clear;   /* something that is being deleted may be empty now */
    bool must_wait;    /* a grace period begins */
    bool is_generated; /* the name is */
    unsigned n_tries;  /* of generated names */
    kin__delete_options deletion;
    kin_scratch scratch[3];
    char uid[KIN__UID_SIZE];
    char name[KIN__GENERATED_NAME_SIZE];
};

/* --- answers: each ends the request (op.c) --- */

void kin__op_answer(kin__op *op, kin__reply *reply);
void kin__op_fail(kin__op *op, const kin__failure *failure);
/*
 * A text, CONSUMED, compact JSON; indented, as YAML or protobuf if the client wants that, as
 * failures are, too. Of a failed buffer: 500.
 */
void kin__op_answer_json(kin__op *op, int status, kin__buf *text);
void kin__op_answer_text(kin__op *op, int status, const char *content_type, kin_str text);
void kin__op_answer_object(kin__op *op, int status, const kin_object *object);
void kin__op_run(kin__op *op, kin__op_fn *fn);

/*
 * An object could not be encoded in protobuf. True: it has a value that protobuf cannot have, and the client accepts
 * another encoding, which `accepted` and `encoding` are set to. False: *failure says why, 406 in that case.
 */
bool kin__op_leave_protobuf(kin__op *op, int code, const kin_error *err, kin__failure *failure);
/*
 * The answer to a request whose object cannot be encoded in any accepted encoding: the failure, or, of a write that has succeeded, a
 * Status that says so.
 */
void kin__op_fail_encoding(kin__op *op, int status, int code, const kin__failure *failure);

/* 500 or whatever else a code of the library stands for here. Always false. */
bool kin__op_fail_code(kin__failure *failure, int code, const kin_error *err);

/* --- versions (op_wait.c) --- */

/* Run `again` once the version is there, or answer that it is too large. Always true. */
bool kin__op_wait(kin__op *op, uint64_t version, kin__op_fn *again, kin__failure *failure);
/* Whether it was waited for in vain. */
bool kin__op_has_waited(const kin__op *op);
bool kin__fail_too_large_version(kin__failure *failure, uint64_t version, uint64_t current);
/* Something was published: somebody may have waited for it. */
void kin__api_published(kin__api *api);
/* Of the api's own: see `check`. */
void kin__api_check_waiting(kin__due *due);
/* The last ones, when it stops. */
void kin__api_end_waiting(kin__api *api);

/* --- verbs --- */

kin__op_fn kin__serve_path; /* paths that are no resources */
kin__op_fn kin__serve_get;
kin__op_fn kin__serve_list;
kin__op_fn kin__serve_watch;
kin__op_fn kin__serve_create;
kin__op_fn kin__serve_update;
kin__op_fn kin__serve_patch;
kin__op_fn kin__serve_delete;
kin__op_fn kin__serve_delete_collection;
kin__op_fn kin__serve_binding;
kin__op_fn kin__serve_eviction;

/* The page that the real server shows where there is nothing. Ends the request. */
void kin__op_answer_no_page(kin__op *op);

/* --- lists (read.c, list_body.c, list_protobuf.c) --- */

/* A page, CONSUMED, as the answer. */
void kin__op_answer_list(kin__op *op, kin__state_page *page, kin_str continue_token);
void kin__op_answer_list_protobuf(kin__op *op, kin__state_page *page, kin_str continue_token);
/* Of the API, which is stopped: lists that are still being measured fail. */
void kin__lists_end(kin__api *api);
/* "namespace/", or "". False: no memory. */
bool kin__op_prefix(const kin__op *op, kin__buf *ret, kin__failure *failure);

/* --- writes (op_write.c) --- */

enum kin__outcome {
    KIN__REFUSED,   /* *failure says why */
    KIN__UNCHANGED, /* *ret is what there is */
    KIN__PUT,
    KIN__DELETE, /* *ret is the last state */
    KIN__AGAIN   /* op->key is another one now */
};
/*
 * What the object at op->key becomes: `base` is its state, NULL if there is none; `version` what
 * the new state will have. *ret is a reference. Without a lock, mostly; can be called several
 * times.
 */
typedef enum kin__outcome kin__make_fn(kin__op *op, const kin_object *base, uint64_t version,
                                       const kin_object **ret, kin__failure *failure);

/* Make, admit, commit, and answer with op->status once it is published. */
bool kin__op_write(kin__op *op, kin__make_fn *make, kin__failure *failure);
/* How the request is answered once *op->result is published, or if nothing was to be written. */
void kin__op_answer_result(kin__op *op);
/* What is judged last, when no other write can come in between. `*object` may be replaced. */
bool kin__op_admit(kin__op *op, enum kin__outcome outcome, const kin_object *base,
                   const kin_object **object, kin__failure *failure);
/* The same object with another resourceVersion; *object is replaced. 0, or a negative code. */
int kin__set_version(const kin_object **object, uint64_t version, kin_error *err);

/* The body as an object in the form in which it is stored. False: 400, 413, 415 … */
bool kin__op_read_body(kin__op *op, kin__failure *failure);
/* Any body as an object. `type` is what is expected, for the words of failures. */
bool kin__op_decode(kin__op *op, const char *type, const kin_object **ret, kin__failure *failure);
/* An object that came in, judged, as it is stored; *ret a reference. */
bool kin__op_take_body(kin__op *op, const kin_object *object, const kin_object **ret,
                       kin__failure *failure);
/* The same object in another version of its kind. 0, or a negative code. */
int kin__to_version(const kin_object **ret, const kin_object *object, const kin__kind *kind,
                    const char *version, kin_error *err);
/* As stored: apiVersion and kind are those of the kind's storage version. 0, or a negative code. */
int kin__to_stored(const kin_object **ret, const kin_object *object, const kin__kind *kind,
                   kin_error *err);

/* Whether it is this one of the table. */
static inline bool kin__kind_is(const kin__kind *kind, const char *group, const char *resource)
{
    return strcmp(kind->group, group) == 0 && strcmp(kind->resource, resource) == 0;
}

/* Whether all but metadata.resourceVersion is the same. */
bool kin__is_same_but_version(const kin_object *a, const kin_object *b);
/* The same for all but metadata and status: what a generation counts. */
bool kin__is_same_spec(const kin_object *a, const kin_object *b);
bool kin__is_being_deleted(const kin_object *object);
bool kin__has_finalizers(const kin_object *object);
kin_time kin__api_now(const kin__api *api);

/* "text" as a string of an editor's path: helpers that keep the first failure. */
typedef struct kin__edit {
    struct kin_editor *ed;
    kin_error err;
    int code;
} kin__edit;

/* Of `base`, which may be NULL; any failure sticks. */
void kin__edit_begin(kin__edit *edit, const kin_object *base);
void kin__edit_string(kin__edit *edit, const char *path, kin_str value);
void kin__edit_number(kin__edit *edit, const char *path, int64_t value);
void kin__edit_time(kin__edit *edit, const char *path, kin_time value);
void kin__edit_json(kin__edit *edit, const char *path, const char *json);
/* What is not there is removed. */
void kin__edit_value(kin__edit *edit, const char *path, kin_value value);
void kin__edit_remove(kin__edit *edit, const char *path);
/* Remove what `object`, of which the edit is, has in its metadata but leaves empty. */
void kin__edit_remove_empty(kin__edit *edit, const kin_object *object);
void kin__edit_version(kin__edit *edit, uint64_t version);
/* Ends it. *ret a reference. False: 500 or 413. */
bool kin__edit_finish(kin__edit *edit, const kin_object **ret, kin__failure *failure);

/* Whether status.conditions has one of that type with that status. */
bool kin__condition_is(const kin_object *object, const char *type, const char *status);
/* That of a type becomes `json`, or is added; `object` is what the edit is of. The time is set. */
void kin__condition_set(const kin__op *op, kin__edit *edit, const kin_object *object,
                        const char *type, const char *json);

/* Create from a body, also by an update of what is not there (create.c). */
kin__make_fn kin__make_created;
/* What `base` becomes by an update with `object`, as a kin__make_fn (update.c). */
enum kin__outcome kin__make_updated(kin__op *op, const kin_object *base, const kin_object *object,
                                    uint64_t version, const kin_object **ret,
                                    kin__failure *failure);
/* The last steps of that, for what is changed in other ways. */
enum kin__outcome kin__finish_update(kin__op *op, const kin_object *base, const kin_object *object,
                                     uint64_t version, const kin_object **ret,
                                     kin__failure *failure);

/* --- scale.c --- */

/* What a Scale is, to encode one. */
extern const kin__kind kin__scale_kind;

/* The Scale of an object; *ret a reference. 0, or a negative code. */
int kin__scale_of(const kin_object **ret, const kin__op *op, const kin_object *object,
                  kin_error *err);
/* The body of an update. False: 400 … */
bool kin__scale_read(kin__op *op, kin__failure *failure);
/* Whether it is one, of this object. False: 400. */
bool kin__scale_check(const kin__op *op, const kin_object *scale, kin__failure *failure);
/* The object with what a Scale says. */
bool kin__scale_apply(kin__op *op, const kin_object *base, const kin_object *scale,
                      const kin_object **ret, kin__failure *failure);

/* --- delete.c --- */

typedef struct kin__deletion {
    kin__api *api;
    const kin__kind *kind;
    const kin__delete_options *options; /* NULL: none */
} kin__deletion;

/* What becomes of `base`, which is there. As a kin__make_fn. */
enum kin__outcome kin__make_deleted(const kin__deletion *deletion, const kin_object *base,
                                    uint64_t version, const kin_object **ret,
                                    kin__failure *failure);
/* Options of the body, if there is one, or of the query, into op->deletion. False: 400, 422. */
bool kin__op_read_delete_options(kin__op *op, kin__failure *failure);

/* --- delete_collection.c --- */

/* Those that wait for their next step are answered; there will be none. */
void kin__sweeps_end(kin__api *api);

/* --- own_write.c --- */

/* It is published, or could not be stored. Any thread, no lock; must not block. */
typedef void kin__own_written_fn(void *arg, int code);
/*
 * Delete an object on the server's own behalf. 0: it was written that it is gone or is being
 * deleted, and `then`, which may be NULL, is called. KIN_ENOTFOUND, KIN_EBUSY (it is being deleted
 * already), KIN_ECONFLICT (*failure says what forbids it), KIN_ENOMEM, KIN_ESYSTEM: nothing was
 * written.
 */
int kin__api_delete(const kin__deletion *deletion, kin__collection *collection, kin_str key,
                    kin__own_written_fn *then, void *arg, kin__failure *failure);
/*
 * Commit what was begun on the server's own behalf; `clear` is run when it is published, if it is
 * to. 0, KIN_ENOMEM, KIN_ESYSTEM: nothing was written. The write is over.
 */
int kin__api_commit(kin__api *api, kin__write *write, const kin_object *object, bool is_deletion,
                    bool clear);
/*
 * In the writer's lock: whether something that is being deleted may be empty, once this object has
 * gone or goes, or is such a thing itself.
 */
bool kin__api_is_emptied(kin__api *api, const kin__kind *kind, const kin_object *object);
/*
 * Delete objects of a kind whose keys begin so, up to *budget, which gets smaller. `clear` is run
 * again when they are gone. Whether there is none at all.
 */
bool kin__api_sweep(kin__api *api, const kin__kind *kind, kin_str prefix, size_t *budget);

/* --- namespaces.c --- */

/* Try again in a second what `clear` could not do. */
void kin__api_clear_later(kin__api *api);

int kin__namespaces_start(kin__api *api, kin_error *err);
/* In the writer's lock: whether something can be created there; 403, 404. */
bool kin__namespace_admit(kin__op *op, kin__failure *failure);
/* In the writer's lock: something in it is deleted, and it is being deleted itself. */
bool kin__namespace_is_ending(kin__api *api, kin_str name);
/* Some stay for ever: 403. */
bool kin__namespace_may_go(const kin__kind *kind, const kin_object *namespace_,
                           kin__failure *failure);
/* Of a new one: what the real server sets. */
void kin__namespace_prepare(kin__edit *edit, const kin_object *body, kin_str name);
/* Job: the contents of those that are being deleted go, up to *budget of it, then they. */
void kin__namespaces_clear(kin__api *api, size_t *budget);

/* --- crd.c --- */

int kin__crds_start(kin__api *api, kin_error *err);
/* In the writer's lock: serve what the newest state defines, and nothing else. 0, KIN_ENOMEM. */
int kin__crds_sync(kin__api *api);
bool kin__crd_is(const kin__kind *kind);
/* The object is a CustomResourceDefinition; it is judged and completed. `base` NULL: it is new. */
bool kin__crd_prepare(kin__op *op, const kin_object *base, const kin_object **object,
                      kin__failure *failure);
/* In the writer's lock: serve it. `base` NULL: it is new. */
bool kin__crd_admit(kin__op *op, enum kin__outcome outcome, const kin_object *base,
                    const kin_object **object, kin__failure *failure);
/* What it gets when it is to be deleted. */
void kin__crd_mark_ending(kin__api *api, kin__edit *edit, const kin_object *base);
/* It could not be committed, or not be stored. */
void kin__crd_undo(kin__op *op, const kin_object *base);
/* In the writer's lock: whether objects of the custom kind can be created. */
bool kin__crd_admit_custom(kin__op *op, kin__failure *failure);
bool kin__crd_is_ending(kin__api *api, const kin__kind *kind);
/* Job: as that of namespaces; and those whose names were taken are served once they are free. */
void kin__crds_clear(kin__api *api, size_t *budget);

/* --- pods.c --- */

/* In seconds. No grace period takes longer: times must stay what can be written. */
#define KIN__CENTURY INT64_C(3155760000)

/* In place of a kubelet: end Pods whose grace period is over. */
int kin__pods_start(kin__api *api, kin_error *err);
/* Whether a write makes a Pod go at a time that was not known before. `base` may be NULL. */
bool kin__pods_must_wait(const kin_object *base, const kin_object *pod);
void kin__pods_wait(kin__api *api, const kin_object *pod);
void kin__pods_stop(kin__api *api);

/* --- watch.c --- */

void kin__watches_end(kin__api *api);

#endif
