// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/protocol/command.pb.h"

#include <map>
#include <optional>
#include <string>

namespace yardmaster::test {

/// The slow and obvious state: one flat list of objects, each the canonical bytes of its message under a name
/// that says what it is ("backend web 1 10.0.0.1:9000"). Whether fields are valid it does not know: it is
/// asked only about requests that are.
class StateModel {
public:
    /// The expected outcome; the model has changed when it is none.
    std::optional<Error::Code> apply(const proto::Request& request);

    [[nodiscard]] const std::map<std::string, std::string>& objects() const { return m_objects; }

private:
    std::map<std::string, std::string> m_objects;
};

} // namespace yardmaster::test
