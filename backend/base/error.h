// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <string>
#include <system_error>
#include <utility>

#include <tl/expected.hpp>

namespace yardmaster {

/// An error for a person: what happened, where (a file and line, an address, a field), and what to do.
/// `code` lets callers and tests tell kinds apart without reading the text.
struct Error {
    enum class Code {
        InvalidArgument, ///< the input is wrong; nothing was changed
        NotFound,
        AlreadyExists,
        PermissionDenied,
        Unavailable, ///< the peer is not there (refused, closed, not started)
        DeadlineExceeded,
        Cancelled,
        ResourceExhausted, ///< a limit was met
        DataLoss, ///< truncated or corrupt input
        Unsupported,
        Internal,
    };

    Code code = Code::Internal;
    std::string what;
    std::string where;
    std::string hint;

    /// "what (where): hint", leaving out what is empty.
    [[nodiscard]] std::string toString() const;

    /// The errno of a failed system call: `what` is "call: reason".
    [[nodiscard]] static Error fromErrno(int errorNumber, std::string call, std::string where = {});
};

template <typename T>
using Expected = tl::expected<T, Error>;

/// `return failure(Error::Code::NotFound, "no worker 7", "worker list", "list the workers first");`
[[nodiscard]] inline tl::unexpected<Error> failure(
    Error::Code code, std::string what, std::string where = {}, std::string hint = {}) {
    return tl::unexpected<Error>(Error{code, std::move(what), std::move(where), std::move(hint)});
}
[[nodiscard]] inline tl::unexpected<Error> failure(Error error) {
    return tl::unexpected<Error>(std::move(error));
}

} // namespace yardmaster
