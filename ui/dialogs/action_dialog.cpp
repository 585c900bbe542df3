// SPDX-License-Identifier: GPL-3.0-or-later
#include "ui/dialogs/action_dialog.h"

#include "ui/theme/glyphs.h"
#include "ui/theme/icons.h"
#include "ui/theme/tag.h"
#include "ui/theme/text_label.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QPainter>
#include <QPainterPath>
#include <QPushButton>
#include <QSpinBox>
#include <QVBoxLayout>

namespace yardmaster::ui {

namespace {

/// A frame of 1 px `border` with rows divided by lines.
class Box final : public QWidget {
public:
    explicit Box(QWidget* parent, int rowHeight = 0)
        : QWidget(parent)
        , m_rowHeight(rowHeight) { }

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(themeOf(this).color(ColorRole::Border));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
        if (m_rowHeight <= 0)
            return;
        for (int y = m_rowHeight; y < height() - 2; y += m_rowHeight)
            painter.drawLine(QPointF(1, y + 0.5), QPointF(width() - 1, y + 0.5));
    }

private:
    int m_rowHeight;
};

class WarningStrip final : public QWidget {
public:
    using QWidget::QWidget;

protected:
    void paintEvent(QPaintEvent*) override {
        QPainter painter(this);
        painter.setRenderHint(QPainter::Antialiasing);
        painter.setPen(themeOf(this).color(ColorRole::Warn));
        painter.setBrush(themeOf(this).color(ColorRole::WarnBg));
        painter.drawRoundedRect(QRectF(rect()).adjusted(0.5, 0.5, -0.5, -0.5), 4, 4);
    }
};

class Arrow final : public QWidget {
public:
    explicit Arrow(QWidget* parent)
        : QWidget(parent) {
        setFixedWidth(scaled(42));
    }

protected:
    void paintEvent(QPaintEvent*) override {
        const int side = scaled(16);
        QPainter painter(this);
        themedIcon(QStringLiteral("arrow-right"))
            .paint(&painter, QRect((width() - side) / 2, (height() - side) / 2, side, side));
    }
};

QWidget* versionBox(const QString& caption, const QString& title, const QString& detail, QWidget* parent) {
    auto* box = new Box(parent);
    auto* layout = new QVBoxLayout(box);
    layout->setContentsMargins(scaled(12), scaled(10), scaled(12), scaled(10));
    layout->setSpacing(scaled(2));
    layout->addWidget(new TextLabel(caption, TextStyle::Caption, ColorRole::Muted, box));
    auto* name = new TextLabel(title, TextStyle::BodyStrong, ColorRole::Text, box);
    QFont font = name->font();
    font.setPixelSize(scaled(15));
    name->setFont(font);
    layout->addWidget(name);
    auto* mono = new TextLabel(detail, TextStyle::Mono, ColorRole::Muted, box);
    mono->setElided(true);
    layout->addWidget(mono);
    return box;
}

} // namespace

ActionDialog::ActionDialog(
    QWidget* owner, const QString& question, const QString& consequence, bool production)
    : OverlayDialog(owner)
    , m_content(new QVBoxLayout)
    , m_foot(new QWidget(this))
    , m_undo(new TextLabel({}, TextStyle::SubTitle, ColorRole::Muted, m_foot))
    , m_cancel(new QPushButton(tr("Cancel"), m_foot))
    , m_verb(new QPushButton(m_foot)) {
    setObjectName(QStringLiteral("action-dialog"));
    setWindowTitle(question);
    setAccessibleName(question);
    setAccessibleDescription(consequence);
    setBar(production);
    setFixedWidth(scaled(620));

    auto* heading = new QHBoxLayout;
    auto* title = new TextLabel(question, TextStyle::PageTitle, ColorRole::Text, this);
    title->setWordWrap(true);
    heading->addWidget(title, 1);
    if (production)
        heading->addWidget(Tag::production(this), 0, Qt::AlignVCenter);
    m_content->addLayout(heading);
    m_content->addSpacing(scaled(2));
    auto* sentence = new TextLabel(consequence, TextStyle::Body, ColorRole::Muted, this);
    sentence->setWordWrap(true);
    m_content->addWidget(sentence);
    m_content->setContentsMargins(scaled(24), scaled(24), scaled(24), scaled(20));
    m_content->setSpacing(0);

    auto* foot = new QHBoxLayout(m_foot);
    foot->setContentsMargins(scaled(24), scaled(14), scaled(24), scaled(14));
    foot->setSpacing(scaled(12));
    m_undo->setWordWrap(true);
    foot->addWidget(m_undo, 1);
    for (QPushButton* button : {m_cancel, m_verb}) {
        button->setAutoDefault(false);
        button->setDefault(false);
        setControlSize(*button, ControlSize::Dialog);
        foot->addWidget(button);
    }
    m_cancel->setObjectName(QStringLiteral("cancel"));
    m_verb->setObjectName(QStringLiteral("verb"));
    m_cancel->setAccessibleDescription(tr("Closes without doing anything"));

    auto* whole = new QVBoxLayout(this);
    whole->setContentsMargins(0, 0, 0, 0);
    whole->setSpacing(0);
    whole->addLayout(m_content);
    whole->addWidget(m_foot);

    connect(m_cancel, &QPushButton::clicked, this, &QDialog::reject);
    connect(m_verb, &QPushButton::clicked, this, [this] {
        m_verb->setEnabled(false); // a second click of a double click does nothing
        accept();
    });
    m_cancel->setFocus();
}

void ActionDialog::addWarning(const QString& text) {
    auto* strip = new WarningStrip(this);
    auto* layout = new QHBoxLayout(strip);
    layout->setContentsMargins(scaled(10), scaled(8), scaled(10), scaled(8));
    layout->setSpacing(scaled(8));
    layout->addWidget(new GlyphLabel(Glyph::Warning, strip), 0, Qt::AlignTop);
    auto* label = new TextLabel(text, TextStyle::Body, ColorRole::Text, strip);
    label->setObjectName(QStringLiteral("warning"));
    label->setWordWrap(true);
    layout->addWidget(label, 1);
    m_content->addSpacing(scaled(16));
    m_content->addWidget(strip);
}

void ActionDialog::addFromTo(
    const QString& from, const QString& fromDetail, const QString& to, const QString& toDetail) {
    auto* row = new QHBoxLayout;
    row->setSpacing(0);
    row->addWidget(versionBox(tr("From"), from, fromDetail, this), 1);
    row->addWidget(new Arrow(this));
    row->addWidget(versionBox(tr("To"), to, toDetail, this), 1);
    m_content->addSpacing(scaled(16));
    m_content->addLayout(row);
}

void ActionDialog::addHits(const QString& heading, const std::vector<HitRow>& rows) {
    m_content->addSpacing(scaled(16));
    m_content->addWidget(new TextLabel(heading, TextStyle::PanelTitle, ColorRole::Text, this));
    if (rows.empty())
        return;
    m_content->addSpacing(scaled(6));
    const int rowHeight = scaled(28);
    auto* box = new Box(this, rowHeight);
    auto* grid = new QGridLayout(box);
    grid->setContentsMargins(0, 0, scaled(12), 0);
    grid->setVerticalSpacing(0);
    grid->setHorizontalSpacing(scaled(20));
    grid->setColumnMinimumWidth(0, scaled(56));
    grid->setColumnMinimumWidth(1, scaled(130));
    grid->setColumnStretch(2, 1);
    int line = 0;
    for (const HitRow& row : rows) {
        auto* count = new TextLabel(row.count, TextStyle::BodyStrong, ColorRole::Text, box);
        count->setAlignment(Qt::AlignRight | Qt::AlignVCenter);
        grid->addWidget(count, line, 0);
        grid->addWidget(new TextLabel(row.kind, TextStyle::Body, ColorRole::Text, box), line, 1);
        auto* fate = new TextLabel(row.fate, TextStyle::Body, ColorRole::Muted, box);
        fate->setElided(true);
        grid->addWidget(fate, line, 2);
        grid->setRowMinimumHeight(line, rowHeight);
        ++line;
    }
    m_content->addWidget(box);
}

QSpinBox* ActionDialog::addDeadline(
    const QString& name, int seconds, int maximumSeconds, const QString& then) {
    auto* row = new QHBoxLayout;
    row->setSpacing(scaled(10));
    auto* label = new TextLabel(name, TextStyle::Body, ColorRole::Text, this);
    label->setFixedWidth(scaled(160));
    row->addWidget(label);
    auto* field = new QSpinBox(this);
    field->setRange(1, maximumSeconds);
    field->setValue(seconds);
    field->setSuffix(tr(" s", "seconds"));
    field->setFixedWidth(scaled(96));
    field->setAccessibleName(name);
    field->setAccessibleDescription(then);
    label->setBuddy(field);
    row->addWidget(field);
    auto* consequence = new TextLabel(then, TextStyle::Body, ColorRole::Muted, this);
    consequence->setWordWrap(true);
    row->addWidget(consequence, 1);
    m_content->addSpacing(scaled(m_content->property("deadlines").toBool() ? 10 : 16));
    m_content->setProperty("deadlines", true);
    m_content->addLayout(row);
    return field;
}

void ActionDialog::setTypedConfirmation(const QString& word, const QString& purpose) {
    m_content->addSpacing(scaled(16));
    auto* label = new TextLabel(tr("Type %1 %2").arg(word, purpose), TextStyle::Body, ColorRole::Text, this);
    label->setWordWrap(true);
    m_content->addWidget(label);
    m_content->addSpacing(scaled(6));
    m_confirmation = new QLineEdit(this);
    m_confirmation->setObjectName(QStringLiteral("confirmation"));
    m_confirmation->setAccessibleName(label->text());
    setControlSize(*m_confirmation, ControlSize::Dialog);
    m_content->addWidget(m_confirmation);
    m_verb->setEnabled(false);
    connect(m_confirmation, &QLineEdit::textChanged, this,
        [this, word](const QString& text) { m_verb->setEnabled(text == word); });
}

void ActionDialog::setUndo(const QString& text) {
    m_undo->setText(text);
}

void ActionDialog::setVerb(const QString& verb, ButtonKind kind) {
    m_verb->setText(verb);
    setButtonKind(*m_verb, kind);
}

void ActionDialog::keyPressEvent(QKeyEvent* event) {
    // Enter works on the button that has the focus, and on nothing else.
    if (event->key() == Qt::Key_Return || event->key() == Qt::Key_Enter) {
        if (m_verb->hasFocus() || m_cancel->hasFocus())
            (m_verb->hasFocus() ? m_verb : m_cancel)->click();
        event->accept();
        return;
    }
    OverlayDialog::keyPressEvent(event);
}

void ActionDialog::paintEvent(QPaintEvent* event) {
    OverlayDialog::paintEvent(event);
    const Theme& theme = themeOf(this);
    QPainter painter(this);
    painter.setRenderHint(QPainter::Antialiasing);
    QPainterPath outline;
    outline.addRoundedRect(QRectF(rect()).adjusted(1, 1, -1, -1), 6, 6);
    painter.setClipPath(outline);
    painter.fillRect(m_foot->geometry(), theme.color(ColorRole::Alt));
    painter.fillRect(QRect(0, m_foot->y(), width(), 1), theme.color(ColorRole::Border));
}

} // namespace yardmaster::ui
