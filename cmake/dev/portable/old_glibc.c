/* What a newer glibc has and 2.28 does not, for programs that are linked as if it were 2.28
   (link.py). Where the glibc that runs has the function, that one is called. */
#define _GNU_SOURCE
/* The headers declare these three with a type of their own, for the same bytes. */
#define stat64 hidden_stat64
#define lstat64 hidden_lstat64
#define fstat64 hidden_fstat64
#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define HERE __attribute__((visibility("hidden")))

/* Never surely single-threaded: counts of shared owners stay atomic. */
HERE char __libc_single_threaded = 0;

enum { kStatVersion = 1 };
extern int __xstat(int, const char*, struct stat*);
extern int __lxstat(int, const char*, struct stat*);
extern int __fxstat(int, int, struct stat*);
HERE int stat(const char* restrict path, struct stat* restrict found) {
  return __xstat(kStatVersion, path, found);
}
HERE int lstat(const char* restrict path, struct stat* restrict found) {
  return __lxstat(kStatVersion, path, found);
}
HERE int fstat(int file, struct stat* found) { return __fxstat(kStatVersion, file, found); }

#undef stat64
#undef lstat64
#undef fstat64
extern __typeof__(stat) stat64 HERE __attribute__((alias("stat")));
extern __typeof__(lstat) lstat64 HERE __attribute__((alias("lstat")));
extern __typeof__(fstat) fstat64 HERE __attribute__((alias("fstat")));

HERE int close_range(unsigned first, unsigned last, int flags) {
  return (int)syscall(436, first, last, flags); /* its number, the same everywhere */
}

HERE size_t strlcpy(char* restrict to, const char* restrict from, size_t room) {
  const size_t size = strlen(from);
  if (room) {
    const size_t fits = size < room ? size : room - 1;
    memcpy(to, from, fits);
    to[fits] = '\0';
  }
  return size;
}

HERE uint32_t arc4random(void) {
  uint32_t word = 0;
  while (getrandom(&word, sizeof word, 0) != (ssize_t)sizeof word) {
  }
  return word;
}

HERE const char* sigabbrev_np(int signal) {
  static const char* const kNames[] = {
      NULL,   "HUP",  "INT",  "QUIT", "ILL",    "TRAP",   "ABRT",  "BUS",  "FPE",  "KILL", "USR1",
      "SEGV", "USR2", "PIPE", "ALRM", "TERM",   "STKFLT", "CHLD",  "CONT", "STOP", "TSTP", "TTIN",
      "TTOU", "URG",  "XCPU", "XFSZ", "VTALRM", "PROF",   "WINCH", "POLL", "PWR",  "SYS"};
  return signal > 0 && signal < (int)(sizeof kNames / sizeof *kNames) ? kNames[signal] : NULL;
}

/* By the wall clock where that is all there is: whoever waits looks again at the time. */
HERE int pthread_cond_clockwait(pthread_cond_t* cond, pthread_mutex_t* mutex, clockid_t clock,
                                const struct timespec* until) {
  typedef int Wait(pthread_cond_t*, pthread_mutex_t*, clockid_t, const struct timespec*);
  Wait* const wait = (Wait*)dlsym(RTLD_DEFAULT, "pthread_cond_clockwait");
  if (wait) return wait(cond, mutex, clock, until);
  struct timespec now, wall;
  clock_gettime(clock, &now);
  clock_gettime(CLOCK_REALTIME, &wall);
  wall.tv_sec += until->tv_sec - now.tv_sec;
  wall.tv_nsec += until->tv_nsec - now.tv_nsec;
  if (wall.tv_nsec < 0) {
    wall.tv_nsec += 1000000000;
    --wall.tv_sec;
  } else if (wall.tv_nsec >= 1000000000) {
    wall.tv_nsec -= 1000000000;
    ++wall.tv_sec;
  }
  return pthread_cond_timedwait(cond, mutex, &wall);
}

/* For the unwinder of exceptions: the object that holds an address, as far as it reads it. */
static int holds(struct dl_phdr_info* object, size_t size, void* data) {
  (void)size;
  struct dl_find_object* const found = data;
  const char* const address = found->dlfo_map_end;
  void* frames = NULL;
  int inside = 0;
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)* const part = &object->dlpi_phdr[i];
    char* const begin = (char*)(object->dlpi_addr + part->p_vaddr);
    if (part->p_type == PT_GNU_EH_FRAME) frames = begin;
    if (part->p_type != PT_LOAD || address < begin || address >= begin + part->p_memsz) continue;
    inside = 1;
    found->dlfo_map_start = begin;
  }
  if (inside) found->dlfo_eh_frame = frames;
  return inside;
}

HERE int _dl_find_object(void* address, struct dl_find_object* found) {
  memset(found, 0, sizeof *found);
  found->dlfo_map_end = address;
  return dl_iterate_phdr(holds, found) && found->dlfo_eh_frame ? 0 : -1;
}

/* A newer glibc's start code leaves running the constructors to it; 2.28 wants to be handed what
 * runs them. */
#ifdef PROGRAM
typedef void Constructor(int, char**, char**);
extern Constructor* __init_array_start[] HERE;
extern Constructor* __init_array_end[] HERE;
extern void _init(void);

static int construct(int count, char** arguments, char** environment) {
  _init();
  for (Constructor** each = __init_array_start; each != __init_array_end; ++each)
    (*each)(count, arguments, environment);
  return 0;
}

typedef int Main(int, char**, char**);
extern int __real___libc_start_main(Main*, int, char**, Main*, void (*)(void), void (*)(void),
                                    void*);
HERE int __wrap___libc_start_main(Main* program, int count, char** arguments, Main* init,
                                  void (*fini)(void), void (*rtld_fini)(void), void* stack_end) {
  (void)init;
  return __real___libc_start_main(program, count, arguments, construct, fini, rtld_fini, stack_end);
}
#endif
