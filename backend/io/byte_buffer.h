// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

namespace yardmaster::io {

/// Memory for buffers, lent in blocks of one size. An idle connection holds none; under load the few blocks
/// that circulate stay in the processor's cache.
class BlockPool {
public:
    static constexpr std::size_t blockBytes = 16 * 1024;

    [[nodiscard]] std::unique_ptr<char[]> take();
    void give(std::unique_ptr<char[]> block);

private:
    std::vector<std::unique_ptr<char[]>> m_free;
};

/// A queue of bytes that lie in one piece. Takes a block on first use and gives it back when it runs empty.
class ByteBuffer {
public:
    explicit ByteBuffer(BlockPool& pool)
        : m_pool(&pool) { }
    ByteBuffer(const ByteBuffer&) = delete;
    ByteBuffer& operator=(const ByteBuffer&) = delete;
    ~ByteBuffer() { clear(); }

    [[nodiscard]] std::string_view view() const { return {m_bytes.get() + m_begin, m_end - m_begin}; }
    [[nodiscard]] bool empty() const { return m_begin == m_end; }
    [[nodiscard]] std::size_t size() const { return m_end - m_begin; }
    [[nodiscard]] std::size_t capacity() const { return m_capacity; }

    /// Where to read into; what is queued moves to the front when little is left behind it. Empty when full.
    [[nodiscard]] std::span<char> space();
    void produced(std::size_t count) { m_end += count; }
    void consume(std::size_t count) {
        m_begin += count;
        if (m_begin == m_end)
            clear();
    }
    void append(std::string_view bytes);
    /// Room for `capacity` bytes in one piece (a long head); what is queued is kept.
    void reserve(std::size_t capacity);
    /// Forgets the content and gives the memory back.
    void clear();

private:
    BlockPool* m_pool;
    std::unique_ptr<char[]> m_bytes;
    std::size_t m_capacity = 0;
    std::size_t m_begin = 0;
    std::size_t m_end = 0;
};

} // namespace yardmaster::io
