#include "remote/core/known_top_writer.h"

#include <algorithm>
#include <utility>

#include "base/memory_guarantee.h"
#include "remote/limits.h"

namespace laurel {

namespace {

WindowPtr top_without(const WindowPtr& top,
                      const std::function<bool(const WindowEntry& entry)>& leaves) {
  if (std::ranges::none_of(top->entries, leaves)) return top;
  auto rest = std::make_shared<Window>(*top);
  rest->size -= std::min<std::uint64_t>(rest->size, std::erase_if(rest->entries, leaves));
  return rest;
}

}  // namespace

void KnownTopWriter::begin() {
  KnownTops& tops = requests_.registry().known_tops();
  if (!tops.has(board_.name())) return;
  const std::optional<KnownTop> kept = tops.find(board_.name());
  if (!kept || kept->remote != board_.remote().name) tops.erase(board_.name());
}

bool KnownTopWriter::is_hidden(std::string_view player, Time asked) const {
  const auto found = hidden_.find(player);
  return found != hidden_.end() && (!found->second || asked <= *found->second);
}

void KnownTopWriter::read(WindowPtr top, Time asked, Followed followed) {
  if (!requests_.registry().known_tops().are_kept() || board_.is_copy()) return;
  const Time now = requests_.registry().now();
  const std::size_t count = std::min(top->entries.size(), kKnownTopEntriesMax);
  const bool is_shorter = count < count_ && count < top->size;
  if (asked < asked_ || (is_shorter && now - known_ < kKnownTopLonger)) {
    followed_ = Followed::no;  // the newest list is not the one that is followed
    return;
  }
  followed_ = followed;
  asked_ = asked;
  known_ = now;
  count_ = count;
  waiting_ = std::move(top);
  if (hidden_.empty()) return;
  waiting_ = top_without(waiting_,
                         [&](const WindowEntry& entry) { return is_hidden(entry.player, asked); });
}

bool KnownTopWriter::tick(bool current, const MayGo& may_go) {
  const Time steady = requests_.steady();
  if (!hidden_.empty() && steady >= expire_due_) expire();
  current = current && followed_ == Followed::yes;
  if (!is_due(steady) || (!waiting_ && !current)) return false;
  const MemoryGuarantee guaranteed(std::nothrow);
  if (!guaranteed.stands() || !requests_.registry().writable()) return false;  // at a later tick
  KnownTops& tops = requests_.registry().known_tops();
  if (current) known_ = requests_.registry().now();
  due_ = steady + kKnownTopEvery;
  confirm_due_ = steady + kKnownTopConfirmEvery;
  if (waiting_) return write(may_go);
  tops.confirm(board_.name(), known_);
  return true;
}

void KnownTopWriter::finish(bool current, const MayGo& may_go) {
  due_ = confirm_due_ = requests_.steady();
  (void)tick(current, may_go);
}

bool KnownTopWriter::write(const MayGo& may_go) {
  KnownTops& tops = requests_.registry().known_tops();
  const WindowPtr top = std::exchange(waiting_, nullptr);
  const std::string row =
      pack_known_top({.remote = board_.remote().name, .known = known_, .top = *top},
                     kKnownTopEntriesMax, kKnownTopBytesMax);
  if (!tops.has(board_.name()) && tops.size() >= kKnownTopsMax) tops.erase_oldest(may_go);
  return tops.put(board_.name(), row, kKnownTopConfirmEvery);
}

void KnownTopWriter::hide(std::string_view player) {
  if (!requests_.registry().known_tops().are_kept()) return;
  hidden_.insert_or_assign(std::string(player), std::nullopt);
  if (!waiting_) return;
  waiting_ =
      top_without(waiting_, [&](const WindowEntry& entry) { return entry.player == player; });
}

void KnownTopWriter::hidden(std::string_view player) {
  const auto found = hidden_.find(player);
  if (found != hidden_.end()) found->second = requests_.steady();
}

void KnownTopWriter::was_hidden(std::string_view player) {
  hide(player);
  hidden(player);
  requests_.registry().known_tops().forget(board_.name(), player);
}

// Every read that was asked for before the remote's answer has been answered by then, or has
// failed.
void KnownTopWriter::expire() {
  const Time steady = requests_.steady();
  std::erase_if(hidden_, [&](const auto& each) {
    return each.second && *each.second < steady - kRemoteTimeoutMax;
  });
  expire_due_ = steady + kRemoteTimeoutMax / 10;
}

}  // namespace laurel
