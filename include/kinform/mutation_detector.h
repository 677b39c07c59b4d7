/* SPDX-License-Identifier: Apache-2.0 */
/**
 * @file
 * Mutation detectors: a debugging aid that finds out who writes to objects that are shared.
 * client-go's MutationDetector.
 *
 * Objects are const and many threads read them; a cast makes them writable all the same. A detector
 * takes a fingerprint of each object that it is given, looks again at each check, and tells which ones
 * have changed. It says that it happened and to which object, not where: checks that are close together
 * narrow it down.
 *
 * It costs a look at every byte of every object per check, and keeps objects in memory for a while:
 * two minutes, unless the options say otherwise. So programs make one only if
 * kin_mutation_detector_wanted().
 *
 * @code
 * if (kin_mutation_detector_wanted())
 *     code = kin_mutation_detector_new(&detector, NULL, &err);
 * ...
 * if (detector)
 *     kin_mutation_detector_add(detector, pod, &err);  // when it comes into the store
 * ...
 * if (detector)
 *     kin_mutation_detector_check(detector, NULL, &err); // every second
 * @endcode
 */
#ifndef KINFORM_MUTATION_DETECTOR_H
#define KINFORM_MUTATION_DETECTOR_H

#include <kinform/clock.h>
#include <kinform/log.h>
#include <kinform/object.h>

KIN_BEGIN_DECLS

/** A mutation detector. One owner, any number of threads. */
typedef struct kin_mutation_detector kin_mutation_detector;

/**
 * Is told that an object has changed, once per change. It may end the process: after such a write
 * nothing that was read from the object can be relied on.
 *
 * @param object  as it is now; BORROWED during the call.
 * @thread the one that checks or adds; no lock is held
 */
typedef void kin_mutation_detector_altered_fn(const kin_object *object, void *arg);

/** How a detector is to be. COPIED. */
typedef struct kin_mutation_detector_options {
    size_t size;      /**< sizeof(kin_mutation_detector_options); set by the INIT macro */
    const char *name; /**< for logs: whose objects they are; NULL: "mutation detector" */
    kin_logger
        *logger; /**< gets a line of level error per change; SHARED; NULL: the default logger */
    kin_clock *clock;  /**< SHARED; NULL: the system's */
    int64_t retain_ms; /**< objects are forgotten when they are older; 0: two minutes */
    kin_mutation_detector_altered_fn *altered; /**< may be NULL */
    void *altered_arg; /**< handed to `altered`; BORROWED while the detector lives */
} kin_mutation_detector_options;

/* clang-format off */
/** The default options. */
#define KIN_MUTATION_DETECTOR_OPTIONS_INIT \
    {sizeof(kin_mutation_detector_options), NULL, NULL, NULL, 0, NULL, NULL}
/* clang-format on */

/**
 * Whether the environment asks for mutation detectors: KIN_CACHE_MUTATION_DETECTOR or
 * KUBE_CACHE_MUTATION_DETECTOR is "1", "t", "T", "true", "True" or "TRUE". Programs that run with more
 * rights than their user do not listen to it.
 *
 * @thread any, while none changes the environment
 */
KIN_API bool kin_mutation_detector_wanted(void);

/**
 * Make a detector.
 *
 * @param[out] ret  OWNED; release with kin_mutation_detector_free().
 * @param options   COPIED; NULL: the default ones.
 * @return 0, KIN_EINVAL (`ret` is NULL, or a negative time), KIN_ENOMEM.
 * @thread any
 */
KIN_API int kin_mutation_detector_new(kin_mutation_detector **ret,
                                      const kin_mutation_detector_options *options, kin_error *err);

/**
 * Free a detector. Nobody may be in one of its functions. Nothing is checked.
 *
 * @param detector  may be NULL.
 * @thread any
 */
KIN_API void kin_mutation_detector_free(kin_mutation_detector *detector);

/**
 * Watch an object from now on. One that is watched already is watched for longer. Tombstones are not
 * watched, and that is no error.
 *
 * Of a document, the fingerprint is of all its content; of another class, of what its `hash` function
 * says, or, if it has none, of key and resource version.
 *
 * Where nobody checks, each new object makes it look for the last time at two that are older than the
 * options allow, and forget them: a detector does not grow for ever.
 *
 * @param detector  BORROWED for the call.
 * @param object    SHARED: a reference is taken, until it is forgotten.
 * @return 0, KIN_EINVAL (NULL), KIN_ENOMEM, KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_mutation_detector_add(kin_mutation_detector *detector, const kin_object *object,
                                      kin_error *err);

/**
 * Look at all objects that were added before, and tell which ones have changed since they were looked
 * at last. Those that are older than the options allow are looked at for the last time. Needs no memory.
 *
 * @param detector         BORROWED for the call.
 * @param[out] ret_altered how many have changed; may be NULL.
 * @return 0, also if some have changed; KIN_EINVAL (`detector` is NULL), KIN_EFORKED.
 * @thread any
 */
KIN_API int kin_mutation_detector_check(kin_mutation_detector *detector, size_t *ret_altered,
                                        kin_error *err);

/**
 * How many objects are watched.
 *
 * @param detector  BORROWED for the call; NULL has none, and one in a forked child shows none.
 * @thread any
 */
KIN_API size_t kin_mutation_detector_len(kin_mutation_detector *detector);

KIN_END_DECLS

#endif
