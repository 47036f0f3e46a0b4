/* C interface that makes any program a rank of Ringside: connects to the agent that started this
 * process, posts records, and says goodbye. A record is passed as its body in the layout of
 * protocol/messages/FORMAT.md, little-endian; the header with node, rank, sequence and time is
 * added here.
 *
 * Only ringside_close waits. No function prints anything or ends the process; when it runs out of
 * memory or descriptors, nothing is sent. There is one thread and one local connection; the library
 * registers nothing that runs at exit. Any thread may call it. A process that was forked after
 * ringside_open has no connection: every call is harmless there and does nothing. */
#ifndef RINGSIDE_RANK_H
#define RINGSIDE_RANK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Version of this interface: 2 added ringside_open_as. */
#define RINGSIDE_RANK_ABI 2
int32_t ringside_abi(void);

typedef enum {
  RINGSIDE_POSTED = 0,
  RINGSIDE_NOT_CONNECTED = 1, /* outside a run, after ringside_close, or in a child of fork */
  RINGSIDE_BAD_RECORD = 2,    /* unknown type, or length does not match its fields: not sent */
  RINGSIDE_DROPPED = 3        /* the ring was full; counted, and shown in the window */
} ringside_result;

/* Connects using the variables that the agent sets (trainer/agent/RANKS.md). 1: connected, now or
 * before; 0: ringside_problem has the reason, and the program continues without telemetry. Outside
 * a run: 0 and an empty problem. Only the first process of a rank that calls this sends telemetry;
 * the others get 0 and its pid in the problem, even after it has ended. The ranks of another
 * launcher within a rank get 0, too. */
int32_t ringside_open(void);

/* Like ringside_open, for one of the ranks that a script starts itself, which have no variables:
 * pass rank and world size of its process group. If the agent started a single process, they become
 * the ranks of the run; within one of several ranks they do not send telemetry. */
int32_t ringside_open_as(int32_t rank, int32_t world_size);

/* "" without a problem. Owned by the library; valid until the next ringside_open. */
const char* ringside_problem(void);

/* CLOCK_MONOTONIC in nanoseconds: Python's time.monotonic_ns(). */
int64_t ringside_now_ns(void);

/* `type` is the record's type number, `mono_ns` the time of the event, 0 for now. Copies the body;
 * waits only for another thread's copy. Hellos, steps, buckets, epochs, shards, states, clock
 * comparisons, checkpoints, notices and scalars may be posted; the library posts goodbyes, the
 * agent posts samples of devices and hosts. */
ringside_result ringside_post(uint16_t type, int64_t mono_ns, const void* body, size_t bytes);

/* The agent's request: 0 none, 1 stop with a checkpoint, 2 stop now. */
int32_t ringside_stop_request(void);

/* Sends the remaining records and the goodbye, for at most this long; what the agent has not
 * received by then is saved in the run folder for it. Later calls do nothing. A program that ends
 * without this call loses its last records. */
void ringside_close(int64_t budget_ns);

#ifdef __cplusplus
}
#endif

#endif
