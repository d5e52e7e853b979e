#include "remote/redis/net/node.h"

#include <algorithm>

#include <fmt/core.h>

#include "remote/limits.h"

namespace laurel::redis {

namespace {

// Errors about the user or its permissions.
bool is_about_users(std::string_view error) {
  return error.starts_with("NOAUTH") || error.starts_with("WRONGPASS") ||
         error.starts_with("NOPERM") || error.starts_with("ERR AUTH");
}

Words words_of(std::initializer_list<std::string_view> words) {
  return Words(words.begin(), words.end());
}

}  // namespace

Time Node::due() const {
  if (state_ == State::away) return backoff_.until();
  if (state_ == State::greeting) return begun_ + kRedisSilenceMax;
  return sent_.empty() ? INT64_MAX : sent_.front().at + kRedisSilenceMax;
}

void Node::lose(std::string_view why, Time now, News& news) {
  connection_.reset();
  state_ = State::away;
  error_ = why;
  backoff_.fail(now);
  for (const Sent& sent : sent_) {
    if (sent.call != nullptr) news.lost.push_back(sent.call);
  }
  sent_.clear();
  for (const auto& [call, reply] : uncopied_) news.lost.push_back(call);
  uncopied_.clear();
  has_uncopied_ = false;
  asks_for_copies_ = false;
}

void Node::work(Time now, News& news) {
  if (state_ == State::away && now >= backoff_.until()) {
    connection_ = std::make_unique<Connection>(address_, tls_);
    state_ = State::greeting;
    begun_ = now;
    greet(now);
  }
  if (connection_ && connection_->failed()) {
    const std::string why = connection_->error();  // lose() frees the connection
    return lose(why, now, news);
  }
  if (state_ == State::greeting && now - begun_ >= kRedisSilenceMax) {
    return lose(connection_->in_handshake()
                    ? "it does not answer in TLS: is this its port for redis://, without TLS?"
                    : "it does not answer",
                now, news);
  }
  if (state_ != State::ready) return;
  if (silence(now) >= kRedisSilenceMax) return lose("it no longer answers", now, news);
  while (!waiting_.empty() && connection_->takes_more()) {
    send(*waiting_.front(), now);
    waiting_.pop_front();
  }
  // One WAIT at a time: calls that are sent meanwhile are covered by the next.
  if (has_uncopied_ && !asks_for_copies_) ask_for_copies(now);
}

void Node::greet(Time now) {
  const auto send = [&](Kind kind, const Words& words) {
    connection_->send(words);
    sent_.push_back({kind, nullptr, now});
  };
  if (!url_.password.empty()) {
    send(Kind::password, url_.user.empty() ? words_of({"AUTH", url_.password})
                                           : words_of({"AUTH", url_.user, url_.password}));
  }
  digests_.clear();
  greeting_ = {};
  for (std::size_t i = 0; i < kScripts; ++i) {
    send(Kind::load, words_of({"SCRIPT", "LOAD", source(static_cast<Script>(i))}));
  }
  send(Kind::role, words_of({"ROLE"}));
  send(Kind::slots, words_of({"CLUSTER", "SLOTS"}));
}

void Node::greet_again(Time now) {
  greeting_.is_new = false;
  connection_->send(words_of({"ROLE"}));
  sent_.push_back({Kind::role, nullptr, now});
  connection_->send(words_of({"CLUSTER", "SLOTS"}));
  sent_.push_back({Kind::slots, nullptr, now});
}

void Node::send(Call& call, Time now) {
  if (call.asking) {
    connection_->send(words_of({"ASKING"}));
    sent_.push_back({Kind::asking, nullptr, now});
  }
  if (call.script) {
    const std::string_view text =
        call.with_source ? source(*call.script) : digests_[static_cast<std::size_t>(*call.script)];
    connection_->send({call.with_source ? "EVAL" : "EVALSHA", text}, call.words);
  } else {
    connection_->send(call.words);
  }
  sent_.push_back({Kind::call, &call, now});
  has_uncopied_ = has_uncopied_ || copies_;
}

unsigned Node::copies_wanted(Time now) const {
  return url_.copies.value_or(now < copied_until_ ? 1 : 0);
}

void Node::ask_for_copies(Time now) {
  copies_asked_ = copies_wanted(now);
  copied_ = {};
  if (copies_asked_ > 0) {
    connection_->send(words_of({"WAIT", std::to_string(copies_asked_),
                                std::to_string(kRedisCopiedWithin / kMillisecond)}));
    sent_.push_back({Kind::copied, nullptr, now});
  }
  connection_->send(words_of({"ROLE"}));
  sent_.push_back({Kind::role, nullptr, now});
  asks_for_copies_ = true;
  has_uncopied_ = false;
}

void Node::on_role(const Reply& role, Time now, News& news) {
  greeting_.is_replica = role[0].text == "slave";
  const bool has_replica = role[0].text == "master" && !role[2].list.empty();
  copied_until_ = has_replica ? INT64_MAX : std::min(copied_until_, now + kRedisAloneAfter);
  if (std::exchange(asks_for_copies_, false)) on_copies(now, news);
}

// Replies come in order: all calls of `uncopied_` were sent before the WAIT.
void Node::on_copies(Time now, News& news) {
  const unsigned wanted = copies_wanted(now);
  if (wanted > copies_asked_) {  // a replica was added meanwhile
    has_uncopied_ = true;
    return;
  }
  const bool is_copied = !greeting_.is_replica && copied_.integer >= wanted;
  for (auto& [call, reply] : uncopied_) {
    if (is_copied) {
      news.replies.emplace_back(call, std::move(reply));
    } else {
      news.uncopied.push_back(call);
    }
  }
  uncopied_.clear();
  if (is_copied) return;
  news.why_uncopied = greeting_.is_replica ? "it has become a replica"
                      : copied_.is_error()
                          ? copied_.text
                          : fmt::format("{} of {} replicas had the posts within {} ms",
                                        copied_.integer, wanted, kRedisCopiedWithin / kMillisecond);
}

void Node::on_events(short events, Time now, News& news) {
  std::vector<Reply> replies;
  connection_->on_events(events, replies);
  for (Reply& reply : replies) {
    if (!connection_) return;  // one of the replies made it fail
    on_reply(std::move(reply), now, news);
  }
  work(now, news);
}

void Node::on_reply(Reply reply, Time now, News& news) {
  if (sent_.empty()) return lose("it sent an answer to no command", now, news);
  const Sent sent = sent_.front();
  sent_.pop_front();
  switch (sent.kind) {
    case Kind::call: {
      const Time took = now - sent.at;
      round_trip_ = round_trip_ == 0 ? took : round_trip_ + (took - round_trip_) / 8;
      if (sent.call == nullptr) return;
      auto& answered = copies_ && !reply.is_error() ? uncopied_ : news.replies;
      answered.emplace_back(sent.call, std::move(reply));
      return;
    }
    case Kind::asking: return;
    case Kind::password:
      if (reply.is_error()) lose("it refuses the user or the password", now, news);
      return;
    case Kind::load:
      if (reply.is_error()) {
        return lose(is_about_users(reply.text)
                        ? "it needs a user or a password with the right to run scripts"
                        : reply.text,
                    now, news);
      }
      digests_.push_back(std::move(reply.text));
      return;
    case Kind::role: return on_role(reply, now, news);
    case Kind::copied: copied_ = std::move(reply); return;
    case Kind::slots:
      greeting_.slots = std::move(reply);
      state_ = State::ready;
      error_.clear();
      backoff_.succeed();
      news.greeting = greeting_;
      return;
  }
}

void Node::expire(Time now, std::vector<Call*>& waiting, std::vector<Call*>& sent) {
  const auto is_over = [&](Call* call) {
    if (call->deadline > now) return false;
    waiting.push_back(call);
    return true;
  };
  waiting_.erase(std::remove_if(waiting_.begin(), waiting_.end(), is_over), waiting_.end());
  for (Sent& each : sent_) {
    if (each.call == nullptr || each.call->deadline > now) continue;
    sent.push_back(each.call);
    each.call = nullptr;
  }
  std::erase_if(uncopied_, [&](const auto& each) {
    if (each.first->deadline > now) return false;
    sent.push_back(each.first);
    return true;
  });
}

}  // namespace laurel::redis
