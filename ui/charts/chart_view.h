// SPDX-License-Identifier: GPL-3.0-or-later
#pragma once

#include "models/metrics_history.h"
#include "models/time_cursor.h"
#include "ui/charts/chart_table.h"
#include "ui/theme/theme.h"

#include <QPointer>
#include <QWidget>

#include <functional>
#include <memory>
#include <optional>

class QCPPainter;
class QTimer;

namespace yardmaster::ui {

/// A chart of one MetricsHistory over the shared time range. It does no work while it is hidden or inactive,
/// and no work twice: any number of changes between two frames make one replot.
///
/// Screen readers cannot look into a picture, so each chart keeps an accessible description with its numbers
/// and offers the same data as a table.
class ChartView : public QWidget {
    Q_OBJECT
public:
    ChartView(const models::MetricsHistory* history, models::TimeCursor* time, QWidget* parent);
    ~ChartView() override;

    /// Stable, for file names and object names: "latency_percentiles".
    [[nodiscard]] virtual QString id() const = 0;
    [[nodiscard]] virtual QString title() const = 0;
    /// Window and source; changes with the range.
    [[nodiscard]] QString subTitle() const { return m_subTitle; }
    /// For where there is no room for the whole one; may be empty.
    [[nodiscard]] QString shortSubTitle() const { return m_shortSubTitle; }

    /// One worker slot, or all of them.
    void setSlot(std::optional<std::uint32_t> slot);
    [[nodiscard]] std::optional<std::uint32_t> slot() const { return m_slot; }
    /// False for charts that always show all workers, whatever the slot marks.
    [[nodiscard]] virtual bool filtersBySlot() const { return true; }
    void setTimeCursor(models::TimeCursor* time);
    [[nodiscard]] models::TimeCursor* timeCursor() const { return m_time; }
    /// The name of what is measured ("edge-fra-1"), for exported files.
    void setTarget(const QString& name) { m_target = name; }
    [[nodiscard]] const QString& target() const { return m_target; }
    /// A page that is not shown sets false.
    void setActive(bool active);
    [[nodiscard]] bool isActive() const { return m_active; }

    /// The range on screen; all that is recorded for charts without a time range.
    [[nodiscard]] virtual models::TimeSpan shownSpan() const;
    [[nodiscard]] models::TimeSpan recordedSpan() const;
    [[nodiscard]] virtual ChartTable table(models::TimeSpan span) const = 0;
    /// Like table(), but made by a call that touches neither chart nor history and may run on any thread.
    [[nodiscard]] virtual std::function<ChartTable()> tableMaker(models::TimeSpan span) const;
    /// All latencies of the span, for .hgrm; nullopt for charts that show no latency.
    [[nodiscard]] virtual std::optional<metrics::Histogram> latencies(models::TimeSpan span) const;
    [[nodiscard]] virtual ChartMetadata metadata(models::TimeSpan span) const;
    /// The chart in a sentence or two, with numbers.
    [[nodiscard]] QString summary() const { return m_summary; }

    /// A second chart of the same kind and settings over another range: what exports are painted with, so
    /// that the one on screen stays as it is.
    [[nodiscard]] virtual std::unique_ptr<ChartView> twin(models::TimeCursor* time) const = 0;
    /// Draws with this theme instead of the widget's own; null undoes.
    void setThemeOverride(const Theme* theme);
    [[nodiscard]] const Theme& theme() const;
    /// Paints the chart at `size` logical pixels. Vector formats get shapes and text, no pictures of them.
    virtual void render(QCPPainter& painter, QSize size) = 0;
    /// What the head of its panel offers beside table and export (a Log/Linear switch), or null.
    [[nodiscard]] virtual QWidget* createHeadWidget(QWidget* parent);

    /// Brings the picture up to date now, visible or not.
    void refresh();
    [[nodiscard]] std::uint64_t replotCount() const { return m_replotCount; }

signals:
    void subTitleChanged(const QString& text);
    void summaryChanged(const QString& text);

protected:
    [[nodiscard]] const models::MetricsHistory& history() const { return *m_history; }
    /// Takes data from the history and repaints.
    virtual void rebuild() = 0;
    /// Colours or fonts changed; a rebuild() follows.
    virtual void applyTheme() = 0;
    /// Only the crosshair moved.
    virtual void moveCrosshair() { }
    virtual void slotChanged() { }

    /// To be called for anything that changes the picture; coalesced, and kept until the chart is seen.
    void requestRefresh();
    void setSubTitle(const QString& text, const QString& shortText = {});
    void setSummary(const QString& text);
    void copySettingsTo(ChartView& other) const;
    /// Texts with numbers change at most twice a second, or they cannot be read.
    [[nodiscard]] bool textsAreDue() const { return m_textsDue; }

    void showEvent(QShowEvent* event) override;
    void changeEvent(QEvent* event) override;

private:
    [[nodiscard]] bool isWatched() const;
    void runRefresh();
    void connectCursor();

    const models::MetricsHistory* m_history;
    QPointer<models::TimeCursor> m_time;
    std::optional<std::uint32_t> m_slot;
    QString m_target, m_subTitle, m_shortSubTitle, m_summary;
    const Theme* m_themeOverride = nullptr;
    QTimer* m_refreshTimer;
    qint64 m_textsAtMs = 0;
    std::uint64_t m_replotCount = 0;
    bool m_active = true;
    bool m_dirty = true;
    bool m_themeDirty = true;
    bool m_textsDue = true;
};

} // namespace yardmaster::ui
