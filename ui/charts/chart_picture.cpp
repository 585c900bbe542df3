// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_picture.h"

#include "ui/charts/chart_view.h"
#include "ui/charts/qcp.h"

#include <QBuffer>
#include <QDateTime>
#include <QFontMetricsF>
#include <QPageSize>
#include <QPdfWriter>
#include <QSvgGenerator>
#include <QTimeZone>

namespace yardmaster::ui {

namespace {

// Not the generators' defaults of 72 and 1200: sizes and fonts are those of the screen.
constexpr int dotsPerInch = 96;
constexpr double pointsPerPixel = 72.0 / dotsPerInch;

QString localTime(const QString& iso) {
    const QDateTime at = QDateTime::fromString(iso, Qt::ISODateWithMs).toLocalTime();
    return at.isValid() ? at.toString(u"yyyy-MM-dd HH:mm:ss") : QString();
}

} // namespace

ChartPicture::ChartPicture(std::unique_ptr<ChartView> twin, std::unique_ptr<models::TimeCursor> time,
    QSize chartSize, ChartMetadata metadata)
    : m_time(std::move(time))
    , m_chart(std::move(twin))
    , m_chartSize(chartSize)
    , m_metadata(std::move(metadata)) {
    m_chart->resize(m_chartSize);
    m_chart->refresh();
}

ChartPicture::~ChartPicture() = default;

QString ChartPicture::valueOf(const QString& key) const {
    for (const auto& [name, value] : m_metadata) {
        if (name == key)
            return value;
    }
    return {};
}

QString ChartPicture::title() const {
    const QString target = valueOf(QStringLiteral("target"));
    return target.isEmpty() ? m_chart->title() : m_chart->title() + QStringLiteral(", ") + target;
}

QString ChartPicture::description() const {
    QStringList lines;
    for (const auto& [name, value] : m_metadata)
        lines.append(name + QStringLiteral(": ") + value);
    return lines.join(u'\n');
}

int ChartPicture::headHeight() const {
    const double titleWidth = QFontMetricsF(fontFor(TextStyle::PanelTitle)).horizontalAdvance(title());
    const double subWidth =
        QFontMetricsF(fontFor(TextStyle::SubTitle)).horizontalAdvance(m_chart->subTitle());
    const bool isOneLine = titleWidth + subWidth + scaled(34) <= m_chartSize.width();
    return isOneLine ? scaled(38) : scaled(54);
}

QSize ChartPicture::size() const {
    return {m_chartSize.width(), m_chartSize.height() + headHeight() + scaled(26)};
}

void ChartPicture::paint(QCPPainter& painter) {
    const Theme& theme = m_chart->theme();
    const QSize whole = size();
    painter.fillRect(QRect(QPoint(), whole), theme.color(ColorRole::Panel));
    painter.setAntialiasing(true);

    const QFont titleFont = fontFor(TextStyle::PanelTitle);
    painter.setFont(titleFont);
    painter.setPen(theme.color(ColorRole::Text));
    painter.drawText(QPointF(scaled(12), scaled(23)), title());
    const double titleWidth = QFontMetricsF(titleFont).horizontalAdvance(title());
    const bool isOneLine = headHeight() == scaled(38);
    painter.setFont(fontFor(TextStyle::SubTitle));
    painter.setPen(theme.color(ColorRole::Muted));
    painter.drawText(isOneLine ? QPointF(scaled(12) + titleWidth + scaled(10), scaled(23))
                               : QPointF(scaled(12), scaled(43)),
        m_chart->subTitle());

    painter.save();
    painter.translate(0, headHeight());
    m_chart->render(painter, m_chartSize);
    painter.restore();

    const QString range =
        QCoreApplication::translate("ChartPicture", "%1, %2 to %3 (%4)")
            .arg(valueOf(QStringLiteral("workers")), localTime(valueOf(QStringLiteral("range_from"))),
                localTime(valueOf(QStringLiteral("range_to"))),
                QDateTime::currentDateTime().timeZoneAbbreviation());
    const QFontMetricsF metrics(fontFor(TextStyle::Caption));
    const double baseline = whole.height() - scaled(10);
    const QString generator = valueOf(QStringLiteral("generator"));
    painter.setFont(fontFor(TextStyle::Caption));
    painter.setPen(theme.color(ColorRole::Muted));
    painter.drawText(QPointF(scaled(12), baseline), range);
    painter.drawText(
        QPointF(whole.width() - scaled(12) - metrics.horizontalAdvance(generator), baseline), generator);
}

QImage ChartPicture::toImage(double scale) {
    QImage image(size() * scale, QImage::Format_RGB32);
    image.setDevicePixelRatio(scale);
    {
        QCPPainter painter(&image);
        paint(painter);
    }
    image.setText(QStringLiteral("Title"), title());
    image.setText(QStringLiteral("Software"), valueOf(QStringLiteral("generator")));
    image.setText(QStringLiteral("Description"), description());
    for (const auto& [name, value] : m_metadata)
        image.setText(name, value);
    // Only now, or fonts in points would grow with it.
    const int dotsPerMeter = static_cast<int>(dotsPerInch * scale / 0.0254);
    image.setDotsPerMeterX(dotsPerMeter);
    image.setDotsPerMeterY(dotsPerMeter);
    return image;
}

QByteArray ChartPicture::toSvg() {
    QBuffer buffer;
    QSvgGenerator generator;
    generator.setOutputDevice(&buffer);
    generator.setResolution(dotsPerInch);
    generator.setSize(size());
    generator.setViewBox(QRect(QPoint(), size()));
    generator.setTitle(title().toHtmlEscaped()); // written as they are otherwise
    generator.setDescription(description().toHtmlEscaped());
    {
        QCPPainter painter(&generator);
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNoCaching);
        painter.setMode(QCPPainter::pmNonCosmetic);
        paint(painter);
    }
    return buffer.data();
}

QByteArray ChartPicture::toPdf() {
    QBuffer buffer;
    buffer.open(QIODevice::WriteOnly);
    QPdfWriter writer(&buffer);
    writer.setTitle(title() + QStringLiteral(", ") + valueOf(QStringLiteral("range_from"))
        + QStringLiteral(" to ") + valueOf(QStringLiteral("range_to")));
    writer.setCreator(valueOf(QStringLiteral("generator")));
    writer.setResolution(dotsPerInch);
    writer.setPageSize(
        QPageSize(QSizeF(size()) * pointsPerPixel, QPageSize::Point, QString(), QPageSize::ExactMatch));
    writer.setPageMargins(QMarginsF());
    {
        QCPPainter painter(&writer);
        painter.setMode(QCPPainter::pmVectorized);
        painter.setMode(QCPPainter::pmNoCaching);
        painter.setMode(QCPPainter::pmNonCosmetic);
        // Qt writes opaque images as JPEG otherwise.
        painter.setRenderHint(QPainter::LosslessImageRendering);
        paint(painter);
    }
    return buffer.data();
}

} // namespace yardmaster::ui
