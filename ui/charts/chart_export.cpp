// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/chart_export.h"

#include "backend/metrics/hgrm.h"
#include "ui/charts/chart_picture.h"
#include "ui/charts/chart_view.h"

#include <QBuffer>
#include <QCoreApplication>
#include <QDateTime>
#include <QDir>
#include <QFileInfo>
#include <QImageWriter>
#include <QSaveFile>
#include <QThread>

#include <algorithm>

namespace yardmaster::ui {

namespace {

constexpr QSize leastPictureSize(640, 240);

struct Texts {
    Q_DECLARE_TR_FUNCTIONS(ChartExport)
};

models::TimeSpan spanOf(const ChartView& chart, ExportSpan span) {
    return span == ExportSpan::All ? chart.recordedSpan() : chart.shownSpan();
}

QSize pictureSize(const ChartView& chart) {
    // As on screen, but never so small that it would leave something out.
    const QSize onScreen = chart.isVisible() ? chart.size() : QSize();
    return onScreen.expandedTo(leastPictureSize).expandedTo(chart.sizeHint());
}

std::function<Expected<QByteArray>()> ready(QByteArray bytes) {
    return [bytes = std::move(bytes)]() -> Expected<QByteArray> { return bytes; };
}

Expected<QByteArray> encodePng(const QImage& image) {
    QBuffer buffer;
    QImageWriter writer(&buffer, "png");
    if (!writer.write(image))
        return failure(Error::Code::Internal, writer.errorString().toStdString(), "PNG encoder");
    return buffer.data();
}

Error openError(const QSaveFile& file) {
    Error error{Error::Code::Internal, file.errorString().toStdString(), file.fileName().toStdString(), {}};
    const QFileInfo folder(QFileInfo(file.fileName()).absolutePath());
    if (!folder.isDir()) {
        error.code = Error::Code::NotFound;
        error.hint = Texts::tr("Choose a folder that exists").toStdString();
    } else if (!folder.isWritable()) {
        error.code = Error::Code::PermissionDenied;
        error.hint = Texts::tr("Choose a folder you may write to").toStdString();
    }
    return error;
}

Error writeError(const QSaveFile& file, qsizetype bytes) {
    return {Error::Code::ResourceExhausted,
        Texts::tr("%1 bytes could not be written whole").arg(bytes).toStdString(),
        file.fileName().toStdString(), Texts::tr("Free some space or choose another folder").toStdString()};
}

Expected<PreparedExport> preparePicture(
    const ChartView& chart, const ExportRequest& request, models::TimeSpan span) {
    auto time = std::make_unique<models::TimeCursor>();
    time->setSpan(span);
    std::unique_ptr<ChartView> twin = chart.twin(time.get());
    if (request.theme == ExportTheme::LightForPrint)
        twin->setThemeOverride(&Theme::light());
    ChartPicture picture(std::move(twin), std::move(time), pictureSize(chart), chart.metadata(span));
    switch (request.format) {
    case ExportFormat::Png1x:
    case ExportFormat::Png2x: {
        // Encoding takes longer than painting and needs no widget: that is what may go to another thread.
        QImage image = picture.toImage(request.format == ExportFormat::Png2x ? 2 : 1);
        return PreparedExport{request.path, [image = std::move(image)] { return encodePng(image); }};
    }
    case ExportFormat::Svg:
        return PreparedExport{request.path, ready(picture.toSvg())};
    default:
        return PreparedExport{request.path, ready(picture.toPdf())};
    }
}

} // namespace

QString formatName(ExportFormat format) {
    switch (format) {
    case ExportFormat::Png1x:
        return Texts::tr("PNG, 1×");
    case ExportFormat::Png2x:
        return Texts::tr("PNG, 2×");
    case ExportFormat::Svg:
        return QStringLiteral("SVG");
    case ExportFormat::Pdf:
        return QStringLiteral("PDF");
    case ExportFormat::Csv:
        return QStringLiteral("CSV");
    case ExportFormat::Json:
        return QStringLiteral("JSON");
    case ExportFormat::Hgrm:
        return QStringLiteral("HGRM");
    }
    return {};
}

QString formatSuffix(ExportFormat format) {
    switch (format) {
    case ExportFormat::Png1x:
    case ExportFormat::Png2x:
        return QStringLiteral("png");
    case ExportFormat::Svg:
        return QStringLiteral("svg");
    case ExportFormat::Pdf:
        return QStringLiteral("pdf");
    case ExportFormat::Csv:
        return QStringLiteral("csv");
    case ExportFormat::Json:
        return QStringLiteral("json");
    case ExportFormat::Hgrm:
        return QStringLiteral("hgrm");
    }
    return {};
}

bool isPicture(ExportFormat format) {
    return format != ExportFormat::Csv && format != ExportFormat::Json && format != ExportFormat::Hgrm;
}

QString unavailableReason(const ChartView& chart, ExportFormat format) {
    if (format != ExportFormat::Hgrm)
        return {};
    const models::TimeSpan none{};
    return chart.latencies(none) ? QString()
                                 : Texts::tr("Only charts of latencies have percentiles to write");
}

QString suggestedFileName(const ChartView& chart, ExportFormat format, ExportSpan span) {
    QStringList parts;
    QString target = chart.target();
    std::replace_if(
        target.begin(), target.end(), [](QChar c) { return !c.isLetterOrNumber() && c != u'-' && c != u'.'; },
        u'-');
    if (!target.isEmpty())
        parts.append(target);
    // Readers of .hgrm cannot know the unit from the file itself.
    parts.append(format == ExportFormat::Hgrm ? QStringLiteral("latency_us") : chart.id());
    if (chart.slot() && chart.filtersBySlot())
        parts.append(QStringLiteral("worker%1").arg(*chart.slot()));
    const std::int64_t endNs = spanOf(chart, span).toNs;
    parts.append(
        QDateTime::fromMSecsSinceEpoch(endNs / 1'000'000, Qt::UTC).toString(u"yyyy-MM-ddTHHmmss'Z'"));
    QString name = parts.join(u'_');
    if (format == ExportFormat::Png2x)
        name += QStringLiteral("@2x");
    return name + u'.' + formatSuffix(format);
}

Expected<PreparedExport> prepareExport(const ChartView& chart, const ExportRequest& request) {
    Q_ASSERT(chart.thread() == QThread::currentThread());
    if (request.path.isEmpty())
        return failure(Error::Code::InvalidArgument, "no file name", "export", "Name a file to write");
    const QString reason = unavailableReason(chart, request.format);
    if (!reason.isEmpty())
        return failure(Error::Code::Unsupported, reason.toStdString(), chart.title().toStdString());
    const models::TimeSpan span = spanOf(chart, request.span);
    switch (request.format) {
    case ExportFormat::Csv:
        return PreparedExport{request.path,
            [make = chart.tableMaker(span)]() -> Expected<QByteArray> { return toCsv(make()); }};
    case ExportFormat::Json:
        return PreparedExport{request.path,
            [make = chart.tableMaker(span), metadata = chart.metadata(span)]() -> Expected<QByteArray> {
                return toJson(make(), metadata);
            }};
    case ExportFormat::Hgrm: {
        const std::optional<metrics::Histogram> merged = chart.latencies(span);
        if (!merged || merged->count() == 0)
            return failure(Error::Code::NotFound,
                Texts::tr("There was no request in this range").toStdString(), chart.title().toStdString(),
                Texts::tr("Choose a longer range").toStdString());
        return PreparedExport{request.path, [histogram = *merged]() -> Expected<QByteArray> {
                                  return QByteArray::fromStdString(metrics::toHgrm(histogram));
                              }};
    }
    default:
        return preparePicture(chart, request, span);
    }
}

Expected<qint64> writeExport(const PreparedExport& prepared) {
    const Expected<QByteArray> bytes = prepared.encode();
    if (!bytes)
        return failure(bytes.error());
    QSaveFile file(prepared.path);
    if (!file.open(QIODevice::WriteOnly))
        return failure(openError(file));
    // flush() is what tells of a disk that became full half way: Qt takes such a short write for no error
    // and would put the stump in the place of the old file.
    if (file.write(*bytes) != bytes->size() || !file.flush()) {
        Error error = writeError(file, bytes->size());
        file.cancelWriting();
        return failure(std::move(error));
    }
    if (!file.commit())
        return failure(writeError(file, bytes->size()));
    return bytes->size();
}

Expected<void> exportChart(const ChartView& chart, const ExportRequest& request) {
    const Expected<PreparedExport> prepared = prepareExport(chart, request);
    if (!prepared)
        return failure(prepared.error());
    const Expected<qint64> written = writeExport(*prepared);
    if (!written)
        return failure(written.error());
    return {};
}

} // namespace yardmaster::ui
