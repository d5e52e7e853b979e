#include "power.h"

#include <algorithm>
#include <fstream>
#include <iterator>

#include <doctest/doctest.h>

namespace laurel::crash {

namespace {

constexpr std::size_t kSectorBytes = 512;

}  // namespace

std::string bytes_of(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  REQUIRE(in.is_open());
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_bytes(const std::string& file, std::string_view bytes) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  out.flush();
  REQUIRE(out.good());
}

PowerDisk::PowerDisk(const std::string& file) : platter_(bytes_of(file)) {}

void PowerDisk::put(std::string& bytes, std::uint64_t offset, std::string_view written) {
  if (bytes.size() < offset + written.size()) bytes.resize(offset + written.size());
  std::copy(written.begin(), written.end(), bytes.begin() + static_cast<std::ptrdiff_t>(offset));
}

void PowerDisk::take(const std::vector<Event>& events) {
  for (const Event& event : events) {
    switch (event.call) {
      case Call::pages:
      case Call::head:
        if (event.call == Call::head && !event.failed) ++heads_;
        if (event.is_synced) {
          put(platter_, event.offset, event.bytes);
        } else if (!event.bytes.empty()) {
          pending_.push_back(event);
        }
        break;
      case Call::sync:
        if (!event.failed) {
          for (const Event& written : pending_) put(platter_, written.offset, written.bytes);
        }
        pending_.clear();
        break;
      case Call::size: break;
    }
  }
}

void PowerDisk::leave(const std::string& file) const { write_bytes(file, platter_); }

void PowerDisk::leave(const std::string& file, std::mt19937_64& random) const {
  std::string bytes = platter_;
  for (const Event& written : pending_) {
    const std::size_t step = written.call == Call::head ? written.bytes.size() : kSectorBytes;
    for (std::size_t at = 0; at < written.bytes.size(); at += step) {
      if (random() % 2 == 0) continue;
      put(bytes, written.offset + at, std::string_view(written.bytes).substr(at, step));
    }
  }
  write_bytes(file, bytes);
}

}  // namespace laurel::crash
