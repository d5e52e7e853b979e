// The compiled part of fmt. Debian has it only as a shared library, which each host would then need
// too. The header-only form would be compiled again in every file that formats. Other files include
// fmt's core header if they can: with its format header, each file that calls fmt::format_to
// compiles vformat_to again, which takes one to two seconds.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Warray-bounds"  // false positive of GCC 14 in format_decimal
#include <fmt/format-inl.h>
#pragma GCC diagnostic pop

FMT_BEGIN_NAMESPACE
namespace detail {

template FMT_API dragonbox::decimal_fp<float> dragonbox::to_decimal(float) noexcept;
template FMT_API dragonbox::decimal_fp<double> dragonbox::to_decimal(double) noexcept;
template FMT_API void buffer<char>::append(const char*, const char*);
template FMT_API void vformat_to(buffer<char>&, string_view,
                                 basic_format_args<buffer_context<char>>, locale_ref);
template FMT_API thousands_sep_result<char> thousands_sep_impl(locale_ref);
template FMT_API char decimal_point_impl(locale_ref);

}  // namespace detail
FMT_END_NAMESPACE
