// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QLabel>

namespace yardmaster::ui {

/// A label with a text style and a colour by role that follows the theme. With elision it may be narrower
/// than its text; then the text ends in … and stands whole in the tool tip.
class TextLabel final : public QLabel {
    Q_OBJECT
public:
    explicit TextLabel(const QString& text = {}, TextStyle style = TextStyle::Body,
        ColorRole role = ColorRole::Text, QWidget* parent = nullptr);

    void setRole(ColorRole role);
    void setTextStyle(TextStyle style);
    void setElided(bool elided);
    [[nodiscard]] bool isElided() const { return m_elided; }
    /// Numbers that change must not move what stands beside them: room for at least this text.
    void setRoomFor(const QString& text);

    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override;

protected:
    void changeEvent(QEvent* event) override;
    void paintEvent(QPaintEvent* event) override;

private:
    void applyPalette();

    TextStyle m_style;
    ColorRole m_role;
    int m_roomPx = 0;
    bool m_elided = false;
    bool m_applying = false;
};

} // namespace yardmaster::ui
