/* Any program as a rank of Ringside, in C: connects to the agent that started this process, posts
 * records, and says goodbye. A record is its body as protocol/messages/FORMAT.md lays it out,
 * little-endian; the header with node, rank, sequence and time is added here.
 *
 * Nothing here waits, except ringside_close, or ends or prints anything, whatever the process has
 * no room for: then nothing is sent. There is one thread and one local connection; the library
 * registers nothing that runs at exit. Any thread may call it. A process that was forked after
 * ringside_open has no connection: every call is harmless there and does nothing. */
#ifndef RINGSIDE_RANK_H
#define RINGSIDE_RANK_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows with what is below; 1 is the first, 2 has ringside_open_as. */
#define RINGSIDE_RANK_ABI 2
int32_t ringside_abi(void);

typedef enum {
  RINGSIDE_POSTED = 0,
  RINGSIDE_NOT_CONNECTED = 1, /* outside a run, after ringside_close, or in a child of fork */
  RINGSIDE_BAD_RECORD = 2,    /* of no type below, or not as long as its fields: not sent */
  RINGSIDE_DROPPED = 3        /* the ring was full; counted, and shown in the window */
} ringside_result;

/* Connects by the variables that the agent sets (trainer/agent/RANKS.md). 1: connected, now or
 * before; 0: ringside_problem says why, and the program goes on without. Outside a run nothing is
 * wrong: 0 and an empty problem. Of the processes of a rank the first that calls this speaks; the
 * others get 0 and its process id in the problem, also after its end. The ranks of another
 * launcher inside of a rank get 0, too. */
int32_t ringside_open(void);

/* The same as one of the ranks that a script starts itself, which no variable tells: rank and world
 * size of its process group. Of a run of which the agent started one process they are the run's;
 * within one of several ranks they do not speak. */
int32_t ringside_open_as(int32_t rank, int32_t world_size);

/* "" where there is none. Belongs to the library; valid until the next ringside_open. */
const char* ringside_problem(void);

/* CLOCK_MONOTONIC in nanoseconds: Python's time.monotonic_ns(). */
int64_t ringside_now_ns(void);

/* `type`: number of the record, `mono_ns`: when it happened, 0 for now. Copies the body; no wait
 * but for another thread's copy. Hellos, steps, buckets, epochs, shards, states, clock comparisons,
 * checkpoints, notices and scalars may be posted; goodbyes are made here, readings of devices and
 * hosts by the agent. */
ringside_result ringside_post(uint16_t type, int64_t mono_ns, const void* body, size_t bytes);

/* What the agent asked for: 0 nothing, 1 stop with a checkpoint, 2 stop now. */
int32_t ringside_stop_request(void);

/* Sends what is left and the goodbye, at most so long; what the agent has not got by then stays in
 * the run folder for it. Later calls do nothing. Without this call the last records of a program
 * that ends are lost. */
void ringside_close(int64_t budget_ns);

#ifdef __cplusplus
}
#endif

#endif
