/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Go needs to use kinform's callbacks and classes: Go values as objects, and functions whose `arg` is a handle.
 *
 * A handle is a runtime/cgo.Handle: a number that stands for a Go value. C keeps it as a number or in a `void *`.
 */
#ifndef KIN_CONFORMANCE_BRIDGE_H
#define KIN_CONFORMANCE_BRIDGE_H

#include <kinform.h>
#include <stdlib.h>

/* The texts that the class functions of an object return, in this order; pairs of labels and annotations follow. */
enum {
    TEXT_KEY,
    TEXT_NAMESPACE,
    TEXT_NAME,
    TEXT_VERSION,
    TEXT_KIND,
    TEXT_API_VERSION,
    TEXT_UID,
    TEXT_CONTINUE,
    N_TEXTS
};

/* An object that stands for a Go value, which has a number above 0. `texts` is one string after the other, each with a zero byte; or NULL. */
kin_object *bridge_object_new(uintptr_t value, const char *texts, const size_t *lengths,
                              size_t n_labels, size_t n_annotations);
/* The number of its value; 0: it is another kind of object. */
uintptr_t bridge_object_value(const kin_object *object);
/* The key that the key function computed, or that the caller gives. The first one stays. */
void bridge_object_set_key(kin_object *object, const char *key, size_t len);

int bridge_error_set(kin_error *err, int code, const char *message);

void bridge_store_options(kin_store_options *ret, uintptr_t handle, bool transforms);
int bridge_store_add_index(kin_store *store, const char *name, uintptr_t handle, kin_error *err);
int bridge_store_each(kin_store *store, const kin_label_selector *selector, uintptr_t handle,
                      kin_error *err);

void bridge_heap_options(kin_heap_options *ret, uintptr_t handle);
void bridge_expiring_store_options(kin_expiring_store_options *ret, uintptr_t handle,
                                   bool has_policy);
void bridge_undelta_store_options(kin_undelta_store_options *ret, uintptr_t handle);

/* Queues. With `known`, the handle has known objects. */
int bridge_delta_fifo_new(kin_delta_fifo **ret, uintptr_t handle, bool transforms, bool known,
                          bool emit_replaced);
int bridge_delta_fifo_pop(kin_delta_fifo *fifo, uintptr_t handle, kin_error *err);
int bridge_ordered_fifo_new(kin_ordered_fifo **ret, uintptr_t handle, bool transforms, bool known,
                            bool emit_bookmarks);
int bridge_ordered_fifo_pop(kin_ordered_fifo *fifo, uintptr_t handle, kin_error *err);
int bridge_ordered_fifo_pop_batch(kin_ordered_fifo *fifo, uintptr_t handle, size_t max,
                                  kin_error *err);
int bridge_fifo_new(kin_fifo **ret, uintptr_t handle);
int bridge_fifo_pop(kin_fifo *fifo, uintptr_t handle, kin_error *err);
/* Call a visitor of the library. */
int bridge_visit(kin_visit_fn *visit, kin_str key, const kin_object *object, void *arg);

/* A source: lists and watches that goroutines do. An operation lives until both sides have released it. */
struct bridge_operation;
kin_list_watch *bridge_source_new(uintptr_t handle, bool streaming_lists);
void bridge_operation_set_handle(struct bridge_operation *operation, uintptr_t handle);
int bridge_operation_item(struct bridge_operation *operation, const kin_object *object,
                          kin_error *err);
int bridge_operation_begun(struct bridge_operation *operation, kin_error *err);
int bridge_operation_event(struct bridge_operation *operation, int type, const kin_object *object,
                           kin_error *err);
/* The last call: it releases the operation. */
void bridge_operation_done(struct bridge_operation *operation, int code, const kin_error *err,
                           const kin_object *object, const kin_object *status, bool stood);

/* What a reflector feeds, if it is a store of Go's. */
void bridge_reflector_store(kin_reflector_store *ret, uintptr_t handle);
/* Callbacks of a reflector, which end at the Reflector of the handle. */
void bridge_reflector_options(kin_reflector_options *ret, uintptr_t handle, bool should_resync);

int bridge_controller_new(kin_controller **ret, kin_list_watch *source, const kin_queue *queue,
                          uintptr_t handle, bool batches, const kin_reflector_options *reflector,
                          kin_error *err);
int bridge_informer_controller_new(kin_controller **ret, kin_store **ret_store,
                                   kin_list_watch *source, uintptr_t handler, uintptr_t functions,
                                   bool transforms, bool ordered,
                                   const kin_reflector_options *reflector, kin_error *err);
int bridge_informer_new(kin_informer **ret, kin_list_watch *source, const char *name,
                        uintptr_t handle, int64_t resync_ms, bool ordered, kin_clock *clock,
                        const char *kind, const char *api_version,
                        kin_streaming_lists streaming_lists, bool detect_mutations, kin_error *err);
/* Frees an informer and its handle, later: it does not wait for the threads of the informer. */
void bridge_informer_free(kin_informer *informer, uintptr_t handle);
int bridge_informer_add_handler(kin_informer *informer, kin_registration **ret, const char *name,
                                uintptr_t handler, int64_t resync_ms, kin_error *err);

#endif
