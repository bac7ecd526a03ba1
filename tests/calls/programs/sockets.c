/* Calls whose buffers are found through lengths, vectors and requests: sockets, messages, ioctl. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <termios.h>

#include "expect.h"

#define N(POINTER, SIZE) P(POINTER), (unsigned long)(SIZE)
/* A message's header: where it goes, its vectors, what else goes with it. */
#define H(MESSAGE) V(MESSAGE)

static char room[64], more[64], hello[] = "hello";
static struct sockaddr_un one = { AF_UNIX, "one" }, other = { AF_UNIX, "other" }, peer;
static union {
    struct cmsghdr header;
    char bytes[CMSG_SPACE(sizeof(int))];
} control, received;

int main(int count, char **words)
{
    struct iovec out[2] = { { hello, 3 }, { hello + 3, 2 } }, in[2] = { { room, 4 }, { more, 60 } };
    struct msghdr sent = { &other, sizeof other, out, 2, &control, sizeof control, 0 };
    struct msghdr got = { &peer, sizeof peer, in, 2, &received, sizeof received, 0 };
    struct msghdr plain = { 0, 0, in, 2, 0, 0, 0 };
    socklen_t length = sizeof peer, shorter = 4;
    int first = socket(AF_UNIX, SOCK_DGRAM, 0), second = socket(AF_UNIX, SOCK_DGRAM, 0);
    int listening = socket(AF_UNIX, SOCK_STREAM, 0), calling = socket(AF_UNIX, SOCK_STREAM, 0);
    int accepted, again, number = 1, lock = 0, terminal;
    struct sockaddr_un three = { AF_UNIX, "three" };
    struct winsize window = { 20, 70 };

    control.header.cmsg_len = CMSG_LEN(sizeof(int));
    control.header.cmsg_level = SOL_SOCKET;
    control.header.cmsg_type = SCM_RIGHTS;
    memcpy(CMSG_DATA(&control.header), &first, sizeof first);
    CALL(bind(first, (void *)&one, sizeof one), "r", V(one));
    CALL(bind(second, (void *)&other, sizeof other), "r", V(other));
    CALL(sendto(first, hello, 5, 0, (void *)&other, sizeof other), "rr", N(hello, 5), V(other));
    CALL(recvfrom(second, room, 50, 0, (void *)&peer, &length), "rwww", V(length), N(room, 5),
         N(&peer, length), V(length));
    CALL(sendto(first, hello, 5, 0, (void *)&other, sizeof other), "rr", N(hello, 5), V(other));
    CALL(recvfrom(second, room, 3, 0, (void *)&peer, &shorter), "rwww", V(shorter), N(room, 3),
         N(&peer, 4), V(shorter));
    CALL(sendmsg(first, &sent, 0), "rrrrrr", H(sent), V(out), N(hello, 3), N(hello + 3, 2), V(other),
         V(control));
    CALL(recvmsg(second, &got, 0), "rrwwwwwww", H(got), V(in), N(room, 4), N(more, 1),
         N(&peer, got.msg_namelen), V(got.msg_namelen), N(&received, got.msg_controllen),
         V(got.msg_controllen), V(got.msg_flags));
    CALL(recvmsg(second, &plain, MSG_DONTWAIT), "rr", H(plain), V(in));
    CALL(bind(listening, (void *)&three, sizeof three), "r", V(three));
    CALL(listen(listening, 2), "");
    CALL(connect(calling, (void *)&three, sizeof three), "r", V(three));
    length = sizeof peer;
    CALL(accepted = accept(listening, (void *)&peer, &length), "rww", V(length), N(&peer, length),
         V(length));
    CALL(again = accept(-1, (void *)&peer, &length), "r", V(length));
    length = 3;
    CALL(getpeername(calling, (void *)&peer, &length), "rww", V(length), N(&peer, 3), V(length));
    CALL(ioctl(calling, FIONBIO, &number), "r", V(number));
    CALL(ioctl(calling, FIONREAD, &number), "w", V(number));
    CALL(ioctl(-1, FIONREAD, &number), "");
    CALL(terminal = open("/dev/ptmx", O_RDWR), "r", N("/dev/ptmx", 10));
    CALL(ioctl(terminal, TIOCSPTLCK, &lock), "r", V(lock));
    CALL(ioctl(terminal, TIOCGPTN, &number), "w", V(number));
    CALL(ioctl(terminal, TIOCSWINSZ, &window), "r", V(window));
    CALL(ioctl(terminal, TIOCGWINSZ, &window), "w", V(window));
    unlink("one"), unlink("other"), unlink("three");
    write(1, lines, at - lines);
    return 0;
}
