// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/http/message.h"

#include <span>
#include <string_view>

namespace yardmaster::http {

[[nodiscard]] FieldId fieldIdOf(std::string_view name) noexcept; ///< case-insensitive
[[nodiscard]] Method methodOf(std::string_view text) noexcept; ///< case-sensitive (RFC 9110 9.1)
[[nodiscard]] bool isToken(std::string_view text) noexcept; ///< RFC 9110 5.6.2
[[nodiscard]] bool equalsIgnoringCase(std::string_view a, std::string_view b) noexcept;
/// Whether a comma-separated list field contains `token`.
[[nodiscard]] bool listContains(std::string_view list, std::string_view token) noexcept;
/// Sets Field::hopByHop by RFC 9110 7.6.1 and the Connection fields among them.
void markHopByHop(std::span<Field> fields);
/// "Not Found"; "" for an unknown status.
[[nodiscard]] std::string_view reasonPhrase(int status) noexcept;

} // namespace yardmaster::http
