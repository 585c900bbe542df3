// SPDX-License-Identifier: GPL-3.0-or-later
#include "guarded_bytes.h"

#include <cstdlib>
#include <cstring>

#include <sys/mman.h>
#include <unistd.h>

GuardedBytes::GuardedBytes(std::size_t capacity) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    const std::size_t readable = (capacity + page - 1) / page * page;
    m_mapped = readable + page;
    void* memory = mmap(nullptr, m_mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) {
        std::abort();
    }
    m_begin = static_cast<char*>(memory);
    m_end = m_begin + readable;
    if (mprotect(m_end, page, PROT_NONE) != 0) {
        std::abort();
    }
}

GuardedBytes::~GuardedBytes() {
    munmap(m_begin, m_mapped);
}

std::string_view GuardedBytes::place(std::string_view bytes) {
    if (bytes.size() > static_cast<std::size_t>(m_end - m_begin)) {
        std::abort();
    }
    char* start = m_end - bytes.size();
    if (start - m_begin > 64) {
        std::memset(start - 64, '\xee', 64);
    }
    std::memmove(start, bytes.data(), bytes.size());
    return {start, bytes.size()};
}
