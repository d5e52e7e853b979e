// sender.h - sends requests to a remote one by one, and waits for the answers.
#pragma once

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <poll.h>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "board/fixture.h"
#include "board/spec/spec_change.h"
#include "remote/remote.h"

namespace laurel {

class Sender {
 public:
  explicit Sender(std::string_view url) {
    Result<std::unique_ptr<Remote>> opened = open_remote(url);
    if (!opened) FAIL(opened.refusal().text());
    remote = std::move(*opened);
  }

  RequestId begin(const Target& target, Request what, Time now, Time within = 20 * kSecond) {
    SentRequest request;
    request.id = ++last_;
    request.target = target;
    request.what = std::move(what);
    request.now = now;
    request.deadline = steady_now() + within;
    remote->ask(std::move(request));
    return last_;
  }

  Result<Value> wait(RequestId id) {
    const Time until = steady_now() + 60 * kSecond;
    while (true) {
      take();
      if (const auto found = answers_.find(id); found != answers_.end()) {
        Result<Value> value = std::move(found->second);
        answers_.erase(found);
        return value;
      }
      if (steady_now() > until) FAIL("no answer came");
      poll(nullptr, 0, 1);
    }
  }

  Result<Value> ask(const Target& target, Request what, Time now) {
    return wait(begin(target, std::move(what), now));
  }

  template <typename T>
  T get(const Target& target, Request what, Time now) {
    Result<Value> value = ask(target, std::move(what), now);
    if (!value) FAIL(value.refusal().text());
    return std::move(std::get<T>(*value));
  }

  void take() {
    News news;
    remote->take(news);
    for (Answer& answer : news.answers) answers_.emplace(answer.id, std::move(answer.value));
    changed.insert(changed.end(), news.changed.begin(), news.changed.end());
    for (auto& [level, line] : news.log) log.push_back(line);
  }

  std::unique_ptr<Remote> remote;
  std::vector<std::string> changed;
  std::vector<std::string> log;

 private:
  RequestId last_ = 0;
  std::map<RequestId, Result<Value>> answers_;
};

inline SpecText text_of(const Spec& spec) {
  SpecText text;
  each_field(spec, [&](std::string_view field, const FieldValue& value) {
    std::string shown;
    if (const auto* number = std::get_if<double>(&value)) {
      shown = fmt::format("{}", *number);
    } else if (const auto* word = std::get_if<std::string_view>(&value)) {
      shown = *word;
    } else {
      shown = std::get<bool>(value) ? "true" : "false";
    }
    text.emplace_back(field, shown);
  });
  return text;
}

}  // namespace laurel
