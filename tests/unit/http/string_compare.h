// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QtTest>

#include <string>
#include <string_view>

/// QCOMPARE prints what differs for these types too.
namespace QTest {

template <>
inline char* toString(const std::string_view& text) {
    return toString(QByteArray(text.data(), static_cast<qsizetype>(text.size())));
}
template <>
inline char* toString(const std::string& text) {
    return toString(std::string_view(text));
}

} // namespace QTest
