// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QWidget>

#include <optional>

class QPushButton;

namespace yardmaster::ui {

class ConsoleSession;
class GlyphLabel;
class ProgressLine;
class TextLabel;

/// The line at the bottom: the newest job with its step, progress, time and result, which stays until the
/// next job; at the right the revision, the sample rate and the clock.
class JobStrip final : public QWidget {
    Q_OBJECT
public:
    explicit JobStrip(ConsoleSession* session, QWidget* parent = nullptr);

    void refresh();
    [[nodiscard]] QString text() const; ///< what it says, for tests

signals:
    void showWanted();

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;

private:
    void updateJob(const std::optional<control::Job>& job);

    ConsoleSession* m_session;
    GlyphLabel* m_glyph;
    TextLabel* m_title;
    TextLabel* m_step;
    TextLabel* m_stepNumber;
    ProgressLine* m_bar;
    TextLabel* m_elapsed;
    TextLabel* m_result;
    QPushButton* m_show;
    TextLabel* m_revision;
    TextLabel* m_rate;
    TextLabel* m_clock;
};

} // namespace yardmaster::ui
