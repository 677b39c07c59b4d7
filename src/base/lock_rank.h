/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The order of locks. A thread that holds a lock may take only locks of a higher rank,
 * so no two threads can wait for each other. Numbers leave gaps for what comes.
 * docs/locking.md says what each lock guards; a test keeps the two in step.
 */
#ifndef KIN_BASE_LOCK_RANK_H
#define KIN_BASE_LOCK_RANK_H

/* X(name, rank) */
#define KIN__LOCK_RANKS(X)                                                                         \
    X(FACTORY, 100)                                                                                \
    X(RECONCILER, 105)                                                                             \
    X(INFORMER, 110)                                                                               \
    X(PULSE, 115)                                                                                  \
    X(LISTENER, 130)                                                                               \
    X(DISPATCHER, 140)                                                                             \
    X(REFLECTOR, 150)                                                                              \
    X(RETRY_WATCH, 180)                                                                            \
    X(RESOLVING, 185)                                                                              \
    X(FAKE_SOURCE, 187)                                                                            \
    X(CLIENT, 190)                                                                                 \
    X(CREDENTIALS, 200)                                                                            \
    X(CALL, 210)                                                                                   \
    X(TRANSPORT, 220)                                                                              \
    X(EXCHANGE, 230)                                                                               \
    X(AHEAD, 235)                                                                                  \
    X(RATE_LIMIT, 250)                                                                             \
    X(WARNINGS, 255)                                                                               \
    X(RETRY, 260)                                                                                  \
    X(WORK_QUEUE, 270)                                                                             \
    X(FAILURES, 280)                                                                               \
    X(QUEUE, 300)                                                                                  \
    X(HEAP, 310)                                                                                   \
    X(EXPIRING_STORE, 320)                                                                         \
    X(UNDELTA_STORE, 330)                                                                          \
    X(MUTATION_CACHE, 340)                                                                         \
    X(MUTATION_DETECTOR, 350)                                                                      \
    X(WORKERS, 360)                                                                                \
    X(STORE, 400)                                                                                  \
    X(HOLDS, 405)                                                                                  \
    X(API_WRITER, 410)                                                                             \
    X(API_STATE, 420)                                                                              \
    X(API_STORAGE, 425)                                                                            \
    X(API_REGISTRY, 430)                                                                           \
    X(API_REQUESTS, 435)                                                                           \
    X(API_TIMERS, 440)                                                                             \
    X(API_LIFE, 442)                                                                               \
    X(API_SERVER, 445)                                                                             \
    X(API_PULSE, 450)                                                                              \
    X(API_HTTP, 452)                                                                               \
    X(API_LISTENER, 455)                                                                           \
    X(API_WORKER, 457)                                                                             \
    X(API_CALL, 460)                                                                               \
    X(API_FAULTS, 470)                                                                             \
    X(API_LOG, 480)                                                                                \
    X(API_SINK, 485)                                                                               \
    X(API_SIMULATOR, 490)                                                                          \
    X(KEYS, 800)                                                                                   \
    X(SHARED, 810)                                                                                 \
    X(DEFAULT_LOGGER, 900)                                                                         \
    X(CLOCK, 910)

enum kin__lock_rank {
#define KIN__RANK_ENUM(name, rank) KIN__RANK_##name = (rank),
    KIN__LOCK_RANKS(KIN__RANK_ENUM)
#undef KIN__RANK_ENUM
};

#endif
