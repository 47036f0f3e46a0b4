/* The beginning of the AppImage: unpacks what follows into the user's cache, once, and starts
   AppRun there. It is not mounted, so that nobody needs FUSE, and since agents, which are its
   programs too, outlive the window. CONTENT, a define, names what follows. */
#define _GNU_SOURCE
#include <elf.h>
#include <err.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <squashfuse/squashfuse.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#define FOLDER "appimage-" CONTENT
#define WHOLE ".whole" /* written last */
static char self[PATH_MAX]; /* the AppImage */

static void must(int done, const char* path) {
  if (!done) err(2, "cannot unpack %s; set XDG_CACHE_HOME to a folder that can be written", path);
}

static void whole(sqfs_err error) {
  if (error) errx(2, "%s is damaged or incomplete; fetch it again", self);
}

static void unpack_file(sqfs* image, sqfs_inode* from, const char* path) {
  static char bytes[1 << 20];
  const int to = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, from->base.mode & 0777);
  sqfs_off_t size = sizeof bytes;
  must(to >= 0, path);
  for (uint64_t at = 0; at < from->xtra.reg.file_size; at += (uint64_t)size) {
    whole(sqfs_read_range(image, from, (sqfs_off_t)at, &size, bytes) || size <= 0);
    must(write(to, bytes, (size_t)size) == size, path);
  }
  must(close(to) == 0, path);
}

/* Unpacks the image at `begin` of the file, files and folders, into a folder, and stays there. */
static void unpack(int file, size_t begin, const char* folder) {
  sqfs image;
  sqfs_traverse walk;
  sqfs_err error = SQFS_OK;
  whole(sqfs_init(&image, file, begin) ||
        sqfs_traverse_open(&walk, &image, sqfs_inode_root(&image)));
  must((mkdir(folder, 0755) == 0 || errno == EEXIST) && chdir(folder) == 0, folder);
  while (sqfs_traverse_next(&walk, &error)) {
    sqfs_inode inode;
    if (walk.dir_end) continue;
    whole(sqfs_inode_get(&image, &inode, sqfs_dentry_inode(&walk.entry)));
    if (S_ISREG(inode.base.mode))
      unpack_file(&image, &inode, walk.path);
    else
      must(mkdir(walk.path, 0755) == 0 || errno == EEXIST, walk.path);
  }
  whole(error);
}

/* Programs are started from there, so nobody else may have put them there. */
static void own(const char* folder, const char* path) {
  struct stat is;
  must(stat(folder, &is) == 0, path);
  if (is.st_uid != geteuid() || (is.st_mode & 022))
    errx(2, "%s can be written by others; set XDG_CACHE_HOME to a folder of your own", path);
}

/* Goes to the folder with the unpacked image. Others who start it for the first time now wait. */
static void go_to_unpacked(int file, size_t begin) {
  const char* const cache = getenv("XDG_CACHE_HOME");
  const char* const home = getenv("HOME");
  const int given = cache && *cache == '/';
  char path[PATH_MAX];
  snprintf(path, sizeof path, "%s%s/ringside/",
           given  ? cache
           : home ? home
                  : "",
           given ? "" : "/.cache");
  for (char* end = path; (end = strchr(end + 1, '/')); *end = '/') {
    *end = '\0';
    mkdir(path, 0700);
  }
  must(chdir(path) == 0, path);
  own(".", path);
  const int lock = open("appimage.lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
  must(lock >= 0 && flock(lock, LOCK_EX) == 0, path);
  if (access(FOLDER "/" WHOLE, F_OK)) {
    /* What a cleaner of caches has left is put aside, since agents may run from it. */
    char old[64];
    snprintf(old, sizeof old, FOLDER ".old-%d", (int)getpid());
    must(rename(FOLDER, old) == 0 || errno == ENOENT, path);
    unpack(file, begin, FOLDER ".part");
    must(syncfs(lock) == 0 && close(open(WHOLE, O_WRONLY | O_CREAT | O_CLOEXEC, 0600)) == 0, path);
    must(chdir("..") == 0 && rename(FOLDER ".part", FOLDER) == 0, path);
  }
  own(FOLDER, path);
  must(chdir(FOLDER) == 0, path);
}

int main(int argc, char** argv) {
  const char* const wish = argc > 1 ? argv[1] : "";
  const int here = open(".", O_PATH | O_CLOEXEC);
  const int file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
  char place[PATH_MAX], program[PATH_MAX + 8];
  Elf64_Ehdr head;
  if (readlink("/proc/self/exe", self, sizeof self - 1) < 0 ||
      pread(file, &head, sizeof head, 0) < (ssize_t)sizeof head)
    err(2, "cannot read itself");
  const size_t begin = head.e_shoff + (size_t)head.e_shnum * head.e_shentsize;
  if (!strcmp(wish, "--appimage-offset")) return printf("%zu\n", begin) < 0;
  if (!strcmp(wish, "--appimage-extract")) return unpack(file, begin, "squashfs-root"), 0;
  if (!strncmp(wish, "--appimage-", 11))
    errx(2,
         "%s is unknown; --appimage-extract unpacks into squashfs-root, --appimage-offset says "
         "where the image begins",
         wish);
  setenv("APPIMAGE", self, 1);
  setenv("ARGV0", argv[0], 1);
  if (getcwd(place, sizeof place)) setenv("OWD", place, 1);
  go_to_unpacked(file, begin);
  must(getcwd(place, sizeof place) && fchdir(here) == 0, FOLDER);
  setenv("APPDIR", place, 1);
  snprintf(program, sizeof program, "%s/AppRun", place);
  execv(program, argv);
  err(2, "cannot start %s; set XDG_CACHE_HOME to a folder whose programs may be started", program);
}
