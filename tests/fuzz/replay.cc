// Runs a fuzz target without a fuzzer: on files, or on a folder of seeds and mutations of each. The
// mutations are the same in every run.
//
//   fuzz_replay_TARGET FOLDER MUTATIONS     each file, and MUTATIONS mutations of each
//   fuzz_replay_TARGET FILE...              these files once
//
// If the target aborts, its input is printed in hexadecimal; `xxd -r -p` converts it to a file.
#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <vector>

#include "fuzz/target.h"

namespace {

constexpr std::size_t kInputBytesMax = 16 * 1024;  // mutations are cut to this size
constexpr std::size_t kSpanMax = 64;

std::string running;  // the current input, printed on abort

void tell(int) {
  std::fputs("the input:\n", stderr);
  for (const char byte : running) std::fprintf(stderr, "%02x", static_cast<unsigned char>(byte));
  std::fputs("\n", stderr);
  std::signal(SIGABRT, SIG_DFL);
}

void run(std::string input) {
  running = std::move(input);
  LLVMFuzzerTestOneInput(reinterpret_cast<const std::uint8_t*>(running.data()), running.size());
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  // A few small changes; often with bytes of another input.
  std::string mutated(std::string input, const std::string& other) {
    for (std::size_t times = 1 + below(4); times > 0; --times) damage(input, other);
    if (input.size() > kInputBytesMax) input.resize(kInputBytesMax);
    return input;
  }

 private:
  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  void damage(std::string& input, const std::string& other) {
    constexpr char kTelling[] = {0, 1, 0x7F, -128, -1, 0x10, 0x20, 0x40};
    const std::size_t at = below(input.size() + 1), span = 1 + below(kSpanMax);
    const std::size_t from = below(other.size());
    switch (below(7)) {
      case 0:
        if (at < input.size()) input[at] = static_cast<char>(input[at] ^ 1 << below(8));
        break;
      case 1:
        if (at < input.size()) input[at] = kTelling[below(std::size(kTelling))];
        break;
      case 2: input.erase(at, span); break;
      case 3: input.insert(at, input.substr(below(input.size()), span)); break;
      case 4: input.insert(at, other.substr(from, span)); break;
      case 5: input.replace(at, std::min(span, input.size() - at), other.substr(from, span)); break;
      default: input.resize(at); break;
    }
  }

  std::mt19937_64 random_;
};

}  // namespace

int main(int argc, char** argv) {
  std::signal(SIGABRT, tell);
  std::vector<std::filesystem::path> paths;
  std::size_t mutations = 0;
  if (argc == 3 && std::filesystem::is_directory(argv[1])) {
    for (const auto& file : std::filesystem::directory_iterator(argv[1])) paths.push_back(file);
    std::sort(paths.begin(), paths.end());
    mutations = std::strtoul(argv[2], nullptr, 10);
  } else {
    paths.assign(argv + 1, argv + argc);
  }
  std::vector<std::string> seeds;
  for (const auto& path : paths) seeds.push_back(bytes_of(path));
  for (std::size_t i = 0; i < seeds.size(); ++i) {
    std::printf("%s\n", paths[i].c_str());
    std::fflush(stdout);
    run(seeds[i]);
    Mutator mutator(i);
    for (std::size_t k = 0; k < mutations; ++k) {
      run(mutator.mutated(seeds[i], seeds[k % seeds.size()]));
    }
  }
  std::printf("%zu seeds, %zu inputs\n", seeds.size(), seeds.size() * (1 + mutations));
  return seeds.empty() ? 1 : 0;
}
