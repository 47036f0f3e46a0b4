// The parts of libfmt.so that a program linked without that library needs.
#include <fmt/format-inl.h>

namespace fmt {
template FMT_API auto detail::locale_ref::get<std::locale>() const -> std::locale;
template FMT_API auto detail::thousands_sep_impl(detail::locale_ref)
    -> detail::thousands_sep_result<char>;
template FMT_API auto detail::decimal_point_impl(detail::locale_ref) -> char;
template FMT_API void detail::buffer<char>::append(const char*, const char*);
}  // namespace fmt
