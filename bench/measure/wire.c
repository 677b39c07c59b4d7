/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What came over TCP, as the kernel counts it for each socket: with TLS and HTTP, without retransmissions.
 */
#include "measure.h"

#include <dirent.h>
#include <errno.h>
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/socket.h>

#define HAS_BYTES_RECEIVED                                                                         \
    (offsetof(struct tcp_info, tcpi_bytes_received) +                                              \
     sizeof((struct tcp_info *)0)->tcpi_bytes_received)

/* 0 unless this is a TCP connection. */
static uint64_t received_on(int fd)
{
    struct tcp_info info;
    socklen_t len = sizeof(info);

    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) < 0 || len < HAS_BYTES_RECEIVED)
        return 0;
    return info.tcpi_bytes_received;
}

int kin_bench_received_read(uint64_t *ret)
{
    DIR *dir = opendir("/proc/self/fd");
    const struct dirent *entry;
    uint64_t bytes = 0;

    if (!dir)
        return -errno;
    while ((entry = readdir(dir)) != NULL) {
        if (entry->d_name[0] != '.')
            bytes += received_on((int)strtol(entry->d_name, NULL, 10));
    }
    (void)closedir(dir);
    *ret = bytes;
    return 0;
}
