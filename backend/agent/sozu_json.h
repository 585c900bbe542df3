// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"

#include <string>
#include <string_view>

namespace yardmaster::agent {

/// State requests as Sozu 2.1 writes them into its state files: one WorkerRequest a record, as the JSON that
/// serde makes of it. Tags in SCREAMING_SNAKE, enums as numbers, absent optional fields as null.
/// Our own settings of a listener stand in a field "limits", which Sozu skips. Private keys are in clear, as
/// in Sozu's files. Sozu's HTTP/2 tuning of https listeners has no place here and is left out. Unsupported:
/// not a request that a saved state is made of.
[[nodiscard]] Expected<std::string> requestToSozuJson(const std::string& id, const proto::Request& request);

/// The request of one record. InvalidArgument: no JSON, or not of that form; the text says what is wrong, and
/// never repeats a value. Unsupported: a kind of request that changes no state.
[[nodiscard]] Expected<proto::Request> requestFromSozuJson(std::string_view record);

} // namespace yardmaster::agent
