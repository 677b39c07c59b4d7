/* SPDX-License-Identifier: Apache-2.0 */
#include "netns.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/rtnetlink.h>
#include <linux/veth.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#define OUR_LINK "kin-test"

static bool isolated;

static bool write_file(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    bool written = fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);

    if (fd >= 0)
        close(fd);
    return written;
}

/* Without root a namespace of users comes first, where we are root. */
static const char *become_root(void)
{
    char uids[64];
    char gids[64];

    snprintf(uids, sizeof(uids), "0 %u 1", (unsigned)geteuid());
    snprintf(gids, sizeof(gids), "0 %u 1", (unsigned)getegid());
    if (unshare(CLONE_NEWUSER) != 0)
        return "no namespaces of users for us here";
    if (!write_file("/proc/self/setgroups", "deny") || !write_file("/proc/self/uid_map", uids) ||
        !write_file("/proc/self/gid_map", gids))
        return "the namespace of users cannot be filled";
    return NULL;
}

const char *kin_test_net_unshare(void)
{
    if (unshare(CLONE_NEWNET) != 0) {
        const char *why = errno == EPERM ? become_root() : "no network namespaces here";

        if (why)
            return why;
        if (unshare(CLONE_NEWNET) != 0)
            return "no network namespace, not even as its root";
    }
    if (kin_test_net_link("lo", NULL, true) != 0)
        return "the loopback interface of the namespace does not come up";
    return NULL;
}

const char *kin_test_net_isolate(void)
{
    const char *why = isolated ? NULL : kin_test_net_unshare();

    isolated = isolated || !why;
    return why;
}

bool kin_test_net_isolated(void)
{
    return isolated;
}

/* --- interfaces --- */

static int set_address(int fd, struct ifreq *request, const char *address, unsigned long what)
{
    struct sockaddr_in in = {.sin_family = AF_INET};

    if (inet_aton(address, &in.sin_addr) == 0)
        return EINVAL;
    memcpy(&request->ifr_addr, &in, sizeof(in));
    return ioctl(fd, what, request) < 0 ? errno : 0;
}

int kin_test_net_link(const char *name, const char *address, bool up)
{
    struct ifreq request = {0};
    int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    int os_error = fd < 0 ? errno : 0;

    snprintf(request.ifr_name, sizeof(request.ifr_name), "%s", name);
    if (os_error == 0 && address)
        os_error = set_address(fd, &request, address, SIOCSIFADDR);
    if (os_error == 0 && address && strcmp(address, "0.0.0.0") != 0)
        os_error = set_address(fd, &request, "255.255.255.252", SIOCSIFNETMASK);
    if (os_error == 0 && ioctl(fd, SIOCGIFFLAGS, &request) < 0)
        os_error = errno;
    if (up)
        request.ifr_flags |= IFF_UP;
    else
        request.ifr_flags &= (short)~IFF_UP;
    if (os_error == 0 && ioctl(fd, SIOCSIFFLAGS, &request) < 0)
        os_error = errno;
    if (fd >= 0)
        close(fd);
    return os_error;
}

/* --- the wire: one message of rtnetlink --- */

struct message {
    struct nlmsghdr header;
    struct ifinfomsg link;
    char attributes[512];
};

static struct rtattr *add(struct message *m, unsigned short type, const void *data, size_t len)
{
    struct rtattr *attribute = (struct rtattr *)((char *)m + NLMSG_ALIGN(m->header.nlmsg_len));

    attribute->rta_type = type;
    attribute->rta_len = (unsigned short)RTA_LENGTH(len);
    if (len > 0)
        memcpy(RTA_DATA(attribute), data, len);
    m->header.nlmsg_len = (uint32_t)(NLMSG_ALIGN(m->header.nlmsg_len) + RTA_ALIGN(RTA_LENGTH(len)));
    return attribute;
}

static void end_nest(const struct message *m, struct rtattr *nest)
{
    nest->rta_len = (unsigned short)((const char *)m + m->header.nlmsg_len - (const char *)nest);
}

static int send_message(const struct message *m)
{
    union {
        struct nlmsghdr header;
        char bytes[4096];
    } answer;
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE);
    int os_error = fd < 0 ? errno : 0;

    if (os_error == 0 && send(fd, m, m->header.nlmsg_len, 0) < 0)
        os_error = errno;
    if (os_error == 0 && recv(fd, &answer, sizeof(answer), 0) < 0)
        os_error = errno;
    if (os_error == 0 && answer.header.nlmsg_type == NLMSG_ERROR)
        os_error = -((const struct nlmsgerr *)NLMSG_DATA(&answer.header))->error;
    if (fd >= 0)
        close(fd);
    return os_error;
}

/* The wire of a peer that has ended goes with its namespace, some time later: not soon enough. */
static void remove_old_wire(void)
{
    struct message m = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                   .nlmsg_type = RTM_DELLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK},
        .link = {.ifi_index = (int)if_nametoindex(OUR_LINK)},
    };

    if (m.link.ifi_index != 0)
        send_message(&m);
}

int kin_test_net_join(pid_t peer)
{
    const struct ifinfomsg nothing = {0};
    uint32_t pid = (uint32_t)peer;
    struct message m = {
        .header = {.nlmsg_len = NLMSG_LENGTH(sizeof(struct ifinfomsg)),
                   .nlmsg_type = RTM_NEWLINK,
                   .nlmsg_flags = NLM_F_REQUEST | NLM_F_CREATE | NLM_F_EXCL | NLM_F_ACK}};

    remove_old_wire();
    add(&m, IFLA_IFNAME, OUR_LINK, sizeof(OUR_LINK));
    struct rtattr *info = add(&m, IFLA_LINKINFO, NULL, 0);

    add(&m, IFLA_INFO_KIND, "veth", 5);
    struct rtattr *data = add(&m, IFLA_INFO_DATA, NULL, 0);
    struct rtattr *other = add(&m, VETH_INFO_PEER, &nothing, sizeof(nothing));

    add(&m, IFLA_IFNAME, KIN_TEST_NETNS_LINK, sizeof(KIN_TEST_NETNS_LINK));
    add(&m, IFLA_NET_NS_PID, &pid, sizeof(pid));
    end_nest(&m, other);
    end_nest(&m, data);
    end_nest(&m, info);
    int os_error = send_message(&m);

    return os_error != 0 ? os_error : kin_test_net_link(OUR_LINK, KIN_TEST_NETNS_OURS, true);
}
