/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Planted defects: known mistakes that the simulation must find (docs/guarantees.md). Only its own build of the
 * library has them, and each is off until it is switched on. In every other build KIN_DEFECT() is the constant false.
 */
#ifndef KIN_BASE_DEFECT_H
#define KIN_BASE_DEFECT_H

#include <stdbool.h>

/* X(name, the mistake) */
#define KIN__DEFECT_LIST(X)                                                                        \
    X(delete_lost_in_flight, "DeltaFIFO drops a deletion while the object's deltas are processed") \
    X(queued_delete_dropped, "DeltaFIFO drops a deletion of an object that is queued, not stored") \
    X(second_delete_dropped,                                                                       \
      "DeltaFIFO drops a second deletion while the first is in flight and then fails")             \
    X(replace_drops_tombstone, "a list does not delete stored objects that it lacks")              \
    X(replace_forgets_queued, "a list does not delete queued objects that it lacks")               \
    X(resync_overtakes, "a resync queues an old state after a newer one")                          \
    X(ordered_replace_forgets_queued, "the same list in the ordered FIFO")                         \
    X(ordered_batch_repeats_key, "a batch of the ordered FIFO has an object twice")                \
    X(merge_loses_state, "a full handler queue keeps the older of two merged states")              \
    X(merge_keeps_deleted, "a full handler queue drops the deletion of a queued addition")         \
    X(resync_is_change, "a resync is delivered as a change")                                       \
    X(relist_is_resync, "a change that a list brings counts as a resync")                          \
    X(join_skips_last, "a new handler does not receive the last object of the store")              \
    X(handler_synced_early, "a handler is synced before it has received the first list")           \
    X(informer_synced_early, "an informer is synced before the first list is in the store")        \
    X(removal_does_not_wait, "the removal of a handler returns while the handler runs")            \
    X(handler_called_after_removal, "events taken out before a removal are delivered after it")    \
    X(pool_handler_forgotten, "events that arrive during a turn of the pool are not delivered")    \
    X(missed_wake_up, "a wake-up is lost while the informer takes its turn")                       \
    X(applied_too_early, "a version counts as applied while its events are queued")                \
    X(failed_page_counts, "a list is complete when its second page fails")                         \
    X(expired_page_keeps_others, "a list that begins again keeps the pages of the old one")        \
    X(retry_after_uncapped, "a server's Retry-After delays a retry without a limit")               \
    X(watching_too_early, "the state is watching before the server agrees")                        \
    X(resume_skips_one, "a watch resumes one version too late")                                    \
    X(rejection_deletes, "an object that the transformer rejects is deleted")                      \
    X(relist_at_zero, "a list after the first one accepts any version")                            \
    X(late_event_counts, "an event of a cancelled watch is applied")                               \
    X(index_link_left, "an index still shows an object under its value before an update")          \
    X(pin_released_early, "the store frees a state that a view still shows")                       \
    X(done_loses_key, "a work queue drops a key that was added while it was worked on")            \
    X(key_runs_twice, "a work queue hands a key out while it is worked on")                        \
    X(timekeeper_leaves, "no worker wakes for delayed keys after their timekeeper has got a key")  \
    X(failure_not_retried, "a reconciler does not retry a key whose function failed")              \
    X(batch_lost_without_memory, "a batch that fails for lack of memory is not queued again")      \
    X(scope_list_at_zero, "a list after a change of the scope accepts any version")                \
    X(scope_synced_early, "a wait after a change of the scope ends before the new list")           \
    X(scope_not_swept, "objects of namespaces that the informer has left stay in the store")       \
    X(unversioned_is_resync, "an update from a source without versions counts as a resync")        \
    X(nameless_event_dropped, "a watch drops events of objects that have a key, but no name")      \
    X(producer_does_not_wake, "a queue that is filled from outside does not wake its controller")  \
    X(snapshot_claims_received, "a snapshot claims changes that are still queued")                 \
    X(snapshot_of_other_scope, "an informer begins with the snapshot of another scope")            \
    X(snapshot_versions_by_order, "the versions in a snapshot are taken by order, not namespace")  \
    X(snapshot_not_swept, "objects of other namespaces that a snapshot has stay in the store")     \
    X(warm_synced_early, "an informer with a snapshot is synced before the server answers")        \
    X(wait_trusts_version, "a wait for an object ends since later versions were seen before")      \
    X(wait_needs_quiet, "a wait for an object ends when no more changes are queued")               \
    X(list_not_repeated, "the list that `relist_ms` asks for does not happen")

#ifdef KIN_PLANT_DEFECTS
typedef enum kin__defect {
    KIN__DEFECT_none,
#define KIN__DEFECT_ENUM(name, text) KIN__DEFECT_##name,
    KIN__DEFECT_LIST(KIN__DEFECT_ENUM)
#undef KIN__DEFECT_ENUM
} kin__defect;

/* The one that is on. Defined by the simulation. */
extern kin__defect kin__planted;

#define KIN_DEFECT(name) (kin__planted == KIN__DEFECT_##name)
#else
#define KIN_DEFECT(name) false
#endif

#endif
