#include "remote/core/top_cache.h"

#include <algorithm>

#include "base/limits.h"

namespace laurel {

std::shared_ptr<Window> window_of(const Listed& listed, std::size_t n) {
  auto window = std::make_shared<Window>();
  window->size = listed.size;
  window->entries.reserve(std::min(n, listed.entries.size()));
  for (const Entry& entry : listed.entries) {
    if (window->entries.size() == n) break;
    window->entries.push_back(window_entry(entry, true));
  }
  return window;
}

namespace {

WindowPtr cut(const WindowPtr& window, std::size_t n) {
  if (window->entries.size() <= n) return window;
  auto cut = std::make_shared<Window>(*window);
  cut->entries.resize(n);
  return cut;
}

}  // namespace

Top::~Top() {
  if (followed_) board_.remote().backend->unfollow(board_.name());
}

std::size_t Top::wanted() const {
  const std::size_t n = shown_ > 0 ? kLiveTopMax : 0;
  return widths_.empty() ? n : std::max(n, *widths_.rbegin());
}

void Top::show(bool shown) {
  shown_ += shown ? 1 : -1;
  follow_as_wanted();
}

void Top::add(std::shared_ptr<RemoteWatch> watch) {
  if (window_ && followed_ && watch->n <= read_n_) watch->told = named(watch->n);
  widths_.insert(watch->n);
  watches_.emplace(watch->id, std::move(watch));
  follow_as_wanted();
}

bool Top::remove(WatchId id) {
  const auto ended = watches_.extract(id);
  if (ended.empty()) return false;
  ended.mapped()->id = 0;
  widths_.erase(widths_.find(ended.mapped()->n));
  follow_as_wanted();
  return true;
}

void Top::end_watches() {
  for (const auto& [id, watch] : watches_) watch->id = 0;
  watches_.clear();
  widths_.clear();
}

void Top::opened() {
  follow_as_wanted();
  stale_ = true;
}

void Top::follow_as_wanted() {
  const std::size_t n = wanted();
  if (n > read_n_) stale_ = true;
  if (!board_.is_open() || followed_ == (n > 0)) return;
  followed_ = n > 0;
  if (followed_) {
    board_.remote().backend->follow(board_.target(0));
    stale_ = true;
  } else {
    board_.remote().backend->unfollow(board_.name());
  }
}

// A season may end without a write and without news of the remote.
void Top::look_at_clock() {
  const Time now = requests_.registry().now();
  if (due_ && now >= *due_) stale_ = true;
  const auto& reset = board_.spec()->reset;
  due_ = reset ? reset->next(now) : std::nullopt;
}

void Top::tick() {
  if (!followed_ || !board_.is_open()) return;
  board_.use();
  look_at_clock();
  if (stale_ && request_.is_due()) read(wanted());
}

void Top::read(std::size_t n) {
  stale_ = false;
  request_.send(board_.remote(), board_.target(0), request::Page{0, n}, requests_.deadline(),
                [this, n, asked = requests_.steady()](const Result<Value>& value) {
                  was_read(n, asked, value);
                });
}

void Top::was_read(std::size_t n, Time asked, const Result<Value>& value) {
  if (!value) {
    stale_ = true;
    return request_.fail();
  }
  request_.succeed();
  read_n_ = n;
  const std::shared_ptr<Window> window = window_of(std::get<Listed>(*value));
  news_ = true;
  if (window_ && window_->size == window->size && window_->entries == window->entries) return;
  window->columns = board_.spec()->columns;
  window->epoch = epoch_;
  window->version = window_ ? window_->version + 1 : 1;
  window_ = window;
  known_.read(window_, asked, KnownTopWriter::Followed::yes);
}

bool Top::is_current() const {
  return followed_ && board_.is_open() && window_ && !stale_ && !request_.is_pending() &&
         !board_.remote().was_down;
}

// The first n entries, with the names of players.
WindowPtr Top::named(std::size_t n) const {
  Names& names = requests_.registry().names_of_players();
  WindowPtr top = cut(window_, n);
  if (!names.any()) return top;
  const auto named = std::make_shared<Window>(*top);
  names.fill(*named);
  return named;
}

void Top::tell(Told& told) {
  const std::uint64_t renames = requests_.registry().names_of_players().renames();
  const bool renamed = std::exchange(renames_, renames) != renames;
  const bool news = std::exchange(news_, false);
  if (!news && !renamed) return;
  for (const auto& [id, watch] : watches_) {
    if (watch->n > read_n_ || (!news && !watch->told)) continue;
    const WindowPtr before = std::exchange(watch->told, named(watch->n));
    if (!before || before->entries == watch->told->entries) continue;
    told.emplace_back(watch, compare_windows(board_.name(), *before, watch->told));
  }
}

}  // namespace laurel
