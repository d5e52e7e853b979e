#include "live/client/wanted_views.h"

#include <algorithm>
#include <utility>

#include "base/checks.h"
#include "base/limits.h"
#include "base/text.h"
#include "live/limits.h"

namespace laurel {

namespace {

Status check(const WantedView& view) {
  const std::string& board = view.board;
  if (board.empty() || board.size() > kBoardNameBytesMax || board.find('\0') != std::string::npos) {
    return Refusal(Code::out_of_range,
                   "\"{}\" is not a valid board name: 1 to {} bytes, none of them 0",
                   escaped(board, 64), kBoardNameBytesMax);
  }
  if (view.view == View::top && (view.n < 1 || view.n > kLiveTopMax)) {
    return Refusal(Code::out_of_range, "a client may ask for 1 to {} entries, not {}", kLiveTopMax,
                   view.n);
  }
  if (view.view == View::around && view.n > kLiveAroundMax) {
    return Refusal(Code::out_of_range, "a client may follow with 0 to {} entries each way, not {}",
                   kLiveAroundMax, view.n);
  }
  return view.player.empty() ? Status(Done{}) : check_player(view.player);
}

}  // namespace

void WantedView::deny(Refusal why) {
  replica = {};
  fresh = false;
  const bool again = told && told->code() == why.code();
  if (!again) refusal = why;
  told = std::move(why);
}

Status WantedViews::add(WantedView view, std::size_t most) {
  if (const Status valid = check(view); !valid) return valid.refusal();
  // A new object also if one is replaced, because the callback of the old one may be running.
  const auto added = std::make_shared<WantedView>(std::move(view));
  if (const WantedViewPtr before = find(added->board, added->view, added->player)) {
    if (before->n == added->n) {
      added->replica = before->replica;
      added->fresh = added->replica.current() != nullptr;
      added->told = before->told;
      added->refusal = before->told;
    }
    *std::find(views_.begin(), views_.end(), before) = added;
    return Done{};
  }
  if (views_.size() >= most) {
    return Refusal(Code::out_of_range, "a client may have {} subscriptions at most", most);
  }
  views_.push_back(added);
  return Done{};
}

void WantedViews::remove(std::string_view board) {
  std::erase_if(views_, [&](const WantedViewPtr& view) { return view->board == board; });
}

void WantedViews::remove(std::string_view board, std::string_view player) {
  std::erase_if(views_, [&](const WantedViewPtr& view) {
    return view->view == View::around && view->board == board && view->player == player;
  });
}

WantedViewPtr WantedViews::find(std::string_view board, View view, std::string_view player) const {
  const auto found = std::find_if(views_.begin(), views_.end(), [&](const WantedViewPtr& each) {
    return each->view == view && each->board == board && each->player == player;
  });
  return found == views_.end() ? nullptr : *found;
}

WantedViewPtr WantedViews::of_stream(std::uint32_t stream) {
  const std::size_t count = views_.size();
  for (std::size_t i = 1; i <= count; ++i) {
    const std::size_t at = (last_stream_at_ + i) % count;
    const Replica& replica = views_[at]->replica;
    if (!replica.attached() || replica.stream() != stream) continue;
    last_stream_at_ = at;
    return views_[at];
  }
  return nullptr;
}

void WantedViews::detach() {
  for (const WantedViewPtr& view : views_) {
    view->replica.detach();
    view->ack_due.reset();
  }
}

void WantedViews::refuse(const Error& error) {
  for (const WantedViewPtr& view : views_) {
    if (view->board != error.board) continue;
    switch (error.reason) {
      case Reason::unknown:
        view->deny(
            Refusal(Code::unknown, "no board \"{}\" is published here", escaped(view->board, 128)));
        break;
      case Reason::nobody:
        if (view->view == View::around && view->player.empty()) {
          view->deny(Refusal(Code::unsupported, "{}", error.sentence));
        }
        break;
      default: view->refusal = Refusal(Code::unavailable, "{}", error.sentence);
    }
  }
}

std::vector<Ack> WantedViews::take_acks(Channel channel) {
  std::vector<Ack> acks;
  for (const WantedViewPtr& view : views_) {
    if (view->ack_due != channel) continue;
    view->ack_due.reset();
    const std::optional<Ack::Held> held = view->replica.ack();
    if (!held) continue;
    if (acks.empty() || acks.back().count == kLiveAckStreamsMax) acks.emplace_back();
    acks.back().held[acks.back().count++] = *held;
  }
  return acks;
}

void WantedViews::deliver() {
  const auto is_due = [](const WantedViewPtr& view) { return view->fresh || view->refusal; };
  if (std::none_of(views_.begin(), views_.end(), is_due)) return;
  // Iterates over a copy, because callbacks may add and remove views.
  for (const WantedViewPtr& view : std::vector<WantedViewPtr>(views_)) {
    if (!is_due(view)) continue;
    if (std::find(views_.begin(), views_.end(), view) == views_.end()) continue;
    const Result<WindowPtr> result = view->refusal ? Result<WindowPtr>(*view->refusal)
                                                   : Result<WindowPtr>(view->replica.current());
    view->refusal.reset();
    view->fresh = false;
    if (view->on_top) view->on_top(result);
  }
}

}  // namespace laurel
