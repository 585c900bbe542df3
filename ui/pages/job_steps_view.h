// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QWidget>

#include <optional>
#include <vector>

class QListView;
class QStandardItemModel;

namespace yardmaster::ui {

class ErrorStrip;
class TextLabel;

/// The steps of a job with their times, the connections it touched, and, when it failed, why. Stays as it is
/// after the end, so that the result can be read later.
class JobStepsView final : public QWidget {
    Q_OBJECT
public:
    explicit JobStepsView(bool compact, QWidget* parent = nullptr);

    void setJob(const std::optional<control::Job>& job);
    [[nodiscard]] const std::optional<control::Job>& job() const { return m_job; }
    /// All steps and the figures, and no more.
    [[nodiscard]] int compactHeight() const;
    [[nodiscard]] QString stepText(int row) const; ///< name and state in words, for tests and screen readers

signals:
    void retryWanted();

private:
    void updateSteps();
    void updateFoot();

    bool m_compact;
    std::optional<control::Job> m_job;
    QStandardItemModel* m_model;
    QListView* m_list;
    ErrorStrip* m_error;
    QWidget* m_foot;
    std::vector<std::pair<TextLabel*, TextLabel*>> m_figures; ///< caption, number
};

} // namespace yardmaster::ui
