// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <string_view>

/// Bytes that end where readable memory ends: a parser that looks one byte too far dies, with or without a
/// sanitizer. What was given out before is overwritten, so that a stale view shows.
class GuardedBytes {
public:
    explicit GuardedBytes(std::size_t capacity = 65536);
    ~GuardedBytes();
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;

    [[nodiscard]] std::string_view place(std::string_view bytes);

private:
    char* m_begin = nullptr;
    char* m_end = nullptr; ///< of what can be read
    std::size_t m_mapped = 0;
};
