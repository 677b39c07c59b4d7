/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A deterministic scheduler for real threads.
 *
 * Exactly one thread runs at a time: the one that has the baton. The linker sends the C library's functions for
 * mutexes, conditions, threads, futexes, clocks and random bytes to this module (--wrap, see CMakeLists.txt), so
 * each place where the library can wait, or wake another thread, becomes a decision of the scheduler, and a seed
 * makes all decisions. A thread that takes or releases a lock may lose the baton there. When all threads wait,
 * the clock jumps to the earliest deadline. The library runs unchanged.
 *
 * Threads never run at the same time, so races between plain atomics are not found here; ThreadSanitizer is for them.
 */
#ifndef KIN_SIMULATION_SCHEDULER_H
#define KIN_SIMULATION_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>

/* How the scheduler decides. */
typedef struct sim_schedule {
    uint64_t seed;
    unsigned switch_of_1024; /* how often a thread loses the baton where it need not; 0: never */
    bool
        by_priority; /* the runnable thread with the highest priority runs, and priorities change at random */
    uint64_t max_switches; /* such losses; UINT64_MAX: any number */
    uint64_t die_at;       /* the step at which the process dies; 0: never */
    int64_t start_ns;      /* monotonic time at the beginning */
    int64_t start_unix_ns; /* wall time at the beginning */
} sim_schedule;

/* Why a simulation cannot go on. */
typedef enum sim_stop {
    SIM_DEADLOCK, /* all threads wait, and none for a time */
    SIM_LIVELOCK, /* too many steps */
    SIM_DEATH,    /* as planned */
} sim_stop;

/* Must not return. `text` has a line for each thread. */
typedef void sim_stopped_fn(sim_stop why, const char *text);

/* The calling thread gets the baton, and all that happens from now on is simulated. Once per process. */
void sim_begin(const sim_schedule *schedule, uint64_t max_steps, sim_stopped_fn *stopped);

/* From now on the process does not die. */
void sim_survive(void);
/* A place where the thread may lose the baton. */
void sim_yield(void);
void sim_sleep(int64_t ns);
/* Wait until sim_wake() of the same address, or until `deadline`; INT64_MAX: never. Whether it was woken. */
bool sim_wait(const void *on, const char *what, int64_t deadline);
void sim_wake(const void *on);
int64_t sim_now(void);
/* Scheduling decisions so far. */
uint64_t sim_steps(void);
/* Times that a thread lost the baton where it need not. */
uint64_t sim_switches(void);
/* The name of the running thread. */
const char *sim_thread_name(void);
void sim_set_thread_name(const char *name);

#endif
