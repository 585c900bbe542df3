// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/plot_style.h"

#include "ui/charts/qcp.h"

#include "ui/theme/format.h"

#include <QDateTime>
#include <QVBoxLayout>

#include <algorithm>
#include <array>
#include <cmath>

namespace yardmaster::ui {

namespace {

class Painting final : public QCPLayerable {
public:
    Painting(QCustomPlot* plot, const QString& layer, std::function<void(QPainter&)> paint)
        : QCPLayerable(plot, layer)
        , m_paint(std::move(paint)) { }

protected:
    void applyDefaultAntialiasingHint(QCPPainter* painter) const override { painter->setAntialiasing(true); }
    QRect clipRect() const override { return mParentPlot ? mParentPlot->viewport() : QRect(); }
    void draw(QCPPainter* painter) override {
        painter->save();
        m_paint(*painter);
        painter->restore();
    }

private:
    std::function<void(QPainter&)> m_paint;
};

class Plot final : public QCustomPlot {
public:
    using QCustomPlot::QCustomPlot;

    void paint(QCPPainter& painter, QSize size) {
        const QRect before = viewport();
        setViewport(QRect(QPoint(), size));
        painter.fillRect(viewport(), backgroundBrush);
        draw(&painter);
        setViewport(before);
    }

    QBrush backgroundBrush;
};

class TimeTicker final : public QCPAxisTicker {
protected:
    double getTickStep(const QCPRange& range) override {
        static constexpr std::array<int, 20> steps{1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600,
            7200, 10800, 21600, 43200, 86400, 172800, 604800};
        const double wanted = range.size() / std::max(1, tickCount());
        const auto found =
            std::find_if(steps.begin(), steps.end(), [wanted](int step) { return step >= wanted; });
        m_stepS = found == steps.end() ? steps.back() : *found;
        return m_stepS;
    }
    int getSubTickCount(double) override { return 0; }
    QVector<double> createTickVector(double tickStep, const QCPRange& range) override {
        // Round in local time: midnight of the first day of the range is a tick of every step up to a day.
        const auto offset = static_cast<double>(
            QDateTime::fromSecsSinceEpoch(static_cast<qint64>(range.lower)).offsetFromUtc());
        QVector<double> ticks;
        for (double tick = std::ceil((range.lower + offset) / tickStep) * tickStep - offset;
             tick <= range.upper; tick += tickStep)
            ticks.append(tick);
        return ticks;
    }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override {
        const QDateTime at = QDateTime::fromSecsSinceEpoch(static_cast<qint64>(std::llround(tick)));
        if (m_stepS >= 86400)
            return at.toString(u"d MMM");
        return at.toString(m_stepS < 60 ? u"HH:mm:ss" : u"HH:mm");
    }

private:
    int m_stepS = 60;
};

/// Decades with sub-ticks at 2..9; when fewer than two decades are seen, 2 and 5 get labels too.
class LogTicker final : public QCPAxisTicker {
public:
    explicit LogTicker(std::function<QString(double)> label)
        : m_label(std::move(label)) { }

    void generate(const QCPRange& range, const QLocale&, QChar, int, QVector<double>& ticks,
        QVector<double>* subTicks, QVector<QString>* labels) override {
        ticks.clear();
        if (subTicks)
            subTicks->clear();
        if (labels)
            labels->clear();
        if (range.lower <= 0 || range.upper <= range.lower)
            return;
        const double decades = std::log10(range.upper / range.lower);
        const bool dense = decades < 1.6;
        const int first = static_cast<int>(std::floor(std::log10(range.lower)));
        const int last = static_cast<int>(std::ceil(std::log10(range.upper)));
        for (int exponent = first; exponent <= last; ++exponent) {
            const double decade = std::pow(10.0, exponent);
            for (int factor = 1; factor < 10; ++factor) {
                const double value = decade * factor;
                // Rounding must not lose the ends of the axis.
                if (value < range.lower * (1 - 1e-9) || value > range.upper * (1 + 1e-9))
                    continue;
                if (factor == 1 || (dense && (factor == 2 || factor == 5))) {
                    ticks.append(value);
                    if (labels)
                        labels->append(m_label(value));
                } else if (subTicks) {
                    subTicks->append(value);
                }
            }
        }
    }

private:
    std::function<QString(double)> m_label;
};

class LinearTicker final : public QCPAxisTicker {
public:
    LinearTicker(int wanted, std::function<QString(double)> label)
        : m_label(std::move(label)) {
        setTickCount(wanted);
    }

protected:
    double getTickStep(const QCPRange& range) override {
        return roundUp(range.size() / std::max(1, tickCount()) * 0.999);
    }
    int getSubTickCount(double) override { return 0; }
    QString getTickLabel(double tick, const QLocale&, QChar, int) override { return m_label(tick); }

private:
    std::function<QString(double)> m_label;
};

QString countText(double count) {
    if (count >= 1e6)
        return format::number(count / 1e6, std::fmod(count, 1e6) == 0 ? 0 : 1) + QStringLiteral(" M");
    if (count >= 10'000 || count == 1000)
        return format::number(count / 1e3, std::fmod(count, 1e3) == 0 ? 0 : 1) + QStringLiteral(" k");
    return format::number(count, count == std::floor(count) ? 0 : 1);
}

} // namespace

double roundUp(double value) {
    if (value <= 0 || !std::isfinite(value))
        return 1;
    const double decade = std::pow(10.0, std::floor(std::log10(value)));
    for (const double factor : {1.0, 2.0, 2.5, 5.0, 10.0}) {
        if (decade * factor >= value * (1 - 1e-12))
            return decade * factor;
    }
    return decade * 10;
}

double steadyBound(double present, double wanted) {
    return present < wanted || present > 2.1 * wanted ? wanted : present;
}

QString latencyTickText(double us) {
    if (us < 1e3)
        return format::number(us, us < 10 && us != std::floor(us) ? 1 : 0) + QStringLiteral(" µs");
    const double value = us < 1e6 ? us / 1e3 : us / 1e6;
    return format::number(value, value < 10 && std::abs(value - std::round(value)) > 1e-6 ? 1 : 0)
        + (us < 1e6 ? QStringLiteral(" ms") : QStringLiteral(" s"));
}

QCustomPlot* makePlot(QWidget* parent) {
    auto* plot = new Plot(parent);
    // Lines wider than a pixel are drawn as segments: one long antialiased outline takes Qt's raster engine
    // a hundred times longer.
    plot->setPlottingHints(QCP::phFastPolylines | QCP::phCacheLabels);
    plot->setAntialiasedElements(QCP::aePlottables);
    plot->setInteractions({});
    plot->setMouseTracking(true);
    // The chart takes the keyboard, not the library's widget inside of it.
    plot->setFocusPolicy(Qt::NoFocus);
    plot->addLayer(QStringLiteral("decoration"), plot->layer(QStringLiteral("axes")), QCustomPlot::limAbove);
    plot->addLayer(
        QStringLiteral("crosshair"), plot->layer(QStringLiteral("overlay")), QCustomPlot::limAbove);
    plot->layer(QStringLiteral("crosshair"))->setMode(QCPLayer::lmBuffered);
    auto* layout = new QVBoxLayout(parent);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(plot);
    return plot;
}

void followScreen(QCustomPlot& plot) {
    if (plot.bufferDevicePixelRatio() != plot.devicePixelRatioF())
        plot.setBufferDevicePixelRatio(plot.devicePixelRatioF());
}

void paintPlot(QCustomPlot& plot, QCPPainter& painter, QSize size) {
    const QCP::PlottingHints hints = plot.plottingHints();
    plot.setPlottingHint(QCP::phCacheLabels, false);
    static_cast<Plot&>(plot).paint(painter, size);
    plot.setPlottingHints(hints);
}

void themePlot(QCustomPlot& plot, const Theme& theme) {
    static_cast<Plot&>(plot).backgroundBrush = theme.color(ColorRole::Panel);
    plot.setBackground(QBrush(theme.color(ColorRole::Panel)));
    const QFont font = fontFor(TextStyle::Caption);
    const QPen grid(theme.color(ColorRole::ChartGrid), 1);
    const QPen subGrid(theme.color(ColorRole::ChartSubgrid), 1);
    for (QCPAxisRect* rect : plot.axisRects()) {
        for (QCPAxis* axis : rect->axes()) {
            const bool isX = axis->axisType() == QCPAxis::atBottom;
            axis->setBasePen(isX ? QPen(theme.color(ColorRole::ControlBorder), 1) : QPen(Qt::NoPen));
            // Vector files show a tick of no length and no pen as a dot.
            axis->setTickPen(QColor(0, 0, 0, 0));
            axis->setSubTickPen(QColor(0, 0, 0, 0));
            axis->setTickLength(0);
            axis->setSubTickLength(0);
            axis->setTickLabelFont(font);
            axis->setTickLabelColor(theme.color(ColorRole::Muted));
            axis->setTickLabelPadding(isX ? 5 : 6);
            axis->grid()->setPen(grid);
            axis->grid()->setSubGridPen(subGrid);
            axis->grid()->setZeroLinePen(Qt::NoPen);
            axis->grid()->setSubGridVisible(axis->scaleType() == QCPAxis::stLogarithmic && !isX);
        }
    }
}

void useTimeTicks(QCPAxis& axis) {
    axis.setTicker(QSharedPointer<QCPAxisTicker>(new TimeTicker));
}

void useLatencyTicks(QCPAxis& axis, bool logarithmic) {
    axis.setScaleType(logarithmic ? QCPAxis::stLogarithmic : QCPAxis::stLinear);
    QCPAxisTicker* ticker = nullptr;
    if (logarithmic)
        ticker = new LogTicker(latencyTickText);
    else
        ticker = new LinearTicker(
            4, [](double us) { return us == 0 ? QStringLiteral("0") : latencyTickText(us); });
    axis.setTicker(QSharedPointer<QCPAxisTicker>(ticker));
    axis.grid()->setSubGridVisible(logarithmic && axis.axisType() != QCPAxis::atBottom);
}

void useLogCountTicks(QCPAxis& axis) {
    axis.setScaleType(QCPAxis::stLogarithmic);
    axis.setTicker(QSharedPointer<QCPAxisTicker>(new LogTicker(countText)));
}

void useCountTicks(QCPAxis& axis, int wanted) {
    axis.setTicker(QSharedPointer<QCPAxisTicker>(new LinearTicker(wanted, [](double count) {
        return count >= 100'000 ? countText(count)
                                : format::number(count, count == std::floor(count) ? 0 : 1);
    })));
}

void addPainting(QCustomPlot& plot, const QString& layer, std::function<void(QPainter&)> paint) {
    new Painting(&plot, layer, std::move(paint)); // owned by the plot
}

bool isVector(const QPainter& painter) {
    // The type of the device, because QCPPainter's own modes cannot be asked through QPainter.
    const QPaintEngine* engine = painter.paintEngine();
    return engine
        && (engine->type() == QPaintEngine::SVG || engine->type() == QPaintEngine::Pdf
            || engine->type() == QPaintEngine::Picture);
}

} // namespace yardmaster::ui
