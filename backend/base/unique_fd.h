// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <utility>

namespace yardmaster {

/// Owns one file descriptor and closes it once. -1 is "none".
class UniqueFd {
public:
    UniqueFd() = default;
    explicit UniqueFd(int fd) noexcept
        : m_fd(fd) { }
    UniqueFd(UniqueFd&& other) noexcept
        : m_fd(other.release()) { }
    UniqueFd& operator=(UniqueFd&& other) noexcept {
        if (this != &other)
            reset(other.release());
        return *this;
    }
    UniqueFd(const UniqueFd&) = delete;
    UniqueFd& operator=(const UniqueFd&) = delete;
    ~UniqueFd() { reset(); }

    [[nodiscard]] int get() const noexcept { return m_fd; }
    [[nodiscard]] bool isValid() const noexcept { return m_fd >= 0; }
    explicit operator bool() const noexcept { return isValid(); }

    [[nodiscard]] int release() noexcept { return std::exchange(m_fd, -1); }
    void reset(int fd = -1) noexcept;

    /// A copy with close-on-exec set; invalid when the system has no descriptor left (see errno).
    [[nodiscard]] UniqueFd duplicate() const;
    /// Like duplicate(), numbered `lowest` or above. A descriptor that is to be placed on a fixed number in a
    /// child is first moved out of the way of all fixed numbers.
    [[nodiscard]] UniqueFd duplicateAbove(int lowest) const;

private:
    int m_fd = -1;
};

} // namespace yardmaster
