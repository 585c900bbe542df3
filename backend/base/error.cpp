// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/base/error.h"

#include <cerrno>

namespace yardmaster {

std::string Error::toString() const {
    std::string text = what;
    if (!where.empty())
        text += " (" + where + ")";
    if (!hint.empty())
        text += ": " + hint;
    return text;
}

Error Error::fromErrno(int errorNumber, std::string call, std::string where) {
    Code code = Code::Internal;
    switch (errorNumber) {
    case ENOENT:
        code = Code::NotFound;
        break;
    case EEXIST:
    case EADDRINUSE:
        code = Code::AlreadyExists;
        break;
    case EACCES:
    case EPERM:
        code = Code::PermissionDenied;
        break;
    case ECONNREFUSED:
    case ECONNRESET:
    case EPIPE:
    case ENOTCONN:
        code = Code::Unavailable;
        break;
    case ETIMEDOUT:
        code = Code::DeadlineExceeded;
        break;
    case EMFILE:
    case ENFILE:
    case ENOMEM:
    case ENOSPC:
        code = Code::ResourceExhausted;
        break;
    default:
        break;
    }
    return Error{
        code, std::move(call) + ": " + std::generic_category().message(errorNumber), std::move(where), {}};
}

} // namespace yardmaster
