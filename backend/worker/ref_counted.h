// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <cstdint>
#include <utility>

namespace yardmaster::worker {

/// Shared ownership within one thread: a request takes and drops several of these, so the count is a plain
/// number.
class RefCounted {
public:
    RefCounted(const RefCounted&) = delete;
    RefCounted& operator=(const RefCounted&) = delete;

protected:
    RefCounted() = default;
    ~RefCounted() = default;

private:
    template <typename T>
    friend class Ref;
    std::uint32_t m_references = 0;
};

template <typename T>
class Ref {
public:
    Ref() = default;
    explicit Ref(T* object)
        : m_object(object) {
        if (m_object)
            ++m_object->m_references;
    }
    Ref(const Ref& other)
        : Ref(other.m_object) { }
    Ref(Ref&& other) noexcept
        : m_object(std::exchange(other.m_object, nullptr)) { }
    Ref& operator=(Ref other) noexcept {
        std::swap(m_object, other.m_object);
        return *this;
    }
    ~Ref() { reset(); }

    void reset() {
        if (T* object = std::exchange(m_object, nullptr); object && --object->m_references == 0)
            delete object;
    }
    [[nodiscard]] T* get() const { return m_object; }
    T* operator->() const { return m_object; }
    T& operator*() const { return *m_object; }
    explicit operator bool() const { return m_object != nullptr; }
    bool operator==(const Ref& other) const { return m_object == other.m_object; }

private:
    T* m_object = nullptr;
};

template <typename T, typename... Arguments>
[[nodiscard]] Ref<T> makeRef(Arguments&&... arguments) {
    return Ref<T>(new T(std::forward<Arguments>(arguments)...));
}

} // namespace yardmaster::worker
