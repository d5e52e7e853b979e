#include "live/net/datagram_filter.h"

#include <iterator>
#include <linux/filter.h>
#include <linux/sock_diag.h>
#include <sys/socket.h>

#include "live/limits.h"

namespace laurel {

namespace {
constexpr std::uint32_t kUdpHeader = 8;  // the filter sees the datagram from this header on
constexpr std::uint32_t kEnetHeader = 2;
}  // namespace

void filter_datagrams(int udp_socket) {
  sock_filter program[] = {
      BPF_STMT(BPF_LD | BPF_W | BPF_LEN, 0),
      BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, kUdpHeader + kLiveMtu, 4, 0),
      BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, kUdpHeader + kEnetHeader, 0, 3),
      BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0),  // the source port
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, UINT32_MAX),  // accept the whole datagram
      BPF_STMT(BPF_RET | BPF_K, 0),           // drop it
  };
  const sock_fprog attached{static_cast<unsigned short>(std::size(program)), program};
  (void)::setsockopt(udp_socket, SOL_SOCKET, SO_ATTACH_FILTER, &attached, sizeof attached);
}

std::uint64_t datagrams_dropped(int udp_socket) {
  std::uint32_t counts[SK_MEMINFO_VARS] = {};
  socklen_t bytes = sizeof counts;
  if (::getsockopt(udp_socket, SOL_SOCKET, SO_MEMINFO, counts, &bytes) != 0) return 0;
  return counts[SK_MEMINFO_DROPS];
}

}  // namespace laurel
