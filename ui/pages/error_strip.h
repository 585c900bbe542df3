// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "backend/base/error.h"

#include <QWidget>

class QPushButton;

namespace yardmaster::ui {

class TextLabel;

/// What went wrong, where, what to do; Retry and Copy. Stays on the page, because a message that goes away
/// by itself is not read.
class ErrorStrip final : public QWidget {
    Q_OBJECT
public:
    explicit ErrorStrip(QWidget* parent = nullptr);
    void setError(const Error& error);
    void setRetryVisible(bool visible);
    [[nodiscard]] QString text() const { return m_text; }

signals:
    void retryWanted();

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    TextLabel* m_what;
    TextLabel* m_more;
    QPushButton* m_retry;
};

} // namespace yardmaster::ui
