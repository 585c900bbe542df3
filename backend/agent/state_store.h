// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"
#include "backend/base/unique_fd.h"
#include "backend/state/config_state.h"

#include <cstdint>

namespace yardmaster::agent {

/// The agent's state and its revision, and the sealed memfd of it that workers start from, built once per
/// revision and shared by all workers started at it.
class StateStore {
public:
    [[nodiscard]] const state::ConfigState& state() const { return m_state; }
    [[nodiscard]] std::uint64_t revision() const { return m_revision; }

    /// Applies one request; the revision grows when that succeeds.
    [[nodiscard]] Expected<void> apply(const proto::Request& request);
    /// Takes over a whole state (of adopted workers).
    void replace(state::ConfigState state, std::uint64_t revision);

    /// An InitialState (worker_channel.h); borrowed, valid until the next apply().
    [[nodiscard]] Expected<int> initialStateFd();

private:
    state::ConfigState m_state;
    std::uint64_t m_revision = 1;
    UniqueFd m_image;
    std::uint64_t m_imageRevision = 0;
};

} // namespace yardmaster::agent
