#include "remote/redis/change_subscriber.h"

#include <algorithm>

#include "base/steady_clock.h"
#include "remote/limits.h"
#include "remote/redis/keys.h"

namespace laurel::redis {

void Following::follow(const std::string& board, std::size_t shards) {
  std::shared_ptr<Board>& followed = boards_[board];
  if (followed && followed->shards == shards) return;
  if (followed) unfollow(board);
  boards_[board] = std::make_shared<Board>();
  boards_[board]->shards = shards;
  for (std::size_t shard = 0; shard < shards; ++shard) {
    const std::string channel = ShardKeys(board, shard).channel();
    channels_[channel] = {board, slot_of(channel), false, false};
  }
  is_placed_ = false;
  changed_.insert(board);
}

void Following::unfollow(const std::string& board) {
  if (boards_.erase(board) == 0) return;
  std::erase_if(channels_, [&](const auto& each) { return each.second.board == board; });
  for (auto& [address, listener] : listeners_) {
    for (auto channel = listener.channels.begin(); channel != listener.channels.end();) {
      if (channels_.contains(*channel)) {
        ++channel;
        continue;
      }
      listener.connection->send({"SUNSUBSCRIBE", *channel});
      channel = listener.channels.erase(channel);
    }
  }
  changed_.erase(board);
}

// Drops the connection; its channels must be subscribed again.
void Following::forget(Listener& listener) {
  for (const std::string& channel : listener.channels) {
    const auto found = channels_.find(channel);
    if (found == channels_.end()) continue;
    found->second.asked = false;
    found->second.confirmed = false;
    changed_.insert(found->second.board);
  }
  listener.channels.clear();
  listener.connection.reset();
  is_placed_ = false;
}

// Subscribes to each channel at the server of its slot.
void Following::place_channels(Time now) {
  is_placed_ = true;
  placed_at_ = now;
  map_version_ = cluster_.map_version();
  for (auto& [address, listener] : listeners_) {
    const bool has_moved = std::any_of(
        listener.channels.begin(), listener.channels.end(), [&, at = &address](const auto& name) {
          const auto channel = channels_.find(name);
          const Address* const home = cluster_.slots().find(channel->second.slot);
          return home == nullptr || *home != *at;
        });
    if (has_moved) forget(listener);
  }
  for (auto& [name, channel] : channels_) {
    if (channel.asked) continue;
    const Address* const home = cluster_.slots().find(channel.slot);
    if (home == nullptr) {
      is_placed_ = false;
      continue;
    }
    Listener& listener = listeners_[*home];
    if (!listener.connection) {
      if (now < listener.backoff.until()) {
        is_placed_ = false;
        continue;
      }
      listener.backoff.fail(now);  // until it has subscribed
      listener.connection = std::make_unique<Connection>(*home, tls_);
      if (!url_.password.empty()) {
        Words words = {"AUTH"};
        if (!url_.user.empty()) words.push_back(url_.user);
        words.push_back(url_.password);
        listener.connection->send(words);
      }
    }
    listener.connection->send({"SSUBSCRIBE", name});
    listener.channels.insert(name);
    channel.asked = true;
  }
}

void Following::on_reply(Listener& listener, const Reply& reply) {
  if (reply.is_error()) {  // the slot moved, or the user may not subscribe
    cluster_.doubt_slots();
    listener.connection->fail(reply.text);
    return;
  }
  const auto channel = channels_.find(reply[1].text);
  if (channel == channels_.end()) return;
  const std::string& word = reply[0].text;
  if (word == "ssubscribe") {
    channel->second.confirmed = true;
    listener.backoff.succeed();
    changed_.insert(channel->second.board);
  } else if (word == "smessage") {
    changed_.insert(channel->second.board);
  } else if (word == "sunsubscribe") {
    cluster_.doubt_slots();
    listener.channels.erase(channel->first);
    channel->second.asked = false;
    channel->second.confirmed = false;
    is_placed_ = false;
    changed_.insert(channel->second.board);
  }
}

void Following::prepare(Time now, std::vector<pollfd>& fds) {
  for (auto& [address, listener] : listeners_) {
    if (listener.connection && listener.connection->failed()) forget(listener);
  }
  std::erase_if(listeners_, [](const auto& each) {
    return each.second.connection && each.second.channels.empty();
  });
  const bool is_stale = map_version_ != cluster_.map_version();
  if (is_stale || (!is_placed_ && now - placed_at_ >= kRemoteRetryMin)) place_channels(now);
  for (const auto& [name, board] : boards_) {
    if (closed_ || board->is_looked_at || now < board->look_at) continue;
    board->is_looked_at = true;
    board->look_at = now + kRedisFollowEvery;
    look(name, board);
  }
  polled_.clear();
  for (auto& [address, listener] : listeners_) {
    if (!listener.connection || listener.connection->fd() < 0) continue;
    polled_.push_back(&listener);
    fds.push_back({listener.connection->fd(), listener.connection->events(), 0});
  }
}

Time Following::due(Time now) const {
  if (!changed_.empty()) return now;
  Time due = is_placed_ || channels_.empty() ? INT64_MAX : placed_at_ + kRemoteRetryMin;
  for (const auto& [name, board] : boards_) {
    if (!board->is_looked_at) due = std::min(due, board->look_at);
  }
  return due;
}

void Following::on_events(const pollfd*& fds) {
  for (Listener* const listener : std::exchange(polled_, {})) {
    const short events = (fds++)->revents;
    if (events == 0 || !listener->connection) continue;
    std::vector<Reply> replies;
    listener->connection->on_events(events, replies);
    for (const Reply& reply : replies) on_reply(*listener, reply);
  }
}

// Reads the versions of the board's hash and of the tops of all its shards.
Detached Following::look(std::string name, std::shared_ptr<Board> board) {
  Batch batch;
  const auto send = [&](Words words) {
    Call& call = batch.add();
    call.slot = slot_of(words[1]);
    call.words = std::move(words);
    call.deadline = steady_now() + kRemoteTimeout;
  };
  send({"HMGET", board_key(name), "revision", "season"});
  for (std::size_t shard = 0; shard < board->shards; ++shard) {
    send({"HMGET", ShardKeys(name, shard).state(), "top"});
  }
  co_await cluster_.run(batch);
  board->is_looked_at = false;
  std::vector<std::string> seen;
  for (const Call& call : batch.calls) {
    if (call.outcome != CallOutcome::answered || call.reply.is_error()) {
      board->seen.clear();  // it counts as changed at the next successful poll
      co_return;
    }
    for (const Reply& field : call.reply.list) seen.push_back(field.text);
  }
  const auto followed = boards_.find(name);
  const bool is_followed = followed != boards_.end() && followed->second == board;
  if (is_followed && seen != board->seen) changed_.insert(name);
  board->seen = std::move(seen);
}

}  // namespace laurel::redis
