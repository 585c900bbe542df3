// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_table.h"

#include <QImage>
#include <QSize>

#include <memory>

class QCPPainter;

namespace yardmaster::models {
class TimeCursor;
}

namespace yardmaster::ui {

class ChartView;

/// A chart with title, sub-title and a foot that names target and range, ready to be painted at any
/// resolution. Holds a twin of the chart, so the one on screen may change or go.
class ChartPicture {
public:
    ChartPicture(std::unique_ptr<ChartView> twin, std::unique_ptr<models::TimeCursor> time, QSize chartSize,
        ChartMetadata metadata);
    ~ChartPicture();

    [[nodiscard]] QSize size() const; ///< logical pixels, 96 to the inch
    [[nodiscard]] QString title() const; ///< "Latency percentiles, edge-fra-1"
    [[nodiscard]] QString description() const; ///< the metadata, one "key: value" a line

    [[nodiscard]] QImage toImage(double scale);
    [[nodiscard]] QByteArray toSvg();
    [[nodiscard]] QByteArray toPdf();

private:
    void paint(QCPPainter& painter);
    [[nodiscard]] QString valueOf(const QString& key) const;
    [[nodiscard]] int headHeight() const;

    // The order matters: the chart uses the cursor to its end.
    std::unique_ptr<models::TimeCursor> m_time;
    std::unique_ptr<ChartView> m_chart;
    QSize m_chartSize;
    ChartMetadata m_metadata;
};

} // namespace yardmaster::ui
