// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/charts/export_dialog.h"

#include "ui/charts/chart_view.h"
#include "ui/charts/segment_switch.h"
#include "ui/theme/controls.h"
#include "ui/theme/format.h"
#include "ui/theme/glyphs.h"
#include "ui/theme/text_label.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QFuture>
#include <QGridLayout>
#include <QLineEdit>
#include <QPainter>
#include <QPromise>
#include <QPushButton>
#include <QRadioButton>
#include <QStandardPaths>
#include <QThreadPool>
#include <QVBoxLayout>

namespace yardmaster::ui {

/// What became of the export, in the dialog: no toast that goes away before it is read.
class MessageStrip final : public QWidget {
public:
    explicit MessageStrip(QWidget* parent)
        : QWidget(parent)
        , m_glyph(new GlyphLabel(Glyph::None, this))
        , m_text(new TextLabel({}, TextStyle::Body, ColorRole::Text, this)) {
        auto* layout = new QHBoxLayout(this);
        layout->setContentsMargins(scaled(10), scaled(8), scaled(10), scaled(8));
        layout->setSpacing(scaled(8));
        layout->addWidget(m_glyph, 0, Qt::AlignTop);
        m_text->setWordWrap(true);
        m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        layout->addWidget(m_text, 1);
        hide();
    }

    void say(const QString& text, bool isError) {
        m_isError = isError;
        m_glyph->setGlyph(isError ? Glyph::Crashed : Glyph::Done);
        m_text->setText(text);
        m_text->setAccessibleName(text);
        setVisible(!text.isEmpty());
        update();
    }
    [[nodiscard]] QString text() const { return m_text->text(); }

protected:
    void paintEvent(QPaintEvent*) override {
        const Theme& theme = themeOf(this);
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(theme.color(m_isError ? ColorRole::Bad : ColorRole::Ok));
        painter.setBrush(theme.color(m_isError ? ColorRole::BadBg : ColorRole::OkBg));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }

private:
    GlyphLabel* m_glyph;
    TextLabel* m_text;
    bool m_isError = false;
};

namespace {

QString purposeOf(ExportFormat format) {
    switch (format) {
    case ExportFormat::Png1x:
        return ExportDialog::tr("picture as on screen");
    case ExportFormat::Png2x:
        return ExportDialog::tr("picture for dense screens");
    case ExportFormat::Svg:
        return ExportDialog::tr("shapes and text, for the web");
    case ExportFormat::Pdf:
        return ExportDialog::tr("shapes and text, for print");
    case ExportFormat::Csv:
        return ExportDialog::tr("all values, RFC 4180");
    case ExportFormat::Json:
        return ExportDialog::tr("all values with metadata");
    case ExportFormat::Hgrm:
        return ExportDialog::tr("percentiles, HdrHistogram");
    }
    return {};
}

QString defaultFolder() {
    for (const auto location : {QStandardPaths::DownloadLocation, QStandardPaths::DocumentsLocation}) {
        const QString path = QStandardPaths::writableLocation(location);
        if (!path.isEmpty() && QFileInfo(path).isDir())
            return path;
    }
    return QDir::homePath();
}

QString sizeText(qint64 bytes) {
    if (bytes < 1024)
        return ExportDialog::tr("%1 bytes").arg(bytes);
    if (bytes < 1024 * 1024)
        return ExportDialog::tr("%1 KiB").arg(format::number(static_cast<double>(bytes) / 1024));
    return ExportDialog::tr("%1 MiB").arg(format::mebibytes(static_cast<double>(bytes)));
}

} // namespace

ExportDialog::ExportDialog(const std::vector<ChartView*>& charts, QWidget* owner)
    : OverlayDialog(owner) {
    Q_ASSERT(!charts.empty());
    for (ChartView* view : charts)
        m_charts.emplace_back(view);
    setObjectName(QStringLiteral("export-dialog"));
    setFixedWidth(scaled(620));

    auto* content = new QVBoxLayout;
    content->setContentsMargins(scaled(24), scaled(24), scaled(24), scaled(20));
    content->setSpacing(scaled(14));
    m_heading = new TextLabel({}, TextStyle::PageTitle, ColorRole::Text, this);
    m_heading->setWordWrap(true);
    content->addWidget(m_heading);
    content->addWidget(makeForm());
    m_message = new MessageStrip(this);
    m_message->setObjectName(QStringLiteral("message"));
    content->addWidget(m_message);

    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addLayout(content);
    whole->addWidget(makeFoot());

    updateForChart();
    m_export->setFocus();
}

ExportDialog::~ExportDialog() = default;

QWidget* ExportDialog::makeForm() {
    auto* box = new QWidget(this);
    auto* form = new QFormLayout(box);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(scaled(16));
    form->setVerticalSpacing(scaled(12));
    form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
    form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
    const auto addRow = [form, box](const QString& name, QWidget* field) {
        auto* label = new TextLabel(name, TextStyle::Body, ColorRole::Muted, box);
        label->setFixedHeight(scaled(28));
        form->addRow(label, field);
    };
    const auto leftAligned = [box](QWidget* widget) {
        auto* row = new QWidget(box);
        auto* layout = new QHBoxLayout(row);
        layout->setContentsMargins(0, scaled(2), 0, scaled(2));
        layout->addWidget(widget);
        layout->addStretch(1);
        return row;
    };
    if (m_charts.size() > 1) {
        m_chartBox = new QComboBox(box);
        m_chartBox->setObjectName(QStringLiteral("chart"));
        m_chartBox->setAccessibleName(tr("Chart"));
        for (const QPointer<ChartView>& view : m_charts)
            m_chartBox->addItem(view->title());
        connect(m_chartBox, &QComboBox::currentIndexChanged, this, &ExportDialog::updateForChart);
        addRow(tr("Chart"), m_chartBox);
    }
    addRow(tr("Format"), makeFormats());
    m_theme = new SegmentSwitch(tr("Colours"), {tr("As on screen"), tr("Light, for print")}, box);
    m_theme->setCurrent(0);
    m_theme->setObjectName(QStringLiteral("theme"));
    addRow(tr("Colours"), leftAligned(m_theme));
    m_span = new SegmentSwitch(tr("Range"), {tr("On screen"), tr("All recorded")}, box);
    m_span->setCurrent(0);
    m_span->setObjectName(QStringLiteral("span"));
    connect(m_span, &SegmentSwitch::chosen, this, &ExportDialog::updatePath);
    addRow(tr("Range"), leftAligned(m_span));

    auto* destination = new QWidget(box);
    auto* row = new QGridLayout(destination);
    row->setContentsMargins(0, 0, 0, 0);
    row->setHorizontalSpacing(scaled(8));
    row->setVerticalSpacing(scaled(4));
    m_path = new QLineEdit(destination);
    m_path->setObjectName(QStringLiteral("path"));
    m_path->setAccessibleName(tr("File to write"));
    connect(m_path, &QLineEdit::textEdited, this, [this] { m_pathIsOwn = false; });
    connect(m_path, &QLineEdit::textChanged, this, &ExportDialog::updateState);
    auto* browseButton = new QPushButton(tr("Browse…"), destination);
    browseButton->setObjectName(QStringLiteral("browse"));
    browseButton->setAutoDefault(false);
    connect(browseButton, &QPushButton::clicked, this, &ExportDialog::browse);
    m_note = new TextLabel({}, TextStyle::Caption, ColorRole::Muted, destination);
    row->addWidget(m_path, 0, 0);
    row->addWidget(browseButton, 0, 1);
    row->addWidget(m_note, 1, 0, 1, 2);
    row->setColumnStretch(0, 1);
    addRow(tr("File"), destination);
    return box;
}

QWidget* ExportDialog::makeFormats() {
    auto* box = new QWidget(this);
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, scaled(2), 0, 0);
    grid->setHorizontalSpacing(scaled(12));
    grid->setVerticalSpacing(scaled(2));
    grid->setColumnStretch(1, 1);
    m_formats = new QButtonGroup(this);
    int row = 0;
    for (const ExportFormat format : allExportFormats) {
        auto* button = new QRadioButton(formatName(format), box);
        button->setMinimumHeight(scaled(24));
        button->setAccessibleDescription(purposeOf(format));
        button->setObjectName(QStringLiteral("format-") + formatSuffix(format)
            + (format == ExportFormat::Png2x ? QStringLiteral("-2x") : QString()));
        auto* purpose = new TextLabel(purposeOf(format), TextStyle::SubTitle, ColorRole::Muted, box);
        if (format == ExportFormat::Hgrm)
            m_hgrmNote = purpose;
        m_formats->addButton(button, static_cast<int>(format));
        grid->addWidget(button, row, 0);
        grid->addWidget(purpose, row, 1);
        ++row;
    }
    m_formats->button(static_cast<int>(ExportFormat::Png2x))->setChecked(true);
    connect(m_formats, &QButtonGroup::idClicked, this, &ExportDialog::updatePath);
    return box;
}

QWidget* ExportDialog::makeFoot() {
    auto* foot = new QWidget(this);
    auto* row = new QHBoxLayout(foot);
    row->setContentsMargins(scaled(24), scaled(14), scaled(24), scaled(14));
    row->setSpacing(scaled(12));
    row->addStretch(1);
    m_cancel = new QPushButton(tr("Cancel"), foot);
    m_export = new QPushButton(tr("Export"), foot);
    m_cancel->setObjectName(QStringLiteral("cancel"));
    m_export->setObjectName(QStringLiteral("verb"));
    setButtonKind(*m_export, ButtonKind::Primary);
    for (QPushButton* button : {m_cancel, m_export}) {
        setControlSize(*button, ControlSize::Dialog);
        button->setAutoDefault(false);
        row->addWidget(button);
    }
    m_export->setDefault(true);
    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_export, &QPushButton::clicked, this, &ExportDialog::start);
    return foot;
}

ChartView* ExportDialog::chart() const {
    const int index = m_chartBox ? m_chartBox->currentIndex() : 0;
    return m_charts[static_cast<std::size_t>(std::max(0, index))];
}

void ExportDialog::updateForChart() {
    const ChartView* view = chart();
    if (!view)
        return;
    const QString question = view->target().isEmpty()
        ? tr("Export %1").arg(view->title())
        : tr("Export %1 of %2").arg(view->title(), view->target());
    m_heading->setText(question);
    setAccessibleName(question);
    setWindowTitle(question);
    for (const ExportFormat format : allExportFormats) {
        const QString reason = unavailableReason(*view, format);
        QAbstractButton* button = m_formats->button(static_cast<int>(format));
        button->setEnabled(reason.isEmpty());
        button->setToolTip(reason);
        if (format == ExportFormat::Hgrm)
            m_hgrmNote->setText(reason.isEmpty() ? purposeOf(format) : reason);
        if (!reason.isEmpty() && button->isChecked())
            m_formats->button(static_cast<int>(ExportFormat::Csv))->setChecked(true);
    }
    updatePath();
}

void ExportDialog::setFormat(ExportFormat format) {
    m_formats->button(static_cast<int>(format))->setChecked(true);
    updatePath();
}

void ExportDialog::setDestination(const QString& path) {
    m_pathIsOwn = false;
    m_path->setText(path);
}

ExportRequest ExportDialog::request() const {
    ExportRequest result;
    result.format = static_cast<ExportFormat>(m_formats->checkedId());
    result.theme = m_theme->current() == 1 ? ExportTheme::LightForPrint : ExportTheme::Screen;
    result.span = m_span->current() == 1 ? ExportSpan::All : ExportSpan::Visible;
    result.path = m_path->text();
    return result;
}

QString ExportDialog::message() const {
    return m_message->text();
}

// A name of ours follows the choices; of a name the user typed only the ending does.
void ExportDialog::updatePath() {
    const ExportRequest wanted = request();
    m_theme->setEnabled(isPicture(wanted.format));
    m_theme->setToolTip(isPicture(wanted.format) ? QString() : tr("Files of values have no colours"));
    if (!chart())
        return;
    const QFileInfo present(m_path->text());
    if (m_pathIsOwn) {
        const QString folder = m_path->text().isEmpty() ? defaultFolder() : present.absolutePath();
        m_path->setText(QDir(folder).filePath(suggestedFileName(*chart(), wanted.format, wanted.span)));
    } else if (!present.fileName().isEmpty() && present.suffix() != formatSuffix(wanted.format)) {
        m_path->setText(
            QDir(present.path()).filePath(present.completeBaseName() + u'.' + formatSuffix(wanted.format)));
    }
    updateState();
}

void ExportDialog::updateState() {
    const QFileInfo file(m_path->text());
    m_note->setText(file.isFile() ? tr("This file exists and will be replaced.") : QStringLiteral(" "));
    m_export->setEnabled(!m_isRunning && !m_path->text().isEmpty() && chart());
}

void ExportDialog::browse() {
    auto* dialog = new QFileDialog(this, tr("Export to"), QFileInfo(m_path->text()).absolutePath());
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setOption(QFileDialog::DontConfirmOverwrite); // the note under the field says it
    dialog->selectFile(QFileInfo(m_path->text()).fileName());
    connect(dialog, &QFileDialog::fileSelected, this, &ExportDialog::setDestination);
    dialog->open();
}

void ExportDialog::start() {
    if (m_isRunning || !chart())
        return;
    Expected<PreparedExport> prepared = prepareExport(*chart(), request());
    if (!prepared) {
        finish(m_path->text(), failure(prepared.error()));
        return;
    }
    m_isRunning = true;
    updateState();
    using Written = Expected<qint64>;
    auto promise = std::make_shared<QPromise<Written>>();
    promise->start();
    // The dialog may be closed meanwhile: then the file is still written, and nobody is told.
    promise->future().then(
        this, [this, path = prepared->path](const Written& written) { finish(path, written); });
    QThreadPool::globalInstance()->start([promise, work = *std::move(prepared)] {
        promise->addResult(writeExport(work));
        promise->finish();
    });
}

void ExportDialog::finish(const QString& path, const Expected<qint64>& written) {
    m_isRunning = false;
    m_cancel->setText(tr("Close"));
    if (written) {
        m_message->say(tr("Written: %1, %2").arg(QDir::toNativeSeparators(path), sizeText(*written)), false);
        updateState();
        emit exported(path, *written);
        return;
    }
    m_message->say(tr("Not written: %1").arg(QString::fromStdString(written.error().toString())), true);
    updateState();
    emit failed(m_message->text());
}

} // namespace yardmaster::ui
