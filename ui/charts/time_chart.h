// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_drawing.h"
#include "ui/charts/chart_view.h"

class QCPAxis;
class QCPAxisRect;
class QCPLayer;
class QCustomPlot;

namespace yardmaster::ui {

/// What all charts over time have in common: the shared range and crosshair, gaps, event markers, names and
/// values at the end of the lines, drag to zoom, and margins that make the times of all charts on a page
/// stand under each other.
class TimeChart : public ChartView {
    Q_OBJECT
public:
    TimeChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent);
    ~TimeChart() override;

    void render(QCPPainter& painter, QSize size) override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

    /// Names of markers and gaps: off for all but the first of charts that stand under each other.
    void setMarkerNames(bool shown);

    /// What is shown now, for tests and for the page.
    [[nodiscard]] const std::vector<models::Gap>& shownGaps() const { return m_gaps; }
    [[nodiscard]] const std::vector<models::Marker>& shownMarkers() const { return m_markers; }
    [[nodiscard]] const std::vector<EndLabel>& endLabels() const { return m_endLabels; }
    [[nodiscard]] models::TimeSpan axisSpan() const;
    /// The values at the crosshair as text, empty without one.
    [[nodiscard]] QString readoutText() const;
    [[nodiscard]] QRect plotArea() const; ///< in pixels of this widget, for tests that use the mouse

protected:
    /// Values at an instant: what the row at the top says, and where on the lines dots are set.
    struct Readout {
        QString time, caption;
        std::vector<ReadoutItem> items;
        std::vector<std::pair<double, QColor>> dots; ///< value on the first y axis
    };
    [[nodiscard]] virtual Readout readoutAt(std::int64_t atNs) const = 0;
    /// A sentence instead of data, empty when there is data.
    [[nodiscard]] virtual QString emptyText() const;
    /// How far an arrow key moves the crosshair.
    [[nodiscard]] virtual std::int64_t stepNs() const;
    /// Takes the data of the range; called before the picture is drawn.
    virtual void updateData(models::TimeSpan span) = 0;

    [[nodiscard]] QCustomPlot& plot() const { return *m_plot; }
    [[nodiscard]] QCPAxisRect& mainRect() const { return *m_mainRect; }
    /// A second, lower rectangle of fixed height under the first; the time labels move to it.
    QCPAxisRect& addStrip(int heightPx);
    void setEndLabels(std::vector<EndLabel> labels);
    /// Crosshair and markers get a rim in the panel's colour where what is below has no fixed lightness.
    void setHalo(bool halo) { m_halo = halo; }
    /// Room at the right for end labels (or a colour scale) even when there is little width.
    void setNeedsRightMargin(bool needs) { m_needsRightMargin = needs; }
    [[nodiscard]] bool isCompact() const { return m_compact; }
    [[nodiscard]] double pixelOfTime(std::int64_t atNs) const;
    [[nodiscard]] std::int64_t timeOfPixel(double x) const;

    void rebuild() final;
    void applyTheme() override;
    void moveCrosshair() override;
    bool eventFilter(QObject* watched, QEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;

private:
    void layOut(int widthPx, int readoutPx);
    void drawGaps(QPainter& painter);
    void drawMarkers(QPainter& painter);
    void drawDecoration(QPainter& painter);
    void drawCrosshair(QPainter& painter);
    [[nodiscard]] QRectF fullRect() const; ///< main and strip together
    [[nodiscard]] std::vector<EndLabel> placedLabels() const;
    [[nodiscard]] QRectF readoutRow() const;
    void press(int x);
    void drag(int x);
    void release(int x);
    void resetZoom();

    QCustomPlot* m_plot;
    QCPAxisRect* m_mainRect = nullptr;
    QCPAxisRect* m_strip = nullptr;
    QCPLayer* m_crosshairLayer = nullptr;
    std::vector<models::Gap> m_gaps;
    std::vector<models::Marker> m_markers;
    std::vector<EndLabel> m_endLabels;
    std::optional<int> m_pressX;
    int m_dragX = 0;
    bool m_halo = false;
    bool m_markerNames = true;
    bool m_needsRightMargin = false;
    bool m_compact = false;
};

} // namespace yardmaster::ui
