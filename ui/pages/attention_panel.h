// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/pages/page.h"

class QVBoxLayout;

namespace yardmaster::ui {

class Panel;
class Tag;

/// "Needs attention": one line a thing with how long, and Show to go to its worker.
class AttentionPanel final : public QWidget {
    Q_OBJECT
public:
    explicit AttentionPanel(const PageContext& context, QWidget* parent = nullptr);
    void refresh(); ///< when the list changed
    /// Says so until the target has reported once.
    [[nodiscard]] bool isWaiting() const { return m_isWaiting; }
    [[nodiscard]] int lineCount() const { return m_lineCount; }

    /// More than these are a number: "and 3 more".
    static constexpr int mostLines = 4;

private:
    PageContext m_context;
    Panel* m_panel;
    Tag* m_tag;
    QWidget* m_lines = nullptr;
    int m_lineCount = 0;
    bool m_isWaiting = true;
};

} // namespace yardmaster::ui
