// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include <QLineEdit>

namespace yardmaster::ui {

/// A line edit with a magnifier, a clear button, and the key that leads here as a small hint.
class SearchField final : public QLineEdit {
    Q_OBJECT
public:
    SearchField(const QString& placeholder, const QString& keyHint, QWidget* parent = nullptr);

    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    QString m_keyHint;
};

} // namespace yardmaster::ui
