/* Makes file calls of a PostgreSQL server slower by a set time, as on a machine with dearer storage.
 *
 * Loaded with LD_PRELOAD. The delays are read from a file that the experiment writes (PARTADVISOR_LAB names it), so
 * one server can be measured with several. A session that extends a relation sleeps while it holds the extension
 * lock, and the CPU stays free: the regime of big machines, on a small one.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>
#include <stdio.h>

#define BLOCK 8192

struct delays { /* microseconds */
    uint32_t extend;      /* a call that makes a relation's file longer */
    uint32_t extend_page; /* and for each page of it */
    uint32_t sync;        /* fsync, fdatasync */
    uint32_t read;        /* a read of a relation's file */
};

static volatile struct delays *set;

__attribute__((constructor)) static void find_delays(void) {
    const char *path = getenv("PARTADVISOR_LAB");
    int fd = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (fd < 0)
        return;
    void *at = mmap(NULL, sizeof(struct delays), PROT_READ, MAP_SHARED, fd, 0);
    close(fd);
    if (at != MAP_FAILED)
        set = at;
}

static void wait_us(uint64_t us) {
    struct timespec left = {us / 1000000, (us % 1000000) * 1000};
    if (us)
        while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) != 0)
            ;
}

static int is_relation(int fd) {
    char link[64], path[512];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t n = readlink(link, path, sizeof path - 1);
    if (n < 0)
        return 0;
    path[n] = 0;
    return strstr(path, "/base/") != NULL;
}

static void extending(int fd, off_t offset, uint64_t bytes) {
    struct stat now;
    if (set && (set->extend || set->extend_page) && fstat(fd, &now) == 0 && offset >= now.st_size && is_relation(fd))
        wait_us(set->extend + (uint64_t)set->extend_page * (bytes / BLOCK));
}

static void reading(int fd) {
    if (set && set->read && is_relation(fd))
        wait_us(set->read);
}

#define REAL(type, name, ...) \
    static type (*real)(__VA_ARGS__); \
    if (!real) \
        real = (type(*)(__VA_ARGS__))dlsym(RTLD_NEXT, name)

int posix_fallocate(int fd, off_t offset, off_t length) {
    REAL(int, "posix_fallocate", int, off_t, off_t);
    extending(fd, offset, length);
    return real(fd, offset, length);
}

ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset) {
    REAL(ssize_t, "pwritev", int, const struct iovec *, int, off_t);
    uint64_t bytes = 0;
    for (int i = 0; i < count; i++)
        bytes += parts[i].iov_len;
    extending(fd, offset, bytes);
    return real(fd, parts, count, offset);
}

ssize_t pwrite(int fd, const void *data, size_t bytes, off_t offset) {
    REAL(ssize_t, "pwrite", int, const void *, size_t, off_t);
    extending(fd, offset, bytes);
    return real(fd, data, bytes, offset);
}

ssize_t pread(int fd, void *data, size_t bytes, off_t offset) {
    REAL(ssize_t, "pread", int, void *, size_t, off_t);
    reading(fd);
    return real(fd, data, bytes, offset);
}

ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset) {
    REAL(ssize_t, "preadv", int, const struct iovec *, int, off_t);
    reading(fd);
    return real(fd, parts, count, offset);
}

int fsync(int fd) {
    REAL(int, "fsync", int);
    if (set)
        wait_us(set->sync);
    return real(fd);
}

int fdatasync(int fd) {
    REAL(int, "fdatasync", int);
    if (set)
        wait_us(set->sync);
    return real(fd);
}
