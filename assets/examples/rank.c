/* A rank of Ringside in C. Its records are laid out in protocol/messages/FORMAT.md.
 *   cc rank.c -I DIR_OF_HEADER -L DIR_OF_LIBRARY -lringside_rank -o rank
 *   ringside run -- ./rank          ringside conformance -- ./rank */
#define _POSIX_C_SOURCE 200809L
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "ringside_rank.h"

enum { kHello = 1, kStep = 2, kEpoch = 4, kSteps = 300 };

static char body[1024];
static size_t used = 0;

static void put(const void* value, size_t bytes) {
  memcpy(body + used, value, bytes);
  used += bytes;
}
static void i32(int32_t value) { put(&value, 4); }
static void i64(int64_t value) { put(&value, 8); }
static void f32(float value) { put(&value, 4); }
static void f64(double value) { put(&value, 8); }
static void text(const char* value) { i32((int32_t)strlen(value)), put(value, strlen(value)); }
static void post(uint16_t type, int64_t when) { ringside_post(type, when, body, used), used = 0; }
static int number(const char* name) { return getenv(name) ? atoi(getenv(name)) : 0; }

int main(void) {
  struct timespec wall, pause = {0, 10000000};
  if (!ringside_open()) fprintf(stderr, "not reported. %s\n", ringside_problem());
  clock_gettime(CLOCK_REALTIME, &wall);
  i32(getpid()), i32(number("LOCAL_RANK")), i32(number("WORLD_SIZE"));
  i32(number("RINGSIDE_ATTEMPT")), i32(-1);
  text("cpu"), text("CPU"), text(""), text("none"), text("rank.c 1"), i32(1);
  i64(wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec);
  i64(0), i64(0), i64(kSteps), i64(1), i64(0); /* parameters ... steps, epochs, first step */
  post(kHello, 0);

  double sum = 0;
  int64_t n = 0, begin = ringside_now_ns(), first = begin;
  for (; n < kSteps && !ringside_stop_request(); ++n) {
    nanosleep(&pause, NULL); /* the work; a real one has a forward and a backward */
    const int64_t worked = ringside_now_ns(), end = ringside_now_ns();
    const float loss = 1.0F / (float)(n + 1);
    i32(0), i64(n), i32(32), f32(loss); /* epoch, step, samples */
    i32(-1), f64(0.1), put("\xAD\xDE\xC0\x7F", 4), f32(1), put("", 1); /* grad_norm: not known */
    i64(-1), i64(-1), i64(worked - begin), i64(-1), i64(-1), i64(-1), i64(end - begin);
    post(kStep, end);
    sum += 32.0 * (double)loss, begin = end;
  }
  i32(0), put("", 1), f64(sum), i64(-1), i64(32 * n), i64(0), i64(n); /* correct: not known */
  f64((double)(begin - first) / 1e9), i64(n - 1), i64(0), f64(0);
  post(kEpoch, 0);
  ringside_close(INT64_C(500000000));
  return 0;
}
