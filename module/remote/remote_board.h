// remote_board.h - one board that lives elsewhere, as it is known here: its spec, and how that came
// to be known.
//
//   opening   the spec there is read, the changes given here are merged into it, and what came of
//             that is written if it is another and nobody wrote in between. Until then nothing is
//             known. Asked again after a while where the remote does not answer.
//   differs   a change asked for another stored order than is there: the board can be read, as it
//             is there, and not be written. The next change that asks for no such thing ends that.
//   looking   while the board is used its spec is read again now and then: others may change it.
//   threads   the registry's caller.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "remote/asks.h"

namespace laurel {

class RemoteBoard {
 public:
  // Asks and site outlive the board.
  RemoteBoard(Asks& asks, Site& site, std::string name)
      : asks_(asks),
        site_(site),
        name_(std::move(name)),
        is_carried_(!site.remote->takes_copies()) {}
  ~RemoteBoard() { asks_.cancel(request_); }
  RemoteBoard(const RemoteBoard&) = delete;
  RemoteBoard& operator=(const RemoteBoard&) = delete;

  const std::string& name() const { return name_; }
  Site& site() const { return site_; }
  bool is_open() const { return stage_ == Stage::open && spec_ != nullptr; }
  // As it is kept there; null while it has never been known.
  const std::shared_ptr<const Spec>& spec() const { return spec_; }
  // Empty where the changes given here went together with what is there.
  const std::string& differs() const { return differs_; }
  // Why the board is not open yet; empty where nothing went wrong.
  const std::string& trouble() const { return trouble_; }
  Target target(std::uint64_t season) const { return {name_, spec_, season, copy_of_}; }

  // Takes a change to be merged. Fails with  invalid, unsupported  where it can never work
  //                                          unavailable  too many wait already
  Status change(const SpecChange& change);
  // It is the copy of a season, of the board here that was created then, under that spec: nothing
  // is asked of it but what somebody reads.
  void stand(std::shared_ptr<const Spec> spec, Time copy_of);
  bool is_copy() const { return copy_of_.has_value(); }
  bool is_copy_of(Time created) const { return copy_of_ == created; }
  // Whether its past seasons are copied elsewhere, where anybody takes them: it lives in a remote
  // that takes no copies.
  bool is_carried() const { return is_carried_ && !is_copy(); }
  // Known again after a restart: read, and where it is not there made as that change says.
  void restore(const SpecChange& change);
  // Once a tick, after answers were handed out.
  void tick();
  void use() { used_ = true; }
  // The remote does not know the board, or knows another: it is looked at now.
  void doubt();

  // Whenever the spec became known, or another; `is_open` then.
  std::function<void()> on_open;

 private:
  enum class Stage : std::uint8_t { reading, writing, open };

  bool changes_anything(const SpecChange& change) const;
  void read();
  void look();
  void was_read(Result<Value> value);
  Result<Spec> merged(const KeptSpec& there);
  void write(const Spec& spec);
  void open();
  void try_again(std::string why);

  Asks& asks_;
  Site& site_;
  std::string name_;
  bool is_carried_;
  Stage stage_ = Stage::open;  // until a change is given
  std::vector<SpecChange> changes_;
  std::optional<SpecChange> restored_;
  std::shared_ptr<const Spec> spec_;
  std::optional<Time> copy_of_;
  KeptSpec there_;
  std::string differs_;
  std::string trouble_;
  RequestId request_ = 0;  // of the opening, or of a look; 0: none is under way
  Time retry_at_ = 0;
  Time backoff_ = 0;
  Time looked_at_ = 0;
  bool used_ = false;
  bool gone_ = false;  // it was dropped there
};

}  // namespace laurel
