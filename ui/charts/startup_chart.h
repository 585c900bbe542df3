// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "ui/charts/chart_view.h"

namespace yardmaster::ui {

/// One bar a spawn with its phases in ms since the spawn, the old and the new worker of a slot side by side.
/// first_request is thin, because waiting for traffic is not our cost. setSlot() puts that slot first and
/// marks it; it does not hide the others.
class StartupChart final : public ChartView {
    Q_OBJECT
public:
    StartupChart(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent = nullptr);
    ~StartupChart() override;

    [[nodiscard]] QString id() const override { return QStringLiteral("startup"); }
    [[nodiscard]] QString title() const override { return tr("Startup"); }
    [[nodiscard]] models::TimeSpan shownSpan() const override;
    [[nodiscard]] bool filtersBySlot() const override { return false; }
    [[nodiscard]] ChartTable table(models::TimeSpan span) const override;
    [[nodiscard]] ChartMetadata metadata(models::TimeSpan span) const override;
    [[nodiscard]] std::unique_ptr<ChartView> twin(models::TimeCursor* time) const override;
    void render(QCPPainter& painter, QSize size) override;
    [[nodiscard]] QSize minimumSizeHint() const override;
    [[nodiscard]] QSize sizeHint() const override;

    struct Row {
        models::StartupRecord record;
        QString name; ///< "3 new", "3 old", "1"
        bool isMarked = false;
    };
    /// All rows there are; a low chart shows fewer and says how many are left out.
    [[nodiscard]] const std::vector<Row>& rows() const { return m_rows; }

protected:
    void rebuild() override;
    void applyTheme() override { }
    void paintEvent(QPaintEvent* event) override;
    bool event(QEvent* event) override;

private:
    struct Geometry;
    void paint(QPainter& painter, const QRectF& area) const;
    void paintAxis(QPainter& painter, const Geometry& geometry) const;
    void paintRow(QPainter& painter, const Geometry& geometry, const Row& row, const QRectF& rect) const;
    void paintLegend(QPainter& painter, const Geometry& geometry) const;
    [[nodiscard]] Geometry geometryFor(const QRectF& area) const;
    [[nodiscard]] std::vector<Row> rowsFor(std::size_t most) const;

    std::vector<models::StartupRecord> m_records;
    std::vector<Row> m_rows;
    double m_axisMs = 0;
};

} // namespace yardmaster::ui
