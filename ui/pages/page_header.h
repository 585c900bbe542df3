// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QWidget>

class QHBoxLayout;
class QPushButton;

namespace yardmaster::ui {

class TextLabel;

/// The title row of a page: name, a summary in a few words, actions at the right.
class PageHeader final : public QWidget {
    Q_OBJECT
public:
    explicit PageHeader(const QString& title, QWidget* parent = nullptr);
    void setSummary(const QString& text);
    [[nodiscard]] QString summary() const;
    void addAction(QPushButton* button);

private:
    TextLabel* m_summary;
    QHBoxLayout* m_actions;
};

} // namespace yardmaster::ui
