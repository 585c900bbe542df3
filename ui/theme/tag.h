// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QWidget>

namespace yardmaster::ui {

/// A short word on a fill: PROD, Read-only, "2 warnings".
class Tag final : public QWidget {
    Q_OBJECT
public:
    Tag(const QString& text, ColorRole fill, ColorRole ink, QWidget* parent = nullptr);

    void setText(const QString& text);
    void setColors(ColorRole fill, ColorRole ink);
    [[nodiscard]] QString text() const { return m_text; }
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

    [[nodiscard]] static Tag* production(QWidget* parent);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QString m_text;
    ColorRole m_fill, m_ink;
};

} // namespace yardmaster::ui
