// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"

#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

namespace yardmaster::http {

/// Writes a head behind a string's content: room for all of it is made once, then bytes are only copied. The
/// string gets its final size from commit().
class HeadBuffer {
public:
    /// `room` must cover everything that is written.
    HeadBuffer(std::string& out, std::size_t room)
        : m_out(out)
        , m_start(out.size()) {
        m_out.resize(m_start + room);
        m_next = m_out.data() + m_start;
    }
    HeadBuffer(const HeadBuffer&) = delete;
    HeadBuffer& operator=(const HeadBuffer&) = delete;

    void put(char c) { *m_next++ = c; }
    void put(std::string_view text) {
        if (!text.empty()) {
            std::memcpy(m_next, text.data(), text.size());
            m_next += text.size();
        }
    }
    template <std::size_t Length>
    void put(const char (&literal)[Length]) {
        std::memcpy(m_next, literal, Length - 1);
        m_next += Length - 1;
    }
    void putNumber(std::uint64_t number) {
        constexpr std::size_t kMostDigits = 20;
        m_next = std::to_chars(m_next, m_next + kMostDigits, number).ptr;
    }
    void commit() { m_out.resize(static_cast<std::size_t>(m_next - m_out.data())); }

private:
    std::string& m_out;
    std::size_t m_start;
    char* m_next;
};

/// Copies fields, joining those that stand beside each other in the received bytes into one copy.
class FieldCopier {
public:
    explicit FieldCopier(HeadBuffer& buffer)
        : m_buffer(buffer) { }
    FieldCopier(const FieldCopier&) = delete;
    FieldCopier& operator=(const FieldCopier&) = delete;

    void copy(const Field& field) {
        const char* nameEnd = field.name.data() + field.name.size();
        if (field.value.data() != nameEnd + 2 || nameEnd[0] != ':' || nameEnd[1] != ' ') {
            flush();
            m_buffer.put(field.name);
            m_buffer.put(": ");
            m_buffer.put(field.value);
            m_buffer.put("\r\n");
            return;
        }
        if (m_begin == nullptr || field.name.data() != m_end + 2 || m_end[0] != '\r' || m_end[1] != '\n') {
            flush();
            m_begin = field.name.data();
        }
        m_end = field.value.data() + field.value.size();
    }
    /// Before anything else is written to the buffer, and at the end.
    void flush() {
        if (m_begin != nullptr) {
            m_buffer.put(std::string_view(m_begin, static_cast<std::size_t>(m_end - m_begin)));
            m_buffer.put("\r\n");
            m_begin = nullptr;
        }
    }

private:
    HeadBuffer& m_buffer;
    const char* m_begin = nullptr;
    const char* m_end = nullptr;
};

} // namespace yardmaster::http
