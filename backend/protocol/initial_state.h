// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/protocol/command.pb.h"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>

namespace yardmaster::protocol {

/// The state a worker starts from: an InitialState message, written and read record by record, so that
/// neither side holds all of it. Byte for byte what Sozu 2.1 writes and reads: `0x0a varint WorkerRequest`
/// repeated, ids "SAVE-0", "SAVE-1", ...
struct InitialStateFile {
    UniqueFd fd; ///< a sealed memfd, close-on-exec; any number of processes may map it
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};

/// Calls `produce` once with a sink and writes each request given to the sink:
///     writeInitialState([&](const RequestSink& sink) { state.forEachRequest(sink); });
/// Errors: InvalidArgument (a record lacks a required field, by its number), ResourceExhausted (no memory).
using RequestSink = std::function<void(const proto::Request&)>;
[[nodiscard]] Expected<InitialStateFile> writeInitialState(
    const std::function<void(const RequestSink&)>& produce, const char* name = "yardmaster-state");

/// Return an error to stop; it is handed back with the record number added to `where`.
using InitialStateVisitor = std::function<Expected<void>(const proto::WorkerRequest&)>;

/// Reads every record through a read-only mapping: the file offset, which all holders of a shared descriptor
/// share, is neither used nor moved. The message given to the visitor is reused for the next record. Returns
/// the number of records. DataLoss names the record and byte at which the file is truncated or does not
/// decode.
[[nodiscard]] Expected<std::uint64_t> forEachInitialRequest(int fd, const InitialStateVisitor& visit);
[[nodiscard]] Expected<std::uint64_t> forEachInitialRequest(
    std::string_view bytes, const InitialStateVisitor& visit);

} // namespace yardmaster::protocol
