// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

namespace yardmaster::worker {

/// Objects that are used for a moment and keep their memory: the one given back last, which is still in the
/// processor's cache, is lent first.
template <typename T>
class Recycler {
public:
    explicit Recycler(std::size_t kept = 256)
        : m_kept(kept) { }

    [[nodiscard]] std::unique_ptr<T> take() {
        if (m_free.empty())
            return std::make_unique<T>();
        std::unique_ptr<T> object = std::move(m_free.back());
        m_free.pop_back();
        return object;
    }
    /// `object` is in the state that the next user expects.
    void give(std::unique_ptr<T> object) {
        if (object && m_free.size() < m_kept)
            m_free.push_back(std::move(object));
    }

private:
    std::vector<std::unique_ptr<T>> m_free;
    std::size_t m_kept;
};

} // namespace yardmaster::worker
