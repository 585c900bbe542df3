// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/theme/theme.h"

#include <QRectF>
#include <QWidget>

class QPainter;

namespace yardmaster::ui {

/// State by shape and colour, always beside a word. 12 px, drawn with painter paths.
enum class Glyph {
    None,
    Serving, ///< disc
    Running, ///< half disc: starting, running
    Draining, ///< hollow triangle with a core
    Warning, ///< triangle with !
    Crashed, ///< octagon with a cross
    Waiting, ///< ring
    Stopped, ///< square
    Gone, ///< dash: gone, skipped
    Unknown, ///< dashed ring with ?: the link is lost
    NotAnswering, ///< dashed ring with clock hands
    Done, ///< check mark
    Moved, ///< arrow
    Info, ///< ring with i
};

[[nodiscard]] ColorRole glyphColor(Glyph glyph);
/// Fills the square at the centre of `rect` with sides of `scaled(12)`.
void drawGlyph(QPainter& painter, const QRectF& rect, Glyph glyph, const Theme& theme);
void drawGlyph(QPainter& painter, const QRectF& rect, Glyph glyph, const QColor& color, const Theme& theme);

/// A glyph as a widget.
class GlyphLabel final : public QWidget {
    Q_OBJECT
public:
    explicit GlyphLabel(Glyph glyph = Glyph::None, QWidget* parent = nullptr);
    void setGlyph(Glyph glyph);
    [[nodiscard]] Glyph glyph() const { return m_glyph; }
    [[nodiscard]] QSize sizeHint() const override;

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    Glyph m_glyph;
};

} // namespace yardmaster::ui
