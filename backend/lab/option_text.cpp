// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/lab/option_text.h"

#include "backend/base/unique_fd.h"

#include <array>
#include <cerrno>
#include <charconv>
#include <cstdio>
#include <fcntl.h>
#include <string_view>
#include <unistd.h>
#include <utility>

namespace yardmaster::lab {

Expected<double> parseSeconds(const std::string& text) {
    constexpr std::array<std::pair<std::string_view, double>, 5> units{
        {{"", 1.0}, {"s", 1.0}, {"ms", 0.001}, {"m", 60.0}, {"h", 3600.0}}};
    double number = 0;
    const char* end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    const std::string_view unit(stop, static_cast<std::size_t>(end - stop));
    for (const auto& [name, factor] : units) {
        if (error == std::errc{} && unit == name && number > 0 && number * factor <= 1e9)
            return number * factor;
    }
    return failure(
        Error::Code::InvalidArgument, "is no duration", text, "write it as 60, 60s, 500ms, 5m or 2h");
}

Expected<void> writeFileAtomically(const std::string& path, const std::string& text) {
    const std::string temporary = path + ".new";
    UniqueFd fd(::open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!fd)
        return failure(Error::fromErrno(errno, "open", temporary));
    std::string_view left(text);
    while (!left.empty()) {
        const ssize_t count = ::write(fd.get(), left.data(), left.size());
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return failure(Error::fromErrno(errno, "write", temporary));
        left.remove_prefix(static_cast<std::size_t>(count));
    }
    if (std::rename(temporary.c_str(), path.c_str()) != 0)
        return failure(Error::fromErrno(errno, "rename", path));
    return {};
}

} // namespace yardmaster::lab
