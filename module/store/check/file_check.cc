#include "store/check/file_check.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <mutex>
#include <optional>

#include "store/check/free_list.h"
#include "store/check/lmdb_format.h"
#include "store/check/mapped_file.h"
#include "store/check/tree_walk.h"

namespace laurel {

namespace {

using lmdb::damage;
using lmdb::kNoPage;
using lmdb::Meta;

constexpr std::uint64_t kRowsPerProgress = 1 << 18;  // about ten milliseconds
// Free pages that are read with those around them: a disk reads them faster than it skips them.
constexpr std::uint64_t kGapPages = 16;
// More address space than any supported machine can map.
constexpr std::uint64_t kMapBytesMax = std::uint64_t{1} << 48;

// The state of the last transaction and the one before it.
struct States {
  Meta newest;
  Meta before;
};

bool is_meta(std::string_view bytes, std::size_t at) {
  return at + lmdb::kMetaBytes <= bytes.size() &&
         lmdb::read_meta(bytes.data() + at).magic == lmdb::kMagic;
}

// Explains why the file does not begin like an LMDB file.
Refusal foreign(std::string_view bytes) {
  for (std::size_t at = lmdb::kPageBytesMin; at <= lmdb::kPageBytesMax; at *= 2) {
    if (is_meta(bytes, at)) return damage(0, "it is not a meta page");
  }
  return {Code::unavailable, "it is no file of LMDB's"};
}

Status check_meta(const Meta& meta, std::uint64_t number, std::size_t page_bytes) {
  if (meta.magic != lmdb::kMagic || meta.version != lmdb::kVersion || meta.page_number != number ||
      meta.page_flags != lmdb::kMeta) {
    return damage(number, "it is not a meta page");
  }
  if (meta.page_bytes != page_bytes) {
    return damage(number, "pages have {} bytes by this meta page, {} by the other", meta.page_bytes,
                  page_bytes);
  }
  if ((meta.free.flags & ~lmdb::kNoSubdirectory) != lmdb::kIntegerKeys || meta.main.flags != 0) {
    return damage(number, "flags {:#x} and {:#x} are none that a store has", meta.free.flags,
                  meta.main.flags);
  }
  if (meta.map_bytes > kMapBytesMax) {
    return damage(number, "{} bytes cannot be mapped", meta.map_bytes);
  }
  if (meta.transaction == 0 && (meta.free.root != kNoPage || meta.main.root != kNoPage)) {
    return damage(number, "it has a tree before the first transaction");
  }
  return Done{};
}

// Chooses the state that LMDB will use: it looks for the greater transaction number, and then reads
// the page that the number's parity selects.
Result<States> choose(std::string_view bytes) {
  if (bytes.size() < lmdb::kMetaPages * lmdb::kPageBytesMin) {
    return damage(0, "the file ends after {} bytes, before both meta pages", bytes.size());
  }
  if (!is_meta(bytes, 0)) return foreign(bytes);
  const Meta first = lmdb::read_meta(bytes.data());
  const std::size_t size = first.page_bytes;
  if (size < lmdb::kPageBytesMin || size > lmdb::kPageBytesMax || !std::has_single_bit(size)) {
    return damage(0, "pages of {} bytes are none of LMDB's", size);
  }
  if (bytes.size() < lmdb::kMetaPages * size) {
    return damage(1, "the file ends before it");
  }
  const Meta second = lmdb::read_meta(bytes.data() + size);
  if (first.version != lmdb::kVersion && first.version == second.version) {
    return Refusal(Code::unavailable, "LMDB's format {} is not known", first.version);
  }
  if (const Status sound = check_meta(first, 0, size); !sound) return sound.refusal();
  if (const Status sound = check_meta(second, 1, size); !sound) return sound.refusal();

  const std::uint64_t even = first.transaction;
  const std::uint64_t odd = second.transaction;
  if (even == 0 && odd == 0) return States{first, second};
  if (even % 2 != 0 || odd % 2 != 1 || (even + 1 != odd && odd + 1 != even)) {
    return damage(even < odd ? 1 : 0, "transactions {} and {} do not follow each other", even, odd);
  }
  return even < odd ? States{second, first} : States{first, second};
}

// A transaction replaces the root of each tree that it writes, and lists the old root as freed by
// itself. This detects a meta page with a wrong number or from another time: the order of the two
// states is correct if the newest transaction freed the roots of the one before.
Status follows(const States& states, const FreeList& list) {
  const std::uint64_t page = states.newest.transaction & 1;
  const std::array<std::array<std::uint64_t, 2>, 2> roots = {
      {{states.before.main.root, states.newest.main.root},
       {states.before.free.root, states.newest.free.root}}};
  for (const auto& [before, now] : roots) {
    if (before != kNoPage && before != now && !list.freed_last(before)) {
      return damage(page, "its transaction {} did not free page {}, a root of the one before",
                    states.newest.transaction, before);
    }
  }
  return Done{};
}

// Reads what no tree or list has taken, front to back, in ranges without long gaps.
Status read_rest(const MappedFile& file, const lmdb::FilePages& pages, const lmdb::PageUse& use) {
  const std::uint64_t end = std::min(use.end(), pages.whole());
  for (std::uint64_t first = use.next_left(0); first < end;) {
    std::uint64_t behind = use.next_taken(first);
    std::uint64_t next = use.next_left(behind);
    while (next < end && next - behind <= kGapPages) {
      behind = use.next_taken(next);
      next = use.next_left(behind);
    }
    const Status read = file.read(first * pages.page_bytes, (behind - first) * pages.page_bytes);
    if (!read) return read;
    first = next;
  }
  return Done{};
}

}  // namespace

static_assert(kFileHeadBytes == lmdb::kMetaPages * lmdb::kPageBytesMax);

Result<FileHead> check_head(std::string_view bytes) {
  const auto chosen = choose(bytes);
  if (!chosen) return chosen.refusal();
  const Meta& meta = chosen->newest;
  return FileHead{meta.transaction, meta.page_bytes, meta.last_page};
}

Result<FileFacts> check_file(const std::string& file, const RowCheck& row, const Progress& progress,
                             CheckThreads threads) {
  const auto mapped = MappedFile::open(file);
  if (!mapped) return mapped.refusal();
  if (const Status read = mapped->read(0, kFileHeadBytes); !read) return read.refusal();
  const auto chosen = choose(mapped->bytes());
  if (!chosen) return chosen.refusal();
  const Meta& meta = chosen->newest;
  const std::uint64_t meta_page = meta.transaction & 1;
  const lmdb::FilePages pages{mapped->bytes(), meta.page_bytes};

  // Pages beyond the end of the file are free pages, each of which takes eight bytes of the file.
  if (meta.last_page < lmdb::kMetaPages - 1 ||
      meta.last_page > pages.whole() + pages.bytes.size() / sizeof(std::uint64_t)) {
    return damage(meta_page, "page {} cannot be the last", meta.last_page);
  }
  lmdb::PageUse use(meta.last_page);

  // Free pages have no meaning, and can be most of a file. They are listed first, so that they are
  // not read.
  FreeList list(use, meta.transaction, pages.whole());
  const lmdb::EntryVisit freed = [&](std::string_view key, std::string_view value) {
    return list.add(key, value);
  };
  const lmdb::PageRead read = [&](std::uint64_t first, std::uint64_t count) {
    return mapped->read(first * pages.page_bytes, count * pages.page_bytes);
  };
  lmdb::TreeWalk free(pages, use, lmdb::KeyOrder::integers, freed, read);
  if (const Status sound = free.run(meta.free, meta_page); !sound) return sound.refusal();
  if (const Status done = read_rest(*mapped, pages, use); !done) return done.refusal();

  std::atomic<std::uint64_t> rows = 0;
  std::mutex telling;
  const lmdb::EntryVisit entry = [&](std::string_view key, std::string_view value) {
    if (++rows % kRowsPerProgress == 0 && progress) {
      const std::scoped_lock lock(telling);
      progress(rows);
    }
    return row(key, value);
  };
  lmdb::TreeWalk main(pages, use, lmdb::KeyOrder::bytes, entry);
  if (const Status sound = main.run(meta.main, meta_page, threads); !sound) return sound.refusal();

  const std::uint64_t all = meta.last_page + 1;
  if (all > pages.whole() && list.behind_end() != all - pages.whole()) {
    return damage(pages.whole(), "the file ends before it, and not all pages after it are free");
  }
  if (const Status sound = follows(*chosen, list); !sound) return sound.refusal();
  return FileFacts{.transaction = meta.transaction,
                   .entries = meta.main.entries,
                   .depth = meta.main.depth,
                   .page_bytes = meta.page_bytes,
                   .pages = all,
                   .pages_used = use.taken() - list.size(),
                   .pages_free = list.size(),
                   .file_bytes = pages.bytes.size()};
}

}  // namespace laurel
