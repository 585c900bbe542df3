// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"
#include "ui/theme/glyphs.h"

#include <QObject>

#include <map>
#include <vector>

namespace yardmaster::ui {

/// One thing an operator should look at.
struct AttentionItem {
    Glyph glyph = Glyph::Warning;
    QString text;
    std::int64_t sinceUnixNs = 0; ///< 0: not known
    std::optional<std::uint32_t> workerId; ///< what "Show" goes to
    bool operator==(const AttentionItem&) const = default;
};

/// What needs attention first: a lost link, crashed and failed workers, crash loops, workers that do not
/// answer, drains that take long, a failed job, a warning about the target itself. Gravest first.
class AttentionList final : public QObject {
    Q_OBJECT
public:
    using QObject::QObject;

    void update(const control::SnapshotPtr& snapshot, const control::Link& link);
    [[nodiscard]] const std::vector<AttentionItem>& items() const { return m_items; }

    /// A drain of more than this is said.
    static constexpr std::int64_t longDrainNs = 60LL * 1'000'000'000;
    /// A worker restarted this often is in a crash loop.
    static constexpr std::uint32_t crashLoopRestarts = 3;

signals:
    void changed();

private:
    void noteDrains(const control::Snapshot& snapshot);

    std::vector<AttentionItem> m_items;
    std::map<std::uint32_t, std::int64_t> m_drainingSinceNs; ///< by worker id
    std::map<std::uint32_t, std::int64_t> m_badSinceNs;
};

} // namespace yardmaster::ui
