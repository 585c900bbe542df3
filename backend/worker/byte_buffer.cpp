// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/io/byte_buffer.h"

#include <algorithm>
#include <cstring>

namespace yardmaster::worker {

namespace {
constexpr std::size_t keptBlocks = 1024;
}

std::unique_ptr<char[]> BlockPool::take() {
    if (m_free.empty())
        return std::unique_ptr<char[]>(new char[blockBytes]); // not zeroed
    std::unique_ptr<char[]> block = std::move(m_free.back());
    m_free.pop_back();
    return block;
}

void BlockPool::give(std::unique_ptr<char[]> block) {
    if (m_free.size() < keptBlocks)
        m_free.push_back(std::move(block));
}

std::span<char> io::ByteBuffer::space() {
    if (!m_bytes) {
        m_bytes = m_pool->take();
        m_capacity = BlockPool::blockBytes;
    } else if (m_begin > 0 && m_capacity - m_end < m_capacity / 4) {
        std::memmove(m_bytes.get(), m_bytes.get() + m_begin, size());
        m_end -= m_begin;
        m_begin = 0;
    }
    return {m_bytes.get() + m_end, m_capacity - m_end};
}

void io::ByteBuffer::append(std::string_view bytes) {
    if (bytes.empty())
        return;
    if (space().size() < bytes.size())
        reserve(std::max(size() + bytes.size(), 2 * m_capacity));
    std::memcpy(m_bytes.get() + m_end, bytes.data(), bytes.size());
    m_end += bytes.size();
}

void io::ByteBuffer::reserve(std::size_t capacity) {
    if (capacity <= BlockPool::blockBytes && !m_bytes) {
        static_cast<void>(space());
        return;
    }
    if (capacity <= m_capacity - m_begin)
        return;
    std::unique_ptr<char[]> bytes(new char[capacity]);
    const std::size_t count = size();
    if (count > 0)
        std::memcpy(bytes.get(), m_bytes.get() + m_begin, count);
    clear();
    m_bytes = std::move(bytes);
    m_capacity = capacity;
    m_end = count;
}

void io::ByteBuffer::clear() {
    m_begin = m_end = 0;
    if (m_bytes && m_capacity == BlockPool::blockBytes)
        m_pool->give(std::move(m_bytes));
    m_bytes.reset();
    m_capacity = 0;
}

} // namespace yardmaster::worker
