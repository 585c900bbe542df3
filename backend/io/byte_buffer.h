// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <span>
#include <string_view>

namespace yardmaster::io {

/// A bounded queue of bytes that lie in one piece. Memory is taken on first use and not zeroed.
class ByteBuffer {
public:
    explicit ByteBuffer(std::size_t capacity)
        : m_capacity(capacity) { }

    [[nodiscard]] std::string_view view() const { return {m_bytes.get() + m_begin, m_end - m_begin}; }
    [[nodiscard]] bool empty() const { return m_begin == m_end; }
    [[nodiscard]] std::size_t size() const { return m_end - m_begin; }

    /// Where to read into; what is queued moves to the front when the rest is short. Empty when full.
    [[nodiscard]] std::span<char> space() {
        if (!m_bytes)
            m_bytes.reset(new char[m_capacity]);
        if (m_begin == m_end) {
            m_begin = m_end = 0;
        } else if (m_begin > 0 && m_capacity - m_end < m_capacity / 4) {
            std::memmove(m_bytes.get(), m_bytes.get() + m_begin, m_end - m_begin);
            m_end -= m_begin;
            m_begin = 0;
        }
        return {m_bytes.get() + m_end, m_capacity - m_end};
    }
    void produced(std::size_t count) { m_end += count; }
    void consume(std::size_t count) { m_begin += count; }
    void clear() { m_begin = m_end = 0; }
    /// Forgets the content and gives the memory back until the next use.
    void release() {
        clear();
        m_bytes.reset();
    }
    [[nodiscard]] bool holdsMemory() const { return m_bytes != nullptr; }

    /// More room for one piece (a long head); what is queued is kept.
    void grow(std::size_t capacity) {
        if (capacity <= m_capacity)
            return;
        std::unique_ptr<char[]> bytes(new char[capacity]);
        const std::size_t count = size();
        if (count > 0)
            std::memcpy(bytes.get(), m_bytes.get() + m_begin, count);
        m_bytes = std::move(bytes);
        m_begin = 0;
        m_end = count;
        m_capacity = capacity;
    }
    [[nodiscard]] std::size_t capacity() const { return m_capacity; }

private:
    std::unique_ptr<char[]> m_bytes;
    std::size_t m_capacity;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
};

} // namespace yardmaster::io
