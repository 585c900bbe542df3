// SPDX-License-Identifier: GPL-3.0-or-later
#include "backend/metrics/hgrm.h"
#include "chart_feed.h"
#include "ui/charts/chart_export.h"
#include "ui/charts/connections_chart.h"
#include "ui/charts/export_dialog.h"
#include "ui/charts/heatmap_chart.h"
#include "ui/charts/histogram_chart.h"
#include "ui/charts/percentile_chart.h"
#include "ui/charts/rate_chart.h"
#include "ui/charts/startup_chart.h"

#include <QAbstractButton>
#include <QFile>
#include <QImage>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QRegularExpression>
#include <QSet>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QXmlStreamReader>

#include <csignal>
#include <memory>

#include <sys/resource.h>

using namespace yardmaster;
using namespace yardmaster::ui;
using tests::ChartFeed;

namespace {

QByteArray contentOf(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// RFC 4180, written for this test: records of fields, quotes, CRLF only.
std::vector<QStringList> readCsv(const QByteArray& bytes) {
    const QString text = QString::fromUtf8(bytes);
    std::vector<QStringList> records;
    QStringList record;
    QString field;
    bool isQuoted = false;
    for (qsizetype i = 0; i < text.size(); ++i) {
        const QChar c = text[i];
        if (isQuoted) {
            if (c != u'"')
                field += c;
            else if (i + 1 < text.size() && text[i + 1] == u'"')
                field += text[++i];
            else
                isQuoted = false;
        } else if (c == u'"' && field.isEmpty()) {
            isQuoted = true;
        } else if (c == u',') {
            record.append(std::exchange(field, QString()));
        } else if (c == u'\r' && i + 1 < text.size() && text[i + 1] == u'\n') {
            ++i;
            record.append(std::exchange(field, QString()));
            records.push_back(std::exchange(record, QStringList()));
        } else {
            field += c;
        }
    }
    if (!field.isEmpty() || !record.isEmpty())
        records.push_back({QStringLiteral("record without an end")});
    return records;
}

QByteArray pdfText(const QString& text) {
    // A text string of PDF: UTF-16BE with its mark, backslash before ( ) and backslash.
    QByteArray bytes("\xfe\xff");
    for (const QChar c : text) {
        for (const char byte : {static_cast<char>(c.unicode() >> 8), static_cast<char>(c.unicode() & 0xff)}) {
            if (byte == '(' || byte == ')' || byte == '\\')
                bytes += '\\';
            bytes += byte;
        }
    }
    return bytes;
}

QStringList fieldsOf(const ChartColumn& column, const QVariant& cell) {
    const qlonglong ms = cell.toLongLong() / 1'000'000;
    switch (column.kind) {
    case ChartColumn::Kind::Time:
        return {QDateTime::fromMSecsSinceEpoch(ms, Qt::UTC).toString(Qt::ISODateWithMs), QString::number(ms)};
    case ChartColumn::Kind::Real:
        return {cell.isValid() ? QString::number(cell.toDouble(), 'g', QLocale::FloatingPointShortest)
                               : QString()};
    case ChartColumn::Kind::Integer:
    case ChartColumn::Kind::Text:
        break;
    }
    return {cell.toString()};
}

} // namespace

class TestChartExport : public QObject {
    Q_OBJECT

private slots:
    void initTestCase();

    void writesPictures_data() { charts(); }
    void writesPictures();
    void writesSvg_data() { charts(); }
    void writesSvg();
    void writesPdf_data() { charts(); }
    void writesPdf();
    void writesCsv_data() { charts(); }
    void writesCsv();
    void writesJson_data() { charts(); }
    void writesJson();
    void writesHgrm_data() { charts(); }
    void writesHgrm();
    void quotesWhatNeedsIt();
    void namesPercentilesInSvg();
    void drawsHeatmapCellsAsShapes();
    void exportsMoreThanIsOnScreen();
    void printsLight();
    void leavesTheChartAlone();
    void refusesUnwritable_data();
    void refusesUnwritable();
    void keepsTheOldFileWhenTheDiskIsFull();
    void dialogWritesAndSaysSo();
    void dialogSaysWhatFailed();
    void dialogDisablesWithReason();

private:
    static void charts();
    [[nodiscard]] ChartView& chart(const QString& id) const;
    [[nodiscard]] QString exported(
        const ChartView& view, ExportFormat format, ExportSpan span = ExportSpan::Visible);

    std::unique_ptr<ChartFeed> m_feed;
    std::vector<std::unique_ptr<ChartView>> m_charts;
    QTemporaryDir m_folder;
};

void TestChartExport::initTestCase() {
    QVERIFY(m_folder.isValid());
    QLocale::setDefault(QLocale(QLocale::German)); // files must not care
    m_feed = std::make_unique<ChartFeed>();
    m_feed->run(20);
    m_feed->loseLink(4);
    m_feed->run(10);
    m_feed->upgrade(3);
    m_feed->run(20);
    m_feed->time.setLengthNs(40 * ChartFeed::second);
    m_feed->time.setLive(false);
    auto& history = m_feed->history;
    auto& time = m_feed->time;
    m_charts.push_back(std::make_unique<PercentileChart>(&history, &time));
    m_charts.push_back(std::make_unique<HeatmapChart>(&history, &time));
    m_charts.push_back(std::make_unique<HistogramChart>(&history, &time));
    m_charts.push_back(std::make_unique<ConnectionsChart>(&history, &time));
    m_charts.push_back(std::make_unique<RateChart>(&history, &time));
    m_charts.push_back(std::make_unique<StartupChart>(&history, &time));
    for (const auto& view : m_charts)
        view->setTarget(QStringLiteral("edge <fra> & \"1\""));
}

void TestChartExport::charts() {
    QTest::addColumn<QString>("id");
    for (const char* id : {"latency_percentiles", "latency_heatmap", "latency_histogram", "connections",
             "request_rate", "startup"})
        QTest::newRow(id) << QString::fromLatin1(id);
}

ChartView& TestChartExport::chart(const QString& id) const {
    const auto found =
        std::find_if(m_charts.begin(), m_charts.end(), [&id](const auto& view) { return view->id() == id; });
    return **found;
}

QString TestChartExport::exported(const ChartView& view, ExportFormat format, ExportSpan span) {
    const QString path = m_folder.filePath(suggestedFileName(view, format, span));
    QFile::remove(path);
    const Expected<void> result = exportChart(view, {format, ExportTheme::Screen, span, path});
    if (!result)
        qWarning("%s", result.error().toString().c_str());
    return path;
}

void TestChartExport::writesPictures() {
    QFETCH(QString, id);
    const QImage once(exported(chart(id), ExportFormat::Png1x));
    const QImage twice(exported(chart(id), ExportFormat::Png2x));
    QVERIFY(!once.isNull() && !twice.isNull());
    QVERIFY(once.width() >= 640 && once.height() >= 240);
    QCOMPARE(twice.size(), once.size() * 2);
    for (const QImage& image : {once, twice}) {
        QVERIFY(image.text(QStringLiteral("Title")).startsWith(chart(id).title()));
        QCOMPARE(image.text(QStringLiteral("target")), chart(id).target());
        QVERIFY(!image.text(QStringLiteral("range_from")).isEmpty());
        QVERIFY(!image.text(QStringLiteral("range_to")).isEmpty());
        QVERIFY(!image.text(QStringLiteral("units")).isEmpty());
        QSet<QRgb> colours;
        for (int y = 0; y < image.height(); y += 2) {
            for (int x = 0; x < image.width(); x += 2)
                colours.insert(image.pixel(x, y));
        }
        QVERIFY2(colours.size() > 30, "hardly anything was painted");
    }
    QVERIFY(std::abs(twice.dotsPerMeterX() - 2 * once.dotsPerMeterX()) <= 2);
}

void TestChartExport::writesSvg() {
    QFETCH(QString, id);
    const QByteArray bytes = contentOf(exported(chart(id), ExportFormat::Svg));
    QXmlStreamReader xml(bytes);
    QString title, description;
    QStringList texts;
    double widthMm = 0;
    QStringList viewBox;
    while (!xml.atEnd()) {
        if (xml.readNext() != QXmlStreamReader::StartElement)
            continue;
        if (xml.name() == u"svg") {
            QString width = xml.attributes().value(QStringLiteral("width")).toString();
            QVERIFY(width.endsWith(u"mm"));
            widthMm = width.chopped(2).toDouble();
            viewBox = xml.attributes().value(QStringLiteral("viewBox")).toString().split(u' ');
        } else if (xml.name() == u"title") {
            title = xml.readElementText();
        } else if (xml.name() == u"desc") {
            description = xml.readElementText();
        } else if (xml.name() == u"text") {
            texts.append(xml.readElementText().trimmed());
        }
    }
    QVERIFY2(!xml.hasError(), qPrintable(xml.errorString()));
    QCOMPARE(viewBox.size(), 4);
    // 96 dots an inch, so that 11 px text is 11 px of the drawing.
    QVERIFY(std::abs(widthMm - viewBox[2].toDouble() * 25.4 / 96) < 0.05);
    QVERIFY(title.contains(chart(id).title()) && title.contains(chart(id).target()));
    QVERIFY(description.contains(QStringLiteral("range_from: ")));
    QVERIFY(description.contains(QStringLiteral("units: ")));
    QVERIFY(texts.size() > 5);
}

void TestChartExport::writesPdf() {
    QFETCH(QString, id);
    const QByteArray bytes = contentOf(exported(chart(id), ExportFormat::Pdf));
    QVERIFY(bytes.startsWith("%PDF-"));
    QVERIFY(bytes.trimmed().endsWith("%%EOF"));
    QVERIFY2(!bytes.contains("DCTDecode"), "a picture was stored as JPEG");
    QVERIFY(bytes.contains("/Title"));
    QVERIFY(bytes.contains(pdfText(chart(id).title() + QStringLiteral(", edge <fra> & "))));
    QVERIFY(bytes.contains(pdfText(QStringLiteral("Yardmaster " YARDMASTER_VERSION))));
    QVERIFY2(bytes.contains("/FontFile2") || bytes.contains("/FontFile"), "text is not text");
    // A page as large as the picture, 3/4 point a pixel.
    const QImage picture(exported(chart(id), ExportFormat::Png1x));
    const auto box = QRegularExpression(QStringLiteral("/MediaBox \\[0 0 ([0-9.]+) ([0-9.]+)"))
                         .match(QString::fromLatin1(bytes));
    QVERIFY(box.hasMatch());
    QVERIFY(std::abs(box.captured(1).toDouble() - picture.width() * 0.75) <= 1);
    QVERIFY(std::abs(box.captured(2).toDouble() - picture.height() * 0.75) <= 1);
}

void TestChartExport::writesCsv() {
    QFETCH(QString, id);
    const ChartTable table = chart(id).table(chart(id).shownSpan());
    QVERIFY(!table.rows.empty());
    const auto records = readCsv(contentOf(exported(chart(id), ExportFormat::Csv)));
    QCOMPARE(records.size(), table.rows.size() + 1);

    QStringList head;
    for (const ChartColumn& column : table.columns) {
        head.append(column.keyWithUnit());
        if (column.kind == ChartColumn::Kind::Time)
            head.append(column.key + QStringLiteral("_epoch_ms"));
    }
    QCOMPARE(records.front(), head);
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        QStringList wanted;
        for (std::size_t i = 0; i < table.columns.size(); ++i)
            wanted += fieldsOf(table.columns[i], table.rows[row][i]);
        QCOMPARE(records[row + 1], wanted);
    }
}

void TestChartExport::writesJson() {
    QFETCH(QString, id);
    const ChartTable table = chart(id).table(chart(id).shownSpan());
    QJsonParseError error;
    const QJsonObject json =
        QJsonDocument::fromJson(contentOf(exported(chart(id), ExportFormat::Json)), &error).object();
    QVERIFY2(error.error == QJsonParseError::NoError, qPrintable(error.errorString()));
    const QJsonObject metadata = json[u"metadata"].toObject();
    QCOMPARE(metadata[u"target"].toString(), chart(id).target());
    QCOMPARE(metadata[u"title"].toString(), chart(id).title());
    QVERIFY(!metadata[u"range_from"].toString().isEmpty());
    QVERIFY(!metadata[u"units"].toString().isEmpty());
    if (id.startsWith(u"latency"))
        QVERIFY(
            metadata[u"percentile_source"].toString().contains(QStringLiteral("coordinated omission: no")));
    const QJsonArray rows = json[u"rows"].toArray();
    QCOMPARE(static_cast<std::size_t>(rows.size()), table.rows.size());
    for (std::size_t row = 0; row < table.rows.size(); ++row) {
        const QJsonObject object = rows[static_cast<qsizetype>(row)].toObject();
        for (std::size_t i = 0; i < table.columns.size(); ++i) {
            const ChartColumn& column = table.columns[i];
            const QVariant& cell = table.rows[row][i];
            const QJsonValue value = object[column.keyWithUnit()];
            if (!cell.isValid())
                QVERIFY(value.isNull());
            else if (column.kind == ChartColumn::Kind::Real)
                QCOMPARE(value.toDouble(), cell.toDouble());
            else if (column.kind == ChartColumn::Kind::Integer)
                QCOMPARE(value.toInteger(), cell.toLongLong());
            else if (column.kind == ChartColumn::Kind::Text)
                QCOMPARE(value.toString(), cell.toString());
        }
    }
}

void TestChartExport::writesHgrm() {
    QFETCH(QString, id);
    const ChartView& view = chart(id);
    const bool isLatency = id.startsWith(u"latency");
    QCOMPARE(unavailableReason(view, ExportFormat::Hgrm).isEmpty(), isLatency);
    if (!isLatency) {
        const QString path = m_folder.filePath(QStringLiteral("none.hgrm"));
        const auto result =
            exportChart(view, {ExportFormat::Hgrm, ExportTheme::Screen, ExportSpan::Visible, path});
        QVERIFY(!result);
        QCOMPARE(result.error().code, Error::Code::Unsupported);
        QVERIFY(!QFile::exists(path));
        return;
    }
    const QString path = exported(view, ExportFormat::Hgrm);
    QVERIFY2(path.contains(QStringLiteral("latency_us")), "the unit is not in the name");
    const auto summary = metrics::readHgrm(contentOf(path).toStdString());
    QVERIFY(summary);
    const metrics::Histogram merged = m_feed->history.merged(view.shownSpan());
    QCOMPARE(summary->totalCount, merged.count());
    QVERIFY(std::abs(summary->maxUs - static_cast<double>(merged.maxUs()))
        <= static_cast<double>(merged.maxUs()) / 100);
    QVERIFY(std::abs(summary->meanUs - merged.meanUs()) <= merged.meanUs() / 100);
}

void TestChartExport::quotesWhatNeedsIt() {
    ChartTable table;
    table.columns = {{QStringLiteral("text"), {}, {}, ChartColumn::Kind::Text, true, 0},
        {QStringLiteral("value"), {}, QStringLiteral("ms"), ChartColumn::Kind::Real, false, 0},
        {QStringLiteral("at"), {}, {}, ChartColumn::Kind::Time, false, 0}};
    table.rows = {{QStringLiteral("a, \"b\"\r\nc"), 1.5, QVariant()},
        {QString(), std::numeric_limits<double>::quiet_NaN(), QVariant(qlonglong{1'500'000'000'000})}};
    const QByteArray csv = toCsv(table);
    QCOMPARE(csv,
        QByteArray("text,value_ms,at,at_epoch_ms\r\n"
                   "\"a, \"\"b\"\"\r\nc\",1.5,,\r\n"
                   ",,1970-01-01T00:25:00.000Z,1500000\r\n"));
    const auto records = readCsv(csv);
    QCOMPARE(records.size(), 3U);
    QCOMPARE(records[1].front(), QStringLiteral("a, \"b\"\r\nc"));
}

void TestChartExport::namesPercentilesInSvg() {
    const QByteArray svg =
        contentOf(exported(chart(QStringLiteral("latency_percentiles")), ExportFormat::Svg));
    QStringList texts;
    QXmlStreamReader xml(svg);
    while (!xml.atEnd()) {
        if (xml.readNext() == QXmlStreamReader::StartElement && xml.name() == u"text")
            texts.append(xml.readElementText().trimmed());
    }
    for (const char* name : {"p50", "p90", "p99", "p99.9", "max", "n"})
        QVERIFY2(texts.contains(QString::fromLatin1(name)), name);
    QVERIFY(texts.join(u'\n').contains(QStringLiteral("link lost"), Qt::CaseInsensitive));
}

void TestChartExport::drawsHeatmapCellsAsShapes() {
    const QByteArray svg = contentOf(exported(chart(QStringLiteral("latency_heatmap")), ExportFormat::Svg));
    QVERIFY(!svg.contains("<image"));
    QVERIFY(svg.count("<rect") > 100);
    const QByteArray pdf = contentOf(exported(chart(QStringLiteral("latency_heatmap")), ExportFormat::Pdf));
    QVERIFY(!pdf.contains("/Subtype /Image"));
}

void TestChartExport::exportsMoreThanIsOnScreen() {
    const ChartView& view = chart(QStringLiteral("latency_percentiles"));
    const auto visible = readCsv(contentOf(exported(view, ExportFormat::Csv, ExportSpan::Visible)));
    const auto all = readCsv(contentOf(exported(view, ExportFormat::Csv, ExportSpan::All)));
    QVERIFY(all.size() > visible.size() + 4);
    const QImage image(exported(view, ExportFormat::Png1x, ExportSpan::All));
    QVERIFY(!image.text(QStringLiteral("range_from")).isEmpty());
    QVERIFY(image.text(QStringLiteral("range_from")) <= all[1].front());
    QVERIFY(all[1].front() < visible[1].front());
}

void TestChartExport::printsLight() {
    ChartView& view = chart(QStringLiteral("request_rate"));
    view.setThemeOverride(&Theme::darkTheme());
    const QString path = m_folder.filePath(QStringLiteral("themes.png"));
    QVERIFY(exportChart(view, {ExportFormat::Png1x, ExportTheme::Screen, ExportSpan::Visible, path}));
    QCOMPARE(QImage(path).pixelColor(2, 2).name(), Theme::darkTheme().color(ColorRole::Panel).name());
    QVERIFY(exportChart(view, {ExportFormat::Png1x, ExportTheme::LightForPrint, ExportSpan::Visible, path}));
    QCOMPARE(QImage(path).pixelColor(2, 2).name(), Theme::light().color(ColorRole::Panel).name());
    view.setThemeOverride(nullptr);
}

void TestChartExport::leavesTheChartAlone() {
    PercentileChart view(&m_feed->history, &m_feed->time);
    view.resize(700, 300);
    view.refresh();
    const std::uint64_t replots = view.replotCount();
    const models::TimeSpan span = view.axisSpan();
    for (const ExportFormat format : allExportFormats)
        std::ignore = exported(view, format, ExportSpan::All);
    QCOMPARE(view.replotCount(), replots);
    QCOMPARE(view.axisSpan(), span);
    QVERIFY(!m_feed->time.isLive());
}

void TestChartExport::refusesUnwritable_data() {
    QTest::addColumn<QString>("path");
    QTest::addColumn<int>("code");
    const QString file = m_folder.filePath(QStringLiteral("a-file"));
    QFile blocker(file);
    QVERIFY(blocker.open(QIODevice::WriteOnly));
    QTest::newRow("no name") << QString() << static_cast<int>(Error::Code::InvalidArgument);
    QTest::newRow("no such folder") << m_folder.filePath(QStringLiteral("missing/chart.png"))
                                    << static_cast<int>(Error::Code::NotFound);
    QTest::newRow("a file where a folder should be")
        << file + QStringLiteral("/chart.png") << static_cast<int>(Error::Code::NotFound);
    QTest::newRow("a folder where a file should be") << m_folder.path() << -1;
}

void TestChartExport::refusesUnwritable() {
    QFETCH(QString, path);
    QFETCH(int, code);
    for (const ExportFormat format : {ExportFormat::Png1x, ExportFormat::Csv}) {
        const auto result = exportChart(
            chart(QStringLiteral("startup")), {format, ExportTheme::Screen, ExportSpan::Visible, path});
        QVERIFY(!result);
        QVERIFY(!result.error().what.empty());
        if (code >= 0)
            QCOMPARE(static_cast<int>(result.error().code), code);
        QVERIFY(!QFileInfo(path).isFile());
    }
}

void TestChartExport::keepsTheOldFileWhenTheDiskIsFull() {
    QTemporaryDir folder;
    const QString path = folder.filePath(QStringLiteral("chart.json"));
    QFile before(path);
    QVERIFY(before.open(QIODevice::WriteOnly));
    before.write("what was here before");
    before.close();

    // A limit on the size of files is the full disk one gets without being root.
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    QCOMPARE(getrlimit(RLIMIT_FSIZE, &limit), 0);
    rlimit small = limit;
    small.rlim_cur = 512;
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto result = exportChart(chart(QStringLiteral("latency_percentiles")),
        {ExportFormat::Json, ExportTheme::Screen, ExportSpan::Visible, path});
    QCOMPARE(setrlimit(RLIMIT_FSIZE, &limit), 0);

    QVERIFY(!result);
    QCOMPARE(result.error().code, Error::Code::ResourceExhausted);
    QVERIFY(!result.error().hint.empty());
    QCOMPARE(contentOf(path), QByteArray("what was here before"));
    QCOMPARE(QDir(folder.path()).entryList(QDir::Files | QDir::Hidden).size(), 1);
}

void TestChartExport::dialogWritesAndSaysSo() {
    QWidget window;
    window.resize(1000, 800);
    window.show();
    std::vector<ChartView*> views;
    for (const auto& view : m_charts)
        views.push_back(view.get());
    auto* dialog = new ExportDialog(views, &window);
    dialog->open();
    dialog->setFormat(ExportFormat::Svg);
    const QString path = m_folder.filePath(QStringLiteral("from-dialog.svg"));
    dialog->setDestination(path);
    QSignalSpy exportedSpy(dialog, &ExportDialog::exported);
    auto* verb = dialog->findChild<QAbstractButton*>(QStringLiteral("verb"));
    QVERIFY(verb && verb->isEnabled());
    QTest::mouseClick(verb, Qt::LeftButton);
    QTRY_COMPARE(exportedSpy.size(), 1);
    QCOMPARE(exportedSpy[0][1].toLongLong(), QFileInfo(path).size());
    QVERIFY(dialog->message().contains(path));
    QVERIFY(contentOf(path).contains("<svg"));

    // The ending follows the format also of a name the user chose.
    dialog->setFormat(ExportFormat::Csv);
    QCOMPARE(dialog->request().path, m_folder.filePath(QStringLiteral("from-dialog.csv")));
    dialog->reject();
}

void TestChartExport::dialogSaysWhatFailed() {
    QWidget window;
    window.resize(1000, 800);
    window.show();
    auto* dialog = new ExportDialog({&chart(QStringLiteral("connections"))}, &window);
    dialog->open();
    const QString path = m_folder.filePath(QStringLiteral("missing/chart.png"));
    dialog->setDestination(path);
    QSignalSpy failedSpy(dialog, &ExportDialog::failed);
    QTest::mouseClick(dialog->findChild<QAbstractButton*>(QStringLiteral("verb")), Qt::LeftButton);
    QTRY_COMPARE(failedSpy.size(), 1);
    QVERIFY(dialog->isVisible());
    QVERIFY2(dialog->message().contains(path), qPrintable(dialog->message()));
    QVERIFY(dialog->findChild<QAbstractButton*>(QStringLiteral("verb"))->isEnabled());
    dialog->reject();
}

void TestChartExport::dialogDisablesWithReason() {
    QWidget window;
    window.resize(1000, 800);
    auto* dialog = new ExportDialog({&chart(QStringLiteral("startup"))}, &window);
    auto* hgrm = dialog->findChild<QAbstractButton*>(QStringLiteral("format-hgrm"));
    QVERIFY(hgrm);
    QVERIFY(!hgrm->isEnabled());
    QVERIFY(!hgrm->toolTip().isEmpty());
    QVERIFY(dialog->findChild<QAbstractButton*>(QStringLiteral("format-svg"))->isEnabled());
    delete dialog;

    dialog = new ExportDialog({&chart(QStringLiteral("latency_histogram"))}, &window);
    QVERIFY(dialog->findChild<QAbstractButton*>(QStringLiteral("format-hgrm"))->isEnabled());
    delete dialog;
}

QTEST_MAIN(TestChartExport)
#include "tst_chart_export.moc"
