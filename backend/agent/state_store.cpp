// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/agent/state_store.h"

#include "backend/protocol/initial_state.h"

namespace yardmaster::agent {

Expected<void> StateStore::apply(const proto::Request& request) {
    auto applied = m_state.apply(request);
    if (applied)
        ++m_revision;
    return applied;
}

void StateStore::replace(state::ConfigState state, std::uint64_t revision) {
    m_state = std::move(state);
    m_revision = revision;
    m_image.reset();
}

Expected<int> StateStore::initialStateFd() {
    if (m_image && m_imageRevision == m_revision)
        return m_image.get();
    auto written = protocol::writeInitialState(
        [this](const protocol::RequestSink& sink) { m_state.forEachRequest(sink); });
    if (!written)
        return failure(written.error());
    m_image = std::move(written->fd);
    m_imageRevision = m_revision;
    return m_image.get();
}

} // namespace yardmaster::agent
