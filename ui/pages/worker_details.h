// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/control/worker_control.h"

#include <QScrollArea>

#include <optional>
#include <vector>

class QGridLayout;

namespace yardmaster::ui {

class TextLabel;

/// What is known of one worker beyond its row: start, requests in flight, restarts, last exit, drain and its
/// stragglers.
class WorkerDetails final : public QScrollArea {
    Q_OBJECT
public:
    explicit WorkerDetails(QWidget* parent = nullptr);
    void setWorker(const std::optional<control::WorkerInfo>& worker);
    [[nodiscard]] QString valueOf(const QString& name) const;

private:
    void setRows(const std::vector<std::pair<QString, QString>>& rows);

    QWidget* m_content;
    QGridLayout* m_grid;
    std::vector<std::pair<TextLabel*, TextLabel*>> m_labels;
};

} // namespace yardmaster::ui
