/* Between SQLite and the disk, by LD_PRELOAD: writes down what is done to the journal's files, in order, and can kill the
 * process in the middle of it. For tests only.
 *
 * FAULTS_MATCH   part of a file's path that is watched
 * FAULTS_LOG     where to write it down: for each act a header (struct act) and the bytes written
 * FAULTS_REFUSE  a file; while it is there, its number is the error that every act on the files ends with
 * FAULTS_DIE_AT  number of the act at which the process kills itself with SIGKILL, half of a write being done
 * FAULTS_ARM     a file; acts are numbered from the one on that finds it
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>

enum { WRITE = 1, SYNC = 2, TRUNCATE = 3, UNLINK = 4 };

struct act { uint32_t kind, file; int64_t offset, length, wall_ns; };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int log_fd = -1;
static long acts, die_at;
static const char *match, *refuse, *arm;

__attribute__((constructor)) static void begin(void) {
    const char *path = getenv("FAULTS_LOG"), *at = getenv("FAULTS_DIE_AT");
    match = getenv("FAULTS_MATCH");
    refuse = getenv("FAULTS_REFUSE");
    arm = getenv("FAULTS_ARM");
    die_at = at ? atol(at) : 0;
    if (path) log_fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
}

/* 1: the database, 2: its write-ahead file, 0: neither */
static int which(const char *path) {
    size_t n = strlen(path);
    if (!match || !strstr(path, match)) return 0;
    if (n > 4 && !strcmp(path + n - 4, "-wal")) return 2;
    return n > 3 && !strcmp(path + n - 3, ".db");
}

static int file_of(int fd) {
    char link[64], path[4096];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0) return 0;
    path[n] = 0;
    return which(path);
}

/* Whether the disk refuses now; errno says how. */
static int refused(void) {
    char text[16];
    int fd = refuse ? open(refuse, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0) return 0;
    ssize_t n = read(fd, text, sizeof text - 1);
    close(fd);
    text[n > 0 ? n : 0] = 0;
    errno = atoi(text);
    return 1;
}

static int note(int kind, int file, int64_t offset, int64_t length, const void *data) {
    struct timespec now;
    int dies;
    pthread_mutex_lock(&lock);
    clock_gettime(CLOCK_REALTIME, &now);
    struct act act = {kind, file, offset, length, now.tv_sec * 1000000000LL + now.tv_nsec};
    dies = die_at && (!arm || !access(arm, F_OK)) && ++acts == die_at;
    if (log_fd >= 0) {
        ssize_t done = write(log_fd, &act, sizeof act);
        if (data) done += write(log_fd, data, length);
        (void)done;
    }
    pthread_mutex_unlock(&lock);
    return dies;
}

#define REAL(name) static __typeof__(&name) real; if (!real) real = (__typeof__(&name))dlsym(RTLD_NEXT, #name)

static ssize_t watched(ssize_t (*real)(int, const void *, size_t, off64_t), int fd, const void *data, size_t n, off64_t at) {
    int file = file_of(fd);
    if (file && refused()) return -1;
    if (file && note(WRITE, file, at, n, data)) {
        real(fd, data, n / 2, at);
        kill(getpid(), SIGKILL);
    }
    return real(fd, data, n, at);
}

ssize_t pwrite(int fd, const void *data, size_t n, off_t at) { REAL(pwrite); return watched((void *)real, fd, data, n, at); }
ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at) { REAL(pwrite64); return watched((void *)real, fd, data, n, at); }

/* A sync counts once it has returned: what it promised may be relied on from then on. */
#define SYNCING(name) int name(int fd) { \
    REAL(name); int file = file_of(fd); \
    if (file && refused()) return -1; \
    int result = real(fd); \
    if (file && note(SYNC, file, 0, 0, 0)) kill(getpid(), SIGKILL); \
    return result; }
SYNCING(fsync)
SYNCING(fdatasync)

#define TRUNCATING(name, type) int name(int fd, type length) { \
    REAL(name); int file = file_of(fd); \
    if (file && refused()) return -1; \
    if (file && note(TRUNCATE, file, length, 0, 0)) kill(getpid(), SIGKILL); \
    return real(fd, length); }
TRUNCATING(ftruncate, off_t)
TRUNCATING(ftruncate64, off64_t)

int unlink(const char *path) {
    REAL(unlink);
    int file = which(path);
    if (file && note(UNLINK, file, 0, 0, 0)) kill(getpid(), SIGKILL);
    return real(path);
}
