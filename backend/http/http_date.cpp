// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/http/http_date.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <string_view>

namespace yardmaster::http {

namespace {

void appendDigits(std::string& out, unsigned number, unsigned divisor) {
    for (; divisor != 0; divisor /= 10) {
        out.push_back(static_cast<char>('0' + number / divisor % 10));
    }
}

} // namespace

void appendDateField(std::string& out, std::int64_t secondsSinceEpoch) {
    using namespace std::chrono;
    constexpr std::array<std::string_view, 7> kDays{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    constexpr std::array<std::string_view, 12> kMonths{
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    constexpr sys_seconds kFirst = sys_days{year{1} / January / 1};
    constexpr sys_seconds kLast = sys_days{year{9999} / December / 31} + 24h - 1s;
    const sys_seconds time = std::clamp(sys_seconds{seconds{secondsSinceEpoch}}, kFirst, kLast);
    const sys_days day = floor<days>(time);
    const year_month_day date{day};
    const hh_mm_ss clock{time - day};

    out.append("Date: ").append(kDays[weekday{day}.c_encoding()]).append(", ");
    appendDigits(out, static_cast<unsigned>(date.day()), 10);
    out.append(" ").append(kMonths[static_cast<unsigned>(date.month()) - 1]).append(" ");
    appendDigits(out, static_cast<unsigned>(static_cast<int>(date.year())), 1000);
    out.append(" ");
    appendDigits(out, static_cast<unsigned>(clock.hours().count()), 10);
    out.append(":");
    appendDigits(out, static_cast<unsigned>(clock.minutes().count()), 10);
    out.append(":");
    appendDigits(out, static_cast<unsigned>(clock.seconds().count()), 10);
    out.append(" GMT\r\n");
}

} // namespace yardmaster::http
